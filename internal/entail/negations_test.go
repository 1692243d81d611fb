package entail

import (
	"context"
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func TestNegationsAlone(t *testing.T) {
	for _, c := range []struct {
		name, premise, hypothesis string
		label                     schema.Label
	}{
		{"denied", "The granary held no rye.", "The granary held some rye.", schema.Contradicted},
		{"denied on a day", "The granary held no rye in April.", "The granary held some rye.", schema.Contradicted},
		{"denied under a condition", "Unless it rains the granary held no rye.", "The granary held some rye.", schema.Unverifiable},
		{"denied, and another name besides", "The granary held no rye for Bram.", "The granary held some rye for Osric.", schema.Unverifiable},
		{"word for word", "The granary held some rye.", "The granary held some rye.", schema.Unverifiable},
		{"another number", "The granary held forty sacks.", "The granary held thirty sacks.", schema.Unverifiable},
		{"no words", "The granary held no rye.", "", schema.Unverifiable},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := Negations{}.Verify(context.Background(), []Pair{{Premise: c.premise, Hypothesis: c.hypothesis}})
			if err != nil || out[0].Label != c.label || out[0].Final {
				t.Errorf("%+v, %v", out, err)
			}
		})
	}
}
