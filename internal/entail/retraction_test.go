package entail

import (
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// A text may say a thing and not vouch for it: in the sentence before or behind it,
// in one that speaks of all, in a heading, by quotation marks, or by what stands in
// front and holds for every clause that follows.
func TestWhatATextDoesNotVouchForIsNotSupported(t *testing.T) {
	const said = "Bram burned the mill."
	cases := []struct{ premise, hypothesis string }{
		{"Bram burned the mill. He fled. All of that is a lie.", said},
		{"None of the following is true. Osric fled. Bram burned the mill.", said},
		{"Bram burned the mill. Not a word of it is true.", said},
		{"Bram burned the mill. No, it was Osric.", said},
		{"Bram burned the mill. Wait, no, Osric did.", said},
		{"Bram burned the mill. Or was it Osric?", said},
		{"Bram burned the mill. Not!", said},
		{"Bram burned the mill. As if.", said},
		{"Bram burned the mill. So goes the song.", said},
		{"Bram burned the mill. That was the plan.", said},
		{"The gate is open at night. Not any more.", "The gate is open at night."},
		{"The gate is open at night. That was before the flood.", "The gate is open at night."},
		{"Legend has it... Bram burned the mill.", said},
		{"Yrsa swears:\n\nBram burned the mill.", said},
		{"Rumours\n\nOsric fled. Bram burned the mill.", said},
		{"Common misconceptions:\n\nBram burned the mill.", said},
		{"'Bram burned the mill.' So said Yrsa.", said},
		{"‘Bram burned the mill.’ Yrsa was drunk.", said},
		{"'Bram fled,' cried Yrsa. 'He burned the mill.'", "He burned the mill."},
		{"\"The reeve is a thief, and he takes bribes,\" cried Bram.", "The reeve is a thief."},
		{"Bram sang, \"The reeve is a thief, and he takes bribes.\"", "He takes bribes."},
		{"Yeah, right, he paid his debts.", "He paid his debts."},
		{"Sure, Bram is a saint.", "Bram is a saint."},
		{"In the old songs, they ride dragons.", "They ride dragons."},
		{"On market days, we open early.", "We open early."},
		{"On market days, he sings. We open early.", "On market days, we open early."},
		{"According to Bram, he won the war.", "He won the war."},
		{"To hear Bram, he won the war.", "He won the war."},
		{"By all accounts, she is a witch.", "She is a witch."},
		{"Legend has it the mill burned, and the reeve fled.", "The reeve fled."},
		{"But in summer the gate is open, and the ferry runs.", "The ferry runs."},
		{"Were Bram king, the gate is open, and the ale is free.", "The ale is free."},
		{"Let the mill burn, and the reeve hang.", "The reeve hang."},
		{"Touch the blade again, and you die.", "Touch the blade again."},
		{"Touch the blade again, and you die of it.", "You die of it."},
		{"The room costs five gold, and a sack of rye.", "The room costs five gold."},
		{"If you pay. She sails.", "If you pay, she sails."},
		{"Bram burned the mill. Correction: Osric did.", said},
		{"Bram burned the mill. Perhaps.", said},
		{"Bram burned the mill. They say.", said},
		{"Bram burned the mill. At least in the song.", said},
		{"Bram burned the mill. If you trust Yrsa.", said},
		{"The gate is open. But only for knights.", "The gate is open."},
		{"The gate is open. Until dusk.", "The gate is open."},
		{"The gate is open. Well, almost.", "The gate is open."},
		{"Everyone came. Everyone but Bram.", "Everyone came."},
		{"Bram is \"king\" of the mere.", "Bram is king of the mere."},
		{"Bram 'paid' his debt.", "Bram paid his debt."},
		{"They reckon the mill burned, and the ferry sank.", "The ferry sank."},
		{"Bram whispers the mill burned, and the reeve fled.", "The reeve fled."},
		{"One word more, and I burn it all.", "I burn it all."},
		{"Drink deep tonight, and you wake a king.", "You wake a king."},
		{"Bram burned the mill. I mean to say, Osric did.", said},
		{"Bram burned the mill. I did not know he lied.", said},
		{"Bram burned the mill. I had never lied to a reeve.", said},
		{"Bram burned the mill. I've never lied better.", said},
		{"Bram burned the mill. I mean to take that back.", said},
		{"Bram burned the mill. It was not, I was mistaken.", said},
		{"Bram burned the mill. I should never have lied.", said},
		{"Bram burned the mill. Was that not a joke?", said},
		{"Bram burned the mill. Do not listen to nonsense.", said},
		{"Two nights a year the dead walk, and the gate is open.", "The gate is open."},
	}
	for _, c := range cases {
		if v := judge(t, Pair{Premise: c.premise, Hypothesis: c.hypothesis}); v.Label == schema.Supported {
			t.Errorf("%q from %q: %+v", c.hypothesis, c.premise, v)
		}
	}
}

// A sentence stands where others only seem to take it back.
func TestWhatIsNotTakenBackIsSupported(t *testing.T) {
	const said = "Bram burned the mill."
	for _, premise := range []string{
		"Bram burned the mill. No guard of the reeve's saw him.",
		"Bram burned the mill. I mean to ask him why.",
		"Bram burned the mill. Not a soul of the whole town saw him.",
		"Bram burned the mill. So the reeve hanged him.",
		"The mill\n\nBram burned the mill.",
		"What is known:\n\nOsric fled. Bram burned the mill.",
		"Bram burned the mill. The weir held..",
		"'Twas Osric's plan. Bram burned the mill.",
		"The guards' hall fell. Bram burned the mill.",
		"Bram burned the mill, and the guards' hall fell with it.",
		"Bram burned the mill; Osric took the horses.",
		"Bram burned the mill. By dawn it was gone.",
		"Bram burned the mill. When he fled, Osric hanged him.",
		"Bram burned the mill. No guard of the reeve's was there.",
		"Bram burned the mill. Some of the barns burned.",
		"'Yes,' cried Yrsa. Bram burned the mill. 'All is lost.'",
	} {
		if v := judge(t, Pair{Premise: premise, Hypothesis: said}); v.Label != schema.Supported {
			t.Errorf("%q from %q: %+v", said, premise, v)
		}
	}
}

// What a play tells is not so.
func TestAPlayIsTold(t *testing.T) {
	for _, premise := range []string{"This is our play, and Osric kills the king.",
		"The play is long, and Osric kills the king."} {
		if v := judge(t, Pair{Premise: premise, Hypothesis: "Osric kills the king."}); v.Label == schema.Supported {
			t.Errorf("%q: %+v", premise, v)
		}
	}
}
