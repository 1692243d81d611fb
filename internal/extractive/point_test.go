package extractive_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/forsooth-npc/forsooth/internal/extractive"
)

// The surer the retrieval and the reader are, the likelier the answer is to the point; a value at an end
// neither overflows nor decides alone.
func TestSurerIsNearerThePoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, r := rapid.Float64Range(0, 1).Draw(t, "confidence"), rapid.Float64Range(0, 1).Draw(t, "read")
		more := rapid.Float64Range(0, 1).Draw(t, "more")
		p := extractive.OnPoint(c, r)
		if p <= 0 || p >= 1 {
			t.Fatalf("%v is no probability", p)
		}
		if extractive.OnPoint(c+more*(1-c), r) < p || extractive.OnPoint(c, r+more*(1-r)) < p {
			t.Fatalf("surer than %v and %v is further from the point", c, r)
		}
	})
	for _, c := range []struct {
		confidence, read float64
		on               bool
	}{{0.9, 0.9, true}, {0.5, 0.9, true}, {0.9, 0.1, false}, {0.3, 0.5, false}, {0.7, 0.5, false}, {0.95, 0.3, true}} {
		if extractive.Beside("Who owns the ferry?", "Tolls are dear.", c.confidence, c.read) == c.on {
			t.Errorf("confidence %v, read %v: %v", c.confidence, c.read, extractive.OnPoint(c.confidence, c.read))
		}
		if extractive.Beside("Who owns the ferry?", "Teague owns the ferry.", c.confidence, c.read) {
			t.Errorf("confidence %v, read %v: doubted, with all words of the question", c.confidence, c.read)
		}
	}
}
