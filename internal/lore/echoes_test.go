package lore_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/text"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestWhatAnNPCSaidIsKnownByItsWords(t *testing.T) {
	b := lore.NewEchoes()
	b.Add("village", "mira", noon, lore.EchoesOf("Teague sold his sister's boat. Ask me no more. Well.", ""))
	b.Add("village", "mira", noon.Add(time.Hour), lore.EchoesOf("Teague sold his sister's boat!", ""))
	for _, c := range []struct {
		world, npc, said string
		known            bool
	}{
		{"village", "mira", "teague sold  his sister’s BOAT", true},
		{"village", "mira", "Teague sold his brother's boat.", false},
		{"village", "mira", "Well.", false}, // anybody says that
		{"village", "osric", "Teague sold his sister's boat.", false},
		{"town", "mira", "Teague sold his sister's boat.", false},
	} {
		at, ok := b.Said(c.world, c.npc, text.Fold(c.said))
		if ok != c.known || ok && !at.Equal(noon) {
			t.Errorf("%s of %s said %q: %v, %v", c.npc, c.world, c.said, at, ok)
		}
	}
	if _, ok := (*lore.Echoes)(nil).Said("village", "mira", "anything at all here"); ok {
		t.Error("no book knows something")
	}
}

// What the player said first is the player's, though the model says it after.
func TestWhatAPlayerSaidFirstIsNoEcho(t *testing.T) {
	heard := "Listen: the rope of the ferry is frayed, I saw it."
	if got := lore.EchoesOf("The rope of the ferry is frayed. Teague sold his sister's boat.", heard); len(got) != 1 ||
		got[0] != lore.EchoHash(text.Fold("Teague sold his sister's boat.")) {
		t.Errorf("%d hashes", len(got))
	}
}

// However much an NPC says, what is known of it is bounded, and it is the latest.
func TestTheOldestSentenceMakesRoom(t *testing.T) {
	b := lore.NewEchoes()
	const more = 100
	said := func(i int) string { return fmt.Sprintf("the mill has ground %d sacks", i) }
	for i := range lore.EchoesKept + more {
		b.Add("village", "mira", noon.Add(time.Duration(i)*time.Second), []uint64{lore.EchoHash(said(i))})
	}
	n := 0
	for i := range lore.EchoesKept + more {
		if _, ok := b.Said("village", "mira", said(i)); ok {
			n++
		}
	}
	if n != lore.EchoesKept {
		t.Errorf("%d are kept, want %d", n, lore.EchoesKept)
	}
	for i, want := range map[int]bool{0: false, more - 1: false, more: true, lore.EchoesKept + more - 1: true} {
		if _, ok := b.Said("village", "mira", said(i)); ok != want {
			t.Errorf("sentence %d is known: %v, want %v", i, ok, want)
		}
	}
}

// What stands in another book takes the place of all that was known of an NPC.
func TestAnNPCIsReadAnew(t *testing.T) {
	b, other := lore.NewEchoes(), lore.NewEchoes()
	b.Add("village", "mira", noon, []uint64{lore.EchoHash("one"), lore.EchoHash("two")})
	b.Add("village", "osric", noon, []uint64{lore.EchoHash("three")})
	other.Add("village", "mira", noon, []uint64{lore.EchoHash("two")})
	b.Replace("village", "mira", other)
	b.Replace("village", "nobody", other)
	for _, c := range []struct {
		npc, said string
		want      bool
	}{{"mira", "one", false}, {"mira", "two", true}, {"osric", "three", true}, {"nobody", "two", false}} {
		if _, ok := b.Said("village", c.npc, c.said); ok != c.want {
			t.Errorf("%s is known to have said %s: %v", c.npc, c.said, ok)
		}
	}
}

// BenchmarkSaid is what one sentence of a source costs beside a full ring.
func BenchmarkSaid(b *testing.B) {
	book := lore.NewEchoes()
	for i := range uint64(lore.EchoesKept) {
		book.Add("village", "mira", noon, []uint64{i << 50})
	}
	for b.Loop() {
		book.Said("village", "mira", "the miller has sold his brother's old grey mare to the duke")
	}
}
