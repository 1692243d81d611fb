package entail

import "strings"

// peoples are the forms of the peoples of fantasy, which are wanted in the evidence as names
// are: a goblin is no orc, though neither is written with a capital. "Giant", "human" and the
// like also mean less.
var peoples = func() map[string]string {
	out := map[string]string{}
	for _, line := range []string{
		`elf elves elven elvish elfin elfish drow`, `dwarf dwarves dwarven dwarvish`, `orc orcs orcish ork orks`,
		`gnoll gnolls`, `troll trolls trollish`,
		`goblin goblins hobgoblin hobgoblins`, `ogre ogres ogress ogresses`, `halfling halflings`, `gnome gnomes gnomish`,
		`kobold kobolds`, `centaur centaurs`, `minotaur minotaurs`,
	} {
		forms := strings.Fields(line)
		for _, f := range forms {
			out[f] = forms[0]
		}
	}
	return out
}()

// people is the people that word i of the claim names and does not deny: "no dwarf may
// enter" may well be said of a grove for elves.
func (c *comparison) people(i int, negated map[int]bool) string {
	low := c.h.words[i].low
	if negated[i] || low == "troll" && c.h.at(i+1) == "for" { // to troll for pike
		return ""
	}
	return peoples[nominative(low)]
}

// tellsOf says whether a passage names a people in any form.
func (p *passage) tellsOf(people string) bool {
	for i := range p.sentences {
		for _, w := range p.sentences[i].words {
			low := nominative(w.low)
			if low == "dwarfs" { // in a claim it may be a verb
				low = "dwarves"
			}
			if people != "" && peoples[low] == people {
				return true
			}
		}
	}
	return false
}

// nominative is a word without the mark of a genitive.
func nominative(low string) string { return strings.TrimSuffix(strings.TrimSuffix(low, "'s"), "'") }
