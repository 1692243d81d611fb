// Package embed turns texts into unit vectors whose dot product says how near
// they are in meaning, and searches such vectors by brute force.
//
// Static needs nothing but this binary: a table of one small vector per WordPiece
// token, distilled from all-MiniLM-L6-v2 by sidecar/embed. Endpoint asks any server
// with the OpenAI embeddings API instead. The package stores nothing, knows no
// documents and no scopes, and a near vector is a hint for retrieval, never a
// judgement that a text answers or supports another.
package embed

import (
	"context"
	"math"
)

// Embedder gives one vector a text, in the same order. Vectors have length one,
// except that of a text without anything to embed, which is zero and so is near
// to nothing.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Dim is the number of dimensions of every vector.
	Dim() int
	// ID names the model and its version: vectors of different ids do not compare.
	ID() string
}

// Dot is the dot product of a and b, which for unit vectors is their cosine. What
// one of them has beyond the other's length is not looked at. The sum has one
// order on every processor, so a replay elsewhere sees the same scores.
func Dot(a, b []float32) float32 {
	b = b[:min(len(a), len(b))]
	a = a[:len(b)]
	var s0, s1, s2, s3, s4, s5, s6, s7 float32
	for len(a) >= 8 && len(b) >= 8 {
		// A conversion keeps the compiler from fusing multiply and add.
		s0 += float32(a[0] * b[0])
		s1 += float32(a[1] * b[1])
		s2 += float32(a[2] * b[2])
		s3 += float32(a[3] * b[3])
		s4 += float32(a[4] * b[4])
		s5 += float32(a[5] * b[5])
		s6 += float32(a[6] * b[6])
		s7 += float32(a[7] * b[7])
		a, b = a[8:], b[8:]
	}
	for i := range a {
		s0 += float32(a[i] * b[i])
	}
	return ((s0 + s4) + (s1 + s5)) + ((s2 + s6) + (s3 + s7))
}

// Cosine is the cosine of the angle between a and b, of any length; 0 where one
// of them is zero.
func Cosine(a, b []float32) float32 {
	norms := math.Sqrt(float64(Dot(a, a)) * float64(Dot(b, b)))
	if norms == 0 {
		return 0
	}
	return float32(float64(Dot(a, b)) / norms)
}

// normalise scales v to length one and leaves a zero vector as it is.
func normalise(v []float32) {
	n := math.Sqrt(float64(Dot(v, v)))
	if n == 0 {
		return
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / n)
	}
}
