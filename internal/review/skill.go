package review

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Pair is a sentence with a known label, by which a judge is qualified.
type Pair struct {
	Evidence string `json:"evidence"` // lines "[E1] …"
	Question string `json:"question"`
	Sentence string `json:"sentence"`
	Label    string `json:"label"` // supported or unsupported
	Why      string `json:"why"`
}

//go:embed qualify.jsonl
var qualifyFile []byte

// PairsHash tells these pairs from those of another version.
func PairsHash() string { return protocol.HashText(string(qualifyFile)) }

// Pairs are the shipped pairs, half of them supported.
func Pairs() ([]Pair, error) {
	var out []Pair
	for n, line := range bytes.Split(bytes.TrimSpace(qualifyFile), []byte("\n")) {
		var p Pair
		if err := json.Unmarshal(line, &p); err != nil {
			return nil, fmt.Errorf("qualify.jsonl:%d: %w", n+1, err)
		}
		out = append(out, p)
	}
	return out, nil
}

// SureFrom is the confidence from which an answer of a judge counts as sure.
const SureFrom = 0.7

// Bounds of a qualification.
const (
	minPairs      = 40  // that a judge must have answered
	minLikelihood = 5.0 // how much likelier a sure "supported" must be for a true sentence
	prior         = 0.5 // of each answer, counted as if it had been given
)

// answers of a judge: supported or not, sure or not.
const (
	yesSure = iota
	yesUnsure
	noUnsure
	noSure
	numAnswers
)

func answerOf(label schema.Label, confidence float64) int {
	switch sure := confidence >= SureFrom; {
	case label == schema.Supported && sure:
		return yesSure
	case label == schema.Supported:
		return yesUnsure
	case sure:
		return noSure
	}
	return noUnsure
}

// Skill is what a judge has shown on pairs with known labels. The zero value has shown
// nothing, and its answers weigh nothing.
type Skill struct {
	True  [numAnswers]float64 // answers about supported sentences
	False [numAnswers]float64 // answers about the others
}

// Saw counts the answer about a pair.
func (s *Skill) Saw(supported bool, label schema.Label, confidence float64) {
	if supported {
		s.True[answerOf(label, confidence)]++
	} else {
		s.False[answerOf(label, confidence)]++
	}
}

// Evidence is the log of the likelihood ratio of an answer.
func (s *Skill) Evidence(label schema.Label, confidence float64) float64 {
	if !s.Qualified() {
		return 0
	}
	a := answerOf(label, confidence)
	e := math.Log(share(s.True, a) / share(s.False, a))
	if a == noUnsure { // the pairs seldom show it: half a no, at least
		e = min(e, math.Log(share(s.True, noSure)/share(s.False, noSure))/2)
	}
	return e
}

func share(counts [numAnswers]float64, a int) float64 {
	return (counts[a] + prior) / (total(counts) + prior*numAnswers)
}

func total(counts [numAnswers]float64) float64 {
	sum := 0.0
	for _, n := range counts {
		sum += n
	}
	return sum
}

// Qualified says whether the answers tell true sentences from false ones.
func (s *Skill) Qualified() bool {
	return s != nil && total(s.True)+total(s.False) >= minPairs &&
		share(s.True, yesSure) >= minLikelihood*share(s.False, yesSure)
}

// Sensitivity is the share of the supported pairs that the judge called supported, and
// Specificity that of the others that it did not.
func (s *Skill) Sensitivity() float64 { return rate(s.True, yesSure, yesUnsure) }

// Specificity is the share of unsupported pairs that the judge refused.
func (s *Skill) Specificity() float64 { return rate(s.False, noSure, noUnsure) }

// String says what it is, as an operator reads it.
func (s *Skill) String() string {
	return fmt.Sprintf("of the test pairs it supports %.0f %% of the true and %.0f %% of the false ones",
		100*s.Sensitivity(), 100*(1-s.Specificity()))
}

func rate(counts [numAnswers]float64, which ...int) float64 {
	n := 0.0
	for _, a := range which {
		n += counts[a]
	}
	if all := total(counts); all > 0 {
		return n / all
	}
	return 0
}
