package monologue_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

const (
	owner    = "Teague owns the ferry."
	crossing = "A crossing costs two bits."
)

// block is a block of evidence of one source.
func block(id, said string) protocol.Evidence {
	return protocol.Evidence{ID: "E" + id, SourceID: id, Path: "lore/" + id + ".txt", Type: "notice", Text: said,
		Provenance: protocol.Provenance{Source: schema.OriginCorpus}}
}

// found is a turn of Mira's that found these blocks.
func found(b *servicetest.Bench, question string, zone protocol.Zone, blocks ...protocol.Evidence) *protocol.Turn {
	t := b.Turn("mira", question)
	t.Class, t.Evidence = protocol.ClassComplex, blocks
	t.Retrieval = &protocol.Retrieval{Query: question, Zone: zone, Intent: protocol.IntentQuestion}
	return t
}

// think runs the pass as the mesh does.
func think(t *testing.T, b *servicetest.Bench, turn *protocol.Turn) []protocol.Thought {
	t.Helper()
	turn.Passes = append(turn.Passes, schema.PassRecord{Pass: schema.PassThink, Attempt: 1})
	next, err := b.Handlers[schema.PassThink](t.Context(), turn)
	if err != nil || next != schema.PassReviewThought {
		t.Fatalf("next %q, %v", next, err)
	}
	return turn.Thoughts
}

func texts(thoughts []protocol.Thought, plans bool) (out []string) {
	for _, th := range thoughts {
		if th.Plan == plans {
			out = append(out, th.Text)
		}
	}
	return out
}

// Without a model an NPC recalls what its evidence says: of each block the sentence that
// is nearest to the question, with the source it stands in.
func TestWhatAnNPCRecallsWithoutAModel(t *testing.T) {
	ferry := block("1", owner+" "+crossing)
	mill := block("2", "The mill burned on the twelfth of April 1402.")
	lake := block("3", "The lake is deep.")
	inn := block("4", "The inn has nine rooms.")
	refused := &protocol.Review{Issues: []schema.Issue{{Claim: "teague owns the ferry"}}}
	for _, c := range []struct {
		name     string
		question string
		zone     protocol.Zone
		blocks   []protocol.Evidence
		review   *protocol.Review
		recalls  []string
	}{
		{"the sentence that answers", "what does a crossing cost?", protocol.ZoneExtractive,
			[]protocol.Evidence{ferry}, nil, []string{crossing}},
		{"another one of the same block", "who owns the ferry?", protocol.ZoneExtractive,
			[]protocol.Evidence{ferry}, nil, []string{owner}},
		{"one of each of the first three blocks", "who owns the ferry?", protocol.ZoneModel,
			[]protocol.Evidence{ferry, mill, lake, inn}, nil, []string{owner, mill.Text, lake.Text}},
		{"nothing that the review refused", "who owns the ferry?", protocol.ZoneExtractive,
			[]protocol.Evidence{ferry, mill}, refused, []string{mill.Text}},
		{"nothing where it does not know", "who owns the ferry?", protocol.ZoneUnknown, []protocol.Evidence{ferry}, nil, nil},
		{"nothing without evidence", "who owns the ferry?", protocol.ZoneExtractive, nil, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := servicetest.New(t, servicetest.Village())
			turn := found(b, c.question, c.zone, c.blocks...)
			turn.ThoughtReview = c.review
			thoughts := think(t, b, turn)
			if got := texts(thoughts, false); !slices.Equal(got, c.recalls) {
				t.Errorf("recalls %q, want %q", got, c.recalls)
			}
			for _, th := range thoughts {
				holds := func(e protocol.Evidence) bool {
					return slices.Equal(th.Citations, []string{e.SourceID}) && strings.Contains(e.Text, th.Text)
				}
				if !th.Plan && !slices.ContainsFunc(c.blocks, holds) {
					t.Errorf("%q cites %q", th.Text, th.Citations)
				}
			}
		})
	}
}

// The last thought is what the NPC means to do. It is marked as a plan and cites only the
// NPC itself, so that it grounds nothing.
func TestThePlanWithoutAModel(t *testing.T) {
	const (
		tell   = "I will tell them what I know of it."
		silent = "I know nothing that answers this, and will say so."
		chat   = "They want a word, not an answer."
		refuse = "I will not be told what to say."
	)
	ferry := []protocol.Evidence{block("1", owner)}
	for _, c := range []struct {
		name   string
		zone   protocol.Zone
		intent string
		blocks []protocol.Evidence
		plan   string
	}{
		{"it knows", protocol.ZoneExtractive, protocol.IntentQuestion, ferry, tell},
		{"it does not know", protocol.ZoneUnknown, protocol.IntentQuestion, ferry, silent},
		{"it finds nothing", protocol.ZoneExtractive, protocol.IntentQuestion, nil, silent},
		{"it is greeted", protocol.ZoneNone, protocol.IntentGreeting, nil, chat},
		{"it is told what to say", protocol.ZoneExtractive, protocol.IntentInjection, ferry, refuse},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := servicetest.New(t, servicetest.Village())
			turn := found(b, "who owns the ferry?", c.zone, c.blocks...)
			turn.Retrieval.Intent = c.intent
			thoughts := think(t, b, turn)
			last := thoughts[len(thoughts)-1]
			if !last.Plan || last.Text != c.plan || !slices.Equal(last.Citations, []string{"self"}) {
				t.Errorf("plans %+v, want %q", last, c.plan)
			}
		})
	}
}

// A name that nobody in the world has is thought of first.
func TestAnNPCThinksOfANameThatItNeverHeard(t *testing.T) {
	b := servicetest.New(t, servicetest.Village())
	turn := found(b, "who is Zorbak?", protocol.ZoneUnknown)
	turn.Unknown = []string{"Zorbak"}
	if th := think(t, b, turn)[0]; th.Text != "I have never heard of Zorbak." || !th.Plan || len(th.Citations) > 0 {
		t.Errorf("thinks %+v", th)
	}
}

// Thoughts are short, by the class of the message, whoever thinks them. What would be too
// much is left out whole.
func TestThoughtsAreShort(t *testing.T) {
	thought := `{"text":"The ferry crosses the river at dawn, at noon and at dusk, whoever pays.","citations":["1"]}`
	answer := `{"thoughts":[` + strings.Repeat(thought+",", 15) + thought + `]}`
	for _, class := range []protocol.Class{protocol.ClassGreeting, protocol.ClassMedium, protocol.ClassComplex} {
		for name, model := range map[string]bool{"recalled": false, "by a model": true} {
			t.Run(string(class)+", "+name, func(t *testing.T) {
				url := ""
				if model {
					url, _ = servicetest.Model(t, map[string]string{"monologue": answer})
				}
				b := servicetest.NewWithModel(t, servicetest.Village(), url)
				many := "The ferry crosses the river at dawn and at dusk and takes carts and horses and all who pay"
				turn := found(b, "who owns the ferry?", protocol.ZoneModel,
					block("1", many+"."), block("2", many+" well."), block("3", many+" in time."))
				turn.Class = class
				words := 0
				for _, th := range think(t, b, turn) {
					words += len(text.WordSpans(th.Text))
				}
				if words == 0 || words > grounding.ThoughtWords(class) {
					t.Errorf("thinks %d words of %d: %+v", words, grounding.ThoughtWords(class), turn.Thoughts)
				}
			})
		}
	}
}

// Where the gate is open and a model is there, it thinks. Where it fails, or gives no
// thoughts, the NPC recalls.
func TestAModelThinks(t *testing.T) {
	const other = `{"thoughts":[{"text":"Something else."}]}`
	ferry := block("1", owner)
	for _, c := range []struct {
		name, answer, depth string
		zone                protocol.Zone
		asked               bool
		thinks              string
		fallback            string
	}{
		{"with its sources", `{"thoughts":[{"text":"The ferry is Teague's. [1]","citations":[]}]}`, "", protocol.ZoneModel,
			true, "The ferry is Teague's.", ""},
		{"no thought", `{"thoughts":[]}`, "", protocol.ZoneModel, true, owner, ""},
		{"prose", "Well, let me think.", "", protocol.ZoneModel, true, owner, ""},
		{"a gate that is not open", other, "", protocol.ZoneExtractive, false, owner, ""},
		{"a world of one call a turn", other, "lean", protocol.ZoneModel, false, owner, ""},
		{"a server that fails", "", "", protocol.ZoneModel, true, owner, schema.ReasonModelDown},
	} {
		t.Run(c.name, func(t *testing.T) {
			answers := map[string]string{}
			if c.answer != "" {
				answers["monologue"] = c.answer
			}
			url, asked := servicetest.Model(t, answers)
			files := servicetest.Village()
			if c.depth != "" {
				files["world.yaml"] = &fstest.MapFile{Data: append(files["world.yaml"].Data, "depth: "+c.depth+"\n"...)}
			}
			b := servicetest.NewWithModel(t, files, url)
			turn := found(b, "who owns the ferry?", c.zone, ferry)
			first := think(t, b, turn)[0]
			if first.Text != c.thinks || !slices.Equal(first.Citations, []string{"1"}) {
				t.Errorf("thinks %+v, want %q", first, c.thinks)
			}
			if got := len(asked("monologue")) > 0; got != c.asked {
				t.Errorf("the model was asked: %v", got)
			}
			if turn.Fallback != c.fallback {
				t.Errorf("falls back because of %q, want %q", turn.Fallback, c.fallback)
			}
		})
	}
}
