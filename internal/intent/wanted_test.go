package intent_test

import (
	"testing"

	"github.com/forsooth-npc/forsooth/internal/intent"
	"github.com/forsooth-npc/forsooth/internal/text"
)

func TestWhatAQuestionWantsNamed(t *testing.T) {
	cases := map[string]intent.Sort{
		"how much is a room":                 intent.Price,
		"what does a loaf cost":              intent.Price,
		"so what would a saddle set me back": intent.Price,
		"how much of the corn did they keep": intent.Count,
		"how many people live here":          intent.Count,
		"how far is the coast":               intent.Measure,
		"how long will the stores last":      intent.Span,
		"how late may i walk about":          intent.Time,
		"what time do you close":             intent.Time,
		"when did she leave":                 intent.Time,
		"what should i do when it rains":     intent.NoSort,
		"whose boots are these":              intent.Person,
		"what is the old bridge called":      intent.Name,
		"where do you sleep":                 intent.Place,
		"how come you left":                  intent.Reason,
		"what happened":                      intent.NoSort,
		"tell me about the mill":             intent.NoSort,
		"can i pay you tomorrow":             intent.NoSort,
	}
	for question, want := range cases {
		if got := intent.SortOf(text.Words(question)); got != want {
			t.Errorf("%s: %d, want %d", question, got, want)
		}
	}
}

func TestWhatATextNames(t *testing.T) {
	cases := []struct {
		question, body string
		sort           intent.Sort
		want           bool
	}{
		{"how much is it", "A room costs three crowns.", intent.Price, true},
		{"how much is it", "Children ride free.", intent.Price, true},
		{"how much is it", "The room has three windows.", intent.Price, false},
		{"how many hens", "Osric keeps twenty-two hens.", intent.Count, true},
		{"do two hens lay", "The two hens lay.", intent.Count, false},
		{"how far is it", "It is seven miles round the lake.", intent.Measure, true},
		{"when was it built", "It was built in 1351.", intent.Time, true},
		{"when was it built", "Harl built it.", intent.Time, false},
		{"who saw Bram", "Everyone saw Bram.", intent.Person, false},
		{"who saw Bram", "Everyone heard that Petra saw Bram.", intent.Person, true},
		{"what is it called", "The boat is called Patience.", intent.Name, true},
		{"what happened", "It burned.", intent.NoSort, false},
	}
	for _, c := range cases {
		named := intent.NamedIn(c.body)
		if got := named.Has(c.sort, text.Words(c.question)); got != c.want {
			t.Errorf("%s: %s: %v, want %v", c.question, c.body, got, c.want)
		}
	}
}
