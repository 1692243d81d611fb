package memory_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func TestIDsFollowTheKey(t *testing.T) {
	base := told("p42", "lives_in", "Ferrytown", "I live in Ferrytown", day(0))
	cases := []struct {
		name   string
		change func(*schema.Memory)
		same   bool
	}{
		{"case and time and confidence do not matter", func(m *schema.Memory) {
			m.Object, m.EventTime, m.Confidence, m.TurnID = "ferrytown", day(9), 0.4, "t9"
		}, true},
		{"another player", func(m *schema.Memory) { m.Player = "p9" }, false},
		{"another NPC", func(m *schema.Memory) { m.NPC = "bram" }, false},
		{"another object", func(m *schema.Memory) { m.Object = "Oakham" }, false},
		{"other words", func(m *schema.Memory) { m.Spans = []schema.MemorySpan{{Text: "Ferrytown is my home"}} }, false},
	}
	for _, c := range cases {
		m := base
		c.change(&m)
		if same := memory.ID(&m, 0) == base.ID; same != c.same {
			t.Errorf("%s: same id %v", c.name, same)
		}
	}
	if len(base.ID) != 25 || base.ID[0] != 'm' {
		t.Errorf("id %q", base.ID)
	}
}

func TestPlaceOfACandidate(t *testing.T) {
	ferry, oak := told("p42", "lives_in", "Ferrytown", "I live in Ferrytown", day(0)),
		told("p42", "lives_in", "Oakham", "I live in Oakham", day(40))
	again := ferry
	again.Spans = []schema.MemorySpan{{TurnID: "t9", Speaker: "player", Text: "I live in Ferrytown"}}
	b := memory.NewBook("hollowmere", "mira")
	place := func(m *schema.Memory, id string, known bool) {
		t.Helper()
		if gotID, gotKnown := b.Place(m); gotID != id || gotKnown != known {
			t.Errorf("%s, %v; want %s, %v", gotID, gotKnown, id, known)
		}
	}
	place(&ferry, ferry.ID, false)
	apply(t, b, event("e1", schema.MemoryWritten, &ferry))
	place(&ferry, ferry.ID, true)  // the same turn adds nothing
	place(&again, ferry.ID, false) // another turn raises the count
	moved := about("e3", schema.MemorySupersede, ferry.ID, oak.ID)
	moved.ValidTo = oak.EventTime
	apply(t, b, event("e2", schema.MemoryWritten, &oak), moved)
	place(&ferry, ferry.ID, true)              // replayed later, it still adds nothing
	place(&again, memory.ID(&again, 1), false) // moved back: a memory of its own
}

func TestWhatWasMergedIsProvedInItsCanonical(t *testing.T) {
	first, second := told("p42", "lives_in", "Oakham", "I live in Oakham", day(0)),
		told("p42", "lives_in", "Oakham", "I dwell in Oakham", day(1))
	third := told("p42", "lives_in", "Oakham", "I have a house in Oakham", day(2))
	again := first
	again.Spans = []schema.MemorySpan{{TurnID: "t9", Speaker: "player", Text: "I live in Oakham"}}
	b := memory.NewBook("hollowmere", "mira")
	for i, m := range []*schema.Memory{&first, &second, &third} {
		apply(t, b, event(fmt.Sprint("w", i), schema.MemoryWritten, m))
	}
	one, two := event("m1", schema.MemoryMerged, &second), event("m2", schema.MemoryMerged, &third)
	one.Others, two.Others = []string{first.ID}, []string{second.ID}
	apply(t, b, one, two)
	if id, known := b.Place(&again); id != third.ID || known {
		t.Errorf("said again it is %s, %v; want the canonical %s", id, known, third.ID)
	}
	if id, known := b.Place(&first); id != first.ID || !known {
		t.Errorf("replayed it is %s, %v; want %s", id, known, first.ID)
	}
	undo := schema.MemoryEvent{ID: "u1", Type: schema.MemoryUndone, World: "hollowmere", NPC: "mira", Player: "p42",
		At: day(3), By: "operator:me", Undoes: "m1"}
	apply(t, b, undo)
	if id, _ := b.Place(&again); id != first.ID {
		t.Errorf("after the undo it is %s, want %s", id, first.ID)
	}
}

func TestRule(t *testing.T) {
	works := func(object, said string, at time.Time) schema.Memory {
		return told("p42", "works_at", object, said, at)
	}
	old := works("Datakynd", "I work at Datakynd", time.Date(1402, 6, 1, 0, 0, 0, 0, time.UTC))
	system := works("the mill", "Ansel was hired by the mill.", old.EventTime.AddDate(0, 0, 1))
	system.Source = schema.OriginSystem
	hearsay := works("Arrive", "I work at Arrive", old.EventTime.AddDate(0, 10, 0))
	hearsay.HeardFrom, hearsay.ValidFrom = "bram", hearsay.EventTime
	other := works("Arrive", "I work at Arrive", old.EventTime.AddDate(0, 10, 0))
	other.Player = "p9"
	cases := []struct {
		name     string
		newer    schema.Memory
		stateful bool
		want     memory.Relation
	}{
		{"ten months apart", works("Arrive", "I work at Arrive", old.EventTime.AddDate(0, 10, 0)), true, memory.Evolution},
		{"one day apart", works("Neon", "I work at Neon", old.EventTime.AddDate(0, 0, 1)), true, memory.Contradicts},
		{"twenty-nine days", works("Neon", "I work at Neon", old.EventTime.AddDate(0, 0, 29)), true, memory.Contradicts},
		{"thirty days", works("Neon", "I work at Neon", old.EventTime.AddDate(0, 0, 30)), true, memory.Evolution},
		{"a day apart, and it says now", works("Neon", "I work at Neon now", old.EventTime.AddDate(0, 0, 1)), true,
			memory.Evolution},
		{"now and then is no change", works("Neon", "I work at Neon now and then", old.EventTime.AddDate(0, 0, 1)), true,
			memory.Contradicts},
		{"the game saw it", system, true, memory.Evolution},
		{"hearsay, however late", hearsay, true, memory.Contradicts},
		{"at the same time", works("Neon", "I work at Neon now", old.EventTime), true, memory.Contradicts},
		{"at no known time", works("Neon", "I work at Neon now", time.Time{}), true, memory.Contradicts},
		{"not stateful", works("Neon", "I work at Neon now", old.EventTime.AddDate(1, 0, 0)), false, memory.Distinct},
		{"the same value", works("datakynd", "I work at Datakynd", old.EventTime.AddDate(1, 0, 0)), true, memory.Same},
		{"no longer", works("not Datakynd", "I no longer work at Datakynd", old.EventTime.AddDate(0, 0, 1)), true,
			memory.Evolution},
		{"denied a day later", works("not Datakynd", "I don't work at Datakynd", old.EventTime.AddDate(0, 0, 1)), true,
			memory.Contradicts},
		{"a denial of something else", works("not Neon", "I don't work at Neon", old.EventTime.AddDate(1, 0, 0)), true,
			memory.Distinct},
		{"another player", other, true, memory.Distinct},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, _, got, why := memory.DefaultRule().Judge(&c.newer, &old, c.stateful)
			if got != c.want || why == "" {
				t.Errorf("%s (%s); want %s", got, why, c.want)
			}
		})
	}
}

func TestSupersedeClosesTheOlder(t *testing.T) {
	x, y := told("p42", "lives_in", "A", "I live in A", day(0)), told("p42", "lives_in", "B", "I moved to B", day(5))
	b := memory.NewBook("hollowmere", "mira")
	apply(t, b, event("e1", schema.MemoryWritten, &x), event("e2", schema.MemoryWritten, &y),
		memory.Supersede(&x, &y, "t2", "guard1", "moved", wall))
	got, _ := b.Get(x.ID)
	if got.SupersededBy != y.ID || !got.ValidTo.Equal(y.ValidFrom) {
		t.Errorf("superseded by %q, valid to %s", got.SupersededBy, got.ValidTo)
	}
}

func active(m schema.Memory) schema.Memory { m.Status = schema.MemoryActive; return m }

func contents(r []memory.Recalled) string {
	var out []string
	for _, m := range r {
		_, said, _ := strings.Cut(m.Memory.Content, "said: ")
		mark := ""
		if len(m.Conflicts) > 0 {
			mark = "*"
		}
		out = append(out, said+mark)
	}
	return strings.Join(out, "|")
}

func TestRecall(t *testing.T) {
	rec := func(m schema.Memory, relevance float64) memory.Record {
		return memory.Record{Memory: m, Relevance: relevance}
	}
	live := active(told("p42", "lives_in", "Ferrytown", "live", day(0)))
	brother := active(told("p42", "sibling_of", "Tom", "brother", day(0)))
	old := active(told("p42", "likes", "ale", "ale", day(-400)))
	partial := active(told("p42", "likes", "rain", "rain", day(0)))
	partial.Tags = []string{protocol.TagPartial}
	pending := told("p42", "likes", "snow", "snow", day(0))
	pending.Status = schema.MemoryPending
	flagged := pending
	flagged.Status = schema.MemoryFlagged
	theirs := active(told("p9", "lives_in", "Oakham", "theirs", day(0)))
	gossip := active(told("", "likes", "player:p9", "gossip", day(0)))
	gossip.Subject = "npc:bram"
	kin := active(told("", "died", "winter", "kin", day(0)))
	kin.Subject = "mother of player:p9"
	common := active(told("", "burned", "mill", "mill", day(0)))
	common.Subject = "the mill"
	moved := told("p42", "lives_in", "Hill", "hill", day(-100))
	moved.Status, moved.ValidTo, moved.SupersededBy = schema.MemorySuperseded, day(0), live.ID
	a, b := active(told("p42", "age", "30", "thirty", day(0))), active(told("p42", "age", "40", "forty", day(-1)))
	a.Contradicts, b.Contradicts = []string{b.ID}, []string{a.ID}
	merged := told("p42", "likes", "beer", "beer", day(-200))
	merged.Status, merged.SupersededBy = schema.MemorySuperseded, old.ID
	q := memory.Query{World: "hollowmere", NPC: "mira", Player: "p42", Now: day(1)}
	with := func(f func(*memory.Query)) memory.Query { c := q; f(&c); return c }
	cases := []struct {
		name    string
		records []memory.Record
		query   memory.Query
		want    string
	}{
		{"more relevant first", []memory.Record{rec(live, 0.3), rec(brother, 0.8)}, q, "brother|live"},
		{"newer before older at one relevance", []memory.Record{rec(old, 0.5), rec(live, 0.5)}, q, "live|ale"},
		{"the old and to the point beats the new and beside it", []memory.Record{rec(old, 0.9), rec(live, 0.1)}, q,
			"ale|live"},
		{"a partial one weighs half", []memory.Record{rec(partial, 0.9), rec(live, 0.5)}, q, "live|rain"},
		{"only active ones", []memory.Record{rec(pending, 1), rec(flagged, 1), rec(moved, 1), rec(live, 0.1)}, q, "live"},
		{"no other player's", []memory.Record{rec(theirs, 1), rec(gossip, 1), rec(kin, 1), rec(live, 0.1)}, q, "live"},
		{"those of no player too", []memory.Record{rec(common, 0.9), rec(live, 0.1)}, q, "mill|live"},
		{"not another NPC's", []memory.Record{rec(live, 1)}, with(func(q *memory.Query) { q.NPC = "bram" }), ""},
		{"both stories, marked", []memory.Record{rec(a, 0.9), rec(live, 0.5), rec(b, 0.05)}, q, "thirty*|forty*|live"},
		{"never one story alone", []memory.Record{rec(a, 0.9), rec(b, 0.9), rec(live, 0.1)},
			with(func(q *memory.Query) { q.Budget = len(a.Content) + 5 }), "live"},
		{"within the budget", []memory.Record{rec(live, 0.9), rec(brother, 0.5)},
			with(func(q *memory.Query) { q.Budget = len(live.Content) }), "live"},
		{"within the limit", []memory.Record{rec(live, 0.9), rec(brother, 0.5)}, with(func(q *memory.Query) { q.Limit = 1 }),
			"live"},
		{"nothing below the floor", []memory.Record{rec(live, 0.9), rec(brother, -0.5)},
			with(func(q *memory.Query) { q.MinScore = 0.01 }), "live"},
		{"what held then", []memory.Record{rec(live, 0.9), rec(moved, 0.9)}, with(func(q *memory.Query) { q.At = day(-50) }),
			"hill"},
		{"what holds since", []memory.Record{rec(live, 0.9), rec(moved, 0.9)}, with(func(q *memory.Query) { q.At = day(0) }),
			"live"},
		{"what was not known then", []memory.Record{rec(brother, 0.9)}, with(func(q *memory.Query) { q.At = day(-50) }), ""},
		{"a merged original where its heir was not known yet", []memory.Record{rec(merged, 0.9)},
			with(func(q *memory.Query) { q.At = day(-150) }), "beer"},
		{"a merged original beside its heir", []memory.Record{rec(merged, 0.9), rec(old, 0.9)},
			with(func(q *memory.Query) { q.At = day(-150) }), "ale"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := memory.Recall(c.records, c.query)
			if contents(got) != c.want {
				t.Errorf("%q; want %q", contents(got), c.want)
			}
			var back []memory.Record
			for i := len(c.records) - 1; i >= 0; i-- {
				back = append(back, c.records[i])
			}
			if !reflect.DeepEqual(got, memory.Recall(back, c.query)) {
				t.Error("the order of the records changes the answer")
			}
		})
	}
}

func TestHearsay(t *testing.T) {
	m := active(told("p42", "from", "the coast", "I come from the coast", day(0)))
	m.Content = "Ansel told me that they come from the coast."
	tell := memory.Telling{Teller: "Mira", To: "bram", GameTime: day(2), At: wall}
	h, err := memory.Hearsay(&m, tell)
	if err != nil {
		t.Fatal(err)
	}
	h.Status = schema.MemoryActive
	switch {
	case h.NPC != "bram" || h.HeardFrom != "mira" || h.HeardID != m.ID || h.ID == m.ID:
		t.Errorf("origin: %+v", h)
	case h.Confidence >= m.Confidence || h.Rank() != schema.RankHearsay:
		t.Errorf("confidence %.2f, rank %d", h.Confidence, h.Rank())
	case h.Content != "Mira told me that Ansel told Mira that they come from the coast.":
		t.Errorf("content %q", h.Content)
	case !reflect.DeepEqual(h.Spans, m.Spans) || !h.ValidFrom.Equal(day(0)) || !h.EventTime.Equal(day(2)):
		t.Errorf("words or times: %+v", h)
	case memory.MayUse(&h, "hollowmere", "bram", "p9") || !memory.MayUse(&h, "hollowmere", "bram", "p42"):
		t.Error("hearsay about a player must come back with that player only")
	}
	again, tellings := h, 0
	for {
		tell.Teller, tell.To = "X", again.NPC+"x"
		next, err := memory.Hearsay(&again, tell)
		if err != nil {
			break
		}
		next.Status = schema.MemoryActive
		again, tellings = next, tellings+1
	}
	if tellings != 2 {
		t.Errorf("passed on %d more times; want 2, at 0.7 a telling down to 0.3", tellings)
	}
	if _, err := memory.Hearsay(&m, memory.Telling{Teller: "Mira", To: "mira"}); err == nil {
		t.Error("nobody tells itself")
	}
}
