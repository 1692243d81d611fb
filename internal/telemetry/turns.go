package telemetry

import (
	"regexp"
	"time"

	"github.com/prometheus/client_golang/prometheus"

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
