package entail

import (
	"slices"
	"strings"
)

// takenBack says whether a sentence beside the run from i up to j takes it back, or
// one farther off that speaks of all, or the heading under which it stands.
func (p *passage) takenBack(i, j int) bool {
	for k := range p.sentences {
		s := &p.sentences[k]
		if k >= i && k < j || len(s.words) > 12 {
			continue // a retraction is short; a long sentence speaks of something of its own
		}
		beside := k == i-1 || k == j
		if k == j && s.corrects() || k < i && s.introduces() && (s.tale() || s.retracts() || s.has(attitudes)) || (beside || s.has(sweeping)) && s.retracts() {
			return true
		}
	}
	return false
}

// retracts says whether a sentence takes back, or does not vouch for, another.
func (s *sentence) retracts() bool {
	low := strings.ToLower(s.text)
	return s.has(retractions) || slices.ContainsFunc(retractionPhrases, func(r string) bool { return strings.Contains(low, r) })
}

// corrects says whether a sentence begins as one that puts right or bounds what was just
// said: "No, it was Osric", "Or was it?", "Only at dawn", "They say".
func (s *sentence) corrects() bool {
	i := 0
	for i+1 < len(s.words) && softLeads[s.at(i)] && s.at(i) != "so" {
		i++
	}
	w, n := s.at(i), len(s.words)-i
	switch {
	case negations[w]:
		return s.words[i].gap == "," || n < 5
	case correctives[w], w == "so" && (s.tale() || s.has(attitudes)), w == "i" && s.at(i+1) == "mean", w == "at" && s.at(i+1) == "least":
		return true
	}
	return n < 6 && (bounding[w] || n < 4 && s.has(attitudes))
}

// introduces says whether a sentence leads to what follows: a heading, or one that
// ends in a colon or in dots.
func (s *sentence) introduces() bool {
	end := strings.TrimRight(s.text, "\"') ")
	return strings.HasSuffix(end, "..") || !strings.HasSuffix(end, ".") && !strings.HasSuffix(end, "!") && !strings.HasSuffix(end, "?")
}

// tale says whether a sentence names something that is told, and that nobody vouches for.
func (s *sentence) tale() bool { return s.has(tales) }

// words with which a text takes back, or does not vouch for, what stands beside them.
var (
	retractions = wordSet(`untrue lied liar liars joke joking jest jested pretended supposedly allegedly mistaken dreamt dreamed hoax
	fiction forgery nonsense`)
	retractionPhrases = []string{"not true", "no truth", "not so", "never happened", "did not happen", "didn't happen", "made it up",
		"made that up", "only a story", "just a story", "a dream", "if only", "or so they", "or so he", "or so she", "none of this", "none of that",
		"the following", "what if", "imagine", "suppose that", "don't believe", "do not believe", "a lie", "all lies", "are lies", "were lies", "is false", "was false", "are false", "were false", "is wrong", "was wrong", "were wrong",
		"are wrong", "a fable", "a tall tale", "a legend", "a rumour", "a rumor", "was lying", "were lying", "so the story goes", "so the tale goes",
		"not a word", "kidding", "teasing", "believed that", "say this", "was the plan", "has changed", "that was before", "that was then",
		"want you to think", "wants you to think", "in your dreams", "in my dreams"}
	sweeping    = wordSet(`all none every whole nothing any both everything following`)
	correctives = wordSet(`or wait wrong false rubbish kidding teasing rather hogwash correction sorry`)
	bounding    = wordSet(`only if unless except when whenever after before until while although though because as in on at by with without almost nearly sometimes
		often mostly usually partly perhaps maybe possibly probably supposedly allegedly reportedly some most half all every everyone everything none`)
	attitudes = wordSet(`say says said claim claims claimed think thinks thought believe believes believed suspect suspects guess reckon
		imagine hope hopes wish wishes fear doubt doubts deny denies denied dream pretend pretends swear swears swore hear heard
		believed boast boasts story`)
	tales = wordSet(`story stories tale tales song songs legend legends myth myths gossip hearsay fable fables ballad ballads prophecy
		prophecies rumour rumours rumor rumors saga sagas joke jokes poem superstition superstitions play misconceptions beliefs accusations
		suspicions dreams visions wishes plans fears hopes guesses theories theory fiction`)
)
