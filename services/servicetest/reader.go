package servicetest

import (
	"context"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/review"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Reader is a trained reader in a script. It reads a sentence as the script says, else by
// the words that the sentence shares with what was shown. Many goroutines may ask it.
type Reader struct {
	Says   map[string]entail.Reading // by sentence
	Social []string                  // sentences that claim nothing
	Err    error                     // every reading fails with it
}

// Read gives one reading a sentence.
func (r *Reader) Read(_ context.Context, sentences []entail.Sentence) ([]entail.Reading, error) {
	if r.Err != nil {
		return nil, r.Err
	}
	out := make([]entail.Reading, len(sentences))
	for i, s := range sentences {
		said, scripted := r.Says[s.Text]
		switch {
		case scripted:
			out[i] = said
		case slices.Contains(r.Social, s.Text):
			out[i] = Courtesy()
		default:
			out[i] = Claim(byWords(s))
		}
	}
	return out, nil
}

// byWords is P(entailed) by the share of a sentence's content words that were shown.
func byWords(s entail.Sentence) float64 {
	switch share := entail.ShareOf(text.ContentSet(s.Premise), text.ContentSet(s.Text)); {
	case share == 1:
		return 0.97
	case share >= 0.5:
		return 0.5
	}
	return 0.05
}

// Claim is the reading of a claim about the world.
func Claim(entailed float64) entail.Reading {
	return entail.Reading{World: 0.98, Self: 0.01, Social: 0.01,
		Probability: entail.Probability{Entailed: entailed, Neutral: 1 - entailed}}
}

// Denied is the reading of a claim of which the evidence says the opposite.
func Denied() entail.Reading {
	r := Claim(0.01)
	r.Neutral, r.Contradicted = 0.02, 0.97
	return r
}

// Courtesy is the reading of a sentence that claims nothing.
func Courtesy() entail.Reading {
	return entail.Reading{World: 0.02, Self: 0.02, Social: 0.96,
		Probability: entail.Probability{Entailed: 0.05, Neutral: 0.95}}
}

// Feeling is the reading of a sentence that says only what the speaker feels.
func Feeling() entail.Reading {
	r := Courtesy()
	r.Self, r.Social = r.Social, r.Self
	return r
}

// Judgement is a review that takes its reader at its word: P(supported) is P(entailed).
func Judgement(reader entail.Reader) *review.Reviewer {
	judged := review.Line{Score: 0.2}
	return &review.Reviewer{Reader: reader, Fit: review.Fit{
		Weights: map[string]float64{"entailed": 1}, Claim: 0.5,
		Alone: map[grounding.Level]review.Line{
			grounding.Strict: {Score: 0.99}, grounding.Balanced: {Score: 0.9}, grounding.Lively: {Score: 0.8}},
		Judged: map[grounding.Level]review.Line{
			grounding.Strict: judged, grounding.Balanced: judged, grounding.Lively: judged},
	}}
}

// Skilled is what a judge has shown who was sure of 64 answers and wrong in four of them.
func Skilled() *review.Skill {
	said := map[bool]schema.Label{true: schema.Supported, false: schema.Unverifiable}
	s := &review.Skill{}
	for n := range 32 {
		wrong := n < 2
		s.Saw(true, said[!wrong], 0.95)
		s.Saw(false, said[wrong], 0.95)
	}
	return s
}
