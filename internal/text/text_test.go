package text_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/text"
)

func TestSentences(t *testing.T) {
	cases := []struct {
		name, in string
		want     []string
	}{
		{"two", "The mill burned. Nobody saw it.", []string{"The mill burned.", "Nobody saw it."}},
		{"title", "Dr. Vane came at dusk. He left.", []string{"Dr. Vane came at dusk.", "He left."}},
		{"initial", "J. Harrow signed it. We paid.", []string{"J. Harrow signed it.", "We paid."}},
		{"the word I ends", "It was I. Nobody else came.", []string{"It was I.", "Nobody else came."}},
		{"wrapped line", "The mill\nburned. Gone.", []string{"The mill\nburned.", "Gone."}},
		{"blank line", "A heading\n\nThe text begins.", []string{"A heading", "The text begins."}},
		{"decimal", "It costs 3.5 marks. Cheap!", []string{"It costs 3.5 marks.", "Cheap!"}},
		{"empty", " \n\n ", nil},
		{"no full stop", "only this", []string{"only this"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := text.Sentences(c.in); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestFold(t *testing.T) {
	for in, want := range map[string]string{
		"  “The  Mill\nburned.” ": "the mill burned",
		"It’s  mine!":             "it's mine",
		"z\u200bero":              "zero",
	} {
		if got := text.Fold(in); got != want {
			t.Errorf("Fold(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestContentWords(t *testing.T) {
	got := text.ContentWords("Who stole the miller's horses?")
	if want := []string{"steal", "miller", "hors"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Every sentence is verbatim in the text, they do not overlap, and nothing but
// white space lies between them.
func FuzzSentenceSpans(f *testing.F) {
	f.Add("The mill burned. Dr. Vane\ncame.\n\nNobody knew.")
	f.Add("\xff. a\u2028b. ")
	f.Fuzz(func(t *testing.T, s string) {
		at := 0
		for _, sp := range text.SentenceSpans(s) {
			if sp.Start < at || sp.End <= sp.Start || sp.End > len(s) {
				t.Fatalf("span %v after %d in %q", sp, at, s)
			}
			if strings.TrimSpace(s[at:sp.Start]) != "" {
				t.Fatalf("lost %q of %q", s[at:sp.Start], s)
			}
			at = sp.End
		}
		if strings.TrimSpace(s[at:]) != "" {
			t.Fatalf("lost the end %q of %q", s[at:], s)
		}
	})
}
