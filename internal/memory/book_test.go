package memory_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

var (
	wall = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	game = time.Date(1402, 5, 3, 18, 0, 0, 0, time.UTC)
)

func day(n int) time.Time { return game.AddDate(0, 0, n) }

// told is a memory of what a player said.
func told(player, pred, object, said string, at time.Time) schema.Memory {
	m := schema.Memory{
		World: "hollowmere", NPC: "mira", Player: player, Kind: schema.MemoryFact, Subject: "player:" + player, Pred: pred,
		Object:  object,
		Content: "Ansel told me that they said: " + said, Confidence: 0.9, Source: schema.OriginUser,
		Spans:  []schema.MemorySpan{{TurnID: "t1", Speaker: "player", Text: said, At: at}},
		TurnID: "t1", CreatedAt: wall, EventTime: at, ValidFrom: at, Count: 1,
	}
	m.ID = memory.ID(&m, 0)
	return m
}

func event(id string, kind schema.MemoryEventType, m *schema.Memory) schema.MemoryEvent {
	e := schema.MemoryEvent{ID: id, Type: kind, World: "hollowmere", NPC: "mira", Player: "p42", At: wall, By: "test",
		Memory: m}
	return e
}

func about(id string, kind schema.MemoryEventType, target string, others ...string) schema.MemoryEvent {
	e := event(id, kind, nil)
	e.Target, e.Others = target, others
	return e
}

func undo(id, what string) schema.MemoryEvent {
	e := event(id, schema.MemoryUndone, nil)
	e.Undoes = what
	return e
}

func apply(t *testing.T, b *memory.Book, events ...schema.MemoryEvent) {
	t.Helper()
	for _, e := range events {
		if err := b.Apply(e, wall); err != nil {
			t.Fatalf("%s %s: %v", e.ID, e.Type, err)
		}
	}
}

func status(b *memory.Book, id string) schema.MemoryStatus {
	m, _ := b.Get(id)
	return m.Status
}

func TestBookFollowsItsLog(t *testing.T) {
	ferry, oak := told("p42", "lives_in", "Ferrytown", "I live in Ferrytown", day(0)),
		told("p42", "lives_in", "Oakham", "I live in Oakham now", day(40))
	f, o := ferry.ID, oak.ID
	written := []schema.MemoryEvent{event("e1", schema.MemoryWritten, &ferry), event("e2", schema.MemoryWritten, &oak)}
	resolved := about("e4", schema.MemoryResolved, f, o)
	resolved.Keep = o
	distinct := about("e4", schema.MemoryResolved, f, o)
	merged := event("e3", schema.MemoryMerged, &oak)
	merged.Others = []string{f}
	cases := []struct {
		name      string
		events    []schema.MemoryEvent
		ferry     schema.MemoryStatus
		oak       schema.MemoryStatus
		contradic int // links that ferry has
	}{
		{"written is active", nil, "active", "active", 0},
		{"superseded", []schema.MemoryEvent{about("e3", schema.MemorySupersede, f, o)}, "superseded", "active", 0},
		{"superseded and undone", []schema.MemoryEvent{about("e3", schema.MemorySupersede, f, o), undo("e4", "e3")}, "active",
			"active", 0},
		{"an undo undone", []schema.MemoryEvent{about("e3", schema.MemorySupersede, f, o), undo("e4", "e3"),
			undo("e5", "e4")}, "superseded", "active", 0},
		{"a contradiction leaves both active", []schema.MemoryEvent{about("e3", schema.MemoryFlag, f, o)}, "active",
			"active", 1},
		{"resolved for one", []schema.MemoryEvent{about("e3", schema.MemoryFlag, f, o), resolved}, "superseded", "active", 0},
		{"resolved as distinct", []schema.MemoryEvent{about("e3", schema.MemoryFlag, f, o), distinct}, "active", "active", 0},
		{"a resolution undone links them again",
			[]schema.MemoryEvent{about("e3", schema.MemoryFlag, f, o), resolved, undo("e5", "e4")}, "active", "active", 1},
		{"merged", []schema.MemoryEvent{merged}, "superseded", "active", 0},
		{"a merge undone", []schema.MemoryEvent{merged, undo("e4", "e3")}, "active", "active", 0},
		{"unverified", []schema.MemoryEvent{about("e3", schema.MemoryFlag, f)}, "flagged", "active", 0},
		{"lore says otherwise", []schema.MemoryEvent{about("e3", schema.MemoryFlag, f, "lore:town#1")}, "active",
			"active", 1},
		{"dropped", []schema.MemoryEvent{about("e3", schema.MemoryDropped, f)}, "", "active", 0},
		{"a drop undone", []schema.MemoryEvent{about("e3", schema.MemoryDropped, f), undo("e4", "e3")}, "active",
			"active", 0},
		{"a candidate dropped elsewhere leaves what is proved",
			[]schema.MemoryEvent{event("e3", schema.MemoryDropped, &ferry)}, "active", "active", 0},
		{"erased", []schema.MemoryEvent{about("e3", schema.MemoryErasedMark, f)}, "erased", "active", 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b := memory.NewBook("hollowmere", "mira")
			apply(t, b, written...)
			apply(t, b, c.events...)
			apply(t, b, c.events...) // twice is once
			m, _ := b.Get(f)
			if m.Status != c.ferry || status(b, o) != c.oak || len(m.Contradicts) != c.contradic {
				t.Errorf("%s (links %v), %s; want %s (%d), %s", m.Status, m.Contradicts, status(b, o), c.ferry, c.contradic, c.oak)
			}
		})
	}
}

func TestBookPendingUntilVerdict(t *testing.T) {
	m := told("p42", "lives_in", "Ferrytown", "I live in Ferrytown", day(0))
	b := memory.NewBook("hollowmere", "mira")
	apply(t, b, event("e1", schema.MemoryProposed, &m))
	if s := status(b, m.ID); s != schema.MemoryPending {
		t.Fatalf("proposed is %s", s)
	}
	apply(t, b, event("e2", schema.MemoryWritten, &m))
	apply(t, b, event("e3", schema.MemoryProposed, &m)) // late: changes nothing
	apply(t, b, event("e4", schema.MemoryWritten, &m))  // another turn proves it anew
	if got, _ := b.Get(m.ID); got.Status != schema.MemoryActive || got.Count != 2 {
		t.Fatalf("status %s, count %d; want active, 2", got.Status, got.Count)
	}
	apply(t, b, undo("e5", "e4"))
	if got, _ := b.Get(m.ID); got.Count != 1 {
		t.Fatalf("count %d after the undo; want 1", got.Count)
	}
}

func TestBookRefusesInOneLine(t *testing.T) {
	good := told("p42", "lives_in", "Ferrytown", "I live in Ferrytown", day(0))
	other := told("p9", "lives_in", "Oakham", "I live in Oakham", day(0))
	change := func(f func(*schema.Memory)) *schema.Memory { m := good; f(&m); return &m }
	otherWritten := event("e0", schema.MemoryWritten, &other)
	otherWritten.Player = "p9"
	future := event("e1", schema.MemoryWritten, &good)
	future.At = wall.Add(time.Hour)
	foreign := event("e1", schema.MemoryWritten, &good)
	foreign.NPC = "bram"
	cases := []struct {
		name  string
		event schema.MemoryEvent
		says  string
	}{
		{"no id", event("", schema.MemoryWritten, &good), "id"},
		{"no memory", event("e1", schema.MemoryWritten, nil), "carries no memory"},
		{"no spans", event("e1", schema.MemoryWritten, change(func(m *schema.Memory) { m.Spans = nil })),
			"no evidence_spans"},
		{"an empty span", event("e1", schema.MemoryWritten,
			change(func(m *schema.Memory) { m.Spans = []schema.MemorySpan{{Text: " "}} })), "is empty"},
		{"a huge text", event("e1", schema.MemoryWritten,
			change(func(m *schema.Memory) { m.Content = strings.Repeat("x", 1<<20) })), "at most"},
		{"source model", event("e1", schema.MemoryWritten, change(func(m *schema.Memory) { m.Source = schema.OriginModel })),
			"source is"},
		{"confidence above 1", event("e1", schema.MemoryWritten, change(func(m *schema.Memory) { m.Confidence = 1.2 })),
			"confidence is"},
		{"valid to before from", event("e1", schema.MemoryWritten, change(func(m *schema.Memory) { m.ValidTo = day(-1) })),
			"valid_to"},
		{"created after its event", event("e1", schema.MemoryWritten,
			change(func(m *schema.Memory) { m.CreatedAt = wall.AddDate(1, 0, 0) })), "created at"},
		{"a kind of its own", event("e1", schema.MemoryWritten, change(func(m *schema.Memory) { m.Kind = "rumour" })),
			"kind is"},
		{"an id with a space", event("e1", schema.MemoryWritten, change(func(m *schema.Memory) { m.ID = "a b" })),
			"id holds"},
		{"a future time", future, "future"},
		{"another NPC", foreign, "event of"},
		{"another player's record", event("e1", schema.MemoryWritten,
			change(func(m *schema.Memory) { m.Player = "p9" })), "p9"},
		{"an unknown type", event("e1", "dreamt", &good), `type "dreamt"`},
		{"unknown target", about("e1", schema.MemorySupersede, "m1", "m2"), "not in the book"},
		{"another player's target", about("e1", schema.MemoryFlag, other.ID), "of player p9"},
		{"superseded by itself", about("e1", schema.MemorySupersede, "m1", "m1"), "itself"},
		{"superseded by two", about("e1", schema.MemorySupersede, "m1", "m2", "m3"), "others names 2"},
		{"kept is neither", func() schema.MemoryEvent {
			e := about("e1", schema.MemoryResolved, "m1", "m2")
			e.Keep = "m3"
			return e
		}(), "neither side"},
		{"undoes nothing known", undo("e1", "e99"), "not in this log"},
		{"undoes itself", undo("e1", "e1"), "no other event"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b := memory.NewBook("hollowmere", "mira")
			apply(t, b, otherWritten)
			before := b.Memories()
			err := b.Apply(c.event, wall)
			if !errors.Is(err, memory.ErrInvalid) || !strings.Contains(err.Error(), c.says) ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v; want one line with %q", err, c.says)
			}
			if !reflect.DeepEqual(before, b.Memories()) {
				t.Error("the book changed")
			}
		})
	}
}

func TestBookRefusesCircles(t *testing.T) {
	x, y := told("p42", "lives_in", "A", "I live in A", day(0)), told("p42", "lives_in", "B", "I live in B", day(1))
	b := memory.NewBook("hollowmere", "mira")
	apply(t, b, event("e1", schema.MemoryWritten, &x), event("e2", schema.MemoryWritten, &y),
		about("e3", schema.MemorySupersede, x.ID, y.ID))
	if err := b.Apply(about("e4", schema.MemorySupersede, y.ID, x.ID), wall); err == nil ||
		!strings.Contains(err.Error(), "itself superseded") {
		t.Errorf("got %v", err)
	}
	if err := b.Apply(undo("e5", "e3"), wall); err != nil {
		t.Fatal(err)
	}
	if err := b.Apply(undo("e6", "e3"), wall); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("a second undo of the same: %v", err)
	}
}

func TestErasureLeavesNoWords(t *testing.T) {
	mine := told("p42", "lives_in", "Ferrytown", "I live in Ferrytown", day(0))
	yours := told("p9", "lives_in", "Oakham", "I live in Oakham", day(0))
	seen := told("", "gave", "sword", "Ansel gave Mira a sword.", day(0))
	seen.Player, seen.Witnesses, seen.Source = "", []string{"mira", "p42"}, schema.OriginSystem
	b := memory.NewBook("hollowmere", "mira")
	w9, w0 := event("e2", schema.MemoryWritten, &yours), event("e3", schema.MemoryWritten, &seen)
	w9.Player, w0.Player = "p9", ""
	apply(t, b, event("e1", schema.MemoryWritten, &mine), w9, w0)
	apply(t, b, event("e4", schema.MemoryErasedMark, nil))
	for _, id := range []string{mine.ID, seen.ID} {
		m, ok := b.Get(id)
		if !ok || m.Status != schema.MemoryErased || m.Content != "" || len(m.Spans) != 0 || m.Player != "" {
			t.Errorf("after erasure: %+v", m)
		}
	}
	if status(b, yours.ID) != schema.MemoryActive {
		t.Error("another player's memory went too")
	}
	if err := b.Apply(undo("e5", "e4"), wall); err == nil || !strings.Contains(err.Error(), "erased is gone") {
		t.Errorf("an erasure was undone: %v", err)
	}
	if err := b.Apply(undo("e6", "e1"), wall); err == nil {
		t.Error("an erased event was undone")
	}
	apply(t, b, event("e7", schema.MemoryWritten, &mine)) // said anew, after
	if status(b, mine.ID) != schema.MemoryActive {
		t.Error("what is said after an erasure is not kept")
	}
}

// made is a log of events that a book took, drawn at random.
func made(t *rapid.T) []schema.MemoryEvent {
	b := memory.NewBook("hollowmere", "mira")
	var log []schema.MemoryEvent
	n := rapid.IntRange(1, 40).Draw(t, "events")
	for i := range n {
		e := draw(t, i, log)
		if b.Apply(e, wall) == nil {
			log = append(log, e)
		}
	}
	return log
}

func draw(t *rapid.T, i int, log []schema.MemoryEvent) schema.MemoryEvent {
	one := func(label string) schema.Memory {
		k := rapid.IntRange(0, 4).Draw(t, label)
		return told("p42", "lives_in", fmt.Sprint("place ", k), fmt.Sprint("I live in place ", k), day(k))
	}
	x, y := one("x"), one("y")
	id := fmt.Sprintf("e%d", i)
	switch rapid.IntRange(0, 9).Draw(t, "type") {
	case 0:
		return event(id, schema.MemoryProposed, &x)
	case 1, 2:
		return event(id, schema.MemoryWritten, &x)
	case 3:
		return about(id, schema.MemoryDropped, x.ID)
	case 4:
		e := event(id, schema.MemoryMerged, &x)
		e.Others = []string{y.ID}
		return e
	case 5:
		return about(id, schema.MemorySupersede, x.ID, y.ID)
	case 6:
		return about(id, schema.MemoryFlag, x.ID, y.ID)
	case 7:
		e := about(id, schema.MemoryResolved, x.ID, y.ID)
		e.Keep = x.ID
		return e
	case 8:
		return about(id, schema.MemoryErasedMark, x.ID)
	}
	if len(log) == 0 {
		return event(id, schema.MemoryWritten, &x)
	}
	return undo(id, rapid.SampledFrom(log).Draw(t, "undoes").ID)
}

func rebuilt(t *rapid.T, log []schema.MemoryEvent) *memory.Book {
	b := memory.NewBook("hollowmere", "mira")
	for _, e := range log {
		if err := b.Apply(e, wall); err != nil {
			t.Fatalf("a log that was taken is refused: %v", err)
		}
	}
	return b
}

func TestPropertyRebuildGivesTheSameBook(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := made(t)
		want := rebuilt(t, log).Memories()
		var doubled []schema.MemoryEvent
		for i, e := range log { // each event may come again at any later time
			doubled = append(doubled, e)
			for range rapid.IntRange(0, 2).Draw(t, "again") {
				doubled = append(doubled, log[rapid.IntRange(0, i).Draw(t, "which")])
			}
		}
		if got := rebuilt(t, doubled).Memories(); !reflect.DeepEqual(got, want) {
			t.Fatalf("with duplicates:\n%+v\nwithout:\n%+v", got, want)
		}
	})
}

func TestPropertyEveryActionHasAnUndo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := made(t)
		b := rebuilt(t, log)
		before := b.Memories()
		x := draw(t, 100, log)
		if b.Apply(x, wall) != nil || x.Type == schema.MemoryErasedMark {
			return
		}
		after := b.Memories()
		for i, want := range [][]schema.Memory{before, after, before, after} { // undo, undo of the undo, ...
			last := "e100"
			if i > 0 {
				last = fmt.Sprintf("u%d", i-1)
			}
			if err := b.Apply(undo(fmt.Sprintf("u%d", i), last), wall); err != nil {
				t.Fatal(err)
			}
			if got := b.Memories(); !reflect.DeepEqual(got, want) {
				t.Fatalf("undo %d of %s:\n%+v\nwant\n%+v", i, x.Type, got, want)
			}
		}
	})
}

func TestPropertyErasureIsAsIfTheLogHadNeverHeldIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := made(t)
		erased := told("p42", "lives_in", "place 0", "I live in place 0", day(0)).ID
		last := about("e200", schema.MemoryErasedMark, erased)
		whole := rebuilt(t, append(log, last))
		var kept []schema.MemoryEvent
		for _, e := range log {
			if e.Memory != nil && e.Memory.ID == erased || e.Target == erased || e.Keep == erased || contains(e.Others, erased) {
				continue
			}
			kept = append(kept, e)
		}
		short := memory.NewBook("hollowmere", "mira")
		for _, e := range append(kept, last) {
			_ = short.Apply(e, wall) // what speaks of the erased memory is refused
		}
		if got, want := whole.Memories(), short.Memories(); !reflect.DeepEqual(got, want) {
			t.Fatalf("whole log:\n%+v\nlog without it:\n%+v", got, want)
		}
	})
}

// A third place had let the first stand behind the second, which it had stood before. Without the third the log
// would have refused that.
func TestAnErasureTakesWhatStoodByTheErasedAlone(t *testing.T) {
	b := memory.NewBook("hollowmere", "mira")
	one, two, third := told("p42", "lives_in", "Ferrytown", "I live in Ferrytown", day(1)),
		told("p42", "lives_in", "Oakham", "I live in Oakham", day(2)),
		told("p42", "lives_in", "Vell", "I live in Vell", day(3))
	for _, m := range []*schema.Memory{&one, &two, &third} {
		apply(t, b, event("w"+m.ID, schema.MemoryWritten, m))
	}
	into := func(id string, m *schema.Memory, other string) {
		e := event(id, schema.MemoryMerged, m)
		e.Others = []string{other}
		apply(t, b, e)
	}
	into("m1", &one, two.ID)
	into("m2", &third, two.ID)
	apply(t, b, about("s", schema.MemorySupersede, one.ID, two.ID))
	apply(t, b, about("x", schema.MemoryErasedMark, third.ID))
	if status(b, one.ID) != schema.MemoryActive || status(b, two.ID) != schema.MemorySuperseded {
		t.Errorf("one is %s, the other %s: not as if the third had never been said", status(b, one.ID), status(b, two.ID))
	}
}

func contains(list []string, id string) bool {
	for _, s := range list {
		if s == id {
			return true
		}
	}
	return false
}

func TestWhatChangedIsTold(t *testing.T) {
	b := memory.NewBook("hollowmere", "mira")
	ferry, oak := told("p42", "lives_in", "Ferrytown", "I live in Ferrytown", day(0)),
		told("p42", "lives_in", "Oakham", "I live in Oakham", day(1))
	both := []string{min(ferry.ID, oak.ID), max(ferry.ID, oak.ID)}
	steps := []struct {
		event schema.MemoryEvent
		want  []string
		all   bool
	}{
		{event("e1", schema.MemoryWritten, &ferry), []string{ferry.ID}, false},
		{event("e2", schema.MemoryWritten, &oak), []string{oak.ID}, false},
		{about("e3", schema.MemoryFlag, ferry.ID, oak.ID), both, false},
		{about("e4", schema.MemoryDropped, ferry.ID), both, false}, // the other loses its contradiction
		{about("e4", schema.MemoryDropped, ferry.ID), nil, false},
		{undo("e5", "e4"), nil, true},
	}
	for _, s := range steps {
		if err := b.Accepts(s.event, wall); err != nil && !b.Has(s.event.ID) {
			t.Fatal(err)
		}
		if ids, all := b.Changed(); len(ids) > 0 || all {
			t.Errorf("asking about %s changed %v", s.event.ID, ids)
		}
		apply(t, b, s.event)
		if ids, all := b.Changed(); !slices.Equal(ids, s.want) || all != s.all || !b.Has(s.event.ID) {
			t.Errorf("%s %s changed %v (all %v), want %v", s.event.ID, s.event.Type, ids, all, s.want)
		}
	}
}
