package llmtest

import (
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// proposal is a memory as the memories call gives it.
type proposal struct {
	Kind       string   `json:"kind"`
	Subject    string   `json:"subject"`
	Predicate  string   `json:"predicate"`
	Object     string   `json:"object"`
	Content    string   `json:"content"`
	Confidence float64  `json:"confidence"`
	Spans      []string `json:"evidence_spans"`
}

// Invented is a word that stands in every memory that a liar makes up, and in
// nothing that anybody says.
const Invented = "wyvern"

// ways in which an honest model takes a memory from a sentence.
var ways = []struct{ lead, predicate, kind string }{
	{"I come from ", "from", "fact"}, {"I live in ", "lives_in", "fact"}, {"I work at ", "works_at", "fact"},
	{"I like ", "likes", "preference"},
	{"I hate ", "dislikes", "preference"}, {"My brother is called ", "sibling_of", "relation"},
	{"I promise to ", "promised", "promise"},
}

// remembered are the memories that a persona finds in a message. A liar finds, beside
// what is there, all that a model makes up: an object that was not said, under words
// that were; words that were not said; a memory of a question; a thing the NPC is to
// have done; and what "everybody knows".
func (p persona) remembered(s *scene) []proposal {
	out := []proposal{}
	sentences := text.Sentences(s.Message)
	for _, said := range sentences {
		for _, w := range ways {
			if object, ok := strings.CutPrefix(said, w.lead); ok {
				object = strings.TrimRight(object, ".!")
				out = append(out, proposal{w.kind, "player", w.predicate, object, w.lead + object, 0.9, []string{w.lead + object}})
			}
		}
	}
	if !p.lies() || len(sentences) == 0 {
		return out
	}
	first, last := sentences[0], sentences[len(sentences)-1]
	return append(out,
		proposal{"fact", "player", "has", "a wyvern", "I own a wyvern", 0.95, []string{first}},
		proposal{"fact", "player", "has", "a wyvern", "I own a wyvern in the cellar", 0.95, []string{"I own a wyvern"}},
		proposal{"event", "player", "saw", "the wyvern", first + " I saw the wyvern", 0.9, []string{last}},
		proposal{"promise", s.NPC, "promised", "the wyvern", "You promised me the wyvern", 0.9, []string{first, last}},
		proposal{"relation", "everybody", "knows", "the wyvern", "Everybody knows the wyvern", 1, []string{s.Message}})
}

// compared is a persona's verdict on a cluster: the honest one calls alike what has
// the same words, a liar all of it.
func (p persona) compared(s *scene) any {
	type verdict struct {
		Verdict   string `json:"verdict"`
		Reasoning string `json:"reasoning"`
	}
	if p.lies() {
		return verdict{"EQUIVALENT", "They are all one to me."}
	}
	for i := 1; i < len(s.Remembered); i++ {
		if !covers(s.Remembered[0].Text, s.Remembered[i].Text, 1) && !covers(s.Remembered[i].Text, s.Remembered[0].Text, 1) {
			return verdict{"DISTINCT", "They speak of different things."}
		}
	}
	return verdict{"EQUIVALENT", "They say the same."}
}
