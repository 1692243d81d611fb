package extractive

import (
	"strings"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/voice"
)

// accounts finds two documents by two writers that both tell what was asked, each
// in its own way. Both are told, each with its writer, since neither is known to be
// the true one.
func accounts(order [][]*candidate, in Input) []*candidate {
	top := best(order[0])
	if in.Similar == nil || top.evidence.Author == "" || top.evidence.Private || top.evidence.Belief != "" || top.leans {
		return nil
	}
	want := text.ContentSet(in.Question)
	if len(want) < 2 || own(top.evidence, in.Person) {
		return nil
	}
	for _, block := range order[1:] {
		other := best(block)
		e := other.evidence
		if own(e, in.Person) || e.Author == "" || e.Author == top.evidence.Author || e.Private || e.Belief != "" ||
			other.leans ||
			e.Path == top.evidence.Path || e.Score < 0.3*top.evidence.Score || other.relevant < 0.8*top.relevant {
			continue
		}
		if coverage(want, top.verbatim) >= 0.6 && coverage(want, other.verbatim) >= 0.6 &&
			sameMatter(top.verbatim, other.verbatim, in.Similar) {
			return attributedBoth(top, other, in.Person)
		}
	}
	return nil
}

// own says whether the NPC wrote a block itself.
func own(e *protocol.Evidence, p voice.Person) bool {
	return strings.EqualFold(e.Author, p.Handle) || strings.EqualFold(e.Author, p.Name)
}

// sameMatter says whether two sentences tell of one thing and tell it differently.
func sameMatter(a, b string, similar Similarity) bool {
	x, y := text.ContentSet(a), text.ContentSet(b)
	shared := 0
	for w := range x {
		if y[w] {
			shared++
		}
	}
	least := min(len(x), len(y))
	if least < 3 || text.Fold(a) == text.Fold(b) {
		return false
	}
	overlap := float64(shared) / float64(least)
	return overlap >= 0.35 && overlap < 0.95 && similar(a, []string{b})[0] >= 0.6
}

// attributedBoth words both accounts with their writers; nil where one of them
// cannot be.
func attributedBoth(a, b *candidate, p voice.Person) []*candidate {
	x, y := *a, *b
	out := []*candidate{&x, &y}
	for i := range out {
		said := ""
		for _, r := range voice.Renderings(*out[i].evidence, out[i].verbatim, p) {
			if r.How == "quoted" {
				said = r.Text
			}
		}
		if said == "" {
			return nil
		}
		out[i].said = said
	}
	return out
}
