package nli

import (
	"slices"

	"github.com/forsooth-npc/forsooth/internal/transformer"
)

// marks are what a sentence may end with that says nothing of its truth.
var marks = []string{".", "!", "?", ",", ";", ":", "…", "-", "–", "—", `"`, "”", "“", "’", "‘", "'", ")",
	"]", "}", "*"}

// ending is how a hypothesis ends for the model: with one full stop in place of its
// marks. In the pairs that it learnt from most sentences without a full stop are true, and
// a model that may see whether there is one accepts up to four times as many false ones
// that are sent without. The training reads them in the same way (sentence, in
// encoder.py), and so does the sidecar.
type ending struct {
	marks []int32
	stop  int32 // negative: the vocabulary has none, and nothing is closed
}

func endingOf(v *transformer.Vocab) ending {
	e := ending{stop: -1}
	for _, mark := range marks {
		if id, ok := v.ID(mark); ok {
			e.marks = append(e.marks, id)
		}
	}
	if id, ok := v.ID("."); ok {
		e.stop = id
	}
	return e
}

// close ends the tokens of a hypothesis. What is nothing but marks stays as it is.
func (e ending) close(ids []int32) []int32 {
	n := len(ids)
	for n > 0 && slices.Contains(e.marks, ids[n-1]) {
		n--
	}
	if n == 0 || e.stop < 0 {
		return ids
	}
	return append(ids[:n:n], e.stop)
}
