package transformer

import (
	"math"
	"testing"
)

// What any weights that ship must do, whoever trained them: the encoder holds a
// sentence nearer to its paraphrase than to every stranger's, in either order.
func TestTheShippedEncoderHoldsParaphrasesTogether(t *testing.T) {
	v, _, m := shipped(t)
	sayings := [][2]string{
		{"The mill burned down last spring.", "Fire destroyed the mill a few months ago."},
		{"Nobody may enter the harbour after dark.", "At night the port is closed to everyone."},
		{"Her brother sells fish at the market.", "You can buy herring from the sister's sibling in the square."},
		{"The captain owes the smith forty crowns.", "The blacksmith is still waiting for money from the captain."},
		{"Wolves took three of our sheep.", "We lost some of the flock to predators."},
	}
	var batch []Sequence
	for _, s := range sayings {
		for _, text := range s {
			batch = append(batch, Single(v, v.Encode(nil, text), 64))
		}
	}
	s := m.Session()
	defer m.Release(s)
	all, err := s.Pool(nil, batch)
	if err != nil {
		t.Fatal(err)
	}
	vector := func(i int) []float32 { return all[i*m.Hidden() : (i+1)*m.Hidden()] }
	for i := range batch {
		twin := cosine(vector(i), vector(i^1))
		for j := range batch {
			if j != i && j != i^1 && cosine(vector(i), vector(j)) >= twin {
				t.Errorf("%q is nearer to %q than to its paraphrase", sayings[i/2][i%2], sayings[j/2][j%2])
			}
		}
	}
}

// The verifier reads which text is which, and in which order words stand.
func TestTheShippedVerifierReadsOrderAndRoles(t *testing.T) {
	v, m, _ := shipped(t)
	tokens := func(s string) []int32 { return v.Encode(nil, s) }
	const a, b = "The wolf chased the hunter.", "The hunter chased the wolf."
	s := m.Session()
	defer m.Release(s)
	all, err := s.Pool(nil, []Sequence{Pair(v, tokens(a), tokens(a), 64), Pair(v, tokens(a), tokens(b), 64),
		Pair(v, tokens(b), tokens(a), 64)})
	if err != nil {
		t.Fatal(err)
	}
	h := m.Hidden()
	for _, c := range [][2]int{{0, 1}, {0, 2}, {1, 2}} {
		if got := cosine(all[c[0]*h:(c[0]+1)*h], all[c[1]*h:(c[1]+1)*h]); got > 0.9999 {
			t.Errorf("pairs %d and %d look the same: cosine %.5f", c[0], c[1], got)
		}
	}
}

func cosine(a, b []float32) float64 {
	var dot, x, y float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		x += float64(a[i]) * float64(a[i])
		y += float64(b[i]) * float64(b[i])
	}
	return dot / math.Sqrt(x*y)
}
