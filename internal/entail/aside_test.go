package entail

import (
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// What stands in brackets or between marks is a part of the claim, however it is written.
func TestForeignAside(t *testing.T) {
	const well, price = "The well is sixty feet deep.", "The ale costs six pennies at the Swan."
	for _, c := range []struct {
		name, premise, hypothesis string
		aside                     string // the words that are refused; empty: none
	}{
		{"brackets in brackets", well, "(bows (to me) low) The well is sixty feet deep.", "(bows (to me) low)"},
		{"brackets that do not match", well, "[bows low) The well is sixty feet deep.", "[bows low)"},
		{"a bracket that does not end", well, "The well is sixty feet deep. (bows low", "(bows low"},
		{"wide brackets", well, "（bows low） The well is sixty feet deep.", "bows low"},
		{"wide stars", well, "＊bows low＊ The well is sixty feet deep.", "bows low"},
		{"two underscores", well, "__bows low__ The well is sixty feet deep.", "bows low"},
		{"two stars", well, "**bows low** The well is sixty feet deep.", "bows low"},
		{"over two lines", well, "(bows\nlow) The well is sixty feet deep.", "bows"},
		{"one word at the front", well, "*bows* The well is sixty feet deep.", "*bows*"},
		{"one word at the end", well, "The well is sixty feet deep. *bows*", "*bows*"},

		{"stress on a word", price, "The ale *sells* for six pennies at the Swan.", ""},
		{"a figure beside its word", price, "The ale costs six (6) pennies at the Swan.", ""},
		{"a word of the evidence", price, "The ale (at the Swan) costs six pennies.", ""},
	} {
		v := judge(t, Pair{Premise: c.premise, Hypothesis: c.hypothesis})
		found := strings.Contains(v.Why, "is not in the evidence") && v.Final
		if found != (c.aside != "") || !strings.Contains(v.Why, c.aside) {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}

// A claim that the evidence contradicts is contradicted also where a word of it is stressed.
func TestStressHidesNoContradiction(t *testing.T) {
	for _, said := range []string{"The ale costs *nine* pennies at the Swan.",
		"The ale costs _nine_ pennies at the Swan."} {
		v := judge(t, Pair{Premise: "The ale costs six pennies at the Swan.", Hypothesis: said})
		if v.Label != schema.Contradicted {
			t.Errorf("%q: %+v", said, v)
		}
	}
}
