package world_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/forsooth-npc/forsooth/internal/world"
)

func TestConditionsHold(t *testing.T) {
	facts := world.Facts{
		Trust: 20,
		Flags: []string{"quest.mill.started", "met-mira", "the gate is open"},
		State: map[string]any{
			"player.level": 7, "mira.shop_open": true, "weather": "rain", "gold": json.Number("12.5"),
			"player": map[string]any{"guild": map[string]any{"rank": "master"}},
		},
	}
	for condition, want := range map[string]bool{
		"":                                    true,
		"trust >= 20":                         true,
		"trust > 20":                          false,
		"20 <= trust":                         true,
		"trust >= -100":                       true,
		"trust != 20":                         false,
		"flags.quest.mill.started":            true,
		"flags.quest.mill":                    false,
		"not flags.quest.mill":                true,
		"flags.met-mira":                      true,
		`flag("the gate is open")`:            true,
		`flags["the gate is open"]`:           true,
		"flags.met-mira == false":             false,
		"trust >= 20 and flags.met-mira":      true,
		"trust >= 30 or flags.met-mira":       true,
		"trust >= 30 && flags.met-mira":       false,
		"trust >= 30 || !flags.x":             true,
		"not trust >= 30":                     true,
		"not (trust >= 30 or flags.met-mira)": false,
		"true or false and false":             true,
		"(true or false) and false":           false,
		"state.player.level >= 5":             true,
		`state["player.level"] == 7`:          true,
		"player.level < 7":                    false,
		"mira.shop_open":                      true,
		"mira.shop_open == true":              true,
		`state.weather == "rain"`:             true,
		`state.weather != 'rain'`:             false,
		"state.gold > 12":                     true,
		`player.guild.rank == "master"`:       true,
		"TRUST >= 20 AND NOT flags.x":         true,
		// What is missing or of another kind is unknown, and unknown does not hold,
		"state.missing":                       false,
		"not state.missing":                   false,
		"state.missing == 1":                  false,
		"state.missing != 1":                  false,
		"not (state.missing == 1)":            false,
		"not (state.missing and trust >= 20)": false,
		`state.weather >= 5`:                  false,
		`not (state.weather >= 5)`:            false,
		`state.player.level == "7"`:           false,
		"state.weather":                       false,
		// unless the other side decides alone.
		"state.missing or trust >= 20":        true,
		"not (state.missing and trust >= 30)": true,
	} {
		c, err := world.ParseCondition(condition)
		if err != nil {
			t.Errorf("%s: %v", condition, err)
			continue
		}
		if got := c.Holds(facts); got != want {
			t.Errorf("%s: %v, want %v", condition, got, want)
		}
	}
}

func TestConditionErrorsNameTheColumn(t *testing.T) {
	for condition, want := range map[string]string{
		"trust":      "column 1: `trust` alone is neither true nor false",
		"trust >=":   "column 9: a name, a number or a text is expected, not the end",
		"trust = 20": "column 7: `=` is not a comparison; write `==`",
		"loyalty >= 20": "column 1: `loyalty` is no name that a condition knows; write trust, flags.loyalty " +
			"or state.loyalty",
		"trust >= 20 flags.x":       "column 13: `flags.x` is not expected here",
		"(trust >= 20":              "column 13: a closing ) is missing before the end",
		"trust >= 20)":              "column 12: `)` is not expected here",
		"1 < trust < 5":             "column 11: a comparison has two sides",
		`trust == "high"`:           "column 7: a number cannot be compared with a text",
		`state.a > "b"`:             "column 9: `>` compares numbers",
		"flags.x > 1":               "column 9: true or false cannot be compared with a number",
		"flags.":                    "column 1: `flags.` has an empty part",
		"flags":                     "column 6: [ is expected",
		`flag(mill)`:                "column 6: a quoted name is expected",
		`flag("mill"`:               "column 12: ) is expected before the end",
		`state.a == "b`:             "column 12: the text that begins here has no closing \"",
		"trust >= 20 and":           "column 16: a name, a number or a text is expected",
		"and":                       "column 1: a name, a number or a text is expected, not `and`",
		"trust + 1 > 2":             "column 7: '+' has no meaning",
		"1.2.3 < trust":             "column 1: `1.2.3` is not a number",
		"20":                        "column 1: `20` alone is neither",
		strings.Repeat("(", 200):    "nests deeper than 64",
		strings.Repeat("not ", 200): "nests deeper than 64",
		strings.Repeat("x", 1025):   "it is 1025 bytes long",
	} {
		if _, err := world.ParseCondition(condition); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: err = %v, want %q", condition, err, want)
		}
	}
}

// Whatever a condition says, what it prints as says the same.
func TestConditionPrintsAsItParses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		source := drawCondition(t, 4)
		c, err := world.ParseCondition(source)
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		again, err := world.ParseCondition(c.String())
		if err != nil {
			t.Fatalf("%s prints as %s: %v", source, c, err)
		}
		if c.String() != again.String() {
			t.Fatalf("%s prints as %s and then as %s", source, c, again)
		}
		facts := world.Facts{
			Trust: rapid.IntRange(-100, 100).Draw(t, "trust"),
			Flags: rapid.SliceOf(rapid.SampledFrom([]string{"a", "b.c", "d e"})).Draw(t, "flags"),
			State: map[string]any{"x.y": rapid.Bool().Draw(t, "x.y"), "z": rapid.IntRange(-2, 2).Draw(t, "z")},
		}
		if c.Holds(facts) != again.Holds(facts) {
			t.Fatalf("%s and %s differ on %+v", source, c, facts)
		}
	})
}

func drawCondition(t *rapid.T, depth int) string {
	leaves := []string{"true", "false", "flags.a", "flags.b.c", `flag("d e")`, "x.y", "state.z >= 1", "trust < 10",
		"-3.5 <= trust", `state["q\"r"] == 'it\'s'`, "state.missing", "x.y != false", "z.z == state.z"}
	if depth == 0 {
		return rapid.SampledFrom(leaves).Draw(t, "leaf")
	}
	switch rapid.IntRange(0, 4).Draw(t, "shape") {
	case 0:
		return drawCondition(t, 0)
	case 1:
		return "not " + drawCondition(t, depth-1)
	case 2:
		return "(" + drawCondition(t, depth-1) + ")"
	case 3:
		return drawCondition(t, depth-1) + rapid.SampledFrom([]string{" and ", " && "}).Draw(t, "and") +
			drawCondition(t, depth-1)
	}
	return drawCondition(t, depth-1) + rapid.SampledFrom([]string{" or ", "||"}).Draw(t, "or") + drawCondition(t, depth-1)
}

func FuzzParseCondition(f *testing.F) {
	for _, s := range []string{"trust >= 20", `flag("a") and not state["b"] == 'c'`, "x.y||!(z.z<1)", "((", "\xff", "-",
		"a.b.-1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := world.ParseCondition(s)
		if err != nil {
			if strings.Contains(err.Error(), "\n") && !strings.Contains(s, "\n") {
				t.Fatalf("the error for %q has more than one line: %v", s, err)
			}
			return
		}
		c.Holds(world.Facts{})
		printed := c.String()
		if len(printed) > 1024 {
			return
		}
		again, err := world.ParseCondition(printed)
		if err != nil || again.String() != printed {
			t.Fatalf("%q prints as %q, which reads as %q, %v", s, printed, again, err)
		}
	})
}
