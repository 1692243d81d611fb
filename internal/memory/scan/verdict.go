package scan

import (
	"context"
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

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
