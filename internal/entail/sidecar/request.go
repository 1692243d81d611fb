package sidecar

import (
	"encoding/json"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/entail"
)

// Bounds of what a sidecar takes: those of sidecar/nli. What is beyond them is never
// sent, for it would be refused with all that stands beside it.
const (
	maxPairs = 256
	maxText  = 64 << 10 // bytes; where the model in process cuts a text too
	maxBody  = 8 << 20  // of a request, and of an answer
)

type request struct {
	Pairs []json.RawMessage `json:"pairs"`
}

type pair struct {
	Premise    string `json:"premise"`
	Hypothesis string `json:"hypothesis"`
}

// requests puts pairs into requests of so many at most, in order.
func requests(pairs []entail.Pair, most int) ([]request, error) {
	var out []request
	size := 0
	for _, p := range pairs {
		premise, hypothesis := p.Spoken()
		row, err := json.Marshal(pair{cut(premise), cut(hypothesis)})
		if err != nil {
			return nil, err
		}
		if len(out) == 0 || len(out[len(out)-1].Pairs) == most || size+len(row) > maxBody {
			out, size = append(out, request{}), len(`{"pairs":[]}`)
		}
		last := &out[len(out)-1]
		last.Pairs = append(last.Pairs, row)
		size += len(row) + len(",")
	}
	return out, nil
}

// cut is what a sidecar reads of a text. Bytes that are no text are left out, as the
// tokeniser leaves them out: JSON would make three of each.
func cut(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), maxText)], "")
}
