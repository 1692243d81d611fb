package app_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/admin"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// boat is what nothing in the village says.
const boat = "Teague sold his sister's boat."

// inventing has a model's invention get past the review in the turns of one player.
func inventing(player string) func(schema.Pass, mesh.Handler) mesh.Handler {
	return func(pass schema.Pass, h mesh.Handler) mesh.Handler {
		if pass != schema.PassAct {
			return h
		}
		return func(ctx context.Context, t *protocol.Turn) (schema.Pass, error) {
			if t.Player == player && len(t.Released) > 0 {
				t.Released[0].Text, t.Released[0].Authored = boat, false
				t.Released[0].Hash = protocol.HashText(boat)
			}
			return h(ctx, t)
		}
	}
}

// At its start a process reads from the stream what it knows of an NPC's sentences.
func TestTheStreamKeepsWhatAProcessKnows(t *testing.T) {
	if transport.HashesKept < lore.EchoesKept {
		t.Errorf("the stream keeps %d replies, and a process knows %d sentences", transport.HashesKept, lore.EchoesKept)
	}
}

// An NPC that invents something to one player hears it from others later. It does not take
// its own words for theirs, however they bring them, also in a process that was started
// since; what it had heard before it said so stays theirs. Once the player to whom it was
// said is erased, nothing is known of it any more.
func TestWhatAnNPCMadeUpIsNoEvidenceFromAnybody(t *testing.T) {
	tb := &table{t: t, dir: t.TempDir(), guards: guards.Default(), notices: &notices{}, wrap: inventing("a")}
	tb.start()
	tells := func(player, words string) { tb.say("mira", player, "Ansel", words, dayOne) }
	remembers := func(player string) (string, bool) {
		r := tb.say("mira", player, "Ansel", "What did I tell you about Teague?", dayOne.AddDate(0, 0, 1))
		return r.Text, strings.Contains(r.Text, "boat")
	}
	check := func(when string, want map[string]bool) {
		t.Helper()
		for player, told := range want {
			if text, ok := remembers(player); ok != told {
				t.Errorf("%s, %s is told %q", when, player, text)
			}
		}
	}
	tells("early", boat)
	if r := tb.say("mira", "a", "Berta", "Who owns the ferry?", dayOne); r.Text != boat {
		t.Fatalf("nothing was invented: %q", r.Text)
	}
	tb.knows(true)
	tells("late", boat)
	tells("quotes", "I heard that Teague sold his sister's boat.")
	tells("other", "Teague bought his brother's cart.")
	want := map[string]bool{"early": true, "late": false, "quotes": false}
	check("at once", want)
	if text := tb.say("mira", "other", "Ansel", "What did I tell you about Teague?", dayOne).Text; !strings.Contains(text,
		"cart") {
		t.Errorf("what only a player said is told as %q", text)
	}
	tb.restart()
	tb.knows(true)
	check("after a restart", want)

	index, err := app.NewErasedIndex(tb.app.Session(), tb.app.Client.MemoryLog(), true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := admin.ErasePlayer(t.Context(), "a", admin.Erasure{Conn: tb.app.Conn, Index: index, Data: tb.dir,
		Running: true, Now: time.Now, NewID: func() string { return "e1" }}); err != nil {
		t.Fatal(err)
	}
	tb.knows(false)
	check("after the erasure", map[string]bool{"early": true, "late": true, "quotes": true})
}

// knows waits until the process knows, or knows no more, that mira spoke of the boat.
func (tb *table) knows(want bool) {
	tb.t.Helper()
	ctx, stop := context.WithTimeout(tb.t.Context(), 20*time.Second)
	defer stop()
	for app.Heard(tb.app, "village", "mira", boat) != want {
		if _, err := tb.app.Conn.SaidHashes().End(ctx); err != nil { // and so wait for the broker
			tb.t.Fatalf("that she said it is not known, or still is: want %v: %v", want, err)
		}
	}
}
