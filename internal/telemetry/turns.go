package telemetry

import (
	"regexp"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// turns are the metrics of turns that have ended, counted by the process that applies
// their replies.
type turns struct {
	ended            *prometheus.CounterVec
	reasons          *prometheus.CounterVec
	unbegun          *prometheus.CounterVec
	took             *prometheus.HistogramVec
	first, asking    prometheus.Histogram
	calls, cost      prometheus.Counter
	tokens, stripped *prometheus.CounterVec
}

// The values of labels that are there from the start.
var (
	statuses = []schema.Status{schema.StatusAnswered, schema.StatusExtractive, schema.StatusUnknown,
		schema.StatusWithheld,
		schema.StatusPartial, schema.StatusAuthored, schema.StatusAborted}
	reasons = []string{schema.ReasonDeadline, schema.ReasonModelDown, schema.ReasonBudget, schema.ReasonPoison,
		schema.ReasonInvalid,
		schema.ReasonCancelled, schema.ReasonSuperseded, schema.ReasonModerationFailed, schema.ReasonNonCorpus}
	issues = []schema.IssueType{schema.IssueUncited, schema.IssueInvalidSource, schema.IssueNotEntailed,
		schema.IssueSelfMisuse, schema.IssueEvasion,
		schema.IssueContradicted, schema.IssueSecret, schema.IssueModerated, schema.IssueLanguage, schema.IssueForm}
)

// other is the value of a label that the code does not know.
const other = "other"

func newTurns() turns {
	histogram := func(name, help string) prometheus.Histogram {
		return prometheus.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: turnBounds})
	}
	t := turns{
		ended: counter("forsooth_turns_total", "Turns that have ended, by the status of their reply.", "status"),
		reasons: counter("forsooth_turn_reasons_total", "Turns that have ended, by the reason in their reply; a "+
			"plain answer has none.", "reason"),
		unbegun: counter("forsooth_turns_unbegun_total", "Turns in which an NPC was to speak first and that stood in no "+
			"queue, by the reason: BUSY or LATE.", "reason"),
		took: times("forsooth_turn_seconds", "Time from acceptance to the stored reply, by the broker's clock.",
			turnBounds, "status"),
		first: histogram("forsooth_turn_first_sentence_seconds",
			"Time from acceptance to the release of the first sentence."),
		asking: histogram("forsooth_turn_llm_seconds", "Of a turn's time, what its calls of language models took; "+
			"turns without a call do not count."),
		calls: prometheus.NewCounter(prometheus.CounterOpts{Name: "forsooth_turn_llm_calls_total",
			Help: "Calls of language models for turns."}),
		cost: prometheus.NewCounter(prometheus.CounterOpts{Name: "forsooth_turn_cost_total",
			Help: "Cost of calls of language models for turns, in the currency of the prices that are set."}),
		tokens: counter("forsooth_turn_tokens_total", "Tokens of calls of language models for turns: sent (in) "+
			"and written by models (out).", "direction"),
		stripped: counter("forsooth_turn_stripped_total", "Sentences that were drafted and not released, by what "+
			"was wrong with them.", "issue"),
	}
	for _, s := range statuses {
		t.ended.WithLabelValues(string(s))
		t.took.WithLabelValues(string(s))
	}
	for _, r := range reasons {
		t.reasons.WithLabelValues(r)
	}
	for _, r := range []string{schema.ReasonBusy, schema.ReasonLate} {
		t.unbegun.WithLabelValues(r)
	}
	for _, i := range issues {
		t.stripped.WithLabelValues(string(i))
	}
	for _, d := range []string{"in", "out"} {
		t.tokens.WithLabelValues(d)
	}
	return t
}

func (t *turns) all() []prometheus.Collector {
	return []prometheus.Collector{t.ended, t.reasons, t.unbegun, t.took, t.first, t.asking, t.calls, t.cost, t.tokens,
		t.stripped}
}

// Ended counts a turn by its reply, which was stored at a time.
func (m *Meters) Ended(r *schema.Reply, at time.Time, trace string) {
	t, e := &m.turn, Example{Turn: r.TurnID, Trace: trace}
	status := code(string(r.Status))
	t.ended.WithLabelValues(status).Inc()
	observe(t.took.WithLabelValues(status), at.Sub(r.AcceptedAt), e)
	if r.Reason != "" {
		t.reasons.WithLabelValues(code(r.Reason)).Inc()
	}
	s := SumOf(r)
	if s.First > 0 {
		observe(t.first, s.First, e)
	}
	if s.Calls > 0 {
		observe(t.asking, s.Asking, e)
	}
	t.calls.Add(float64(s.Calls))
	t.cost.Add(s.Cost)
	t.tokens.WithLabelValues("in").Add(float64(max(0, s.Tokens-s.TokensOut)))
	t.tokens.WithLabelValues("out").Add(float64(s.TokensOut))
	for _, x := range r.Stripped {
		t.stripped.WithLabelValues(code(string(x.Issue.Type))).Inc()
	}
}

// knownCode is what a code of the contract looks like; a reply is read from a stream,
// and who wrote it is not known.
var knownCode = regexp.MustCompile(`^[A-Za-z_]{1,32}$`)

func code(s string) string {
	if !knownCode.MatchString(s) {
		return other
	}
	return s
}

// Sum is what a turn took, over its passes.
type Sum struct {
	First     time.Duration // to the first sentence; 0: none was released, or nobody noted when
	Asking    time.Duration // of models
	Calls     int
	Tokens    int
	TokensOut int
	Cost      float64
}

// SumOf adds up the passes of a turn.
func SumOf(r *schema.Reply) Sum {
	var s Sum
	if len(r.Sentences) > 0 {
		s.First = time.Duration(r.Sentences[0].AtMS) * time.Millisecond
	}
	for _, p := range r.Passes {
		s.Asking += time.Duration(p.LLMMS * float64(time.Millisecond))
		s.Calls, s.Tokens, s.TokensOut, s.Cost = s.Calls+max(0, p.LLMCalls), s.Tokens+max(0, p.Tokens),
			s.TokensOut+max(0, p.TokensOut), s.Cost+max(0, p.Cost)
	}
	return s
}

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
