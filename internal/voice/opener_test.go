package voice_test

import (
	"testing"

	"github.com/forsooth-npc/forsooth/internal/voice"
)

// Behind an opener a sentence goes on in lower case, and a name keeps its capital;
// where nothing tells which it is, the two do not go together.
func TestOpenersAndCapitals(t *testing.T) {
	cases := []struct {
		name, opener, sentence string
		texts                  []string
		want                   string // "" for none
	}{
		{"an article", "Well,", "The mill burned.", nil, "Well, the mill burned."},
		{"a number", "Well,", "Twelve men came.", nil, "Well, twelve men came."},
		{"a full stop before it", "Aye.", "The mill burned.", nil, "Aye. The mill burned."},
		{"I", "Well,", "I sold it.", nil, "Well, I sold it."},
		{"I've", "Well,", "I've sold it.", nil, "Well, I've sold it."},
		{"an acronym", "Well,", "TCI is off the road.", nil, "Well, TCI is off the road."},
		{"a name seen elsewhere", "Well,", "Osric burned it.", []string{"They say that Osric burned it."},
			"Well, Osric burned it."},
		{"a word seen elsewhere", "Well,", "Wolves came down.", []string{"There were wolves on the fell."},
			"Well, wolves came down."},
		{"a name of two words", "Well,", "Mira Tallow burned it.", nil, "Well, Mira Tallow burned it."},
		{"nobody knows", "Well,", "Stone is what it is made of.", nil, ""},
		{"seen both ways", "Well,", "Rose is what she is.", []string{"A rose is a rose.", "They met Rose there."}, ""},
		{"no opener", " ", "The mill burned.", nil, "The mill burned."},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, ok := voice.Dress(c.opener, c.sentence, c.texts)
			if ok != (c.want != "") || got != c.want {
				t.Errorf("%q, %v; want %q", got, ok, c.want)
			}
		})
	}
}

func TestOpenersThatAssent(t *testing.T) {
	for opener, want := range map[string]bool{"Right,": true, "Aye, aye:": true, "Of course,": true, "Well,": false,
		"Hm.": false, "Listen,": false, "Now then,": false} {
		if got := voice.Assents(opener); got != want {
			t.Errorf("%q: %v", opener, got)
		}
	}
}
