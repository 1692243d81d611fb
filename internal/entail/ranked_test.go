package entail

import (
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Who is one of the greatest is not the greatest, whatever else the evidence calls so.
func TestOneOfTheGreatest(t *testing.T) {
	for _, c := range []struct {
		name, premise, hypothesis string
		refused                   string // the evidence's own words; empty: the rule is silent
	}{
		{"another thing is the oldest", "Osric is one of the oldest men in Cor. The oldest tree stands by the well.",
			"Osric is the oldest man in Cor.", "one of the oldest"},
		{"another man is the oldest", "Osric is one of the oldest men in Cor. Wren is the oldest man in Cor.",
			"Osric is the oldest man in Cor.", "one of the oldest"},
		{"a question says nothing", "Is Osric the oldest man in Cor? He is one of the oldest men.",
			"Osric is the oldest man in Cor.", "one of the oldest"},
		{"another superlative said outright", "Osric is the youngest man, and one of the greatest smiths.",
			"Osric is the youngest man and the greatest smith.", "one of the greatest"},
		{"the most", "Osric is one of the most skilled smiths in Cor.", "Osric is the most skilled smith in Cor.",
			"one of the most skilled"},
		{"two of them", "Osric and Wren are two of the oldest smiths.", "Osric is the oldest smith.", "two of the oldest"},
		{"among them", "Osric is among the oldest smiths.", "Osric is the oldest smith.", "among the oldest"},
		{"among his", "Osric is among his finest smiths.", "Osric is his finest smith.", "among his finest"},

		{"the greatest among others", "Among smiths Osric is the greatest.", "Osric is the greatest smith.", ""},
		{"two claimed of several", "Osric and Wren are among the oldest smiths.",
			"Osric and Wren are two of the oldest smiths.", ""},
		{"a lot of them", "Many of the oldest barrels leak.", "A lot of the oldest barrels leak.", ""},
		{"who belongs to them", "Osric is one of the oldest smiths.", "The oldest smiths include Osric.", ""},
		{"ranks with them", "Osric is one of the best smiths.", "Osric ranks with the best smiths.", ""},
		{"of that kind", "The Swan is one of the oldest inns.", "The Swan is an inn of the oldest kind.", ""},
		{"a footrest", "The stool is one of the footrests.", "The stool is the footrest.", ""},
		{"most of them", "Osric drank most of the ale.", "Osric drank most of the ale, he did.", ""},
	} {
		v := judge(t, Pair{Premise: c.premise, Hypothesis: c.hypothesis})
		if says := strings.Contains(v.Why, "“"+c.refused+"”"); c.refused != "" && (!v.Final || !says) ||
			c.refused == "" && strings.Contains(v.Why, "quantifier: the evidence says") {
			t.Errorf("%s: %+v", c.name, v)
		}
		if v.Label == schema.Supported && c.refused != "" {
			t.Errorf("%s is supported: %+v", c.name, v)
		}
	}
}

// What goes from one to the other goes not from the other to the one, unless it spans them.
func TestTurnedRound(t *testing.T) {
	for _, c := range []struct {
		name, premise, hypothesis string
		refused                   bool
	}{
		{"ran", "Osric ran from Cor to Hale.", "Osric ran from Hale to Cor.", true},
		{"led", "Osric led the sheep from Cor to Hale.", "Osric led the sheep from Hale to Cor.", true},
		{"and", "Osric and Wren carried the bell from Cor to Hale.",
			"Osric and Wren carried the bell from Hale to Cor.", true},
		{"to the one from the other", "Osric sent the bell to Cor from Hale.", "Osric sent the bell to Hale from Cor.", true},
		{"far apart", "Osric carried the bell from the old ruined mill by the water to the chapel.",
			"Osric carried the bell from the chapel to the old ruined mill by the water.", true},

		{"there and back", "Osric rode from Cor to Hale. A week later he rode from Hale to Cor.",
			"Osric rode from Hale to Cor.", false},
		{"there and back in a sentence", "Osric rode from Cor to Hale and then from Hale to Cor.",
			"Osric rode from Hale to Cor.", false},
		{"back and forth", "Osric rides back and forth from Cor to Hale.", "Osric rides back and forth from Hale to Cor.",
			false},
		{"a fence", "The fence extends from Cor to Hale.", "The fence extends from Hale to Cor.", false},
		{"a wall", "The wall goes from Cor to Hale.", "The wall goes from Hale to Cor.", false},
		{"it leads", "It leads from Cor to Hale.", "It leads from Hale to Cor.", false},
	} {
		v := judge(t, Pair{Premise: c.premise, Hypothesis: c.hypothesis})
		turned := strings.Contains(v.Why, "the other way") && v.Final
		if turned != c.refused {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}
