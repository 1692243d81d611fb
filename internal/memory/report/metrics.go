package report

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/forsooth-npc/forsooth/internal/memory/faithful"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Metrics are the counters of one process. They are safe to share, and a collector
// of the registry of that process.
type Metrics struct {
	verdicts *prometheus.CounterVec
	grounded prometheus.Histogram
	blocked  prometheus.Counter
	clusters *prometheus.CounterVec
	acted    *prometheus.CounterVec
	scanned  *prometheus.GaugeVec
	risks    *prometheus.CounterVec
	scored   prometheus.Histogram
	policies *prometheus.CounterVec
	funnel   *prometheus.CounterVec
	calls    *prometheus.CounterVec
	cost     *prometheus.CounterVec
	unsent   prometheus.Counter
}

// Stage is a narrowing on the way from what is said to what is remembered.
type Stage string

// The stages, each of what the one before lets through.
const (
	Turns      Stage = "turns"      // replies released
	Read       Stage = "read"       // of them, those in which there is something to remember to be looked for
	Candidates Stage = "candidates" // that came out of them, and of what the game saw
	Judged     Stage = "grounded"   // that got a verdict
	Stored     Stage = "stored"     // that are active
)

// The values of the labels.
var (
	verdicts = []schema.GroundingLabel{schema.GroundingSupported, schema.GroundingPartial, schema.GroundingNotSupported,
		schema.GroundingUnknown}
	actions = []string{"merge", "supersede", "flag", "unproven"}
	steps   = []faithful.Step{faithful.Annotate, faithful.Regenerate, faithful.Refuse}
	stages  = []Stage{Turns, Read, Candidates, Judged, Stored}
	asked   = []string{"extract", "ground", "rewrite", "judge", "score"} // what a language model may be asked for
)

// bounds are the upper bounds of the times, in seconds. Those that an alert or a
// measure speaks of stand among them, so that neither rests on a guess within one.
var bounds = []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2.5, 5, 10}

func counterVec(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

func times(name, help string) prometheus.Histogram {
	return prometheus.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: bounds})
}

// NewMetrics makes the metrics of a process that has the given worlds. Every name is
// written from the start, at nothing: a counter that first appears when it has counted
// hides its first step from whoever looks at changes.
func NewMetrics(worlds ...string) *Metrics {
	m := &Metrics{
		verdicts: counterVec("forsooth_grounding_verdicts_total", "Verdicts of Guard 1 on candidate memories.", "verdict"),
		grounded: times("forsooth_grounding_latency_seconds", "Time that Guard 1 took for a verdict."),
		blocked: prometheus.NewCounter(prometheus.CounterOpts{Name: "forsooth_hallucination_blocked_total",
			Help: "Candidates dropped because nothing said supports them. Kinds that are not kept do not count."}),
		clusters: counterVec("forsooth_consistency_clusters_found_total",
			"Clusters of suspect memories that Guard 2 found and had not judged before.", "world"),
		acted: counterVec("forsooth_consistency_actions_total", "What Guard 2 did with memories.", "action", "world"),
		scanned: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "forsooth_consistency_scan_duration_seconds",
			Help: "Time that the last scan of a world took."}, []string{"world"}),
		risks:  counterVec("forsooth_faithfulness_scores_total", "Replies that Guard 3 scored, by their risk.", "risk"),
		scored: times("forsooth_faithfulness_latency_seconds", "Time that Guard 3 took to score a reply."),
		policies: counterVec("forsooth_response_policy_applied_total", "Replies on which Guard 3's policy acted.",
			"policy"),
		funnel: counterVec("forsooth_memory_funnel_total", "From speech to memory by stage: turns, read, candidates, "+
			"grounded, stored. A stage over turns, times 1000, is what a thousand turns leave.", "stage"),
		calls: counterVec("forsooth_memory_llm_calls_total", "Calls of language models for memory.", "stage"),
		cost: counterVec("forsooth_memory_llm_cost_total", "Cost of calls of language models for memory, in the "+
			"currency of the budgets.", "stage"),
		unsent: prometheus.NewCounter(prometheus.CounterOpts{Name: "forsooth_report_webhook_failures_total",
			Help: "Weekly reports that the webhook did not take. They are on their subject all the same."}),
	}
	for _, v := range verdicts {
		m.verdicts.WithLabelValues(labelOf(v))
	}
	for _, r := range faithful.Risks() {
		m.risks.WithLabelValues(string(r))
	}
	for _, s := range steps {
		m.policies.WithLabelValues(string(s))
	}
	for _, s := range stages {
		m.funnel.WithLabelValues(string(s))
	}
	for _, a := range asked {
		m.calls.WithLabelValues(a)
		m.cost.WithLabelValues(a)
	}
	for _, w := range worlds {
		m.World(w)
	}
	return m
}

func labelOf(v schema.GroundingLabel) string { return strings.ToLower(string(v)) }

// World makes a world known, so that its counters are written from now on.
func (m *Metrics) World(name string) {
	m.clusters.WithLabelValues(name)
	for _, a := range actions {
		m.acted.WithLabelValues(a, name)
	}
}

// all are the metrics.
func (m *Metrics) all() []prometheus.Collector {
	return []prometheus.Collector{m.verdicts, m.grounded, m.blocked, m.clusters, m.acted, m.scanned, m.risks, m.scored,
		m.policies, m.funnel, m.calls, m.cost, m.unsent}
}

// Describe tells a registry what there is.
func (m *Metrics) Describe(to chan<- *prometheus.Desc) {
	for _, c := range m.all() {
		c.Describe(to)
	}
}

// Collect tells a registry how things stand.
func (m *Metrics) Collect(to chan<- prometheus.Metric) {
	for _, c := range m.all() {
		c.Collect(to)
	}
}

// Grounded counts one verdict of Guard 1 and what it took. dropped says that the
// candidate was let go; with the verdict NOT_SUPPORTED it is a fabrication blocked.
func (m *Metrics) Grounded(v schema.GroundingLabel, dropped bool, took time.Duration) {
	m.verdicts.WithLabelValues(labelOf(v)).Inc()
	observe(m.grounded, took)
	if dropped && v == schema.GroundingNotSupported {
		m.blocked.Inc()
	}
}

// Passed counts what has come through a stage of the funnel. Two stages over each
// other are a share; over turns, times a thousand, what a thousand turns leave.
func (m *Metrics) Passed(s Stage, n int) {
	add(m.funnel.WithLabelValues(string(s)), n)
}

// Called counts calls of a language model for memory, and what they cost in the
// currency of the budgets.
func (m *Metrics) Called(forWhat string, n int, cost float64) {
	add(m.calls.WithLabelValues(forWhat), n)
	m.cost.WithLabelValues(forWhat).Add(max(cost, 0))
}

// Scanned counts one run of Guard 2. A cluster that an earlier run judged, and that
// has not changed since, was found then.
func (m *Metrics) Scanned(name string, r scan.Report, took time.Duration) {
	m.World(name)
	add(m.clusters.WithLabelValues(name), r.Clusters-r.Known)
	for _, a := range actions {
		add(m.acted.WithLabelValues(a, name), r.Actions[a])
	}
	m.scanned.WithLabelValues(name).Set(took.Seconds())
}

// Scored counts one reply that Guard 3 scored, and what that took.
func (m *Metrics) Scored(r faithful.Risk, took time.Duration) {
	m.risks.WithLabelValues(string(r)).Inc()
	observe(m.scored, took)
}

// Applied counts what the policy did with a reply. A reply released as it is is
// none of its actions.
func (m *Metrics) Applied(s faithful.Step) {
	if s != faithful.Release {
		m.policies.WithLabelValues(string(s)).Inc()
	}
}

// ReportUnsent counts a weekly report that its webhook did not take.
func (m *Metrics) ReportUnsent() { m.unsent.Inc() }

// add counts what is there to be counted; a counter never goes back.
func add(c prometheus.Counter, n int) { c.Add(float64(max(0, n))) }

func observe(h prometheus.Histogram, took time.Duration) { h.Observe(max(0, took.Seconds())) }
