package retrieval

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/intent"
	"github.com/forsooth-npc/forsooth/internal/text"
)

// How near a word of a passage comes to a word of the question before it may
// stand for it: for the thing that is asked for, and for any word at all.
const (
	thingLike = 0.6
	anyLike   = 0.5
)

// possessed finds a question that asks for somebody's thing and for nothing else:
// "When is Alice's birthday?", "what was the name of your school". Where more is
// asked, the thing may be no more than how the player puts it.
var possessed = regexp.MustCompile(`(?i)^\W*(?:and |so |hey )?(?:when|what|who|where|which)(?:['’]?s| is| was` +
	`| are| were)?\s+` +
	`(?:the (?:name|age|colou?r|date|price) of\s+)?(?:[\pL\pN]+['’]s|\b(?:your|ur|his|her|their))\s+` +
	`(?:own\s+|old\s+|first\s+|last\s+|favou?rite\s+|middle\s+)?([a-z]{3,})(?:\s+(?:called|named|like))?\W*$`)

// absentConfidence is the most that a question gets whose matter is not there: it
// lies in the unknown zone.
const absentConfidence = 0.1

// doubtful is the confidence below which the absence of all words decides.
const doubtful = ModelFrom

// capped is the gate's word, or less where a message asks for what the best
// passage cannot tell however near it comes: it asks of a name that nothing in
// scope holds, of a year that is still to come and that nothing in scope names, for
// somebody's thing that is not mentioned, for the number of what is not mentioned, who did
// something of which no word is, or of what nothing in scope has a word for. A person stands in nearly every passage,
// so that a question for one is answered by what the person did.
func (s *search) capped() float64 {
	c := s.confidence()
	if len(s.found) == 0 {
		return c
	}
	if len(s.unknown()) > 0 || s.asksAbsent() && !s.readsAnswer() || s.asksOfLater() || s.asksWordless(c) ||
		s.countsAbsent(c) {
		return min(c, absentConfidence)
	}
	return c
}

// surely is what the trained judgement says at least, on its scale from -1 to 1, of a passage that answers in
// other words than the question's: a probability of .95.
const surely = 0.49

// readsAnswer says whether the trained judgement is sure of the best passage. It has read more than the words:
// "born on 2 May" answers "when is your birthday?".
func (s *search) readsAnswer() bool { return len(s.answering) > 0 && s.answering[0] >= surely }

// asksWordless says whether a message asks, in words that stand nowhere, who did something
// or for what nothing in scope has a word. Where the trained judgement was asked it has read more than the
// words.
func (s *search) asksWordless(confidence float64) bool {
	return len(s.answering) == 0 && confidence < doubtful && s.allAbsent() && (s.sort == intent.Person || s.absent() >= 1)
}

var year = regexp.MustCompile(`^[1-9]\d{3}$`)

// asksOfLater says whether a message names a year after this moment of the game that no
// passage in scope names.
func (s *search) asksOfLater() bool {
	now := s.query.Check.GameTime
	if now.IsZero() {
		now = s.query.Check.TurnStart
	}
	if now.IsZero() {
		return false
	}
	for i, w := range s.asked {
		if i == 0 || !year.MatchString(w) || !beforeYear[s.asked[i-1]] || s.held(text.Stem(w)) {
			continue
		}
		if n, _ := strconv.Atoi(w); n > now.Year() { // four digits
			return true
		}
	}
	return false
}

// beforeYear stands before a number that names a year; 1500 bits are none.
var beforeYear = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(`in of since by year before after until till during spring summer autumn fall winter
		january february march april may june july august september october november december`) {
		out[w] = true
	}
	return out
}()

// asksAbsent says whether a message asks for somebody's thing that neither the
// best passage nor its document mentions, in this word or a like one.
func (s *search) asksAbsent() bool {
	thing := s.possessedThing()
	return thing >= 0 && s.missing(thing, thingLike)
}

// counted finds what a question wants the number of.
var counted = regexp.MustCompile(`(?i)\bhow many ([a-z]{3,})\b`)

// countsAbsent says whether an unsure answer would give the number of something that neither the
// best passage nor its document mentions: "the Playhouse closed" says nothing of its steps.
func (s *search) countsAbsent(confidence float64) bool {
	if confidence >= doubtful || s.readsAnswer() {
		return false
	}
	thing := s.termIn(counted)
	return thing >= 0 && s.missing(thing, thingLike)
}

// allAbsent says whether none of a question's words stands in the best passage or
// its document, in this form or a like one.
func (s *search) allAbsent() bool {
	plain := 0
	for i := range s.q.terms {
		if s.q.terms[i].late || !s.missing(i, anyLike) {
			return false
		}
		plain++
	}
	return plain >= minAbsent
}

// minAbsent is how many words a question has at least before the absence of all
// of them says something.
const minAbsent = 2

// missing says whether the best passage and its document lack a term.
func (s *search) missing(i int, enough float64) bool {
	p := &s.x.passages[s.found[0].at]
	near := make([]float64, len(s.q.terms))
	s.near(p, near)
	return near[i] < enough && !s.inDocument(&s.q.terms[i], &s.x.docs[p.doc])
}

// possessedThing is the place among the terms of the thing asked for, or -1.
func (s *search) possessedThing() int { return s.termIn(possessed) }

// termIn is the place among the terms of the word that a pattern finds, or -1.
func (s *search) termIn(pattern *regexp.Regexp) int {
	m := pattern.FindStringSubmatch(s.query.Message)
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
