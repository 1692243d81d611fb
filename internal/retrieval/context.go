package retrieval

import "strings"

// leaning are the words by which a message leans on what was said before.
var leaning = setOf(`it its he him his she her hers they them their theirs that this those these one ones there then
	else more other others another same such and also too last first`)

// lean adds the content words of the last lines of the conversation to a message
// that cannot stand by itself: a short one, or one that points back.
func (s *search) lean() {
	if len(s.query.Context) == 0 || s.q.kind == kindTopic || !s.leans() {
		return
	}
	from := s.query.Context
	if len(from) > 2 {
		from = from[len(from)-2:]
	}
	for _, line := range from {
		s.q.takeTerms(wordsOf(line), false, true)
	}
}

func (s *search) leans() bool {
	if len(s.q.terms) <= 1 {
		return true
	}
	for _, w := range s.q.words {
		if leaning[w.text] {
			return true
		}
	}
	return false
}

// embedText is what is embedded of the question: its words spelled out, with the
// words it leans on.
func (s *search) embedText() string {
	var b strings.Builder
	for i, w := range s.q.words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.text)
	}
	if s.q.kind == kindTopic {
		return s.q.phrase
	}
	for _, t := range s.q.terms {
		if t.late {
			b.WriteString(" " + t.word)
		}
	}
	return b.String()
}
