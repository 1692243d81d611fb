package llmtest_test

import (
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
)

const row = `{"id":"a/1","world":"a mill","npc":"mira","name":"Mira","message":"what burned?","style":"good",` +
	`"self":"Mira is the smith.\nPersonality: dry","evidence":[{"id":"E1","text":"The mill burned."}],` +
	`"sentences":[{"text":"The mill did.","cites":["E1"],"label":"supported"}]}`

// A file of another shape is refused with its line and its field.
func TestReadNamesWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		name   string
		change [2]string
		want   string
	}{
		{"whole", [2]string{}, ""},
		{"no JSON", [2]string{row, "id,world,npc"}, "speeches.jsonl:2: is no speech"},
		{"a list", [2]string{row, "[]"}, "speeches.jsonl:2: is no speech: it is of JSON type array"},
		{"sentences that are none", [2]string{`[{"text":"The mill did.","cites":["E1"],"label":"supported"}]`, `"none"`},
			"speeches.jsonl:2: is no speech: sentences: is of JSON type string"},
		{"a page", [2]string{row, "<html>"}, "speeches.jsonl:2: is no speech"},
		{"no name", [2]string{`"Mira"`, `""`}, "speeches.jsonl:2: name: is missing"},
		{"no message", [2]string{"what burned?", ""}, "speeches.jsonl:2: message: is missing"},
		{"no sentences", [2]string{`"sentences":[`, `"said":[`}, "speeches.jsonl:2: sentences: there are none"},
		{"an empty sentence", [2]string{"The mill did.", ""}, "speeches.jsonl:2: sentences[0].text: is missing"},
		{"another label", [2]string{`"supported"`, `"true"`}, `speeches.jsonl:2: sentences[0].label: is "true"`},
		{"an id that nothing has", [2]string{`["E1"]`, `["E7"]`}, `speeches.jsonl:2: sentences[0].cites: "E7" is no block`},
		{"a block without text", [2]string{"The mill burned.", ""}, "speeches.jsonl:2: evidence: a block needs"},
		{"a number for a text", [2]string{`"message":"what burned?"`, `"message":7`},
			"speeches.jsonl:2: is no speech: message: is of JSON type number"},
	} {
		t.Run(c.name, func(t *testing.T) {
			changed := row
			if c.change[0] != "" {
				changed = strings.Replace(row, c.change[0], c.change[1], 1)
			}
			rows, err := llmtest.ReadSpeeches("speeches.jsonl", strings.NewReader(row+"\n"+changed+"\n"))
			switch {
			case c.want == "" && (err != nil || len(rows) != 2 || rows[1].Backstory() != "Mira is the smith." ||
				rows[1].Personality() != "dry"):
				t.Errorf("%+v, %v", rows, err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("it says %v, want %q", err, c.want)
			}
		})
	}
	if _, err := llmtest.ReadSpeeches("empty.jsonl", strings.NewReader("\n")); err == nil ||
		err.Error() != "empty.jsonl: holds no speeches" {
		t.Errorf("an empty file: %v", err)
	}
}
