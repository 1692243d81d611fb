package entail

import (
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Two sentences may share a name and nothing else, whatever a model makes of them.
func TestRootedIsToShareMoreThanNames(t *testing.T) {
	mill := "The mill of Hollowmere burned in the spring of 1402, and Osric saw it from the ford."
	lies := "Hollowmere lies on the east shore of the Hollow Mere and is enclosed on its landward side by a timber " +
		"palisade."
	gates := "The town has two gates, the North Gate towards the fells and the South Gate on the road to Osterwick."
	for _, c := range []struct {
		premise, hypothesis string
		names               Names
		want                bool
	}{
		{mill, "Hollowmere took ages to get over it.", Names{}, false},
		{lies, "Hollowmere took ages to get over it.", Names{}, false}, // it begins both sentences
		{mill, "Osric has never forgiven Hollowmere.", Names{}, false},
		{mill, "osric has never forgiven hollowmere", Names{}, false},
		{mill, "It was Osric, they say, who suffered most.", Names{}, false},
		{mill, "Osric's nights are dreary.", Names{}, false},
		{mill, "Osric was there when the mill went up.", Names{}, true},
		{mill, "A blaze took it, in Hollowmere.", Names{}, true}, // a synonym
		{mill, "It was Osric.", Names{}, true},                   // no more than names, which a rule looks for
		{mill, "It was in 1402.", Names{}, true},                 // nor a figure
		{mill, "", Names{}, true},
		{"I was born in Hollowmere.", "I come from Hollowmere.", Names{}, true},
		{"Teague owns the ferry.", "Teague went away a long time ago.", Names{}, false}, // light words alone
		{"The body of Davy Teague was never found.", "Davy Teague never loved anyone.", Names{}, false},
		{"Wren sold the anvil.", "Wren is a thief.", Names{Known: []string{"Old Wren"}}, false},
		{"Wren sold the anvil.", "Wren got rid of the anvil.", Names{Known: []string{"Old Wren"}}, true},
		{"Wren sold the anvil.", "She SOLD it.", Names{}, true},
		{gates, "There's a gate on the north side.", Names{}, true},
		{"I sold the anvil.", "Mira is a thief.", Names{Self: "Mira"}, false},
		{"February was bad for the old ones in February.", "February took the better part of a year to get over.", Names{},
			false},
	} {
		if got := Rooted(Pair{Premise: c.premise, Hypothesis: c.hypothesis, Names: c.names}); got != c.want {
			t.Errorf("%q of %q: %v", c.hypothesis, c.premise, got)
		}
	}
}

// However sure a model is, what has no root in the evidence is not supported where roots
// are wanted; nor does another tier get it.
func TestWhatHasNoRootIsRefusedWhereOneIsWanted(t *testing.T) {
	sure, p := 0.99, Probability{Entailed: 0.98, Neutral: 0.01, Contradicted: 0.01}
	lie := Pair{Premise: "The mill of Hollowmere burned.", Hypothesis: "Hollowmere took ages to get over it."}
	at := Thresholds{Entailment: 0.86, Contradiction: 0.9, Ambiguous: 0.1}
	if v := at.Judge(TierModel, sure, p, lie, schema.Verdict{}); v.Label != schema.Supported {
		t.Errorf("where none is wanted: %+v", v)
	}
	at.Rooted = true
	v := at.Judge(TierModel, sure, p, lie, schema.Verdict{})
	if v.Label != schema.Unverifiable || !v.Final || v.Score > scoreUnknown ||
		!strings.Contains(v.Why, "nothing but names") {
		t.Errorf("where one is wanted: %+v", v)
	}
	lie.Hypothesis = "The mill burned down, at Hollowmere."
	if v := at.Judge(TierModel, sure, p, lie, schema.Verdict{}); v.Label != schema.Supported {
		t.Errorf("with a root: %+v", v)
	}
}
