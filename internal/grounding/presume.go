package grounding

import (
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// definite words take what follows them for something that there is.
var definite = set(`the my his her its our their your this that these those both all every each another
	one two three four five six seven eight nine ten eleven twelve twenty hundred thousand several many few`)

// tastes are about kinds of things: "I never liked the coast" tells of no coast.
var tastes = set(`love loved like liked hate hated dislike disliked loathe loathed despise despised prefer preferred enjoy enjoyed detest adore`)

// presumes says whether a feeling takes for granted what neither the evidence nor
// what the NPC is holds, and what the player did not bring up: "I miss my husband"
// says that there was one, and "I hate the murderer Osric" what he is. To like
// iron, or Osric, says nothing of either.
func (r *review) presumes(core string) bool {
	o := objectsOf(core)
	if !o.taken || len(o.things) == 0 || o.yours && holdsAll(r.words(r.in.Context.Message), o.things) {
		return false
	}
	held := func(whole string) bool {
		return slices.ContainsFunc(text.Sentences(whole), func(s string) bool { return holdsAll(r.words(s), o.things) })
	}
	return !held(r.in.Self) && !slices.ContainsFunc(r.in.Evidence, func(e schema.Evidence) bool {
		return e.Provenance.Source == schema.OriginCorpus && held(e.Text)
	})
}

// objects are what a feeling is about.
type objects struct {
	things []string // stems of the words that are not the feeling itself
	taken  bool     // they are spoken of as something that there is
	yours  bool     // and as the player's
}

func objectsOf(core string) objects {
	var o objects
	kinds := hasAny(text.Words(text.Plain(core)), tastes)
	the, named := false, 0
	for i, sp := range text.WordSpans(core) {
		w := core[sp.Start:sp.End]
		low := strings.ToLower(text.Plain(w))
		if i == 0 {
			continue
		}
		if definite[low] || strings.HasSuffix(low, "'s") {
			the, o.yours = the || low == "the", o.yours || low == "your"
			o.taken = o.taken || low != "the" || !kinds
		}
		if text.IsStop(low) || definite[low] || degree[low] || feelings[low] || feelingVerbs[low] {
			continue
		}
		o.things = append(o.things, text.Stem(low))
		o.taken = o.taken || strings.HasSuffix(low, "ing") || strings.HasSuffix(low, "ed")
		if startsUpper(w) {
			named++
		}
	}
	o.taken = o.taken || len(o.things) > 1 && (the || named > 0 && named < len(o.things))
	return o
}

func holdsAll(words map[string]bool, all []string) bool {
	return !slices.ContainsFunc(all, func(w string) bool { return !words[w] })
}
