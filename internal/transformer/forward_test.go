package transformer

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/forsooth-npc/forsooth/weights"
)

// shipped are the verifier and the sentence encoder as they ship.
func shipped(t testing.TB) (v *Vocab, verifier, encoder *Model) {
	t.Helper()
	v = shippedVocab(t)
	verifier, err := Load(v, weights.Verifier, nil)
	if err != nil {
		t.Fatal(err)
	}
	if encoder, err = Load(v, weights.Encoder, verifier); err != nil {
		t.Fatal(err)
	}
	return v, verifier, encoder
}

// withEach runs a test with every kernel of this machine.
func withEach(t *testing.T, f func(t *testing.T)) {
	t.Cleanup(func() { Use(Kernels()[0]) })
	for _, name := range Kernels() {
		t.Run(name, func(t *testing.T) {
			if !Use(name) {
				t.Fatal("it is listed and cannot be used")
			}
			f(t)
		})
	}
}

// fataler is what testing's and rapid's tests have in common.
type fataler interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// furthest is the largest difference between two vectors.
func furthest(t fataler, got, want []float32) float64 {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d numbers, want %d", len(got), len(want))
	}
	var most float64
	for i := range got {
		d := math.Abs(float64(got[i]) - float64(want[i]))
		if math.IsNaN(d) {
			t.Fatalf("number %d is %v, want %v", i, got[i], want[i])
		}
		most = max(most, d)
	}
	return most
}

// The golden file comes from PyTorch: sidecar/nli/train/golden_forward.py.
func TestVectorsAreThoseOfTheReference(t *testing.T) {
	_, _, m := shipped(t)
	var batch []Sequence
	var want []float32
	for line := range goldenLines(t, "forward.jsonl.gz") {
		var g struct {
			Data   string `json:"data_sha256"`
			IDs    []int32
			Types  []int
			Pooled []float32
		}
		if err := json.Unmarshal(line, &g); err != nil {
			t.Fatal(err)
		}
		if g.Data != "" {
			if g.Data != m.Metadata("data_sha256") {
				t.Fatal("the golden file belongs to other weights; make it again with golden_forward.py")
			}
			continue
		}
		q := Sequence{IDs: g.IDs, Types: make([]uint8, len(g.Types))}
		for i, kind := range g.Types {
			q.Types[i] = uint8(kind)
		}
		batch, want = append(batch, q), append(want, g.Pooled...)
	}
	if len(batch) < 30 {
		t.Fatalf("%d sequences", len(batch))
	}
	withEach(t, func(t *testing.T) {
		batch := batch
		if inUse() == portable { // it is slow; the short ones show what it computes
			batch = slices.DeleteFunc(slices.Clone(batch), func(q Sequence) bool { return len(q.IDs) > 40 })
		}
		s := m.Session()
		defer m.Release(s)
		got, err := s.Pool(nil, batch)
		if err != nil {
			t.Fatal(err)
		}
		if d := furthest(t, got, want[:len(got)]); d > 1e-3 {
			t.Errorf("the batch differs by up to %.2g", d)
		} else {
			t.Logf("differs by up to %.2g", d)
		}
		for i, q := range batch {
			if len(q.IDs) > 64 {
				continue
			}
			alone, err := s.Pool(nil, []Sequence{q})
			if err != nil {
				t.Fatal(err)
			}
			if d := furthest(t, alone, got[i*m.Hidden():(i+1)*m.Hidden()]); d > 1e-5 {
				t.Errorf("a sequence of %d tokens alone and in the batch differ by %.2g", len(q.IDs), d)
			}
		}
	})
}
