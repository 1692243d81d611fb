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

// What is told in a clause beside a denial is not denied, nor is what was too much denied less.
func TestWhatStandsBesideADenial(t *testing.T) {
	for _, c := range []struct {
		premise, hypothesis string
		denied              bool
	}{
		{"Don't trust Bram; he is a thief.", "Bram is a thief.", false},
		{"Never pay Osric in coin, he is a clipper.", "Osric is a clipper.", false},
		{"He buys you a beer. It tastes a little stale, but it's not the worst beer you have had.", "The beer tastes a little stale.", false},
		{"I have been too busy with my research to explore it deeply.", "I've not explored it deeply, I was busy with my research.", false},
		{"I was too busy with my research, and I explored it deeply.", "I have not explored it deeply, I was busy with my research.", true},
		{"The mill is full, it does not pay the toll, and Bram keeps rye.", "The mill that Bram keeps pays the toll.", true},
		{"It was not Bram; Osric burned the old mill.", "Bram burned the old mill.", true},
		{"Bram came, but he did not pay the toll.", "Bram did pay the toll.", true},
		{"Bram is not a thief; he is a smith.", "Bram is a thief.", true},
		{"The granary held no rye, and the mill was empty.", "The granary held rye.", true},
	} {
		v := judge(t, Pair{Premise: c.premise, Hypothesis: c.hypothesis})
		if denied := v.Label == schema.Contradicted || v.Final; denied != c.denied {
			t.Errorf("%q from %q: %+v", c.hypothesis, c.premise, v)
		}
	}
}
