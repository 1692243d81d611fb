package entail

import "strings"

// peoples are the forms of the peoples of fantasy, which are wanted in the evidence as names
// are: a goblin is no orc, though neither is written with a capital. "Giant", "human" and the
// like also mean less; what is dwarfed is no dwarf, but a claim that dwarfs it is of it.
var peoples = func() map[string]string {
	out := map[string]string{}
	for _, line := range []string{
		`elf elves elven elvish elfin`, `dwarf dwarves dwarven dwarvish dwarfs dwarfed dwarfing`, `orc orcs orcish`, `gnoll gnolls`, `troll trolls trollish`,
		`goblin goblins`, `ogre ogres`, `halfling halflings`, `gnome gnomes gnomish`, `kobold kobolds`, `centaur centaurs`, `minotaur minotaurs`,
	} {
		forms := strings.Fields(line)
		for _, f := range forms {
			out[f] = forms[0]
		}
	}
	return out
}()

// tellsOf says whether a passage names a people in any form.
func (p *passage) tellsOf(people string) bool {
	for i := range p.sentences {
		for _, w := range p.sentences[i].words {
			if people != "" && peoples[nominative(w.low)] == people {
				return true
			}
		}
	}
	return false
}

// nominative is a word without the mark of a genitive.
func nominative(low string) string { return strings.TrimSuffix(strings.TrimSuffix(low, "'s"), "'") }
