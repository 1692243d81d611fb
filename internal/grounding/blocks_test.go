package grounding_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

var update = flag.Bool("update", false, "write the golden files anew")

func sources() []protocol.Source {
	at := time.Date(1402, 4, 9, 6, 0, 0, 0, time.UTC)
	return []protocol.Source{
		{ID: "1", Path: "lore/mill/fire.txt", ChunkID: "lore/mill/fire.txt#1", Type: "chronicle", Author: "aldith",
			Score: 0.91,
			Content: "The mill burned on the night of the third of April. Nobody saw it begin.\nThe lock was whole. The " +
				"weir held, though Dr. Vane said it would not.\n\nThe reeve offered forty crowns. Nobody came.",
			Provenance: protocol.Provenance{Source: schema.OriginCorpus, World: "hollowmere", CreatedAt: at, IndexedAt: at,
				Hash: "a1"}},
		{ID: "2", Path: "npcs/mira/home/notes.txt", ChunkID: "npcs/mira/home/notes.txt#2", Type: "note", Author: "mira",
			Private: true, Score: 0.62,
			Content:    "I found a firesteel in the ashes.  It was Elsbet's!",
			AllowedFor: []string{"world"}, Provenance: protocol.Provenance{Source: schema.OriginCorpus, World: "hollowmere",
				NPC: "mira", CreatedAt: at, IndexedAt: at, Hash: "b2"}},
		{ID: "3", Path: "lore/talk.log", ChunkID: "lore/talk.log#7", Type: "log", Speaker: "Yrsa", At: at, Belief: "rumour",
			Score:   0.4,
			Content: "It was the fellkin, I tell you.",
			Provenance: protocol.Provenance{Source: schema.OriginCorpus, World: "hollowmere", CreatedAt: at, IndexedAt: at,
				Hash: "c3"}},
		{ID: "4", Path: "lore/copy.txt", ChunkID: "lore/copy.txt#1", Type: "chronicle", Author: "aldith", Score: 0.3,
			Content: "“The reeve offered forty crowns.  Nobody came!”",
			Provenance: protocol.Provenance{Source: schema.OriginCorpus, World: "hollowmere", CreatedAt: at, IndexedAt: at,
				Hash: "d4"}},
	}
}

// The same sources give the same blocks, byte for byte.
func TestBlocksGolden(t *testing.T) {
	got, err := json.MarshalIndent(grounding.Blocks(sources(), grounding.DefaultLimits), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/blocks.json"
	if *update {
		if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytes.TrimSpace(want), got) {
		t.Errorf("blocks differ from %s:\n%s", golden, got)
	}
}

func TestPropertyBlocksAreVerbatimWithinLimits(t *testing.T) {
	words := []string{"The mill burned", "Nobody saw it", "Dr. Vane came", "He said: “no”", "It cost 3.5 marks",
		strings.Repeat("long ", 90), strings.Repeat("longer ", 200)}
	ends := []string{". ", "! ", "?\n", ".\n\n", " ", "… "}
	rapid.Check(t, func(t *rapid.T) {
		var all []protocol.Source
		for i := range rapid.IntRange(0, 12).Draw(t, "sources") {
			var b strings.Builder
			for range rapid.IntRange(0, 12).Draw(t, "sentences") {
				b.WriteString(rapid.SampledFrom(words).Draw(t, "words"))
				b.WriteString(rapid.SampledFrom(ends).Draw(t, "end"))
			}
			all = append(all, protocol.Source{ID: string(rune('1' + i)), Content: b.String(), Path: "p",
				Author: string(rune('a' + i))})
		}
		l := grounding.Limits{MaxChars: rapid.IntRange(20, 400).Draw(t, "chars"),
			MaxBlocks: rapid.IntRange(0, 14).Draw(t, "blocks"), MaxTokens: rapid.IntRange(0, 1500).Draw(t, "tokens")}
		blocks := grounding.Blocks(all, l)
		tokens := 0
		for n, e := range blocks {
			var src *protocol.Source
			for i := range all {
				if all[i].ID == e.SourceID {
					src = &all[i]
				}
			}
			size := utf8.RuneCountInString(e.Text)
			tokens += (size + 3) / 4
			switch inside := text.Sentences(e.Text); {
			case src == nil || !strings.Contains(src.Content, e.Text):
				t.Fatalf("%q is not in its source", e.Text)
			case len(inside) < 1 || len(inside) > 3:
				t.Fatalf("%q has %d sentences", e.Text, len(inside))
			case size > l.MaxChars && len(inside) > 1, size > 2*l.MaxChars:
				t.Fatalf("%q is %d long, the limit %d", e.Text, size, l.MaxChars)
			case e.ID != "E"+itoa(n+1):
				t.Fatalf("block %d is named %s", n, e.ID)
			}
		}
		if len(blocks) > l.MaxBlocks || tokens > l.MaxTokens {
			t.Fatalf("%d blocks, %d tokens; the limits are %+v", len(blocks), tokens, l)
		}
		again := grounding.Blocks(all, l)
		for i := range blocks {
			if blocks[i].Text != again[i].Text || blocks[i].ID != again[i].ID {
				t.Fatal("a second cut differs")
			}
		}
	})
}

func itoa(n int) string {
	b, _ := json.Marshal(n)
	return string(b)
}

func TestTheBestSourcesAreToldInFull(t *testing.T) {
	var all []protocol.Source
	for i := range 8 {
		var b strings.Builder
		for k := range 9 {
			b.WriteString("Sentence " + itoa(k) + " of source " + itoa(i) + " stands here. ")
		}
		all = append(all, protocol.Source{ID: itoa(i + 1), Author: itoa(i), Content: b.String()})
	}
	per := map[string]int{}
	for _, e := range grounding.Blocks(all, grounding.Limits{MaxChars: 120, MaxBlocks: 12, MaxTokens: 5000}) {
		per[e.SourceID]++
	}
	if per["1"] < per["2"] || per["2"] < per["5"] || per["1"] < 3 || len(per) < 4 {
		t.Errorf("blocks by source: %v", per)
	}
}
