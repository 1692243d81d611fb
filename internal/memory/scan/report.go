package scan

import (
	"context"
	"fmt"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Report says what a run saw and did.
type Report struct {
	Memories   int             `json:"memories"`  // active ones
	Pairs      int             `json:"pairs"`     // as near as the floor, or of one key
	Dismissed  int             `json:"dismissed"` // of them, at sight
	Structural int             `json:"structural"`
	Semantic   int             `json:"semantic"`
	Temporal   int             `json:"temporal"`
	Clusters   int             `json:"clusters"` // suspect ones, those judged before too
	Known      int             `json:"known"`    // of them judged before, and unchanged
	Judged     int             `json:"judged"`
	Carried    int             `json:"carried_over"` // to the next run
	Failed     int             `json:"failed"`       // a verifier gave an error; carried over too
	Verdicts   map[Verdict]int `json:"verdicts,omitempty"`
	Actions    map[string]int  `json:"actions,omitempty"` // merge, supersede, flag, unproven
	Entailed   int             `json:"entailment_calls"`
	Calls      int             `json:"judge_calls"`
	Lore       int             `json:"lore_contradicted"`
	LoreFailed int             `json:"lore_failed"`
	Reread     int             `json:"reread"`   // held against their own words again, those proved at sight left out
	Unread     int             `json:"unread"`   // left to the next run
	Unproven   int             `json:"unproven"` // flagged
	Details    []Detail        `json:"details,omitempty"`
}

// Detail is a cluster with what became of it.
type Detail struct {
	Members []string `json:"members"`
	Signals []string `json:"signals"`
	Verdict Verdict  `json:"verdict"`
	Why     string   `json:"why,omitempty"`
}

// Summary is a report in one line.
func (p Report) Summary() string {
	line := fmt.Sprintf("%d memories, %d clusters, %d judged: %d merged, %d superseded, %d flagged",
		p.Memories, p.Clusters, p.Judged, p.Actions["merge"], p.Actions["supersede"], p.Actions["flag"])
	var rest []string
	for _, x := range []struct {
		n    int
		what string
	}{{p.Known, "judged before"}, {p.Carried, "carried over to the next run"}, {p.Failed, "not judged for an error"},
		{p.Verdicts[Unclear], "unclear"}, {p.Lore, "contradicted by lore"},
		{p.Unproven, "not proved by their words and set aside"}, {p.Unread, "to be read again in the next run"}} {
		if x.n > 0 {
			rest = append(rest, fmt.Sprintf("%d %s", x.n, x.what))
		}
	}
	if len(rest) > 0 {
		line += "; " + strings.Join(rest, ", ")
	}
	return line
}

// actions counts events by what they do.
func actions(events []schema.MemoryEvent) map[string]int {
	out := map[string]int{}
	for i := range events {
		switch events[i].Type {
		case schema.MemoryMerged:
			out["merge"]++
		case schema.MemorySupersede:
			out["supersede"]++
		case schema.MemoryFlag:
			if len(events[i].Others) == 0 {
				out["unproven"]++
			} else {
				out["flag"]++
			}
		}
	}
	return out
}

// Verdict is what the members of a cluster are to each other.
type Verdict string

// The verdicts.
const (
	Equivalent        Verdict = "EQUIVALENT"
	TemporalEvolution Verdict = "TEMPORAL_EVOLUTION"
	Contradiction     Verdict = "CONTRADICTION"
	Distinct          Verdict = "DISTINCT"
	Unproven          Verdict = "UNPROVEN" // of one memory: its own words do not say it
	Unclear           Verdict = "UNCLEAR"  // nobody who was asked knows; nothing happens
)

// Entailer says how well a sentence supports another: P(supported), and a label.
type Entailer interface {
	Entails(ctx context.Context, premise, hypothesis string) (score float64, label schema.Label, err error)
}

// Judge is a language model that is shown a cluster. Of what it says, only what
// the rules allow is done.
type Judge interface {
	Judge(ctx context.Context, members []schema.Memory) (Verdict, string, error)
}

// Entail makes an Entailer of a verifier.
func Entail(v entail.Verifier) Entailer { return verifier{v} }

type verifier struct{ entail.Verifier }

func (v verifier) Entails(ctx context.Context, premise, hypothesis string) (float64, schema.Label, error) {
	out, err := v.Verify(ctx, []entail.Pair{{Premise: premise, Hypothesis: hypothesis}})
	if err != nil {
		return 0, "", fmt.Errorf("verify two memories: %w", err)
	}
	if len(out) != 1 {
		return 0, "", fmt.Errorf("verify two memories: %d verdicts for one pair", len(out))
	}
	return out[0].Score, out[0].Label, nil
}

// apart is the score under which neither of two sentences says anything of the
// other.
const apart = 0.3

// ask has a pair judged that the comparison of words leaves open: by the rules of
// entailment, which are exact, and then by the model.
func (r *run) ask(i, k int) (Verdict, string, error) {
	a, b := r.items[i], r.items[k]
	v, why, err := r.entailed(Entail(entail.NewRules()), a, b)
	if err != nil || v == Equivalent || v == Contradiction || r.Entail == nil {
		if v == Distinct {
			v = Unclear // rules that find no support have found nothing
		}
		return v, why, err
	}
	r.out.Report.Entailed += 2
	return r.entailed(r.Entail, a, b)
}

// entailed asks both ways. A contradiction is one only between memories of the
// same subject: what denies the one may be said of another.
func (r *run) entailed(e Entailer, a, b *Item) (Verdict, string, error) {
	x, y := matter(a.Content), matter(b.Content)
	there, labelThere, err := e.Entails(r.ctx, x, y)
	if err != nil {
		return Unclear, "", err
	}
	back, labelBack, err := e.Entails(r.ctx, y, x)
	if err != nil {
		return Unclear, "", err
	}
	supported := labelThere == schema.Supported || labelBack == schema.Supported
	denied := labelThere == schema.Contradicted || labelBack == schema.Contradicted
	switch {
	case labelThere == schema.Supported && labelBack == schema.Supported:
		return Equivalent, "each says what the other does", nil
	case denied && !supported && r.subject(a) == r.subject(b):
		return Contradiction, "the one denies the other", nil
	case denied && !supported:
		return Distinct, "not of the same subject", nil
	case supported && !denied:
		return Distinct, "the one says more than the other", nil
	case there < apart && back < apart:
		return Distinct, "neither says what the other does", nil
	}
	return Unclear, "", nil
}
