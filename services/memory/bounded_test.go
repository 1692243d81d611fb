package memory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	domain "github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/mesh/admin"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/memory"
)

// told is a memory of mira's, of a player or of nobody.
func (d *desk) told(player string, n int) schema.Memory {
	turn := fmt.Sprintf("%s-t%d", player, n)
	subject, words := "the world", fmt.Sprintf("The bell rang %d times.", n)
	if player != "" {
		subject, words = domain.PlayerPrefix+player, fmt.Sprintf("I have %d goats.", n)
	}
	m := schema.Memory{World: "village", NPC: "mira", Player: player, Kind: schema.MemoryFact, Subject: subject,
		Pred: "has", Object: fmt.Sprint(n), Content: words, Confidence: 0.9, Source: schema.OriginUser, Count: 1,
		Status: schema.MemoryActive, TurnID: turn, CreatedAt: d.At, EventTime: d.At,
		Spans: []schema.MemorySpan{{TurnID: turn, Speaker: "player", Text: words, At: d.At}}}
	m.ID = domain.ID(&m, 0)
	return m
}

func (d *desk) writes(m schema.Memory) schema.MemoryEvent {
	return schema.MemoryEvent{ID: domain.EventID(schema.MemoryWritten, m.TurnID, m.ID), Type: schema.MemoryWritten,
		World: m.World, NPC: m.NPC, Player: m.Player, At: d.At, By: "test", TurnID: m.TurnID, Memory: &m}
}

// log stores an event as another process does.
func (d *desk) log(e schema.MemoryEvent) {
	d.T.Helper()
	last, err := d.Log.Last(d.T.Context(), e.World, e.NPC, e.Player)
	must(d.T, err)
	_, err = d.Log.Append(d.T.Context(), &e, last)
	must(d.T, err)
}

func of(player string) schema.ConversationID {
	return schema.ConversationID{World: "village", NPC: "mira", Player: player}
}

// requests is how many messages go to the broker meanwhile.
func (d *desk) requests(f func()) int {
	before := d.Conn.Sent()
	f()
	return int(d.Conn.Sent() - before)
}

// TestAnNPCThatKnowsManyPlayers has an innkeeper's log: what is held of it is bounded, and
// no read of it takes a request for each entry or for each player.
func TestAnNPCThatKnowsManyPlayers(t *testing.T) {
	const players, each, held = 500, 20, 2_000
	d := newDesk(t)
	last := make([]uint64, players)
	for n := range each {
		for p := range players {
			e := d.writes(d.told(fmt.Sprintf("p%d", p), n))
			at, err := d.Log.Append(t.Context(), &e, last[p])
			must(t, err)
			last[p] = at
		}
	}
	d.Books.Within(held)
	bounded := func(when string) {
		t.Helper()
		if events, projections := d.Books.Held(); events > held || projections > held/each {
			t.Errorf("%s %d events of %d projections are held; at most %d", when, events, projections, held)
		}
	}

	// A start: the index is made from the whole log.
	if n := d.requests(func() { must(t, d.Index.CatchUp(t.Context())) }); n > 3*players+100 {
		t.Errorf("%d requests for a start with %d entries", n, players*each)
	}
	bounded("after a start")
	points, err := d.Session.Count(t.Context(), store.MemoryFilter{World: "village"})
	if must(t, err); points != players*each {
		t.Errorf("the index holds %d of %d memories", points, players*each)
	}

	// Each player comes once, and again: what was let go is made anew from the log.
	for _, when := range []string{"after a first turn of each", "after a second"} {
		n := d.requests(func() {
			for p := range players {
				must(t, d.Books.Read(t.Context(), of(fmt.Sprintf("p%d", p)), func(b *domain.Book) error {
					if b.Len(schema.MemoryActive) != each {
						t.Errorf("p%d: %d memories of %d", p, b.Len(), each)
					}
					return nil
				}))
			}
		})
		if n > 3*players {
			t.Errorf("%s %d requests for %d players", when, n, players)
		}
		bounded(when)
	}

	// One writes behind an entry that an erasure has deleted: nobody asks for the other players.
	must(t, d.Books.Read(t.Context(), of("p7"), func(*domain.Book) error { return nil }))
	eraser := admin.NewEraser(d.Conn, "p7", nil, false)
	_, err = eraser.EraseEntries(t.Context(), []transport.Logged{{Sequence: last[7]}})
	must(t, err)
	n := d.requests(func() {
		must(t, d.Books.Append(t.Context(), of("p7"), func(*domain.Book) []schema.MemoryEvent {
			return []schema.MemoryEvent{d.writes(d.told("p7", each))}
		}))
	})
	if n > 16 {
		t.Errorf("%d requests to write behind an erased entry", n)
	}
}

// said is what a reader says of mira's memories, of all players.
func (d *desk) said(b *memory.Books, players ...string) []string {
	d.T.Helper()
	out := []string{}
	for _, p := range players {
		must(d.T, b.Read(d.T.Context(), of(p), func(b *domain.Book) error {
			for _, m := range b.Memories() {
				if m.Status != schema.MemoryErased {
					out = append(out, string(m.Status)+": "+m.Content)
				}
			}
			return nil
		}))
	}
	slices.Sort(out)
	return out
}

// TestEveryReaderSaysWhatTheLogSays has readers that kept a projection, let it go, or never
// had one; an erasure names no player and concerns all.
func TestEveryReaderSaysWhatTheLogSays(t *testing.T) {
	d := newDesk(t)
	p1, p2, nobody := d.told("p1", 1), d.told("p2", 2), d.told("", 3)
	undo := schema.MemoryEvent{ID: "undo", Type: schema.MemoryUndone, World: "village", NPC: "mira", Player: "p1",
		At: d.At, By: "test", Undoes: d.writes(p1).ID}
	erased := schema.MemoryEvent{ID: "erase", Type: schema.MemoryErasedMark, World: "village", NPC: "mira",
		At: d.At, By: "test", Others: []string{d.told("p1", 4).ID, p2.ID, nobody.ID}}
	again := d.writes(p2)
	again.ID = "again"
	const bell = "active: The bell rang 3 times."
	live, small := d.Elsewhere(), d.Elsewhere().Within(1)
	for _, step := range []struct {
		name  string
		event schema.MemoryEvent
		want  []string
	}{
		{"one player", d.writes(p1), []string{"active: I have 1 goats."}},
		{"another", d.writes(p2), []string{"active: I have 1 goats.", "active: I have 2 goats."}},
		{"nobody", d.writes(nobody), []string{"active: I have 1 goats.", "active: I have 2 goats.", bell}},
		{"an undo", undo, []string{"active: I have 2 goats.", bell}},
		{"the first anew", d.writes(d.told("p1", 4)), []string{"active: I have 2 goats.", "active: I have 4 goats.", bell}},
		{"an erasure", erased, []string{}},
		{"the other again", again, []string{"active: I have 2 goats."}},
	} {
		d.log(step.event)
		kept, err := memory.ReadAll(t.Context(), d.Log, "village", "mira")
		must(t, err)
		var all []string
		for _, m := range kept.Memories {
			if m.Status != schema.MemoryErased {
				all = append(all, string(m.Status)+": "+m.Content)
			}
		}
		slices.Sort(all)
		must(t, d.Index.CatchUp(t.Context()))
		for reader, got := range map[string][]string{
			"the log": all, "the index": d.indexed(),
			"one that keeps":   d.said(live, "p1", "p2", ""),
			"one that lets go": d.said(small, "p1", "p2", ""),
			"a new one":        d.said(d.Elsewhere(), "p1", "p2", ""),
		} {
			if !slices.Equal(got, step.want) {
				t.Errorf("%s, %s:\n got %s\nwant %s",
					step.name, reader, strings.Join(got, ", "), strings.Join(step.want, ", "))
			}
		}
	}
}

// An erasure that is stored while a projection is written to stands before what is written:
// the reader takes both in the order of the log.
func TestAnErasureBesideAWriter(t *testing.T) {
	d := newDesk(t)
	m := d.told("p1", 1)
	first := d.writes(m)
	again := d.writes(m)
	again.ID = "again"
	erased := schema.MemoryEvent{ID: "erase", Type: schema.MemoryErasedMark, World: "village", NPC: "mira",
		At: d.At, By: "test", Others: []string{m.ID}}
	d.log(first)
	once := false
	must(t, d.Books.Append(t.Context(), of("p1"), func(*domain.Book) []schema.MemoryEvent {
		if !once {
			once = true
			d.log(erased)
		}
		return []schema.MemoryEvent{again}
	}))
	want := []string{"active: I have 1 goats."}
	if got := d.said(d.Books, "p1"); !slices.Equal(got, want) {
		t.Errorf("the writer says %q, want %q", got, want)
	}
	must(t, d.Index.CatchUp(t.Context()))
	if got := d.indexed(); !slices.Equal(got, want) {
		t.Errorf("the index says %q, want %q", got, want)
	}
}
