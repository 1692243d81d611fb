package prompt

import (
	"encoding/json"
	"errors"
	"fmt"
)

// maxClaims is how many claims of one sentence are read.
const maxClaims = 12

// ReadClaims reads the answer of the claims call about n sentences, in their order. What it
// says of a sentence that was not asked about is left out; without any claim it is an error.
func ReadClaims(answer []byte, n int) ([][]string, error) {
	var a struct {
		Sentences []struct {
			N      int      `json:"n"`
			Claims []string `json:"claims"`
		} `json:"sentences"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return nil, fmt.Errorf("claims: %w", err)
	}
	out, found := make([][]string, n), false
	for _, s := range a.Sentences {
		if s.N < 1 || s.N > n || out[s.N-1] != nil {
			continue
		}
		for _, c := range s.Claims[:min(len(s.Claims), maxClaims)] {
			if c = clean(c); c != "" {
				out[s.N-1], found = append(out[s.N-1], c), true
			}
		}
	}
	if !found {
		return nil, errors.New("claims: it holds none of the sentences that were asked about")
	}
	return out, nil
}
