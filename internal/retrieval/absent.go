package retrieval

import (
	"regexp"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// likeEnough is how near a word of a passage comes to a word of the question
// before it may stand for it.
const likeEnough = 0.5

// possessed finds whose thing a message asks for: "Alice's birthday", "your
// school".
var possessed = regexp.MustCompile(`(?i)(?:\w+['’]s|\b(?:your|ur|his|her|their))\s+(?:own\s+|old\s+|first\s+|last\s+|favou?rite\s+)?([a-z]{3,})`)

// absentThing says whether a message asks for what the best passage cannot tell,
// however near it comes: it asks of a name that nothing in scope holds, or for
// somebody's thing that neither the passage nor its document mentions, in this
// word or a like one.
func (s *search) absentThing() bool {
	if len(s.found) == 0 {
		return true
	}
	if len(s.unknown()) > 0 {
		return true
	}
	thing := s.possessedThing()
	if thing < 0 {
		return false
	}
	best := s.found[0]
	p := &s.x.passages[best.at]
	near := make([]float64, len(s.q.terms))
	s.near(p, near)
	return near[thing] < likeEnough && !s.inDocument(&s.q.terms[thing], &s.x.docs[p.doc])
}

// possessedThing is the place among the terms of the thing asked for, or -1.
func (s *search) possessedThing() int {
	m := possessed.FindStringSubmatch(s.query.Message)
	if m == nil {
		return -1
	}
	word := strings.ToLower(m[1])
	for i := range s.q.terms {
		if t := &s.q.terms[i]; !t.late && (t.word == word || t.stem == text.Stem(word)) {
			return i
		}
	}
	return -1
}
