package eval

import (
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Stat is a measured quantity over many turns, or many runs of a pass.
type Stat struct {
	N    int     `json:"n"`
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	Max  float64 `json:"max"`
}

// statOf gives percentiles by nearest rank: each is a value that was measured.
func statOf(values []float64) Stat {
	if len(values) == 0 {
		return Stat{}
	}
	sorted := slices.Sorted(slices.Values(values))
	rank := func(p float64) float64 { return sorted[max(0, int(math.Ceil(p*float64(len(sorted))))-1)] }
	sum := 0.0
	for _, v := range sorted {
		sum += v
	}
	return Stat{N: len(sorted), Mean: sum / float64(len(sorted)), P50: rank(0.5), P95: rank(0.95),
		Max: sorted[len(sorted)-1]}
}

// Usage is what the turns of a run cost.
type Usage struct {
	Calls         Stat         `json:"llm_calls"`       // a turn, as are the others
	Asked         Stat         `json:"llm_calls_asked"` // calls of the turns that asked a model at all
	Tokens        Stat         `json:"tokens"`
	Cost          Stat         `json:"cost"`
	Asking        Stat         `json:"llm_ms"`            // the part of it that was spent on calls
	Turn          Stat         `json:"turn_ms"`           // from the request to the reply, where somebody looked
	FirstSentence Stat         `json:"first_sentence_ms"` // from the request to the first released sentence
	Passes        []PassUsage  `json:"passes"`
	CallsPerTurn  []CallsCount `json:"calls_per_turn"`
}

// PassUsage is what one pass cost, beside what the paper measured of it.
type PassUsage struct {
	Pass    schema.Pass `json:"pass"`
	PaperMS float64     `json:"paper_ms"` // 0: the paper has no figure
	MS      Stat        `json:"ms"`       // a run of the pass; a retry is a run of its own
	Calls   int         `json:"llm_calls"`
	Tokens  int         `json:"tokens"`
	Cost    float64     `json:"cost"`
}

// CallsCount is how many turns made so many LLM calls.
type CallsCount struct {
	Calls int `json:"calls"`
	Turns int `json:"turns"`
}

// paperMS is the latency breakdown of the paper. Its claim retrieval (50 ms) and
// its monologue review (500 ms) are one pass here.
var paperMS = map[schema.Pass]float64{
	schema.PassRetrieve: 700, schema.PassThink: 3000, schema.PassReviewThought: 50 + 500,
	schema.PassDecide: 800, schema.PassSpeak: 1500, schema.PassReviewSpeech: 500,
}

// spent are the sums of one turn.
type spent struct {
	calls, tokens int
	cost, asking  float64
}

func spentBy(r *schema.Reply) spent {
	var s spent
	for _, p := range r.Passes {
		s.calls += p.LLMCalls
		s.tokens += p.Tokens
		s.cost += p.Cost
		s.asking += p.LLMMS
	}
	return s
}

// usageOf adds up what the turns cost. A turn that its deadline ended tells
// nothing of its passes and is left out. Where a model was asked, the passes are
// those of the turns that asked.
func usageOf(outcomes []Outcome) Usage {
	var calls, asked, tokens, cost, asking, turn, first []float64
	runs, runsAsking := map[schema.Pass][]schema.PassRecord{}, map[schema.Pass][]schema.PassRecord{}
	histogram := map[int]int{}
	for i := range outcomes {
		o := &outcomes[i]
		turn, first = appendMS(turn, o.Took), appendMS(first, o.First)
		if o.Reply == nil || len(o.Reply.Passes) == 0 {
			continue
		}
		s := spentBy(o.Reply)
		calls, tokens, cost = append(calls, float64(s.calls)), append(tokens, float64(s.tokens)), append(cost, s.cost)
		asking = append(asking, s.asking)
		if histogram[s.calls]++; s.calls > 0 {
			asked = append(asked, float64(s.calls))
		}
		for _, p := range o.Reply.Passes {
			runs[p.Pass] = append(runs[p.Pass], p)
			if s.calls > 0 {
				runsAsking[p.Pass] = append(runsAsking[p.Pass], p)
			}
		}
	}
	u := Usage{Calls: statOf(calls), Asked: statOf(asked), Tokens: statOf(tokens), Cost: statOf(cost),
		Asking: statOf(asking), Turn: statOf(turn), FirstSentence: statOf(first),
		Passes: []PassUsage{}, CallsPerTurn: []CallsCount{}}
	if len(asked) > 0 { // a greeting's passes would hide what a model takes
		runs = runsAsking
	}
	for _, pass := range protocol.Passes {
		u.Passes = append(u.Passes, passUsage(pass, runs[pass]))
	}
	for n := 0; n <= int(u.Calls.Max) && len(calls) > 0; n++ {
		u.CallsPerTurn = append(u.CallsPerTurn, CallsCount{Calls: n, Turns: histogram[n]})
	}
	return u
}

func appendMS(list []float64, d time.Duration) []float64 {
	if d <= 0 {
		return list
	}
	return append(list, float64(d.Microseconds())/1000)
}

func passUsage(pass schema.Pass, runs []schema.PassRecord) PassUsage {
	u := PassUsage{Pass: pass, PaperMS: paperMS[pass]}
	var ms []float64
	for _, r := range runs {
		ms = append(ms, r.TookMS)
		u.Calls += r.LLMCalls
		u.Tokens += r.Tokens
		u.Cost += r.Cost
	}
	u.MS = statOf(ms)
	return u
}

// write prints the costs for a reader; without a model there are only times.
func (u *Usage) write(w io.Writer) {
	fmt.Fprintf(w, "  %-16s %8s %9s %9s %9s %9s %7s %9s %9s\n", "pass", "runs", "mean ms", "p50", "p95", "paper ms",
		"calls", "tokens", "cost")
	for _, p := range u.Passes {
		paper := "–"
		if p.PaperMS > 0 {
			paper = fmt.Sprintf("%.0f", p.PaperMS)
		}
		fmt.Fprintf(w, "  %-16s %8d %9.1f %9.1f %9.1f %9s %7d %9d %9.4f\n", p.Pass, p.MS.N, p.MS.Mean, p.MS.P50, p.MS.P95,
			paper, p.Calls, p.Tokens, p.Cost)
	}
	fmt.Fprintf(w, "\n  %-16s %8s %9s %9s %9s %9s\n", "a turn", "turns", "mean", "p50", "p95", "most")
	for _, row := range []struct {
		name string
		stat Stat
	}{{"turn ms", u.Turn}, {"1st sentence ms", u.FirstSentence}, {"LLM ms", u.Asking}, {"LLM calls", u.Calls},
		{"  where asked", u.Asked}, {"tokens", u.Tokens}, {"cost", u.Cost}} {
		if row.stat.N > 0 {
			fmt.Fprintf(w, "  %-16s %8d %9s %9s %9s %9s\n", row.name, row.stat.N, asText(row.stat.Mean), asText(row.stat.P50),
				asText(row.stat.P95), asText(row.stat.Max))
		}
	}
}
