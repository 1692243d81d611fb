package prompt

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Judgement is what a judge says of one sentence. The zero value is no answer.
type Judgement struct {
	N          int          `json:"n"`
	Kind       string       `json:"kind"` // world, self or social
	Verdict    schema.Label `json:"verdict"`
	Difference string       `json:"difference"` // the words that are not shown
	Confidence float64      `json:"confidence"`
}

// Numbered adds the sentences that a judge is asked about, under their numbers.
func (d *Data) Numbered(sentences []string) *Data {
	lines := make([]string, len(sentences))
	for i, s := range sentences {
		lines[i] = strconv.Itoa(i+1) + ". " + s
	}
	return d.Section("sentences", lines...)
}

// Judged reads the answer of the judge call about n sentences, in their order. A
// verdict that does not agree with itself is no answer: it would be a guess. An answer
// without a single whole verdict is an error.
func Judged(answer []byte, n int) ([]Judgement, error) {
	var a struct {
		Verdicts []Judgement `json:"verdicts"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return nil, fmt.Errorf("judge: %w", err)
	}
	out := make([]Judgement, n)
	var wrong error
	whole := 0
	for _, j := range a.Verdicts {
		if j.N < 1 || j.N > n {
			wrong = fmt.Errorf("judge: sentence %d was not asked about; there are %d", j.N, n)
			continue
		}
		j.Difference = clean(j.Difference)
		if err := j.check(); err != nil {
			wrong = err
			continue
		}
		if out[j.N-1].N == 0 {
			whole++
		}
		out[j.N-1] = j
	}
	if whole == 0 {
		if wrong == nil {
			wrong = errors.New("judge: it holds no verdict")
		}
		return nil, wrong
	}
	return out, nil
}

func (j Judgement) check() error {
	switch {
	case j.Verdict != schema.Supported && j.Verdict != schema.Contradicted && j.Verdict != schema.Unverifiable:
		return fmt.Errorf("judge: verdict is %q; it must be supported, contradicted or unverifiable", j.Verdict)
	case j.Kind != "world" && j.Kind != "self" && j.Kind != "social":
		return fmt.Errorf("judge: kind is %q; it must be world, self or social", j.Kind)
	case !(j.Confidence >= 0 && j.Confidence <= 1):
		return fmt.Errorf("judge: confidence is %v; it must lie between 0 and 1", j.Confidence)
	case j.Verdict == schema.Supported && j.Difference != "":
		return fmt.Errorf("judge: verdict is supported, but a difference is named: %s", j.Difference)
	}
	return nil
}

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
