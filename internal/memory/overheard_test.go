package memory_test

import (
	"testing"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// The "I" of what another NPC said is not the "I" of who tells of it.
func TestWhatWasOverheardIsQuoted(t *testing.T) {
	for words, want := range map[string]string{
		"I owe you three coins.": "I remember that I was told this: “Mira said: ‘I owe you three coins.’”",
		"Bram shouted “thief”.":  "I remember that I was told this: “Mira said: ‘Bram shouted ‘thief’.’”",
	} {
		m := schema.Memory{NPC: "osric", HeardFrom: "mira", Subject: "npc:mira", Pred: "said", Player: "p1",
			Content: memory.Overheard("Mira", words), Spans: []schema.MemorySpan{{Speaker: "npc", Text: words}}}
		if got := memory.Spoken(&m, memory.Names{NPC: "Osric", Player: "Ansel"}); got != want {
			t.Errorf("%s\n got %s\nwant %s", words, got, want)
		}
	}
}
