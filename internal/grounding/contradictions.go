package grounding

import (
	"context"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// contradictions looks, for each supported claim, for a block of equal or higher
// rank that denies it, and for a sentence said before that does. Thoughts are
// spared: what two sources disagree on is for the speech to tell.
func (r *review) contradictions(ctx context.Context) error {
	if r.in.Thoughts {
		return nil
	}
	var ruled, negated, free []asked
	for _, j := range r.claims {
		if j.verdict.Label != schema.Supported || j.Frame == FrameAttribution || j.by == nil || j.Kind == schema.ClaimSharedPast {
			continue
		}
		all := append(r.against(j), r.againstSaid(j)...)
		if j.quoted() {
			ruled = append(ruled, all...)
			continue
		}
		elsewhere, rivals := r.rivals(j)
		ruled, negated, free = append(ruled, elsewhere...), append(negated, rivals...), append(free, all...)
	}
	// What is word for word in its evidence is denied by rule alone: a model that
	// reads two documents may take different matters for one.
	if err := r.deny(ctx, entail.NewRules(), ruled); err != nil {
		return err
	}
	// What only a model supports gives way to a negation in any block, even of the
	// same document: the model may have read the vaguer of two.
	if err := r.deny(ctx, entail.Negations{}, negated); err != nil {
		return err
	}
	return r.deny(ctx, r.verifier, free)
}

// against are the blocks of other documents that may deny a supported claim.
func (r *review) against(j *judged) []asked {
	var out []asked
	for _, e := range r.nearest(j, r.sources()) {
		if Rank(e) >= Rank(j.by) && e.Path != j.by.Path && !sameText(e, j.by) && r.share(e.Text, j.Core) >= sameMatter {
			out = append(out, asked{claims: []*judged{j}, by: e, pair: r.pair(e, e.Text, j.Core)})
		}
	}
	return out
}

// againstSaid are the sentences said before that may deny a supported claim.
func (r *review) againstSaid(j *judged) []asked {
	var out []asked
	for _, before := range r.saidBefore(j) {
		if r.share(before, j.Core) < sameMatter {
			continue
		}
		e := &schema.Evidence{ID: "said", Text: before}
		out = append(out, asked{claims: []*judged{j}, by: e, pair: entail.Pair{Premise: before, Hypothesis: j.Core, Names: r.names(nil)}})
	}
	return out
}

// rivals are the blocks that may deny by rule what a model supports, cited or not:
// those of other documents, by any rule, and all but its own, by a negation. Lines
// of one document may well give each thing its own number.
func (r *review) rivals(j *judged) (elsewhere, all []asked) {
	for i := range r.in.Evidence {
		e := &r.in.Evidence[i]
		if e == j.by || sameText(e, j.by) || Rank(e) < Rank(j.by) || !r.mayGround(e, &j.Claim) || !r.eligible(e) {
			continue
		}
		for _, h := range j.wordings() {
			if r.share(e.Text, h) < sameMatter {
				continue
			}
			all = append(all, asked{claims: []*judged{j}, by: e, pair: r.pair(e, e.Text, h)})
			if e.Path != j.by.Path {
				elsewhere = append(elsewhere, all[len(all)-1])
			}
		}
	}
	return elsewhere, all
}

// quoted says whether a claim stands in its evidence word for word.
func (j *judged) quoted() bool { return j.verdict.Tier == entail.TierRule }

// deny gives contradictions, and only those, to claims that were supported.
func (r *review) deny(ctx context.Context, v entail.Verifier, all []asked) error {
	if len(all) == 0 {
		return nil
	}
	pairs := make([]entail.Pair, len(all))
	for i := range all {
		pairs[i] = all[i].pair
	}
	verdicts, err := v.Verify(ctx, pairs)
	if err != nil {
		return err
	}
	for i, a := range all {
		if i >= len(verdicts) || verdicts[i].Label != schema.Contradicted {
			continue
		}
		v := verdicts[i]
		v.Evidence = a.by.ID
		for _, j := range a.claims {
			if j.verdict.Label == schema.Supported {
				j.verdict = v
			}
		}
	}
	return nil
}

// sameMatter is the share of a claim's words that another text must hold before
// it can be about the same thing.
const sameMatter = 0.6

func sameText(a, b *schema.Evidence) bool { return text.Fold(a.Text) == text.Fold(b.Text) }

// saidBefore is what the player was told before a claim: released, or approved
// earlier in this draft. What rests on the same document as the claim is left out:
// a document that says both does not deny itself.
func (r *review) saidBefore(j *judged) []string {
	var out []string
	for _, s := range r.in.Released {
		same := slices.ContainsFunc(s.Evidence, func(e schema.EvidenceRef) bool { return e.Path == j.by.Path })
		if !s.Authored && !same && s.Text != r.in.Sentences[j.sentence].Text {
			out = append(out, s.Text)
		}
	}
	for k := 0; k < j.sentence; k++ {
		if !r.authored(r.in.Sentences[k]) && !r.out[k].Released && r.supported(k) && r.pathOf(k) != j.by.Path {
			out = append(out, r.in.Sentences[k].Text)
		}
	}
	return out
}

// pathOf is the document on which the first claim of a sentence rests.
func (r *review) pathOf(i int) string {
	for _, j := range r.claims {
		if j.sentence == i && j.by != nil {
			return j.by.Path
		}
	}
	return ""
}

func (r *review) supported(i int) bool {
	n := 0
	for _, j := range r.claims {
		if j.sentence == i {
			if j.verdict.Label != schema.Supported {
				return false
			}
			n++
		}
	}
	return n > 0
}
