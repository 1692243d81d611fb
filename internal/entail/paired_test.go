package entail

import (
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// What the evidence says of two things is not said of the one with the other's.
func TestWhatBelongsToAnother(t *testing.T) {
	for _, c := range []struct {
		name, premise, hypothesis string
		refused                   bool
	}{
		{"the other's room", "Petra lets the loft to Hask and the best room to Vey.", "Petra lets the loft to Vey.", true},
		{"the other season", "Odo sells apples in autumn and pears in winter.", "Odo sells pears in autumn.", true},
		{"its own season", "Odo sells apples in autumn and pears in winter.", "Odo sells pears in winter.", false},
		{"both seasons", "Odo sells apples in autumn and pears in winter.",
			"Odo sells apples and pears in autumn and winter.", false},

		{"the other mill", "The lower mill burned; the upper mill was spared.", "The upper mill burned.", true},
		{"the other drink", "They drank ale and the priest drank wine.", "The priest drank ale.", true},
		{"his drink", "They drank ale and the priest drank wine.", "The priest drank wine.", false},
		{"found where it was hid", "Wren hid the tin under the loft, and Tam found the tin.",
			"Tam found the tin under the loft.", false},

		{"who learned it", "Mira learned her trade from Dunstan, who learned it from Wat.",
			"Mira learned her trade from Wat.", true},
		{"who died", "Osric wed Elsbet, who died in May.", "Osric died in May.", true},
		{"she who died", "Osric wed Elsbet, who died in May.", "Elsbet died in May.", false},
		{"the mill by the weir", "The mill, which stands by the weir, burned.", "The mill by the weir burned.", false},

		{"granted to which", "The charter grants the fair to the abbey for ever.",
			"The charter grants the abbey to the fair for ever.", true},
		{"taken for which", "Sennet mistook the hemlock for parsley.", "Sennet mistook the parsley for hemlock.", true},
		{"both ways", "Osric wrote to Aldith and Aldith to Osric.", "Osric wrote to Aldith.", false},
		{"a road", "The road runs from the mill to the weir.", "The road runs from the weir to the mill.", false},

		{"was paid by", "Mira was paid by Osric for the hinges.", "Mira paid Osric for the hinges.", true},
		{"in turn", "Mira was paid by Osric for the hinges.", "Osric paid Mira for the hinges.", false},
	} {
		v := judge(t, Pair{Premise: c.premise, Hypothesis: c.hypothesis})
		if against := v.Final || v.Label == schema.Contradicted; against != c.refused {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}
