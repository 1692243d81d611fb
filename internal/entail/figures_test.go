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

// A claim that says less exactly what the evidence says exactly is not supported by it.
func TestAFigureIsNotBlurred(t *testing.T) {
	for _, c := range []struct {
		premise, hypothesis string
		refused             bool
	}{
		{"The pot holds 5 quarts.", "The pot holds approximately 5 quarts.", true},
		{"The pot holds 5 quarts.", "The pot holds 5-6 quarts.", true},
		{"The pot holds 5 quarts.", "The pot holds between four and six quarts.", true},
		{"The pot holds 5 quarts.", "The pot holds at least 5 quarts.", true},
		{"The pot holds 5 quarts.", "The pot holds up to five quarts.", true},
		{"The pot holds 5 quarts.", "The pot holds five quarts or so.", true},
		{"The pot holds 5 quarts.", "The pot holds five quarts or more.", true},
		{"Forty sacks lie in the granary.", "About forty sacks lie in the granary.", true},
		{"Forty sacks lie in the granary.", "Some forty sacks lie in the granary.", true},
		{"Forty-two sacks lie in the granary.", "Around forty sacks lie in the granary.", false},
		{"The pot holds 5 quarts.", "The pot holds about 6 quarts.", true},
		{"The pot holds five quarts.", "The pot holds five quarts, or so they say.", false},
		{"The ferry sinks in one hour.", "The ferry sinks in nearly an hour.", false},

		{"The pot holds about 5 quarts.", "The pot holds 5 quarts.", true},
		{"The pot holds at least 5 quarts.", "The pot holds 5 quarts.", true},
		{"The pot holds 5 to 6 quarts.", "The pot holds 5 quarts.", true},

		{"The pot holds about 5 quarts.", "The pot holds roughly five quarts.", false},
		{"The pot holds 5 quarts. Mira says that it is about 5 quarts.", "The pot holds about 5 quarts.", false},
		{"Forty sacks lie in the granary.", "More than twenty sacks lie in the granary.", false},
		{"Forty sacks lie in the granary.", "Dozens of sacks lie in the granary.", false},
		{"Mira spoke of two ships.", "Mira talked about two ships.", false},
		{"The mill opens at two hours and shuts at four hours.", "The mill is open from two to four hours.", false},
		{"The pot holds at least 5 quarts.", "The pot holds no fewer than 5 quarts.", false},
	} {
		v := judge(t, Pair{Premise: c.premise, Hypothesis: c.hypothesis})
		if refused := v.Label == schema.Contradicted || v.Final; refused != c.refused {
			t.Errorf("%q from %q: %+v", c.hypothesis, c.premise, v)
		}
	}
}
