package report

import (
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"github.com/forsooth-npc/forsooth/internal/memory/faithful"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// scrape is what Prometheus reads.
func scrape(t *testing.T, m *Metrics) string {
	t.Helper()
	registry, page := prometheus.NewRegistry(), &strings.Builder{}
	if err := registry.Register(m); err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather()
	for _, f := range families {
		if err == nil {
			_, err = expfmt.MetricFamilyToText(page, f)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return page.String()
}

func holds(t *testing.T, got string, lines ...string) {
	t.Helper()
	for _, want := range lines {
		if !strings.Contains("\n"+got, "\n"+want+"\n") {
			t.Errorf("no line %q in\n%s", want, got)
		}
	}
}

// A rule about changes sees a counter's first step only where it stood at nothing
// before.
func TestEveryCounterIsThereFromTheStart(t *testing.T) {
	got := scrape(t, NewMetrics("hollowmere"))
	for _, v := range []string{"supported", "partial", "not_supported", "unknown"} {
		holds(t, got, `forsooth_grounding_verdicts_total{verdict="`+v+`"} 0`)
	}
	for _, a := range []string{"merge", "supersede", "flag"} {
		holds(t, got, `forsooth_consistency_actions_total{action="`+a+`",world="hollowmere"} 0`)
	}
	for _, r := range []string{"none", "low", "medium", "high"} {
		holds(t, got, `forsooth_faithfulness_scores_total{risk="`+r+`"} 0`)
	}
	for _, p := range []string{"warn", "regenerate", "block"} {
		holds(t, got, `forsooth_response_policy_applied_total{policy="`+p+`"} 0`)
	}
	for _, s := range []string{"turns", "read", "candidates", "grounded", "stored"} {
		holds(t, got, `forsooth_memory_funnel_total{stage="`+s+`"} 0`)
	}
	for _, s := range []string{"extract", "ground", "rewrite", "judge", "score"} {
		holds(t, got, `forsooth_memory_llm_calls_total{stage="`+s+`"} 0`, `forsooth_memory_llm_cost_total{stage="`+s+`"} 0`)
	}
	holds(t, got, `forsooth_hallucination_blocked_total 0`,
		`forsooth_consistency_clusters_found_total{world="hollowmere"} 0`,
		`forsooth_grounding_latency_seconds_count 0`, `forsooth_faithfulness_latency_seconds_bucket{le="+Inf"} 0`)
	if strings.Contains(got, "scan_duration_seconds{") {
		t.Error("a scan that never ran has a duration")
	}
}

func TestTheFunnelIsCounted(t *testing.T) {
	m := NewMetrics()
	m.Passed(Turns, 1)
	m.Passed(Turns, 1)
	m.Passed(Candidates, 3)
	m.Passed(Stored, -1)
	m.Called("judge", 2, 0.25)
	m.Called("judge", 1, 0.5)
	holds(t, scrape(t, m), `forsooth_memory_funnel_total{stage="turns"} 2`,
		`forsooth_memory_funnel_total{stage="candidates"} 3`,
		`forsooth_memory_funnel_total{stage="stored"} 0`, `forsooth_memory_llm_calls_total{stage="judge"} 3`,
		`forsooth_memory_llm_cost_total{stage="judge"} 0.75`)
}

func TestWhatIsCounted(t *testing.T) {
	m := NewMetrics()
	m.Grounded(schema.GroundingSupported, false, 2*time.Millisecond)
	m.Grounded(schema.GroundingPartial, true, 300*time.Millisecond) // below the floor: dropped, and no fabrication
	m.Grounded(schema.GroundingNotSupported, true, 301*time.Millisecond)
	m.Grounded(schema.GroundingNotSupported, false, 20*time.Second) // kept flagged in shadow
	m.Scanned("hollowmere", scan.Report{Clusters: 12, Known: 5, Actions: map[string]int{"merge": 4, "flag": 2}},
		1500*time.Millisecond)
	m.Scanned("hollowmere", scan.Report{Clusters: 5, Known: 5, Actions: map[string]int{"supersede": 1}},
		250*time.Millisecond)
	m.Scored(faithful.High, 8*time.Millisecond)
	m.Applied(faithful.Regenerate)
	m.Applied(faithful.Release)
	got := scrape(t, m)
	holds(t, got,
		`forsooth_grounding_verdicts_total{verdict="supported"} 1`, `forsooth_grounding_verdicts_total{verdict="partial"} 1`,
		`forsooth_grounding_verdicts_total{verdict="not_supported"} 2`, `forsooth_hallucination_blocked_total 1`,
		`forsooth_grounding_latency_seconds_bucket{le="0.001"} 0`, `forsooth_grounding_latency_seconds_bucket{le="0.0025"} 1`,
		`forsooth_grounding_latency_seconds_bucket{le="0.3"} 2`, `forsooth_grounding_latency_seconds_bucket{le="0.5"} 3`,
		`forsooth_grounding_latency_seconds_bucket{le="10"} 3`, `forsooth_grounding_latency_seconds_bucket{le="+Inf"} 4`,
		`forsooth_grounding_latency_seconds_sum 20.603`, `forsooth_grounding_latency_seconds_count 4`,
		`forsooth_consistency_clusters_found_total{world="hollowmere"} 7`,
		`forsooth_consistency_actions_total{action="merge",world="hollowmere"} 4`,
		`forsooth_consistency_actions_total{action="supersede",world="hollowmere"} 1`,
		`forsooth_consistency_actions_total{action="flag",world="hollowmere"} 2`,
		`forsooth_consistency_scan_duration_seconds{world="hollowmere"} 0.25`,
		`forsooth_faithfulness_scores_total{risk="high"} 1`, `forsooth_response_policy_applied_total{policy="regenerate"} 1`,
		`forsooth_response_policy_applied_total{policy="block"} 0`)
}

// The shape of the format: a sample's name was announced with help and type before
// it, each name once, and the text ends with a line's end.
func TestTheTextIsInPrometheusFormat(t *testing.T) {
	m := NewMetrics(`odd "world"\`)
	m.Scanned("two\nlines", scan.Report{}, time.Second)
	got := scrape(t, m)
	holds(t, got, `forsooth_consistency_clusters_found_total{world="odd \"world\"\\"} 0`,
		`forsooth_consistency_scan_duration_seconds{world="two\nlines"} 1`)
	sample := regexp.MustCompile(`^([a-z_]+)(\{[a-z]+="(\\.|[^"\\])*"(,[a-z]+="(\\.|[^"\\])*")*\})? [0-9.e+-]+$`)
	help := regexp.MustCompile(`^# HELP ([a-z_]+) [^\\]+\.$`)
	kind := regexp.MustCompile(`^# TYPE ([a-z_]+) (counter|gauge|histogram)$`)
	if !strings.HasSuffix(got, "\n") {
		t.Error("the last line has no end")
	}
	announced, name := map[string]bool{}, ""
	for _, line := range strings.Split(strings.TrimSuffix(got, "\n"), "\n") {
		if h := help.FindStringSubmatch(line); h != nil {
			if announced[h[1]] {
				t.Errorf("%s is announced twice", h[1])
			}
			name, announced[h[1]] = h[1], true
		} else if k := kind.FindStringSubmatch(line); k != nil {
			if k[1] != name {
				t.Errorf("the type of %s stands behind the help of %s", k[1], name)
			}
		} else if s := sample.FindStringSubmatch(line); s == nil || !strings.HasPrefix(s[1], name) {
			t.Errorf("under %s: %q", name, line)
		}
	}
	for _, want := range []string{"grounding_verdicts_total", "grounding_latency_seconds", "hallucination_blocked_total",
		"consistency_clusters_found_total",
		"consistency_actions_total", "consistency_scan_duration_seconds", "faithfulness_scores_total",
		"faithfulness_latency_seconds", "response_policy_applied_total"} {
		if !announced["forsooth_"+want] {
			t.Errorf("forsooth_%s is missing", want)
		}
	}
}

func TestCountedFromManySides(t *testing.T) {
	m := NewMetrics()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				m.Grounded(schema.GroundingSupported, false, time.Millisecond)
				m.Scanned("hollowmere", scan.Report{Clusters: 1}, time.Millisecond)
				m.Tally()
			}
		})
	}
	wg.Wait()
	holds(t, scrape(t, m), `forsooth_grounding_verdicts_total{verdict="supported"} 800`,
		`forsooth_consistency_clusters_found_total{world="hollowmere"} 800`)
}
