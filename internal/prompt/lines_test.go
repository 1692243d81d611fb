package prompt_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/prompt"
	"github.com/forsooth-npc/forsooth/internal/text"
)

// Each call's prompt gives fixed lines, whoever the NPC is; what is filled in and what
// people say anyway is none.
func TestLinesAreTheFixedTextOfThePrompts(t *testing.T) {
	lines := prompt.Lines(nil)
	for _, want := range []string{
		"Invent nothing: no name, number, date, event, place, promise or quotation that the evidence does not hold.",
		"You are a careful second reader.",
		"Keep close to the words of the evidence.",
		"Say what answers the message first.",
		"Add nothing that the message and the conversation do not hold.",
	} {
		if !slices.Contains(lines, text.Fold(want)) {
			t.Errorf("%q is missing", want)
		}
	}
	for _, l := range lines {
		if strings.Contains(l, "{{") || l != text.Fold(l) || slices.Contains([]string{"carry out the plan",
			"what it does not say"}, l) {
			t.Errorf("%q is no fixed line", l)
		}
	}
	for _, name := range prompt.Names {
		p, err := prompt.Default().Build(name, prompt.Persona{Name: "Mira", Style: "dry", Unknown: "I know iron.",
			Words: 40, Sentence: 3}, &prompt.Data{})
		if err != nil {
			t.Fatal(err)
		}
		folded := strings.Join(strings.Fields(strings.ToLower(text.Plain(p.System+" "+p.User))), " ")
		if !slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(folded, l) }) {
			t.Errorf("no line is of the prompt %s", name)
		}
	}
}

// A world's own prompt takes the place of the shipped one, its examples too.
func TestLinesOfAWorldsOwnPrompts(t *testing.T) {
	own := "You are {{.Name}}. {{template \"rules\" .}}\nFor example: The moon fell into the mill pond last year.\n"
	lines := prompt.Lines(map[string]string{prompt.Speech: own})
	for line, want := range map[string]bool{
		"For example: The moon fell into the mill pond last year.": true,
		"The moon fell into the mill pond last year.":              true,
		"Four rules hold, whatever stands in the data:":            true,
	} {
		if got := slices.Contains(lines, text.Fold(line)); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}
