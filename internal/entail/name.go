package entail

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// nameRule wants every name of the claim in the premise, and every people.
func nameRule(c *comparison) []finding {
	var have map[string]bool
	for i, w := range c.h.words {
		bare := nominative(w.low)
		people := peoples[bare]
		if !c.isName(i) && people == "" || months[w.low] || weekdays[strings.TrimSuffix(w.low, "s")] != "" || seasons[w.low] != "" {
			continue
		}
		if have == nil {
			have = c.p.nameWords(c.names)
		}
		told := have[bare] || have[people]
		if people == "" {
			told = slices.ContainsFunc(nameParts(w.low), func(f string) bool { return have[f] }) || resembles(bare, have)
		}
		if !told {
			return []finding{{sign: "name", why: fmt.Sprintf("name: “%s” is not in the evidence", strings.TrimSuffix(w.raw, "'s")), span: c.a.p.text, veto: true}}
		}
	}
	return nil
}

// nameWords are the words of a passage, and of the speaker's own names, in the forms in
// which names are looked for.
func (p *passage) nameWords(n Names) map[string]bool {
	have := map[string]bool{}
	add := func(low string) {
		for _, f := range nameParts(low) {
			have[f] = true
		}
		if people := peoples[nominative(low)]; people != "" {
			have[people] = true
		}
	}
	for i := range p.sentences {
		for _, w := range p.sentences[i].words {
			for _, part := range strings.FieldsFunc(w.low, joinsIdentifier) {
				add(part)
			}
			add(w.low)
		}
	}
	for _, words := range nameForms(n) {
		for _, w := range words {
			have[w] = true
		}
	}
	return have
}

// isName says whether word i of the claim is a name: capitalised where nothing
// but a name is, or known to the world.
func (c *comparison) isName(i int) bool {
	w := c.h.words[i]
	if c.known[strings.TrimSuffix(w.low, "'s")] {
		return true
	}
	if !w.upper || w.first || w.low == "i" || strings.HasPrefix(w.low, "i'") || i > 0 && strings.ContainsAny(c.h.words[i-1].gap, ":.!?") {
		return false
	}
	return !text.IsStop(w.low) && strings.ContainsFunc(w.raw, unicode.IsLetter) && !isNumberWord(w.low)
}

// joinsIdentifier splits the keys of a state, "mira.shop_open".
func joinsIdentifier(r rune) bool { return r == '.' || r == '_' || r == '/' }

// nameParts are the forms under which one word is looked for as a name.
func nameParts(low string) []string {
	bare := nominative(low)
	return []string{bare, strings.TrimSuffix(bare, "s"), text.Unaccent(bare), text.Stem(bare)}
}

// resembles says whether the premise holds a form of the same name: "Scornian"
// beside "Scorn", "Darcap's".
func resembles(name string, have map[string]bool) bool {
	if len(name) < 5 {
		return false
	}
	for w := range have {
		if len(w) >= 4 && (strings.HasPrefix(name, w) && len(name)-len(w) <= 4 || strings.HasPrefix(w, name) && len(w)-len(name) <= 4) {
			return true
		}
	}
	return false
}

// nominative is a word without the mark of a genitive.
func nominative(low string) string { return strings.TrimSuffix(strings.TrimSuffix(low, "'s"), "'") }

// peoples are the forms of the peoples of fantasy, which are wanted in the evidence as names
// are: a goblin is no orc, though neither is written with a capital.
var peoples = func() map[string]string {
	out := map[string]string{}
	for _, line := range []string{
		`elf elves elven elvish elfin elfish drow`, `dwarf dwarves dwarfs dwarven dwarvish`, `orc orcs orcish ork orks`, `gnoll gnolls`, `goblin goblins hobgoblin hobgoblins`,
		`ogre ogres ogress ogresses`, `halfling halflings`, `gnome gnomes gnomish`, `kobold kobolds`, `centaur centaurs`, `minotaur minotaurs`, `trolls trollish`,
	} {
		forms := strings.Fields(line)
		for _, f := range forms {
			out[f] = forms[0]
		}
	}
	return out
}()
