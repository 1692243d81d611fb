package language

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Rule is what may be released in one turn, as far as languages go.
type Rule struct {
	Language string // the player is to be answered in it
	Locale   string // of authored lines: the request's, unless the message is clearly in another language
	Verified bool   // the language's suite passes: sentences may be more than quotations
	Reason   string // of the reply where it does not; else empty

	world *world.World
	npc   *world.NPC
}

// Policy decides by the request's locale, by what the message is clearly written
// in, and by the world's language, in this order; a message that is clearly in an
// unsupported language overrides a locale that is supported. Setting the request's
// locale to that of the rule and asking again gives the same rule.
func Policy(r *schema.Request, w *world.World, npc *world.NPC) Rule {
	locale := r.Locale
	said, sure := Detect(r.Message)
	switch {
	case sure && !Supported(said) && (locale == "" || Supported(locale)):
		locale = said
	case locale == "" && sure:
		locale = said
	case locale == "":
		locale = w.Language
	}
	rule := Rule{Language: Base(locale), Locale: locale, Verified: Supported(locale), world: w, npc: npc}
	if !rule.Verified {
		rule.Reason = schema.ReasonLanguage
	}
	return rule
}

// Use is what a text may be used for in a turn.
type Use string

// The uses of a text.
const (
	UseNone     Use = "none"     // it is no evidence here
	UseVerbatim Use = "verbatim" // it may be quoted, word for word
	UseFree     Use = "free"     // it may ground any sentence that passes review
)

// Use says what a chunk of the corpus is good for in this turn. In an unsupported
// language only what is written in that language may be quoted. In a supported one
// a text in an unsupported language may be quoted, and grounds nothing else.
func (r Rule) Use(c protocol.Chunk) Use {
	return r.use(c.Language, c.Path, c.Text)
}

// Admits says whether a chunk may be evidence in this turn at all.
func (r Rule) Admits(c protocol.Chunk) bool { return r.Use(c) != UseNone }

// Evidence are the blocks that may be evidence in this turn. What the mesh words
// itself, of the game's state and of the conversation, is English.
func (r Rule) Evidence(blocks []protocol.Evidence) []protocol.Evidence {
	return slices.DeleteFunc(slices.Clone(blocks),
		func(e protocol.Evidence) bool { return r.block(e.Path, e.Provenance.Source, e.Text) == UseNone })
}

// Releases is the last look at a sentence before it is said: authored lines pass,
// and where quotations are all that may be said, a sentence passes only if each of
// its sentences stands word for word in a block that it cites and that is in the
// language of the turn. It asks no model and trusts none.
func (r Rule) Releases(s schema.Sentence) bool {
	if s.Authored {
		return true
	}
	if len(s.Evidence) == 0 {
		return r.Verified
	}
	quoted := map[string]bool{}
	mustQuote := !r.Verified
	for _, e := range s.Evidence {
		switch r.block(e.Path, e.Source, e.Text) {
		case UseNone:
			return false
		case UseVerbatim:
			mustQuote = true
		}
		quoted[text.Fold(e.Text)] = true
		for _, one := range text.Sentences(e.Text) {
			quoted[text.Fold(one)] = true
		}
	}
	if !mustQuote || quoted[text.Fold(s.Text)] {
		return true
	}
	parts := text.Sentences(s.Text)
	return len(parts) > 0 && !slices.ContainsFunc(parts, func(one string) bool { return !quoted[text.Fold(one)] })
}

// Lines are the authored lines of a kind for this turn: in the locale where the NPC
// or the binary has them, else the plain ones.
func (r Rule) Lines(kind string) []string { return r.npc.Line(kind, r.Locale) }

// block is the use of a block that carries no language of its own.
func (r Rule) block(path string, source schema.Origin, s string) Use {
	if source != schema.OriginCorpus {
		return r.useOf("en")
	}
	return r.use(r.declared(path), path, s)
}

// declared is the language of the document at a path.
func (r Rule) declared(path string) string {
	for _, d := range r.world.Documents {
		if d.Path == path {
			return d.Language
		}
	}
	return r.world.Language
}

// use decides by the language that a text's companion declares. Where it is the
// world's, the author may have said nothing, and what the text clearly is counts.
func (r Rule) use(declared, path, s string) Use {
	if declared == "" {
		declared = r.declared(path)
	}
	lang := Base(declared)
	if lang == Base(r.world.Language) {
		if said, sure := Detect(s); sure {
			lang = said
		}
	}
	return r.useOf(lang)
}

func (r Rule) useOf(lang string) Use {
	switch {
	case r.Verified && supported[lang]:
		return UseFree
	case r.Verified, lang == r.Language && lang != Unknown:
		return UseVerbatim
	}
	return UseNone
}

// Notice is what an operator is told of a world's languages; empty where all of it
// is in a supported one.
func Notice(w *world.World) string {
	if !Supported(w.Language) {
		return fmt.Sprintf("world %s: its language %s is not verified; NPCs quote it word for word and use authored "+
			"lines, and no model speaks (%s)",
			w.Name, w.Language, schema.ReasonLanguage)
	}
	var foreign []string
	n := 0
	for _, d := range w.Documents {
		if !Supported(d.Language) {
			n++
			if !slices.Contains(foreign, Base(d.Language)) {
				foreign = append(foreign, Base(d.Language))
			}
		}
	}
	if n == 0 {
		return ""
	}
	slices.Sort(foreign)
	return fmt.Sprintf("world %s: documents in languages that are not verified are quoted word for word or not at "+
		"all; there are %d (%s)", w.Name, n, strings.Join(foreign, ", "))
}
