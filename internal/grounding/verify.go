package grounding

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// asked is a pair with what its verdict is for.
type asked struct {
	claims []*judged
	by     *schema.Evidence
	pair   entail.Pair
	other  bool // a block the sentence does not cite
}

// put asks pairs in one batch and gives the verdicts to their claims: support
// wins, and of what is no support the gravest is kept.
func (r *review) put(ctx context.Context, all []asked) error {
	if len(all) == 0 {
		return nil
	}
	pairs := make([]entail.Pair, len(all))
	for i := range all {
		pairs[i] = all[i].pair
	}
	verdicts, err := r.verifier.Verify(ctx, pairs)
	if err != nil {
		return err
	}
	for i, a := range all {
		v := schema.Verdict{Label: schema.Unverifiable, Tier: entail.TierNone, Why: "no verdict"}
		if i < len(verdicts) {
			v = verdicts[i]
		}
		v.Evidence = a.by.ID
		for _, j := range a.claims {
			j.take(v, a.by, a.other)
		}
	}
	return nil
}

// take keeps a verdict where it says more than the last; a rule's support says more than a model's.
func (j *judged) take(v schema.Verdict, by *schema.Evidence, other bool) {
	switch {
	case j.verdict.Label == schema.Supported && (v.Label != schema.Supported || byModel(v) || !byModel(j.verdict)):
	case v.Label == schema.Supported:
		j.verdict, j.by = v, by
	case other: // only support counts from a block that is not cited
	case j.verdict.Label == "" || weight(v) > weight(j.verdict):
		j.verdict, j.by = v, by
	}
}

func weight(v schema.Verdict) int {
	switch {
	case v.Label == schema.Contradicted:
		return 2
	case v.Final:
		return 1
	}
	return 0
}

// wholeSentences holds each sentence, as it stands, against what it cites: a
// sentence that is verbatim is verbatim in all its claims.
func (r *review) wholeSentences(ctx context.Context) error {
	var all []asked
	for i := range r.in.Sentences {
		claims := r.open(i)
		if len(claims) == 0 {
			continue
		}
		for _, e := range r.citedBy(i, claims) {
			if e.Provenance.Source == schema.OriginCorpus && anyShared(claims) && !attributed(claims) {
				continue // "you told me" is true of no player because a note says it
			}
			all = append(all, asked{claims: claims, by: e, pair: r.pair(e, e.Text, r.in.Sentences[i].Text)})
			if bare := r.unframed(i); bare != "" {
				all = append(all, asked{claims: claims, by: e, pair: r.pair(e, e.Text, bare)})
			}
		}
	}
	if err := r.put(ctx, all); err != nil {
		return err
	}
	for _, j := range r.claims { // a whole sentence that is refused says nothing of one of its claims
		supported := j.verdict.Label == schema.Supported
		bare := supported && !j.settled && !j.quoted() && (r.wrapped(j.sentence) || byModel(j.verdict) && !r.alone(j))
		j.whole = supported && !bare
		if !supported && !r.alone(j) || bare {
			j.verdict, j.by = schema.Verdict{}, nil
		}
	}
	return nil
}

// unframed is a sentence without what stands before its first claim's core, where that is an
// opener, a hedge or a rumour: "this much I know: the mill burned, and nobody came" may stand word
// for word as a whole though neither half does. A model's word for it counts for nothing.
func (r *review) unframed(sentence int) string {
	bare, frame := "", FramePlain
	for _, j := range r.claims {
		switch {
		case j.sentence != sentence:
		case bare == "":
			text := r.in.Sentences[sentence].Text
			at := strings.Index(text, j.Core)
			if at <= 0 || j.Frame != FramePlain && j.Frame != FrameOpinion && j.Frame != FrameHearsay {
				return ""
			}
			bare, frame = strings.TrimSpace(text[at:]), j.Frame
		case j.Frame != frame: // "they say a horse walks the lake; Osric feeds it": the second is said outright
			return ""
		}
	}
	return bare
}

// wrapped says whether a hedge, a rumour or a question stands in a sentence: that "it seems
// to me that" anything at all follows, to a model, from anything. What a model says of such
// a sentence counts for none of its claims, which are judged bare; word for word it may stand.
func (r *review) wrapped(sentence int) bool {
	return slices.ContainsFunc(r.claims, func(j *judged) bool {
		return j.sentence == sentence && (j.Frame == FrameOpinion || j.Frame == FrameQuestion || j.Frame == FrameHearsay)
	})
}

// byModel says whether a model's score decided. Of a sentence that is more than one bare
// claim its word counts for none: "since you ask, … there you have it" made a swapped
// figure probable, and a claim without a root rides on its neighbour.
func byModel(v schema.Verdict) bool {
	return v.Tier == entail.TierModel || v.Tier == entail.TierSidecar
}

// open are the claims of a sentence that still need a verdict.
func (r *review) open(i int) []*judged {
	var out []*judged
	for _, j := range r.claims {
		if j.sentence == i && !j.settled && j.verdict.Label != schema.Supported && !(j.Kind == schema.ClaimSelf && j.self) {
			out = append(out, j)
		}
	}
	return out
}

func (r *review) alone(j *judged) bool {
	n := 0
	for _, x := range r.claims {
		if x.sentence == j.sentence {
			n++
		}
	}
	return n == 1 && j.Core == strings.TrimSpace(r.in.Sentences[j.sentence].Text)
}

func (r *review) citedBy(i int, claims []*judged) []*schema.Evidence {
	var out []*schema.Evidence
	for _, j := range claims {
		for _, e := range j.cited {
			if !slices.Contains(out, e) {
				out = append(out, e)
			}
		}
	}
	return out
}

func anyShared(claims []*judged) bool {
	return slices.ContainsFunc(claims, func(j *judged) bool { return j.Kind == schema.ClaimSharedPast })
}

func attributed(claims []*judged) bool {
	return slices.ContainsFunc(claims, func(j *judged) bool { return j.Frame == FrameAttribution })
}

// citedBlocks holds each claim against the blocks it cites, one by one, and where
// there are several, together.
func (r *review) citedBlocks(ctx context.Context) error {
	var all []asked
	for i := range r.in.Sentences {
		for _, j := range r.open(i) {
			for _, e := range j.cited {
				if !r.givenTo(j, e) {
					j.take(schema.Verdict{Label: schema.Unverifiable, Tier: entail.TierRule, Final: true, Evidence: e.ID,
						Why: "attribution: the evidence is not by " + j.By}, e, false)
					continue
				}
				for _, h := range j.wordings() {
					all = append(all, asked{claims: []*judged{j}, by: e, pair: r.spoken(j, e, e.Text, h)})
				}
			}
			if e, joined := r.together(j); joined != "" {
				all = append(all, asked{claims: []*judged{j}, by: e, pair: r.pair(e, joined, j.Core)})
			}
		}
	}
	return r.put(ctx, all)
}

// wordings are the forms in which a claim is put to the verifier: its own words,
// and decontextualised where that says something else.
func (j *judged) wordings() []string {
	out := []string{j.Core}
	if text.Fold(j.Text) != text.Fold(j.Core) {
		out = append(out, j.Text)
	}
	return out
}

// together joins the blocks of one writer that a claim cites.
func (r *review) together(j *judged) (*schema.Evidence, string) {
	if len(j.cited) < 2 || j.Frame == FrameAttribution {
		return nil, ""
	}
	var parts []string
	for _, e := range j.cited {
		if e.Speaker != j.cited[0].Speaker || e.Author != j.cited[0].Author || e.Belief != j.cited[0].Belief {
			return nil, ""
		}
		parts = append(parts, e.Text)
	}
	return j.cited[0], strings.Join(parts, " ")
}

// otherBlocks holds what is still open against the other blocks, nearest first.
// Support found there moves the citation.
func (r *review) otherBlocks(ctx context.Context) error {
	var all []asked
	for i := range r.in.Sentences {
		for _, j := range r.open(i) {
			if j.self && j.Kind != schema.ClaimSelf || j.Frame == FrameAttribution {
				continue
			}
			for _, e := range r.nearest(j, r.sources()-len(j.cited)) {
				all = append(all, asked{claims: []*judged{j}, by: e, pair: r.pair(e, e.Text, j.Core), other: true})
			}
		}
	}
	return r.put(ctx, all)
}

// sources is how many blocks one claim is held against.
func (r *review) sources() int { return cmp.Or(r.in.MaxSources, MaxSourcesPerClaim) }

// nearest are the blocks that share most words with a claim and may ground it,
// besides those it cites.
func (r *review) nearest(j *judged, n int) []*schema.Evidence {
	if n <= 0 {
		return nil
	}
	type near struct {
		e     *schema.Evidence
		share float64
	}
	var all []near
	for i := range r.in.Evidence {
		e := &r.in.Evidence[i]
		if slices.Contains(j.cited, e) || !r.mayGround(e, &j.Claim) {
			continue
		}
		if s := r.share(e.Text, j.Core); s > 0 && r.eligible(e) {
			all = append(all, near{e, s})
		}
	}
	slices.SortStableFunc(all, func(a, b near) int {
		switch {
		case a.share > b.share:
			return -1
		case a.share < b.share:
			return 1
		}
		return 0
	})
	var out []*schema.Evidence
	for _, x := range all[:min(n, len(all))] {
		out = append(out, x.e)
	}
	return out
}

// share is entail.Share; each text of a review is read once.
func (r *review) share(premise, hypothesis string) float64 {
	return entail.ShareOf(r.words(premise), r.words(hypothesis))
}

func (r *review) words(s string) map[string]bool {
	set, ok := r.sets[s]
	if !ok {
		set = entail.Content(s)
		r.sets[s] = set
	}
	return set
}

// eligible remembers its answers: each claim asks about each block.
func (r *review) eligible(e *schema.Evidence) bool {
	if r.in.Check == nil {
		return true
	}
	ok, known := r.clean[e]
	if !known {
		_, ok = EligibleEvidence(*e, *r.in.Check)
		r.clean[e] = ok
	}
	return ok
}
