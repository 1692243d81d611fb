package entail

import (
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// A figure counts what stands behind it in its own row and clause.
func TestAFigureCountsNothingBehindAMark(t *testing.T) {
	for _, c := range []struct {
		premise, hypothesis string
		refused             bool
	}{
		{"North field: last year 31, this year 44\nSouth field: last year 40, this year 22",
			"The north field gave 44 sacks this year.", false},
		{"A person pays 1 copper, a person with a sack 2, a horse 4.", "A person with a sack pays two coppers.", false},
		{"If you buy a fifth, it will refund your money.", "It will refund your money if you buy a fifth token.", false},
		{"The walk takes 3 hours.", "The walk takes 3 days.", true},
		{"The walk takes 3\nhours.", "The walk takes 3 days.", true},
	} {
		v := judge(t, Pair{Premise: c.premise, Hypothesis: c.hypothesis})
		if refused := v.Label == schema.Contradicted || v.Final; refused != c.refused {
			t.Errorf("%q from %q: %+v", c.hypothesis, c.premise, v)
		}
	}
}
