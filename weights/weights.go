// Package weights holds the trained weights that every binary carries: the
// verifier, the sentence encoder, and the vocabulary of both. sidecar/nli/train
// makes them, and its model card says from what. What they mean is known to
// internal/transformer and its users.
package weights

import _ "embed"

// Verifier is the entailment model with its heads, in safetensors.
//
//go:embed verifier.safetensors
var Verifier []byte

// Encoder is the sentence encoder. It shares the verifier's word embeddings.
//
//go:embed encoder.safetensors
var Encoder []byte

// Vocab is the vocabulary, a token a line.
//
//go:embed vocab.txt
var Vocab []byte
