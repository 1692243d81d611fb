package entail

import "context"

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
