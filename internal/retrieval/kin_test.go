package retrieval

import (
	"slices"
	"testing"
)

func TestTheNameOfARelativeIsAskedForByWho(t *testing.T) {
	for message, want := range map[string]string{
		"What was your sister's name?":             "who was your sister?",
		"whats your brothers name":                 "who is your brother",
		"What is the name of your younger sister?": "who is your younger sister?",
		"what's your mum called?":                  "who is your mum?",
		"Tell me, what were your sons' names?":     "Tell me, who were your sons?",
		"what is Bram's daughter called?":          "who is Bram's daughter?",
		"whats her name":                           "who is she",
		"and what was his real name?":              "and who was he?",
		"What is your name?":                       "What is your name?",
		"what's your boat called?":                 "what's your boat called?",
		"What is your brother?":                    "What is your brother?",
		"what was your sister like?":               "what was your sister like?",
	} {
		if got := whoFor(message); got != want {
			t.Errorf("%q is asked as %q, want %q", message, got, want)
		}
	}
}

func TestWhichRelativesAMessageAsksAbout(t *testing.T) {
	for message, want := range map[string][]string{
		"who is your brother?":             {"brother"},
		"how did your late brother die":    {"brother"},
		"tell me about your family":        {"family"},
		"how's your mum and your dad?":     {"mum", "dad"},
		"have you any children?":           {"children"},
		"do you have a wife?":              {"wife"},
		"who is Bram's brother?":           nil,
		"did the king have a son?":         nil,
		"what do you know of the sisters?": nil,
		"who burned the mill?":             nil,
	} {
		if got := asksKin(wordsOf(message)); !slices.Equal(got, want) {
			t.Errorf("%q asks about %q, want %q", message, got, want)
		}
	}
}
