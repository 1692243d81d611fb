package memory_test

import (
	"testing"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// What another of the same name did is not told to a player as their own deed.
func TestANamesakesDeedIsNotThePlayers(t *testing.T) {
	names := memory.Names{NPC: "Mira Fenn", Player: "Ansel"}
	for _, c := range []struct{ player, subject, want string }{
		{"", "the world", "I remember that I saw this: “Ansel burned the mill.”"},
		{"", "player:p42", "I remember that you burned the mill."}, // recalled with p42 alone
		{"p42", "the world", "I remember that you burned the mill."},
	} {
		m := schema.Memory{World: "hollowmere", NPC: "mira", Player: c.player, Subject: c.subject, Pred: "happened",
			Object:  "Ansel burned the mill.",
			Content: "Ansel burned the mill.", Source: schema.OriginSystem}
		if got := memory.Spoken(&m, names); got != c.want {
			t.Errorf("of %q, %s: %s; want %s", c.player, c.subject, got, c.want)
		}
	}
}
