package wanted_test

import (
	"testing"

	"github.com/forsooth-npc/forsooth/internal/retrieval/wanted"
	"github.com/forsooth-npc/forsooth/internal/text"
)

func TestWhatAQuestionWantsNamed(t *testing.T) {
	cases := map[string]wanted.Sort{
		"how much is a room":                 wanted.Price,
		"what does a loaf cost":              wanted.Price,
		"so what would a saddle set me back": wanted.Price,
		"how much of the corn did they keep": wanted.Count,
		"how many people live here":          wanted.Count,
		"how far is the coast":               wanted.Measure,
		"how long will the stores last":      wanted.Span,
		"how late may i walk about":          wanted.Time,
		"what time do you close":             wanted.Time,
		"when did she leave":                 wanted.Time,
		"what should i do when it rains":     wanted.None,
		"whose boots are these":              wanted.Person,
		"what is the old bridge called":      wanted.Name,
		"where do you sleep":                 wanted.Place,
		"how come you left":                  wanted.Reason,
		"what happened":                      wanted.None,
		"tell me about the mill":             wanted.None,
		"can i pay you tomorrow":             wanted.None,
	}
	for question, want := range cases {
		if got := wanted.Of(text.Words(question)); got != want {
			t.Errorf("%s: %d, want %d", question, got, want)
		}
	}
}

func TestWhatATextNames(t *testing.T) {
	cases := []struct {
		question, body string
		sort           wanted.Sort
		want           bool
	}{
		{"how much is it", "A room costs three crowns.", wanted.Price, true},
		{"how much is it", "Children ride free.", wanted.Price, true},
		{"how much is it", "The room has three windows.", wanted.Price, false},
		{"how many hens", "Osric keeps twenty-two hens.", wanted.Count, true},
		{"do two hens lay", "The two hens lay.", wanted.Count, false},
		{"how far is it", "It is seven miles round the lake.", wanted.Measure, true},
		{"when was it built", "It was built in 1351.", wanted.Time, true},
		{"when was it built", "Harl built it.", wanted.Time, false},
		{"who saw Bram", "Everyone saw Bram.", wanted.Person, false},
		{"who saw Bram", "Everyone heard that Petra saw Bram.", wanted.Person, true},
		{"what is it called", "The boat is called Patience.", wanted.Name, true},
		{"what happened", "It burned.", wanted.None, false},
	}
	for _, c := range cases {
		named := wanted.In(c.body)
		if got := named.Has(c.sort, text.Words(c.question)); got != c.want {
			t.Errorf("%s: %s: %v, want %v", c.question, c.body, got, c.want)
		}
	}
}
