package write_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/memory/write"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// judged is the first candidate of a message with its outcome.
func judged(g *write.Guard, turn, message string, at time.Time) write.Outcome {
	r := &schema.Reply{TurnID: turn, World: "hollowmere", NPC: "mira", Player: "p42", Message: message,
		Status: schema.StatusAnswered, GameTime: &at}
	c := extract.FromReply(r, x)[0]
	return g.Judge(context.Background(), c, extract.Words(r, x), x)
}

func applied(t *testing.T, b *memory.Book, events ...schema.MemoryEvent) {
	t.Helper()
	for _, e := range events {
		if err := b.Apply(e, wall); err != nil {
			t.Fatal(err)
		}
	}
}

// Whoever writes a memory and is interrupted before its change, by somebody else's
// entry or by a crash, makes the change up when asked again; also where the memory was
// there before and is only proved anew.
func TestAnInterruptedChangeIsMadeUp(t *testing.T) {
	type line struct {
		turn, says string
		day        int
	}
	for name, c := range map[string]struct {
		before []line
		last   line
		want   string
	}{
		"a new memory": {[]line{{"t1", "I live in Ferrytown.", 0}}, line{"t2", "I moved to Oakham.", 1},
			"Ferrytown:superseded Oakham:active"},
		"one proved anew": {[]line{{"t1", "I live in Ferrytown.", 0}, {"t2", "I live in Oakham.", 1}},
			line{"t3", "I live in Ferrytown.", 60},
			"Ferrytown:activex2 Oakham:superseded"},
	} {
		t.Run(name, func(t *testing.T) {
			b, g := memory.NewBook("hollowmere", "mira"), guard(t, nil)
			for _, l := range c.before {
				turn(t, b, g, l.turn, l.says, game.AddDate(0, 0, l.day))
			}
			o := judged(g, c.last.turn, c.last.says, game.AddDate(0, 0, c.last.day))
			events := g.Events(b, o, "", wall)
			if len(events) < 2 {
				t.Fatalf("%d events", len(events))
			}
			applied(t, b, events[0])
			applied(t, b, g.Events(b, o, "", wall)...)
			if got := stateOf(b); got != c.want {
				t.Errorf("%s; want %s", got, c.want)
			}
			if more := g.Events(b, o, "", wall); len(more) > 0 {
				t.Errorf("asked a third time it adds %d events", len(more))
			}
		})
	}
}

// What an operator settled stays settled when the player says the same words again.
func TestTheSameWordsReopenNothingThatIsSettled(t *testing.T) {
	settle := map[string]func(b *memory.Book, done schema.MemoryEvent) schema.MemoryEvent{
		"both hold": func(_ *memory.Book, done schema.MemoryEvent) schema.MemoryEvent {
			return schema.MemoryEvent{ID: "op", Type: schema.MemoryResolved, World: "hollowmere", NPC: "mira", Player: "p42",
				At: wall, By: "operator:x", Target: done.Target, Others: done.Others}
		},
		"taken back": func(_ *memory.Book, done schema.MemoryEvent) schema.MemoryEvent {
			return schema.MemoryEvent{ID: "op", Type: schema.MemoryUndone, World: "hollowmere", NPC: "mira", Player: "p42",
				At: wall, By: "operator:x", Undoes: done.ID}
		},
	}
	for name, by := range settle {
		for _, kind := range []string{"flagged by the scan", "superseded by the scan"} {
			if name == "both hold" && kind != "flagged by the scan" {
				continue
			}
			t.Run(name+", "+kind, func(t *testing.T) {
				b, g := memory.NewBook("hollowmere", "mira"), guard(t, nil, func(s *write.Settings) { s.Supersede = false })
				turn(t, b, g, "t1", "I live in Ferrytown.", game)
				turn(t, b, g, "t2", "I live in Oakham.", game.AddDate(0, 0, 1))
				sides := b.Memories()
				older, newer := sides[0], sides[1]
				if newer.EventTime.Before(older.EventTime) {
					older, newer = newer, older
				}
				done := memory.Flag(&older, &newer, "scan", "guard2", "", wall)
				if kind == "superseded by the scan" {
					done = memory.Supersede(&older, &newer, "scan", "guard2", "", wall)
				}
				applied(t, b, done)
				applied(t, b, by(b, done))
				turn(t, b, guard(t, nil), "t3", "I live in Ferrytown.", game.AddDate(0, 0, 2))
				turn(t, b, guard(t, nil), "t4", "I live in Oakham.", game.AddDate(0, 0, 90))
				if got := stateOf(b); got != "Ferrytown:activex2 Oakham:activex2" {
					t.Error(got)
				}
			})
		}
	}
}

// A drop that was taken back does not keep its candidate waiting for ever: each
// later drop is an event of its own, the same for whoever makes it.
func TestACandidateWhoseDropWasUndoneStillExpires(t *testing.T) {
	b := memory.NewBook("hollowmere", "mira")
	applied(t, b, waits(t, b, candidateOf("I live in Ferrytown."))...)
	waiting := b.Memories()[0]
	for n := range 3 {
		drop := write.Expire(b, waiting, wall)
		if b.Has(drop.ID) || write.Expire(b, waiting, wall.Add(-time.Hour)).ID != drop.ID {
			t.Fatalf("drop %d has the id %s", n, drop.ID)
		}
		applied(t, b, drop)
		if b.Len() != 0 {
			t.Fatalf("after drop %d there are %s", n, stateOf(b))
		}
		applied(t, b, schema.MemoryEvent{ID: fmt.Sprint("op", n), Type: schema.MemoryUndone, World: "hollowmere", NPC: "mira",
			Player: "p42", At: wall, By: "operator:x", Undoes: drop.ID})
		if b.Len(schema.MemoryPending) != 1 {
			t.Fatalf("undone, drop %d leaves %s", n, stateOf(b))
		}
	}
}
