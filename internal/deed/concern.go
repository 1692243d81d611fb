package deed

import (
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// general are words of which most requests have one, so that they tell none from
// another.
var general = map[string]bool{}

func init() {
	for _, w := range strings.Fields("give take need want help get go let make do have may can please show tell say " +
		"now here bring keep hold") {
		general[text.Stem(w)] = true
	}
}

// Concerns says whether words are about an action: they share one with its name, its
// phrases or a value that its parameters may take.
func Concerns(words string, spec schema.ActionSpec) bool {
	about := map[string]bool{}
	add := func(s string) {
		for _, w := range text.Words(strings.ReplaceAll(s, "_", " ")) {
			if stem := text.Stem(w); !text.IsStop(w) && !general[stem] {
				about[stem] = true
			}
		}
	}
	add(spec.Name)
	for _, phrase := range spec.SpeechActs {
		add(phrase)
	}
	add(values(spec))
	for _, w := range text.Words(words) {
		if about[text.Stem(w)] {
			return true
		}
	}
	return false
}
