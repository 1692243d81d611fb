// Package entail judges whether a premise supports a hypothesis. It defines the
// interface that every tier of the cascade has, and holds the tier that needs no
// model: rules, which are exact and explain themselves, and the cascade that asks
// one tier after another. It knows nothing of evidence, speakers or turns: a caller
// says whose "I" stands in a text by Names.
package entail

import (
	"context"
	"fmt"
	"math"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Pair is a question to a verifier: does the premise support the hypothesis?
type Pair struct {
	Premise    string `json:"premise"`
	Hypothesis string `json:"hypothesis"`
	Names      Names  `json:"names,omitzero"`
	// At are the thresholds by which a model's probabilities become labels; what is
	// zero is the tier's own.
	At Thresholds `json:"at,omitzero"`
}

// Names say who speaks. The zero value means that both texts have one speaker
// and one listener.
type Names struct {
	Self    string   `json:"self,omitempty"`    // the NPC who speaks the hypothesis: its "I"
	Aliases []string `json:"aliases,omitempty"` // other names of the NPC
	Writer  string   `json:"writer,omitempty"`  // who speaks the premise; empty means the NPC
	Reader  string   `json:"reader,omitempty"`  // whom the premise addresses; empty means whom the hypothesis does
	Known   []string `json:"known,omitempty"`   // names of the world, which count as names wherever they stand
	Leads   []string `json:"leads,omitempty"`   // the NPC's openers and hedges, which say nothing
}

// Stranger stands for a writer or reader of whom nothing is known, and who is
// not the NPC.
const Stranger = "?"

// Verifier judges pairs, one verdict a pair in the same order. It respects the
// context. A verdict that is unverifiable and not final means that the verifier
// does not know: another may.
type Verifier interface {
	Verify(ctx context.Context, pairs []Pair) ([]schema.Verdict, error)
}

// The tiers of a cascade, as verdicts name them.
const (
	TierRule    = "rule"
	TierModel   = "model"
	TierSidecar = "sidecar"
	TierJudge   = "judge"
	TierNone    = "none" // no tier gave an answer
)

// Scores of verdicts that no model made: P(supported) on the scale of all tiers.
const (
	scoreVerbatim     = 0.99
	scoreContradicted = 0.01
	scoreRefused      = 0.03
	scoreDoubted      = 0.15
	scoreUnknown      = 0.30
)

// Decides says whether a verdict ends a cascade.
func Decides(v schema.Verdict) bool {
	return v.Label == schema.Supported || v.Label == schema.Contradicted || v.Final
}

// Doubts says whether a verdict is a rule's doubt: a difference that is not exact
// enough to end a cascade.
func Doubts(v schema.Verdict) bool {
	return v.Tier == TierRule && v.Label == schema.Unverifiable && !v.Final && v.Score == scoreDoubted
}

// wellFormed says what is wrong with a tier's answer, or is nil.
func wellFormed(pairs []Pair, out []schema.Verdict) error {
	if len(out) != len(pairs) {
		return fmt.Errorf("%d verdicts for %d pairs", len(out), len(pairs))
	}
	for i, v := range out {
		switch v.Label {
		case schema.Supported, schema.Contradicted, schema.Unverifiable:
		default:
			return fmt.Errorf("verdict %d is %q", i, v.Label)
		}
		if math.IsNaN(v.Score) || v.Score < 0 || v.Score > 1 {
			return fmt.Errorf("score %d is %v", i, v.Score)
		}
	}
	return nil
}

// Sentence is a sentence of a speech as a listener hears it, beside what was shown.
type Sentence struct {
	Premise string   // the shown texts that are nearest to the sentence
	Before  []string // the player's question and what was said just before, in order
	Text    string
}

// Kind says what a sentence needs before it may be said.
type Kind string

// The kinds of sentence.
const (
	KindWorld  Kind = "world"  // anything that can be checked, the speaker's own life included
	KindSelf   Kind = "self"   // a feeling, an opinion, a wish, a manner
	KindSocial Kind = "social" // a greeting, a question, politeness, “I don't know”
)

// Reading is what a trained model says of a sentence.
type Reading struct {
	Probability
	// World, Self and Social are the probabilities of each kind. They are all zero where
	// the model has no head for kinds.
	World, Self, Social float64
}

// Reader reads whole sentences in their context. It gives one reading a sentence, in order.
type Reader interface {
	Read(ctx context.Context, sentences []Sentence) ([]Reading, error)
}

// Share is the share of the hypothesis's content words that the premise holds.
func Share(premise, hypothesis string) float64 {
	return ShareOf(Content(premise), text.ContentSet(clip(hypothesis, maxHypothesis)))
}

// Content are the content words of a text as Share reads it.
func Content(s string) map[string]bool { return text.ContentSet(clip(s, maxPremise)) }

// ShareOf is Share over words that were read already.
func ShareOf(have, want map[string]bool) float64 {
	if len(want) == 0 {
		return 0
	}
	n := 0
	for w := range want {
		if have[w] {
			n++
		}
	}
	return float64(n) / float64(len(want))
}
