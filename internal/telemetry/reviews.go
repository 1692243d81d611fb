package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// reviews are the metrics of what a reviewer found.
type reviews struct {
	claims   *prometheus.CounterVec
	split    *prometheus.CounterVec
	evidence *prometheus.CounterVec
	judge    *prometheus.GaugeVec
}

var (
	kinds    = []schema.ClaimKind{schema.ClaimWorld, schema.ClaimState, schema.ClaimSharedPast, schema.ClaimSelf}
	verdicts = []schema.Label{schema.Supported, schema.Contradicted, schema.Unverifiable}
	origins  = []schema.Origin{schema.OriginCorpus, schema.OriginUser, schema.OriginModel, schema.OriginSystem,
		grounding.Ineligible}
)

func newReviews() reviews {
	r := reviews{
		claims: counter("forsooth_claims_total", "Claims of drafts by the verdict of their last review.", "kind",
			"verdict"),
		split: counter("forsooth_split_sentences_total", "Compound sentences of which the judge was asked claim by "+
			"claim, by who took them apart (model, rules) and the verdict after it.", "by", "verdict"),
		evidence: counter("forsooth_evidence_source_total", "Evidence by its source: below released claims, and "+
			"what a claim about the world cited and may not cite. Of kind world, only corpus may grow.", "source",
			"kind"),
		judge: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "forsooth_judge_skill",
			Help: "What the judge has shown on the shipped pairs: sensitivity (true pairs that it supports), " +
				"specificity (false pairs that it refuses), believed (1 or 0)."}, []string{"of"}),
	}
	for _, v := range verdicts {
		r.split.WithLabelValues(string(schema.SplitModel), string(v))
		r.split.WithLabelValues(string(schema.SplitRules), string(v))
	}
	for _, k := range kinds {
		for _, v := range verdicts {
			r.claims.WithLabelValues(string(k), string(v))
		}
		for _, o := range origins {
			r.evidence.WithLabelValues(string(o), string(k))
		}
	}
	return r
}

func (r *reviews) all() []prometheus.Collector {
	return []prometheus.Collector{r.claims, r.split, r.evidence, r.judge}
}

// Claimed counts a claim of a draft by its verdict.
func (m *Meters) Claimed(kind schema.ClaimKind, verdict schema.Label) {
	m.review.claims.WithLabelValues(code(string(kind)), code(string(verdict))).Inc()
}

// Split counts a sentence whose claims were judged, by its verdict after it.
func (m *Meters) Split(by schema.SplitBy, verdict schema.Label) {
	m.review.split.WithLabelValues(code(string(by)), code(string(verdict))).Inc()
}

// Cited counts evidence by its source, under a kind of claim.
func (m *Meters) Cited(source schema.Origin, kind schema.ClaimKind) {
	m.review.evidence.WithLabelValues(code(string(source)), code(string(kind))).Inc()
}

// Skilled tells what a judge has shown.
func (m *Meters) Skilled(sensitivity, specificity float64, believed bool) {
	m.review.judge.WithLabelValues("sensitivity").Set(sensitivity)
	m.review.judge.WithLabelValues("specificity").Set(specificity)
	m.review.judge.WithLabelValues("believed").Set(oneIf(believed))
}

// models are the metrics of requests to language models.
type models struct {
	requests *prometheus.CounterVec
	took     *prometheus.HistogramVec
	tokens   *prometheus.CounterVec
	cost     *prometheus.CounterVec
}

func newModels() models {
	return models{
		requests: counter("forsooth_llm_requests_total", "Requests to language models, those beside turns included, "+
			"by outcome: ok, misfit, late, cancelled, failed, resting (the breaker is open), form (asked again in "+
			"another form).", "provider", "call", "outcome"),
		took: times("forsooth_llm_seconds", "Time that a request to a language model took.", turnBounds, "provider",
			"call"),
		tokens: counter("forsooth_llm_tokens_total", "Tokens of requests to language models: sent (in) and "+
			"written by models (out).", "provider", "direction"),
		cost: counter("forsooth_llm_cost_total", "Cost of requests to language models, in the currency of the "+
			"prices that are set.", "provider"),
	}
}

func (m *models) all() []prometheus.Collector {
	return []prometheus.Collector{m.requests, m.took, m.tokens, m.cost}
}

// Asked is one request to a language model.
type Asked struct {
	Provider, Call, Outcome string
	Took                    time.Duration
	In, Out                 int
	Cost                    float64
}

// Asked counts a request.
func (m *Meters) Asked(a Asked, e Example) {
	m.model.requests.WithLabelValues(a.Provider, a.Call, a.Outcome).Inc()
	if a.Outcome == "resting" { // nothing was asked
		return
	}
	observe(m.model.took.WithLabelValues(a.Provider, a.Call), a.Took, e)
	m.model.tokens.WithLabelValues(a.Provider, "in").Add(float64(max(0, a.In)))
	m.model.tokens.WithLabelValues(a.Provider, "out").Add(float64(max(0, a.Out)))
	m.model.cost.WithLabelValues(a.Provider).Add(max(0, a.Cost))
}
