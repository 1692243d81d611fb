package retrieval

import (
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// leaning are the words by which a message leans on what was said before.
var leaning = setOf(`it its he him his she her hers they them their theirs that this those these one ones there then
	else more other others another same such and also too last first`)

// lean adds the content words of the last lines of the conversation to a message
// that cannot stand by itself: a short one, or one that points back.
func (s *search) lean() {
	if len(s.query.Context) == 0 || s.q.kind == kindTopic && !leaning[s.q.phrase] || !s.leans() {
		return
	}
	from := s.query.Context
	if len(from) > 2 {
		from = from[len(from)-2:]
	}
	s.recent = map[int32]bool{}
	for _, line := range from {
		s.q.takeTerms(wordsOf(line), false, true)
		for _, stem := range text.Stems(line) {
			if id, ok := s.x.vocab[stem]; ok {
				s.recent[id] = true
			}
		}
	}
}

// leans says whether a message says too little of itself, or points back. One
// that opens with "is there" asks whether something exists and points nowhere.
func (s *search) leans() bool { return len(s.q.terms) == 0 || leansOn(&s.q) }

// leansOn says whether a message points back by a word, or goes on from what was said.
func leansOn(q *question) bool {
	ws := q.words
	for i, w := range ws {
		if w.text == "there" && i > 0 && auxiliary[ws[i-1].text] {
			continue
		}
		if leaning[w.text] {
			return true
		}
	}
	return len(ws) > 1 && (ws[0].text == "and" || ws[0].text == "but" || ws[1].text == "about")
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
	if s.q.kind == kindTopic && s.recent == nil {
		return s.q.phrase
	}
	if s.ownTerms() > 1 {
		return b.String()
	}
	for _, t := range s.q.terms {
		if t.late {
			b.WriteString(" " + t.word)
		}
	}
	return b.String()
}

// saidAlready is what a passage loses as an answer when the message leans on what
// was said just now and that was all of it: who asks on wants to hear more.
const saidAlready = 3.0

// said is the share of a passage that the lines which the message leans on hold.
func (s *search) said(p *passage) float64 {
	if len(s.recent) == 0 {
		return 0
	}
	held, n := 0, 0
	for _, id := range p.stems {
		if s.x.isStop[id] {
			continue
		}
		n++
		if s.recent[id] {
			held++
		}
	}
	if n == 0 {
		return 0
	}
	return float64(held) / float64(n)
}

// ownTerms counts the content words of the message itself.
func (s *search) ownTerms() int {
	n := 0
	for _, t := range s.q.terms {
		if !t.late {
			n++
		}
	}
	return n
}

// What words from before the message count: each less than one of the message,
// and all of them together less than the message.
const (
	lateWord = 0.3
	lateAll  = 0.6
)

// temper keeps what the message leans on from outweighing what it says.
func (s *search) temper() {
	own, late := 0.0, 0.0
	for i, t := range s.q.terms {
		if t.late {
			late += lateWord * s.idf[i]
		} else {
			own += s.idf[i]
		}
	}
	s.late = lateWord
	if own > 0 && late > lateAll*own {
		s.late *= lateAll * own / late
	}
}

// named says whether a word of the message, or of the lines that it leans on, stands
// in the best passage.
func (s *search) named() bool {
	if len(s.found) == 0 {
		return false
	}
	own := map[int32]bool{}
	for _, t := range s.q.terms {
		if !t.late && t.id >= 0 {
			own[t.id] = true
		}
	}
	return slices.ContainsFunc(s.x.passages[s.found[0].at].stems,
		func(id int32) bool { return own[id] || s.recent[id] && !s.x.isStop[id] })
}

// meantText is what the sentence encoder embeds of the question: one that leans on the talk stands behind the
// player's message before it, and behind one more where that leans itself.
func (s *search) meantText() string {
	if s.recent == nil {
		return s.embedText()
	}
	return strings.Join(s.whole(), " ; ")
}

// asksWhole is what the trained judgement reads as the question. One that says nothing of itself, such as "why?",
// stands behind what it leans on, as the follow-ups did on which the judgement was trained. Where a message says
// something of itself, the question before it would draw the answer to that one once more.
func (s *search) asksWhole() string {
	if s.recent == nil || s.ownTerms() > 0 {
		return s.query.Message
	}
	return strings.Join(s.whole(), " / ")
}

// whole is a message that leans on the talk, behind the player's messages that it leans on.
// A message leans on the one before it, and on one more where that leans itself.
func (s *search) whole() []string {
	lines, said := s.query.Context, []string{s.query.Message}
	for at := len(lines) - 2; at >= 0 && len(said) < 3; at -= 2 { // a player's line and the NPC's take turns
		said = slices.Insert(said, 0, lines[at])
		if q := parseQuestion(lines[at]); !leansOn(&q) {
			break
		}
	}
	return said
}
