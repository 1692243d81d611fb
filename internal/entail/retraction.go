package entail

import (
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// words with which a text takes back, or does not vouch for, what stands beside
// them.
var retractions = text.Set(`untrue lied liar liars joke joking jest jested pretended supposedly allegedly mistaken
	dreamt dreamed hoax fiction forgery nonsense`)

var retractionPhrases = []string{"not true", "no truth", "not so", "never happened", "did not happen", "didn't happen",
	"made it up",
	"made that up", "only a story", "just a story", "a dream", "if only", "or so they", "or so he", "or so she",
	"none of this", "none of that",
	"the following", "what if", "imagine", "suppose that", "don't believe", "do not believe", "a lie", "all lies",
	"are lies", "were lies",
	"is false", "was false", "are false", "were false", "is wrong", "was wrong", "were wrong", "are wrong", "a fable",
	"a tall tale", "a legend",
	"a rumour", "a rumor", "i was lying", "he was lying", "she was lying", "they were lying", "so the story goes",
	"so the tale goes",
	"not a word", "kidding", "teasing", "believed that", "say this", "was the plan", "has changed", "that was before",
	"that was then", "want you to think", "wants you to think",
	"in your dreams", "in my dreams"}

// takenBack says whether a sentence beside the run from i up to j takes it back, or
// one farther off that speaks of all, or the heading under which it stands.
func (p *passage) takenBack(i, j int) bool {
	for k := range p.sentences {
		s := &p.sentences[k]
		if k >= i && k < j || len(s.words) > 12 {
			continue // a retraction is short; a long sentence speaks of something of its own
		}
		switch beside := k == i-1 || k == j; {
		case k == j && s.corrects():
			return true
		case k < i && s.introduces() && s.doubtsWhatItTells():
			return true
		case (beside || s.has(sweeping)) && s.retracts():
			return true
		}
	}
	return false
}

// retracts says whether a sentence takes back, or does not vouch for, another.
func (s *sentence) retracts() bool {
	for i := range s.words {
		if retractions[s.at(i)] {
			return true
		}
	}
	low := strings.ToLower(s.text)
	return slices.ContainsFunc(retractionPhrases, func(r string) bool { return strings.Contains(low, r) })
}

var takesBack = text.Set(`say tell take correct withdraw deny`)

// corrects says whether a sentence begins as one that puts right what was just
// said: "No, it was Osric", "Not any more", "Or was it?", "So the bards sing", or is
// a piece that bounds it: "Only at dawn", "If you pay", "They say".
func (s *sentence) corrects() bool {
	i := 0
	for i+1 < len(s.words) && (softLeads[s.at(i)] && s.at(i) != "so") {
		i++
	}
	n := len(s.words) - i
	switch w := s.at(i); {
	case negations[w]:
		return s.words[i].gap == "," || n < 5
	case w == "so":
		return s.has(tales) || s.has(attitudes)
	case w == "as":
		return s.at(i+1) == "if"
	case w == "i" && s.at(i+1) == "mean" && (s.at(i+2) != "to" || takesBack[s.at(i+3)]), w == "at" && s.at(i+1) == "least",
		correctives[w]:
		return true
	}
	return n < 6 && s.isPiece(i)
}

// isPiece says whether a short sentence, from word i, is no sentence: a condition, an
// exception, a place or a time without a verb, a doubt, a "they say".
func (s *sentence) isPiece(i int) bool {
	w := s.at(i)
	switch {
	case fronted[w] || w == "except":
		return !slices.ContainsFunc(s.words, func(w word) bool { return w.gap == "," })
	case universals[w] && (s.has(excepting)):
		return true
	case len(s.words)-i < 4 && attitudes[s.at(len(s.words)-1)]:
		return true
	}
	rest := s.cut(i, len(s.words))
	return (frames[w] || hedging[w] || exhaustive[w] || partials[w] || nearly[w] || w == "only") && !rest.tells()
}

// introduces says whether a sentence leads to what follows: a heading, or one that
// ends in a colon or in dots.
func (s *sentence) introduces() bool {
	end := s.end()
	return s.leadsOn() || !strings.HasSuffix(end, ".") && !strings.HasSuffix(end, "!") && !strings.HasSuffix(end, "?")
}

func (s *sentence) leadsOn() bool {
	return strings.HasSuffix(s.end(), ":") || strings.HasSuffix(s.end(), "..")
}

func (s *sentence) end() string { return strings.TrimRight(s.text, "\"') ") }

// doubtsWhatItTells says whether what a sentence leads to is told, and not vouched
// for.
func (s *sentence) doubtsWhatItTells() bool {
	return s.has(tales) || s.has(doubtful) || s.retracts() || s.leadsOn() && s.has(attitudes)
}

var (
	sweeping    = text.Set(`all none every whole nothing any both everything following`)
	correctives = text.Set(`or wait wrong false rubbish kidding teasing rather hogwash correction sorry`)
	nearly      = text.Set(`almost nearly sometimes often mostly usually partly`)
	excepting   = text.Set(`but except save bar`)
	doubtful    = text.Set(`misconceptions misconception beliefs superstitions lies false untrue prophecy claims
		accusations suspicions dreams visions wishes plans fears hopes guesses theories theory fiction`)
)
