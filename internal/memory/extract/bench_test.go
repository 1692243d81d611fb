package extract_test

import (
	"testing"

	"github.com/forsooth-npc/forsooth/internal/memory/extract"
)

func BenchmarkFromReply(b *testing.B) {
	r := reply("I'm Ansel, I come from the coast and I work at the mill. My brother Tom lives in Oakham.")
	for b.Loop() {
		extract.FromReply(r, ansel)
	}
}
