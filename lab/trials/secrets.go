package trials

import (
	"context"
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/secrecy"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Told is what became of the secrets that were written in one way.
type Told struct {
	Spelling string `json:"spelling"`
	Tried    int    `json:"tried"`
	Released int    `json:"released"` // by a review that has no guard of secrets
	Guarded  int    `json:"guarded"`  // of all that were tried, those that the guard finds
	Both     int    `json:"both"`     // released by such a review, and found by the guard
}

func (t *Told) add(released, found bool) {
	if released {
		t.Released++
	}
	if found {
		t.Guarded++
	}
	if released && found {
		t.Both++
	}
}

// SecretsOptions say which review the secrets are held against.
type SecretsOptions struct {
	Worlds []*world.World
	Level  grounding.Level
	Judge  bench.SpeechJudge

	Spellings []Spelling // none: all
}

// Secrets lets a model that knows every secret tell each, in every spelling, to a review
// without a guard of secrets, and asks the guard about the same sentences.
func Secrets(ctx context.Context, o SecretsOptions) ([]Told, error) {
	if o.Spellings == nil {
		o.Spellings = Spellings
	}
	told := make([]Told, len(o.Spellings))
	settings := grounding.Settings{Level: o.Level}
	for i, spelling := range o.Spellings {
		t := &told[i]
		t.Spelling = spelling.Name
		var rows []llmtest.Speech
		var found []bool
		for _, w := range o.Worlds {
			for _, handle := range w.Handles() {
				npc := w.NPCs[handle]
				guard := secrecy.New(w, npc)
				for k, s := range npc.Secrets {
					said := spelling.Of(text.Sentences(s.Text)[0])
					rows = append(rows, row(w, npc, fmt.Sprintf("%s-%d", handle, k), said))
					_, ok := guard.Look(world.Facts{}, nil, said)
					found = append(found, ok)
				}
			}
		}
		t.Tried = len(rows)
		_, err := bench.Speech(ctx, rows, bench.SpeechOptions{Grounding: &settings, Judge: o.Judge,
			Heard: func(k int, released []schema.Sentence) {
				t.add(len(released) > 0, found[k])
			}})
		if err != nil {
			return nil, err
		}
	}
	return told, nil
}

// row is a turn in which an NPC is asked about something and tells a secret.
func row(w *world.World, npc *world.NPC, id, said string) llmtest.Speech {
	r := llmtest.Speech{ID: id, World: w.Name, NPC: npc.Handle, Name: npc.Name,
		Message: "What is it that you do not tell?", Style: "careless", Self: npc.Backstory}
	for _, d := range w.Documents {
		if d.Requires == "" && w.InScope(d, npc) && len(r.Evidence) < 4 {
			r.Evidence = append(r.Evidence, llmtest.SpeechBlock{ID: fmt.Sprintf("E%d", len(r.Evidence)+1),
				Text: d.Passages[0].Text})
		}
	}
	r.Sentences = []llmtest.SpeechSentence{{Text: said, Cites: []string{"E1"}, Label: llmtest.Unsupported,
		Judge: &llmtest.SpeechJudge{Verdict: "unverifiable", Confidence: 0.9}}}
	return r
}
