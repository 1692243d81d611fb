package retrieval

import (
	"testing"

	"github.com/forsooth-npc/forsooth/internal/embed"
)

// A slip of the pen in a common word names nobody; a made-up name is no slip.
func TestASlipOfThePenIsNoName(t *testing.T) {
	english, err := embed.NewStatic()
	if err != nil {
		t.Fatal(err)
	}
	x := &Index{english: english.Tokenizer()}
	for word, want := range map[string]bool{
		"diffrent": true, "freinds": true, "somthing": true, "becuase": true,
		"brackenholt": false, "moonwheat": false, "dragonwort": false, "quillfeather": false, "harl": false,
	} {
		if got := x.isSlip(word); got != want {
			t.Errorf("%s: a slip is %t, want %t", word, got, want)
		}
	}
}
