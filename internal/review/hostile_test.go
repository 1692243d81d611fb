package review_test

import (
	"testing"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/review"
)

// Each last sentence is false, or rests on what may not bear it. A hostile reader found
// that these were released: some without any model, some on the word of a reader that
// believes everything.
func TestWhatAHostileReaderFoundIsRefused(t *testing.T) {
	osric := by("E1", "", "note", "Osric came at dawn. He left at noon.")
	forge := by("E2", "", "note", "Bram was at the forge.")
	weir := block("E1", "The weir held.")
	narrow := weir
	narrow.AllowedFor = []string{"shared_past"}
	noCorpus, err := grounding.Narrow(map[string][]string{"world": {}})
	if err != nil {
		t.Fatal(err)
	}
	horse := rumour("E2", "A drowned horse walks the lake at night. Osric feeds the horse.")
	all := func(e ...protocol.Evidence) []protocol.Evidence { return e }
	asked := grounding.Context{Message: "When did Bram leave the forge?"}
	for _, c := range []struct {
		name string
		d    review.Draft
		with entail.Reader
	}{
		// released without any model
		{"he is another in the speech", review.Draft{
			Sentences: sentences(said("Bram was at the forge.", "E2"),
				said("He left at noon.", "E1")),
			Evidence: all(osric, forge)}, nil},
		{"he is whom the player named", review.Draft{
			Sentences: sentences(said("He left at noon.", "E1")),
			Evidence:  all(osric, forge), Context: asked}, nil},
		{"it is another thing", review.Draft{
			Sentences: sentences(said("The lock was whole.", "E2"),
				said("It burned in a night.", "E1")),
			Evidence: all(block("E1", "I never liked the old barn. It burned in a night."),
				block("E2", "The lock was whole."))}, nil},
		{"she is the NPC herself", review.Draft{
			Sentences: sentences(said("She was born in Saltmere.", "E1")),
			Evidence:  all(block("E1", "Mira is the smith. She was born in Saltmere.")),
			Context:   grounding.Context{Message: "Where was Teague born?"}}, nil},
		// released with a reader that believes it
		{"hearsay, and a rumour as a fact behind it", review.Draft{
			Sentences: sentences(said("They say a drowned horse walks the lake at night; Osric feeds the horse.", "E2")),
			Evidence:  all(horse)}, &gullible{}},
		{"hearsay, and a yes to it", review.Draft{
			Sentences: sentences(said("They say a drowned horse walks the lake at night, and it is so.", "E2")),
			Evidence:  all(horse)}, &gullible{}},
		{"a rumour in other words under a fact's citation", review.Draft{
			Sentences: sentences(said("The fellkin set fire to the mill.", "E1")),
			Evidence:  all(weir, rumour("E2", "The fellkin burned the mill."))}, &gullible{}},
		{"nothing bears it", review.Draft{
			Sentences: sentences(said("The coast is far."))}, &gullible{}},
		{"only what the player said bears it", review.Draft{
			Sentences: sentences(said("The coast is far.", "M1")),
			Evidence:  all(session("M1", "You said: “The coast is far.”"))}, &gullible{}},
		{"a block that is not for the world", review.Draft{
			Sentences: sentences(said("The weir stood firm.", "E1")),
			Evidence:  all(narrow)}, &gullible{}},
		{"a world whose policy takes the corpus away", review.Draft{
			Sentences: sentences(said("The weir stood firm.", "E1")),
			Evidence:  all(weir), Policy: noCorpus}, &gullible{}},
		{"the shared past from the corpus", review.Draft{
			Sentences: sentences(said("You told me the weir held.", "E1")),
			Evidence:  all(weir)}, &gullible{}},
		{"a letter among digits", review.Draft{
			Sentences: sentences(said("The mill burned in 14О2.", "E1")),
			Evidence:  all(block("E1", "The mill burned in 1402."))}, &gullible{}},
		{"words given to another than their writer", review.Draft{
			Sentences: sentences(said("Osric wrote: “I burned the mill.”", "E1")),
			Evidence:  all(by("E1", "bram", "letter", "I burned the mill. Osric saw it."))}, &gullible{}},
		{"lore against a rumour", review.Draft{
			Sentences: sentences(said("They say the north gate is closed at night.", "E1")),
			Evidence: all(rumour("E1", "The north gate is closed at night."),
				by("E2", "aldith", "chronicle", "The north gate is open at night."))}, &gullible{}},
		{"the sentence before in the same draft denies it", review.Draft{
			Sentences: sentences(said("They say the north gate is closed at night.", "E1"),
				said("They say the north gate is open at night.", "E2")),
			Evidence: all(rumour("E1", "The north gate is closed at night."), rumour("E2", "The north gate is open at night."))},
			&gullible{}},
		{"feelings by words alone: a reader without a head", review.Draft{
			Sentences: sentences(said("I hate the murderer Osric.")),
			Evidence:  all(block("E1", "Osric owns the ferry."))},
			scripted{"I hate the murderer Osric.": {Probability: entail.Probability{Entailed: 0.01, Neutral: 0.99}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := outcomes(t, c.with, c.d)
			if last := out[len(out)-1]; last.OK() {
				t.Errorf("%q is released and cites %+v", last.Sentence.Text, last.Sentence.Citations)
			}
		})
	}
}
