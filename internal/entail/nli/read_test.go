package nli

import (
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/entail"
)

// A sentence has one reading, in order, whatever it is read beside; weights without a
// head for kinds say nothing of its kind; and the same question has the same answer.
func TestReadGivesOneReadingASentence(t *testing.T) {
	m := tinyModel(t, tiny{})
	var ask []entail.Sentence
	for _, name := range names(hostile) {
		before := []string{"what burned?", hostile[name]}
		ask = append(ask, entail.Sentence{Premise: hostile[name], Before: before, Text: "The mill did."},
			entail.Sentence{Premise: "The mill burned.", Text: hostile[name]})
	}
	first, err := m.Read(t.Context(), ask)
	if err != nil || len(first) != len(ask) {
		t.Fatalf("%d readings of %d sentences, %v", len(first), len(ask), err)
	}
	again, err := m.Read(t.Context(), ask)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range first {
		if !r.Sound() || r.World+r.Self+r.Social != 0 || r != again[i] {
			t.Errorf("%d: %+v, then %+v", i, r, again[i])
		}
	}
}

// What stands before a sentence is read, its end first: "Nine pennies." hangs on what
// was asked, and a long question does not push the sentence out.
func TestReadKeepsTheSentenceBehindItsContext(t *testing.T) {
	m := tinyModel(t, tiny{})
	long := strings.Repeat("how much for a boot knife ", 100)
	readings, err := m.Read(t.Context(), []entail.Sentence{
		{Premise: "A boot knife costs nine pennies.", Text: "Nine pennies."},
		{Premise: "A boot knife costs nine pennies.", Before: []string{"how much for a boot knife?"}, Text: "Nine pennies."},
		{Premise: "A boot knife costs nine pennies.", Before: []string{long}, Text: "Nine pennies."},
		{Premise: "A boot knife costs nine pennies.", Before: []string{long}, Text: "Ten pounds of the best wool."},
	})
	if err != nil {
		t.Fatal(err)
	}
	if readings[0] == readings[1] || readings[2] == readings[3] {
		t.Errorf("%+v", readings)
	}
}
