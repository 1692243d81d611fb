package memory_test

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/memory/report"
	"github.com/forsooth-npc/forsooth/internal/memory/write"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Each candidate is counted once, when its verdict comes: what is of a kind that is
// not kept was not judged and blocks nothing, what waits is counted as unknown once,
// and a reply that is read again adds nothing.
func TestWhatGuardOneDoesIsCountedOnce(t *testing.T) {
	skip := write.DefaultSettings()
	skip.SkipForTypes = []schema.MemoryKind{schema.MemoryFact, schema.MemoryRelation, schema.MemoryPreference}
	for _, c := range []struct {
		name     string
		settings write.Settings
		claim    string // that candidates make; "": their own
		down     bool
		want     []string
	}{
		{"a fact", write.DefaultSettings(), "", false,
			[]string{`verdict="supported"} 1`, "blocked_total 0", `stage="turns"} 1`, `stage="read"} 1`, `stage="candidates"} 1`,
				`stage="grounded"} 1`, `stage="stored"} 1`}},
		{"an invention", write.DefaultSettings(), "I come from the town of Oakham", false,
			[]string{`verdict="not_supported"} 1`, "blocked_total 1", `stage="candidates"} 1`, `stage="stored"} 0`}},
		{"of a kind that is not kept", skip, "", false,
			[]string{`verdict="not_supported"} 0`, "blocked_total 0", `stage="turns"} 1`, `stage="candidates"} 0`,
				`stage="grounded"} 0`}},
		{"without a verdict", write.DefaultSettings(), "I am from the coast", true,
			[]string{`verdict="unknown"} 1`, "blocked_total 0", `stage="candidates"} 1`, `stage="grounded"} 0`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t)
			guard, err := write.New(c.settings, d, nil)
			must(t, err)
			m := report.NewMetrics()
			d.options.Guard, d.options.Meter = guard, m
			d.options.Extract = func(r *schema.Reply, x extract.Context) []extract.Candidate {
				list := extract.FromReply(r, x)
				for i := range list {
					if c.claim != "" {
						list[i].Claim = c.claim
					}
					if c.name == "an invention" {
						list[i].Object, list[i].Content = "Oakham", "Ansel told me that they come from the town of Oakham."
					}
				}
				return list
			}
			d.down.Store(c.down)
			service := d.another()
			must(t, service.Reply(t.Context(), d.reply("t1", "I come from the coast."), 1))
			must(t, service.Reply(t.Context(), d.replies["t1"], 0)) // read again
			d.Rebuild()
			must(t, service.Again(t.Context(), d.Index)) // what waits is tried again
			page := metricsPage(t, m)
			for _, line := range c.want {
				if !strings.Contains(page, line+"\n") {
					t.Errorf("no line with %s in\n%s", line, page)
				}
			}
		})
	}
}

// metricsPage is what Prometheus reads.
func metricsPage(t *testing.T, m *report.Metrics) string {
	t.Helper()
	registry, page := prometheus.NewRegistry(), &strings.Builder{}
	must(t, registry.Register(m))
	families, err := registry.Gather()
	must(t, err)
	for _, f := range families {
		_, err := expfmt.MetricFamilyToText(page, f)
		must(t, err)
	}
	return page.String()
}
