package nli

import (
	"slices"

	"github.com/forsooth-npc/forsooth/internal/transformer"
)

// ending is how a hypothesis ends for the model: with one full stop, whatever it ends
// with, a question apart. In the pairs that it learnt from most sentences without a full
// stop are true, and a model that may see whether there is one accepts four times as many
// false sentences that are sent without. The training reads them in the same way
// (sentence, in encoder.py), and so does the sidecar.
type ending struct {
	marks          []int32
	stop, question int32 // 0: the vocabulary has none
}

func endingOf(v *transformer.Vocab) ending {
	var e ending
	for _, mark := range []string{".", "!", ",", ";", ":", "…", "-", "–", "—"} {
		if id, ok := v.ID(mark); ok {
			e.marks = append(e.marks, id)
		}
	}
	e.stop, _ = v.ID(".")
	e.question, _ = v.ID("?")
	return e
}

// close ends the tokens of a hypothesis. What is nothing but marks stays as it is.
func (e ending) close(ids []int32) []int32 {
	n := len(ids)
	for n > 0 && slices.Contains(e.marks, ids[n-1]) {
		n--
	}
	if n == 0 || e.stop == 0 {
		return ids
	}
	if ids[n-1] == e.question {
		return ids[:n]
	}
	return append(ids[:n:n], e.stop)
}
