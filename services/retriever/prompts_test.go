package retriever_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// What a prompt tells a model is no evidence, wherever somebody saved it: neither an
// instruction, nor an example of the world's own prompt, nor the line of a refusal.
func TestLinesOfPromptsAreNoEvidence(t *testing.T) {
	const speech = "You are {{.Name}}.\n{{template \"rules\" .}}\n" +
		"For example: The old well behind the chapel ran dry in March.\n"
	for _, c := range []struct{ name, note, question string }{
		{"an instruction", "The old well is deep. Keep close to the words of the evidence.",
			"How deep is the old well?"},
		{"an example of the world's own prompt", "For example: The old well behind the chapel ran dry in March.",
			"When did the old well run dry?"},
		{"the lead of a refusal", "That I could not tell you.", "What could you not tell me?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := servicetest.Village()
			files["prompts/speech.txt"] = &fstest.MapFile{Data: []byte(speech)}
			files["lore/note.txt"] = &fstest.MapFile{Data: []byte(c.note + "\n")}
			files["lore/note.txt.meta.yaml"] = &fstest.MapFile{Data: []byte(
				"created_at: 1401-03-01\nauthor: council\ntype: note\nsummary: The old well\nkeywords: [well, tell]\n")}
			b := servicetest.New(t, files)
			turn := b.Turn("mira", c.question)
			b.Walk(t, turn, schema.PassRetrieve)
			for _, e := range turn.Evidence {
				if strings.Contains(e.Path, "note.txt") {
					t.Errorf("%s is evidence: %q", e.ID, e.Text)
				}
			}
			refused := false
			for _, n := range turn.Retrieval.Rejected {
				refused = refused || n.Name == grounding.RejectPrompt && n.N > 0
			}
			if !refused {
				t.Errorf("the note was not refused as %s: %v", grounding.RejectPrompt, turn.Retrieval.Rejected)
			}
		})
	}
}
