package retrieval

import (
	"context"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

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

// embedWords makes the vectors of the question's content words.
func (s *search) embedWords(ctx context.Context) error {
	s.words = map[string][]float32{}
	if s.x.words == nil || len(s.q.terms) == 0 {
		return nil
	}
	var list []string
	for _, t := range s.q.terms {
		list = append(list, t.word)
	}
	vs, err := s.x.wordEmbedder.Embed(ctx, list)
	if err != nil {
		return err
	}
	for i, t := range s.q.terms {
		s.words[t.stem] = vs[i]
	}
	return nil
}

// likeWord is how near a passage's words come to a query term: 1 for the same
// stem.
func (s *search) likeWord(t *queryTerm, p *passage) float64 {
	best := 0.0
	v := s.words[t.stem]
	for _, id := range p.stems {
		if id == t.id {
			return 1
		}
		if v == nil || s.x.isStop[id] {
			continue
		}
		best = max(best, dot(v, s.x.words[int(id)*s.x.wordDim:(int(id)+1)*s.x.wordDim]))
	}
	if best < 0.3 || text.IsStop(t.word) {
		return 0
	}
	return min(best, 0.95)
}
