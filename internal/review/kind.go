package review

import (
	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// kind says what a sentence needs before it may be said. It needs no proof only where a
// trained head and its words agree that it claims nothing: a lie about a neighbour is
// often told as a feeling, or asked, and a model is led astray by the wrapping. A judge may
// find later that it is none. Who names somebody that nothing shown names makes a claim.
func (l *line) kind(o *Outcome, claim float64, stranger bool) entail.Kind {
	r, words := o.reading, l.kindByWords(o.Sentence.Text)
	switch {
	case stranger || words == entail.KindWorld:
		return entail.KindWorld
	case r.World+r.Self+r.Social == 0: // without a head, what words make a feeling may presume anything
		if words == entail.KindSocial {
			return entail.KindSocial
		}
		return entail.KindWorld
	case r.World >= claim:
		return entail.KindWorld
	case r.Self >= r.Social:
		return entail.KindSelf
	}
	return entail.KindSocial
}

// kindByWords is the kind where no model says: by the claims that its words make.
func (l *line) kindByWords(said string) entail.Kind {
	kind := entail.KindSocial
	for _, c := range grounding.Claims(said, l.Context) {
		switch c.Kind {
		case schema.ClaimNone:
		case schema.ClaimSelf:
			kind = entail.KindSelf
		default:
			return entail.KindWorld
		}
	}
	return kind
}
