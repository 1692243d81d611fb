package entail

import (
	"context"
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// What the evidence only has somebody say, think or hope is not stated.
func TestReportsAreNotStated(t *testing.T) {
	cases := []struct {
		premise, hypothesis string
		refused             bool
	}{
		{"They say that a great wyrm lives under the keep.", "A great wyrm lives under the keep.", true},
		{"I suspect someone in this house is with the guild.", "Someone in this house is with the guild.", true},
		{"The road is believed to be safe again.", "The road is safe again.", true},
		{"Bram told me that the reeve burned the mill.", "The reeve burned the mill.", true},
		{"They say that a great wyrm lives under the keep.", "They say a great wyrm lives under the keep.", false},
		{"They say that a great wyrm lives under the keep.", "There's talk of a great wyrm that lives under the keep.",
			false},
		{"I heard the wolves howling on the fell.", "The wolves were howling on the fell.", false},
		{"I know that a great wyrm lives under the keep.", "A great wyrm lives under the keep.", false},
		{"The reeve burned the mill, and they say that he fled.", "The reeve burned the mill.", false},
	}
	for _, c := range cases {
		out, err := NewRules().Verify(context.Background(), []Pair{{Premise: c.premise, Hypothesis: c.hypothesis}})
		if err != nil {
			t.Fatal(err)
		}
		if got := out[0].Final || out[0].Label == schema.Contradicted; got != c.refused {
			t.Errorf("%q from %q: refused %v, want %v: %s", c.hypothesis, c.premise, got, c.refused, out[0].Why)
		}
	}
}
