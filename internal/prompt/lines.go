package prompt

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// filledIn is what a template fills in: it is no fixed text.
var filledIn = regexp.MustCompile(`\{\{[^}]*\}\}`)

// minFixed is how many words a stretch of a prompt has at least before finding it
// elsewhere is no chance: people say "carry out the plan" too.
const minFixed = 6

// Lines are the fixed stretches of the prompts of a world, whose own prompts replace
// those of the binary by name: instructions, formats, and the examples that an author
// wrote there. They are folded. None of them is evidence, and no NPC speaks them.
func Lines(own map[string]string) []string {
	rules, _ := fs.ReadFile(files, "templates/"+rulesFile+".txt") // embedded
	texts := []string{string(rules)}
	for _, name := range Names {
		s, mine := own[name]
		if !mine {
			data, _ := fs.ReadFile(files, path.Join("templates", name+".txt"))
			s = string(data)
		}
		texts = append(texts, s)
	}
	var out []string
	for _, s := range texts {
		for _, stretch := range filledIn.Split(s, -1) {
			out = append(out, fixedIn(stretch)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func fixedIn(stretch string) []string {
	var out []string
	for _, line := range strings.Split(stretch, "\n") {
		for _, sentence := range text.Sentences(line) {
			out = append(out, long(sentence)...)
			if _, example, ok := strings.Cut(sentence, ": "); ok {
				out = append(out, long(example)...)
			}
		}
	}
	return out
}

func long(s string) []string {
	if len(text.WordSpans(s)) < minFixed {
		return nil
	}
	return []string{text.Fold(s)}
}
