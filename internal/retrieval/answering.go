package retrieval

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/voice"
)

// Answering is a trained judgement: for each block, the probability that it answers
// the question.
type Answering func(ctx context.Context, question string, blocks []string) ([]float64, error)

// Asking says of how many of the first candidates the judgement is asked, and
// between which confidences of the gate without it: it costs some milliseconds a
// passage, and where the gate is sure it changes nothing.
type Asking struct {
	First int     `json:"first"`
	From  float64 `json:"from"`
	To    float64 `json:"to"`
	Chars int     `json:"chars"` // how much of a passage it reads
}

// judge asks the judgement of the first candidates, and brings forward one that
// answers where the first does not. Whether it is asked hangs on what is in scope alone,
// for what is asked may change the order.
func (s *search) judge(ctx context.Context) error {
	if s.deep == nil || s.deep.answers == nil || s.models.Answers == 0 || len(s.found) == 0 {
		return nil
	}
	if c := sigmoid(s.models.Gate.logit(s.unfelt().judged())); c < s.models.Asking.From || c > s.models.Asking.To {
		return nil
	}
	if s.keyed() {
		return nil
	}
	n := min(len(s.found), s.models.Asking.First)
	blocks := make([]string, n)
	for i := range n {
		blocks[i] = s.block(&s.found[i])
	}
	said, err := s.deep.answers(ctx, s.asksWhole(), blocks)
	if err != nil {
		return fmt.Errorf("judge what was found: %w", err)
	}
	s.answering = make([]float64, n)
	lacks := s.lackNames(blocks)
	for i, p := range said {
		s.answering[i] = clamp(math.Log(min(max(p, 1e-4), 1-1e-4)/(1-min(max(p, 1e-4), 1-1e-4)))/6, -1, 1)
		weight := s.models.Answers
		if slices.Contains(lacks, true) && lacks[i] == (s.answering[i] > 0) {
			weight *= lackingName
		}
		s.found[i].score += weight * s.answering[i]
	}
	for i := 1; i < n; i++ { // a short insertion sort keeps the two lists together
		for k := i; k > 0 && s.found[k].score > s.found[k-1].score; k-- {
			s.found[k], s.found[k-1] = s.found[k-1], s.found[k]
			s.answering[k], s.answering[k-1] = s.answering[k-1], s.answering[k]
		}
	}
	for i := n; i < len(s.found); i++ { // what was not asked about does not overtake what was
		s.found[i].score = min(s.found[i].score, s.found[n-1].score)
	}
	return nil
}

// lackingName is the share of the judgement's word that counts where it speaks for a passage
// that lacks a name of the question, or against one that holds it: "the Amiga version" is not
// "the current version", however well that is answered.
const lackingName = 0.5

// lackNames says of each block whether it lacks a name of the question that another block holds.
func (s *search) lackNames(blocks []string) []bool {
	out := make([]bool, len(blocks))
	for _, n := range s.names {
		holds, some := make([]bool, len(blocks)), false
		for i, b := range blocks {
			holds[i] = slices.ContainsFunc(n.words, func(w word) bool {
				return strings.Contains(strings.ToLower(b), strings.ToLower(w.written))
			})
			some = some || holds[i]
		}
		for i := range out {
			out[i] = out[i] || some && !holds[i]
		}
	}
	return out
}

// keyed says whether a message asks by the keywords of the first candidate's document
// and by nothing else, as players of games with keywords do: "Pyper?", "where are the elves?". The
// judgement was trained on whole questions, and reads little in one word.
func (s *search) keyed() bool {
	share, _ := s.keywords(&s.x.docs[s.x.passages[s.found[0].at].doc])
	return share > 0.999
}

// block is a passage as the judgement reads it: with its speaker, and where it is
// long the sentences around its nearest window.
func (s *search) block(c *candidate) string {
	k := &s.x.passages[c.at].chunk
	body := k.Text
	if len(body) > s.models.Asking.Chars {
		body = s.around(c)
	}
	who := k.Author
	if k.NPC != "" && k.NPC == s.query.NPC.Handle {
		who = s.query.NPC.Name
	}
	if who == "" || strings.Contains(body, who) {
		return body
	}
	if k.Type == protocol.TypeGoal || k.Type == protocol.TypePersonality {
		return voice.Subjected(k.Type, body, who)
	}
	return who + ": " + body
}

// around are the sentences about the nearest window of a long passage, as many as a
// block holds.
func (s *search) around(c *candidate) string {
	p := &s.x.passages[c.at]
	spans := text.SentenceSpans(p.chunk.Text)
	best, at := -2.0, 0
	for i := range spans {
		w := p.windows[0] + 1 + int32(i) //nolint:gosec // a passage has few sentences
		if w >= p.windows[1] {
			break
		}
		if v := dot(s.asking, s.deep.window(w)); v > best {
			best, at = v, i
		}
	}
	if len(spans) == 0 {
		return p.chunk.Text[:s.models.Asking.Chars]
	}
	from, to := at, at+1
	for {
		switch {
		case to < len(spans) && spans[to].End-spans[from].Start <= s.models.Asking.Chars:
			to++
		case from > 0 && spans[to-1].End-spans[from-1].Start <= s.models.Asking.Chars:
			from--
		default:
			return p.chunk.Text[spans[from].Start:spans[to-1].End]
		}
	}
}
