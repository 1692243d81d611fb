package review_test

import (
	"path/filepath"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/review"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/voice"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// What stands in the evidence is said without any model, word for word or as the NPC
// words it, and cites the block that holds it.
func TestWordsOfTheEvidenceAreReleased(t *testing.T) {
	evidence := append(village(), block("E5", "Mira forges nails and sells them at the market."),
		by("E6", "bram", "letter", "I burned the mill. You must never tell."))
	for _, c := range []struct {
		name  string
		said  protocol.DraftSentence
		cites string // "": it is refused
	}{
		{"word for word", said("The mill burned in the spring of 1402.", "E1"), "E1"},
		{"nothing cited", said("The mill burned in the spring of 1402."), "E1"},
		{"another block cited", said("The mill burned in the spring of 1402.", "E2"), "E1"},
		{"[self] cited", said("The mill burned in the spring of 1402.", "self"), "E1"},
		{"behind an opener", said("Well, the mill burned in the spring of 1402.", "E1"), "E1"},
		{"behind a listed hedge", said("As far as I know, the mill burned in the spring of 1402.", "E1"), "E1"},
		{"two sentences joined", said("The mill burned in the spring of 1402, and Bram Dunnock was seen on the weir.",
			"E1"), "E1"},
		{"in the first person", said("I forge nails and sell them at the market.", "E5"), "E5"},
		{"a rumour as hearsay", said("I have only heard it told: The fellkin cursed the old bridge.", "E3"), "E3"},
		{"what the player said, as said", said("You said: “I come from the coast.”", "M1"), "M1"},
		{"another's confession, quoted", said("Bram wrote: “I burned the mill.”", "E6"), "E6"},
		{"word for word, and asked", said("The mill burned in the spring of 1402?", "E1"), ""},
		{"another's confession as one's own", said("I burned the mill.", "E6"), ""},
		{"another's confession, given to a third", said("Aldith wrote: “I burned the mill.”", "E6"), ""},
		{"another's order to somebody", said("You must never tell.", "E6"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := outcomes(t, nil, review.Draft{Sentences: sentences(c.said), Evidence: evidence})[0]
			switch cites := o.Sentence.Citations; {
			case c.cites == "" && o.OK():
				t.Errorf("it rests on %+v", o.Support())
			case c.cites != "" && (!o.OK() || len(cites) != 1 || cites[0].EvidenceID != c.cites):
				t.Errorf("%+v, it cites %+v", o.Issues, cites)
			}
		})
	}
}

// However an NPC of a shipped world words a sentence that it knows, it may say it without
// any model, and the block that it words bears it.
func TestOwnWordingsOfWorldsAreReleased(t *testing.T) {
	for _, name := range []string{"hollowmere", "shadowwatch"} {
		t.Run(name, func(t *testing.T) {
			w, _, err := world.LoadDir(filepath.Join("../../worlds", name))
			if err != nil {
				t.Fatal(err)
			}
			handles, all := w.Handles(), 0
			for n, c := range w.Chunks() {
				npc := w.NPCs[c.NPC]
				if npc == nil {
					npc = w.NPCs[handles[n%len(handles)]]
				}
				all += wordingsPass(t, w, npc, c)
			}
			if all < 100 {
				t.Errorf("only %d wordings", all)
			}
		})
	}
}

// wordingsPass reviews how an NPC words each sentence of a chunk, and counts them.
func wordingsPass(t *testing.T, w *world.World, npc *world.NPC, c protocol.Chunk) (n int) {
	x := &lore.Lore{World: w}
	person := x.Person(npc)
	src := grounding.SourceOf(c, "1", 1)
	src.Private = c.NPC == npc.Handle && c.NPC != ""
	for _, e := range grounding.Blocks([]protocol.Source{src}, grounding.DefaultLimits) {
		for _, s := range text.Sentences(e.Text) {
			for _, way := range voice.Renderings(e, s, person) {
				n++
				_, out, err := (&review.Reviewer{}).Review(t.Context(), review.Draft{
					Sentences: sentences(said(way.Text, e.ID)), Evidence: []protocol.Evidence{e}, Class: protocol.ClassComplex,
					Person:  person,
					Context: grounding.Context{NPCName: npc.Name, NPCHandle: npc.Handle, NameOf: person.NameOf},
				})
				if err != nil || !out[0].OK() || out[0].Support().ID != e.ID {
					t.Errorf("%s, %s: %q: %+v, %v", c.ID, way.How, way.Text, out, err)
				}
			}
		}
	}
	return n
}
