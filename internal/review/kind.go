package review

import (
	"strings"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// kind says what a sentence needs before it may be said. A trained head decides. A
// sentence that names somebody whom nothing shown names is a claim, whatever it feels, and
// so is one that says something of somebody else by name: a lie about a neighbour is often
// told as a feeling.
func (l *line) kind(o *Outcome, claim float64, stranger bool) entail.Kind {
	r := o.reading
	switch {
	case stranger:
		return entail.KindWorld
	case r.World+r.Self+r.Social == 0: // without a head, what words make a feeling may presume anything
		if l.kindByWords(o.Sentence.Text) == entail.KindSocial {
			return entail.KindSocial
		}
		return entail.KindWorld
	case r.World >= claim || l.ofAnother(o.Sentence.Text):
		return entail.KindWorld
	case r.Self >= r.Social:
		return entail.KindSelf
	}
	return entail.KindSocial
}

// ofAnother says whether a sentence claims something in which somebody or something else
// of this world is named.
func (l *line) ofAnother(said string) bool {
	own := " " + text.Fold(l.Context.NPCName) + " "
	for _, c := range grounding.Claims(said, l.Context) {
		if c.Kind != schema.ClaimWorld && c.Kind != schema.ClaimState {
			continue
		}
		core := " " + text.Fold(c.Core) + " "
		for _, name := range l.Context.Names {
			folded := " " + text.Fold(name) + " "
			if len(folded) > 2 && strings.Contains(core, folded) && !strings.Contains(own, folded) {
				return true
			}
		}
	}
	return false
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
