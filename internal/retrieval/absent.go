package retrieval

import (
	"regexp"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// How near a word of a passage comes to a word of the question before it may
// stand for it: for the thing that is asked for, and for any word at all.
const (
	thingLike = 0.6
	anyLike   = 0.5
)

// possessed finds whose thing a message asks for: "Alice's birthday", "your
// school".
var possessed = regexp.MustCompile(`(?i)(?:\w+['’]s|\b(?:your|ur|his|her|their))\s+(?:own\s+|old\s+|first\s+|last\s+|favou?rite\s+)?([a-z]{3,})`)

// absentConfidence is the most that a question gets whose matter is not there: it
// lies in the unknown zone.
const absentConfidence = 0.2

// absentThing says whether a message asks for what the best passage cannot tell,
// however near it comes: it asks of a name that nothing in scope holds, or for
// somebody's thing that neither the passage nor its document mentions, in this
// word or a like one, or none of its words stands there.
func (s *search) absentThing() bool {
	if len(s.found) == 0 || len(s.unknown()) > 0 {
		return true
	}
	best := s.found[0]
	p := &s.x.passages[best.at]
	near := make([]float64, len(s.q.terms))
	s.near(p, near)
	missing := func(i int, like float64) bool {
		return near[i] < like && !s.inDocument(&s.q.terms[i], &s.x.docs[p.doc])
	}
	if thing := s.possessedThing(); thing >= 0 && missing(thing, thingLike) {
		return true
	}
	plain := 0
	for i := range s.q.terms {
		if s.q.terms[i].late || !missing(i, anyLike) {
			return false
		}
		plain++
	}
	return plain >= minAbsent
}

// minAbsent is how many words a question has at least before the absence of all
// of them says something.
const minAbsent = 2

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
