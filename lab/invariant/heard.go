package invariant

import (
	"strings"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Heard is what a player was shown of a turn over sockets, in the order in which it came:
// a socket that breaks is followed by another, at another gateway.
type Heard struct {
	Convo     schema.ConversationID
	Turn      string
	Sentences []schema.Sentence
	Replies   []string // the text of each reply: one, where all is well
}

// Misheard counts the sentences that never came to their player, and those that came more
// than once.
func Misheard(r *Run) (lost, doubled int) {
	r.index()
	for i := range r.Heard {
		h := &r.Heard[i]
		for _, n := range h.times(sentences(r.bySubject.said[key(h.Convo, h.Turn)])) {
			lost += max(0, 1-n)
			doubled += max(0, n-1)
		}
	}
	return lost, doubled
}

// times is how often each stored sentence was shown.
func (h *Heard) times(stored []*Said) []int {
	out := make([]int, len(stored))
	for i, e := range stored {
		for j := range h.Sentences {
			if s := &h.Sentences[j]; s.Seq == e.Event.Sentence.Seq && s.Text == e.Event.Sentence.Text {
				out[i]++
			}
		}
	}
	return out
}

func heard(r *Run, broken report) {
	for i := range r.Heard {
		h := &r.Heard[i]
		at := key(h.Convo, h.Turn)
		stored := sentences(r.bySubject.said[at])
		for i, n := range h.times(stored) {
			if n != 1 {
				broken(h.Turn, "sentence %d was shown %d times: %q", i+1, n, stored[i].Event.Sentence.Text)
			}
		}
		for j := range h.Sentences {
			if j >= len(stored) || h.Sentences[j].Text != stored[j].Event.Sentence.Text {
				broken(h.Turn, "what was shown as number %d does not stand there: %q", j+1, h.Sentences[j].Text)
				break
			}
		}
		replies := r.bySubject.replies[at]
		switch {
		case len(h.Replies) != 1:
			broken(h.Turn, "%d replies were shown: %q", len(h.Replies), strings.Join(h.Replies, "; "))
		case len(replies) > 0 && h.Replies[0] != replies[0].Text:
			broken(h.Turn, "the reply that was shown is %q, and that which stands %q", h.Replies[0], replies[0].Text)
		}
	}
}
