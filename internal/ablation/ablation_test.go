package ablation_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/ablation"
)

func TestStagesAreReadByName(t *testing.T) {
	for _, c := range []struct{ names, want, fault string }{
		{"", "", ""},
		{"rav nli", "rav nli", ""},
		{"rag", "", "--without rag: there is no such stage; write rav, evidence-first, self-rag, nli"},
		{"RAV", "", "there is no such stage"},
		{"rav nli rav", "", "--without rav: is named twice"},
	} {
		got, err := ablation.Parse(strings.Fields(c.names))
		if !slices.Equal(got.Names(), strings.Fields(c.want)) || (err != nil) != (c.fault != "") ||
			err != nil && (!strings.Contains(err.Error(), c.fault) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%q: %v, %v", c.names, got, err)
		}
	}
	if ablation.Set(nil).Has(ablation.RAV) || !(ablation.Set{ablation.RAV}).Has(ablation.RAV) {
		t.Error("a set does not know what it holds")
	}
}
