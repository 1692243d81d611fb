package metrics

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/memory/faithful"
)

// ContentType is what an HTTP answer says of the text.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// WriteTo writes all metrics in Prometheus's text format, version 0.0.4. What it
// writes is of one moment.
func (m *Metrics) WriteTo(to io.Writer) (int64, error) {
	n, err := m.text().WriteTo(to)
	if err != nil {
		return n, fmt.Errorf("metrics of memory: %w", err)
	}
	return n, nil
}

func (m *Metrics) text() *page {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := &page{}
	p.head("forsooth_grounding_verdicts_total", "counter", "Verdicts of Guard 1 on candidate memories.")
	for _, v := range labels {
		p.count("forsooth_grounding_verdicts_total", m.verdicts[v], "verdict", strings.ToLower(string(v)))
	}
	p.histogram("forsooth_grounding_latency_seconds", "Time that Guard 1 took for a verdict.", &m.grounded)
	p.head("forsooth_hallucination_blocked_total", "counter", "Candidates dropped because nothing said supports them.")
	p.count("forsooth_hallucination_blocked_total", m.blocked)
	m.scans(p)
	p.head("forsooth_faithfulness_scores_total", "counter", "Replies that Guard 3 scored, by their risk.")
	for _, r := range faithful.Risks() {
		p.count("forsooth_faithfulness_scores_total", m.risks[r], "risk", string(r))
	}
	p.histogram("forsooth_faithfulness_latency_seconds", "Time that Guard 3 took to score a reply.", &m.scored)
	p.head("forsooth_response_policy_applied_total", "counter", "Replies with which Guard 3's policy did something.")
	for _, s := range steps {
		p.count("forsooth_response_policy_applied_total", m.policies[s], "policy", string(s))
	}
	m.funnelled(p)
	return p
}

func (m *Metrics) funnelled(p *page) {
	p.head("forsooth_memory_funnel_total", "counter", "How much of what is said becomes memory, stage by stage.")
	for _, s := range stages {
		p.count("forsooth_memory_funnel_total", m.funnel[s], "stage", string(s))
	}
	p.head("forsooth_memory_llm_calls_total", "counter", "Calls of language models for memory.")
	for _, a := range asked {
		p.count("forsooth_memory_llm_calls_total", m.calls[a].n, "stage", a)
	}
	p.head("forsooth_memory_llm_cost_total", "counter", "Cost of those calls, in the currency of the budgets.")
	for _, a := range asked {
		p.sample("forsooth_memory_llm_cost_total", number(m.calls[a].cost), "stage", a)
	}
}

func (m *Metrics) scans(p *page) {
	worlds := slices.Sorted(maps.Keys(m.worlds))
	p.head("forsooth_consistency_clusters_found_total", "counter", "Clusters of suspect memories that Guard 2 found and had not judged before.")
	for _, w := range worlds {
		p.count("forsooth_consistency_clusters_found_total", m.worlds[w].clusters, "world", w)
	}
	p.head("forsooth_consistency_actions_total", "counter", "What Guard 2 did with memories.")
	for _, w := range worlds {
		for _, a := range actions {
			p.count("forsooth_consistency_actions_total", m.worlds[w].actions[a], "action", a, "world", w)
		}
	}
	p.head("forsooth_consistency_scan_duration_seconds", "gauge", "Time that the last scan of a world took.")
	for _, w := range worlds {
		if m.worlds[w].scanned {
			p.sample("forsooth_consistency_scan_duration_seconds", number(m.worlds[w].took.Seconds()), "world", w)
		}
	}
}

// page is the text being written.
type page struct{ bytes.Buffer }

func (p *page) head(name, kind, help string) {
	fmt.Fprintf(p, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

func (p *page) count(name string, n uint64, labels ...string) {
	p.sample(name, strconv.FormatUint(n, 10), labels...)
}

// sample is one line. Labels are names and values in turn.
func (p *page) sample(name, value string, labels ...string) {
	p.WriteString(name)
	for i := 0; i+1 < len(labels); i += 2 {
		p.WriteString(map[bool]string{true: "{", false: ","}[i == 0])
		p.WriteString(labels[i] + `="` + escaped.Replace(labels[i+1]) + `"`)
	}
	if len(labels) > 0 {
		p.WriteByte('}')
	}
	p.WriteString(" " + value + "\n")
}

// escaped is how the format writes the value of a label.
var escaped = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

func (p *page) histogram(name, help string, h *histogram) {
	p.head(name, "histogram", help)
	var below uint64
	for i, b := range bounds {
		below += h.counts[i]
		p.count(name+"_bucket", below, "le", number(b))
	}
	p.count(name+"_bucket", h.n, "le", "+Inf")
	p.sample(name+"_sum", number(h.sum))
	p.count(name+"_count", h.n)
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
