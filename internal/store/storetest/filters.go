package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// fewPoints differ in every field that a filter names.
func fewPoints() []store.MemoryPoint {
	var out []store.MemoryPoint
	add := func(m schema.Memory) {
		if m.World == "" {
			m.World = "w"
		}
		m.Content = "Memory " + m.ID
		m.Spans = []schema.MemorySpan{{TurnID: "t9", Speaker: "player", Text: "p9 and t9 are named here only."}}
		out = append(out, store.MemoryPoint{Memory: m, Vector: []float32{1, float32(len(out))}, Model: model})
	}
	add(schema.Memory{ID: "a", NPC: "mira", Player: "p1", Kind: schema.MemoryFact, Source: schema.OriginUser,
		Status:  schema.MemoryActive,
		Subject: "player:p1", Pred: "lives_in", Object: "arlen", TurnID: "t1", EventTime: day(1), ValidFrom: day(1),
		ValidTo: day(5),
		Tags:    []string{protocol.TagPartial, "dictated"}})
	add(schema.Memory{ID: "b", NPC: "mira", Player: "p1", Kind: schema.MemoryFact, Source: schema.OriginUser,
		Status:  schema.MemoryActive,
		Subject: "player:p1", Pred: "lives_in", Object: "port", TurnID: "t2", EventTime: day(5), ValidFrom: day(5)})
	add(schema.Memory{ID: "c", NPC: "mira", Player: "p2", Kind: schema.MemoryPromise, Source: schema.OriginUser,
		Status:  schema.MemoryActive,
		Subject: "npc:mira", Pred: "promised", Object: "player:p1", TurnID: "t3", EventTime: day(3)})
	add(schema.Memory{ID: "d", NPC: "mira", Kind: schema.MemoryOccurrence, Source: schema.OriginSystem,
		Status:  schema.MemoryActive,
		Subject: "npc:ansel", Pred: "gave", Object: "a sword", EventTime: day(2),
		Witnesses: []string{"mira", "ansel", "p1", "p3"}})
	add(schema.Memory{ID: "e", NPC: "ansel", Kind: schema.MemoryOccurrence, Source: schema.OriginSystem,
		Status:  schema.MemoryActive,
		Subject: "npc:ansel", Pred: "gave", Object: "a sword", EventTime: day(2),
		Witnesses: []string{"mira", "ansel", "p1", "p3"}})
	add(schema.Memory{ID: "f", NPC: "ansel", Player: "p1", Kind: schema.MemoryRelation, Source: schema.OriginUser,
		Status:  schema.MemoryPending,
		Subject: "player:p1", Pred: "lives_in", Object: "arlen", HeardFrom: "mira", HeardID: "a", TurnID: "t4",
		EventTime: day(4), ValidTo: day(3)})
	add(schema.Memory{ID: "g", NPC: "mira", Player: "p3", Kind: schema.MemoryPreference, Source: schema.OriginUser,
		Status:  schema.MemorySuperseded,
		Subject: "player:p3", Pred: "likes", Object: "ale", TurnID: "t5", EventTime: day(1), ValidFrom: day(1),
		ValidTo: day(4), Tags: []string{"dictated"}})
	add(schema.Memory{ID: "h", NPC: "mira", Player: "p1", Kind: schema.MemoryEntity, Source: schema.OriginUser,
		Status:  schema.MemoryFlagged,
		Subject: "gate", Pred: "is", Object: "old", TurnID: "t6"})
	add(schema.Memory{ID: "i", NPC: "mira", Player: "p1x", Kind: schema.MemoryFact, Source: schema.OriginUser,
		Status:  schema.MemoryActive,
		Subject: "player:p1x", Pred: "lives-in", Object: "Arlen", TurnID: "t1x", EventTime: day(6).Add(-time.Microsecond),
		Tags: []string{"dictated later"}})
	add(schema.Memory{ID: "j", NPC: "mira", Kind: schema.MemoryFact, Source: schema.OriginSystem,
		Status:  schema.MemoryErased,
		Subject: "it's \"odd\" %", Pred: "is", Object: "*", EventTime: day(6)})
	add(schema.Memory{ID: "a", World: "w2", NPC: "mira", Player: "p1", Kind: schema.MemoryFact, Source: schema.OriginUser,
		Status:  schema.MemoryActive,
		Subject: "player:p1", Pred: "lives_in", Object: "arlen", TurnID: "t1", EventTime: day(1), ValidFrom: day(1),
		ValidTo: day(5)})
	return out
}

type filterCase struct {
	name string
	f    store.MemoryFilter
	want []string
}

func ids(s ...string) []string { return s }

func filterCases() []filterCase {
	type filter = store.MemoryFilter
	return []filterCase{
		{"world alone", filter{}, ids("a", "b", "c", "d", "e", "f", "g", "h", "i", "j")},
		{"another world", filter{World: "w2"}, ids("a")},
		{"an unknown world", filter{World: "w3"}, nil},
		{"npc", filter{NPC: "ansel"}, ids("e", "f")},
		{"exactly one player", filter{Player: "p1"}, ids("a", "b", "f", "h")},
		{"one player and those of none", filter{NPC: "mira", Player: "p1", NoPlayer: true}, ids("a", "b", "d", "h", "j")},
		{"those of no player", filter{NoPlayer: true}, ids("d", "e", "j")},
		{"an unknown player and those of none", filter{Player: "p9", NoPlayer: true}, ids("d", "e", "j")},
		{"a player with a sign of a pattern", filter{Player: "p%"}, nil},
		{"ids", filter{IDs: ids("b", "a", "zz", "a")}, ids("a", "b")},
		{"an empty list of ids", filter{IDs: []string{}}, nil},
		{"ids of another world", filter{World: "w2", IDs: ids("a", "b")}, ids("a")},
		{"kinds", filter{Kinds: []schema.MemoryKind{schema.MemoryPromise, schema.MemoryOccurrence}}, ids("c", "d", "e")},
		{"statuses", filter{Statuses: []schema.MemoryStatus{schema.MemoryPending, schema.MemorySuperseded,
			schema.MemoryFlagged}}, ids("f", "g", "h")},
		{"active alone", filter{Statuses: []schema.MemoryStatus{schema.MemoryActive}}, ids("a", "b", "c", "d", "e", "i")},
		{"sources", filter{Sources: []schema.Origin{schema.OriginSystem}}, ids("d", "e", "j")},
		{"subject", filter{Subject: "player:p1"}, ids("a", "b", "f")},
		{"subject with quotes", filter{Subject: "it's \"odd\" %"}, ids("j")},
		{"predicate", filter{Predicate: "lives_in"}, ids("a", "b", "f")},
		{"object", filter{Object: "arlen"}, ids("a", "f")},
		{"object of two words", filter{Object: "a sword"}, ids("d", "e")},
		{"one word of an object", filter{Object: "sword"}, nil},
		{"turn", filter{TurnID: "t1"}, ids("a")},
		{"turn of a span only", filter{TurnID: "t9"}, nil},
		{"heard from", filter{HeardFrom: "mira"}, ids("f")},
		{"tag", filter{Tag: "dictated"}, ids("a", "g")},
		{"mentions as player, subject, object or witness", filter{Mentions: "p1"}, ids("a", "b", "c", "d", "e", "f", "h")},
		{"mentions as witness", filter{Mentions: "p3"}, ids("d", "e", "g")},
		{"mentions in a text only", filter{Mentions: "p9"}, nil},
		{"event from", filter{EventFrom: day(5)}, ids("b", "i", "j")},
		{"event to", filter{EventTo: day(2)}, ids("a", "g")},
		{"event between", filter{EventFrom: day(2), EventTo: day(5)}, ids("c", "d", "e", "f")},
		{"event in another zone", filter{EventFrom: day(5).In(time.FixedZone("z", 7200)), EventTo: day(6)}, ids("b", "i")},
		{"valid at the first moment", filter{Player: "p1", ValidAt: day(1)}, ids("a", "f", "h")},
		{"valid at the last moment", filter{Player: "p1", ValidAt: day(5)}, ids("b", "h")},
		{"valid before", filter{ValidAt: day(0)}, ids("c", "d", "e", "f", "h", "i", "j")},
		{"valid then, of every status", filter{Player: "p3", ValidAt: day(2)}, ids("g")},
		{"key of a memory", filter{NPC: "mira", Player: "p1", Subject: "player:p1", Predicate: "lives_in",
			Statuses: []schema.MemoryStatus{schema.MemoryActive}}, ids("a", "b")},
		{"what a turn may recall", filter{NPC: "mira", Player: "p1", NoPlayer: true, ValidAt: day(4),
			Statuses: []schema.MemoryStatus{schema.MemoryActive}}, ids("a", "d")},
		{"two that exclude each other", filter{Player: "p1", Mentions: "p3"}, nil},
	}
}

func sessionFilters(t *testing.T, place Place[store.Session]) {
	ctx := context.Background()
	all := fewPoints()
	s := opened(t, place(t))
	put(t, s, all...)
	for _, c := range filterCases() {
		if c.f.World == "" {
			c.f.World = "w"
		}
		t.Run(c.name, func(t *testing.T) {
			wantIDs(t, s, c.f, c.want...)
			near, err := s.Nearest(ctx, c.f, model, []float32{0, 1}, 100)
			must(t, err)
			if got := scoredIDs(near); fmt.Sprint(sorted(got)) != fmt.Sprint(sorted(c.want)) {
				t.Errorf("nearest = %v, want %v", got, c.want)
			}
		})
	}
	for _, c := range filterCases() {
		if c.f.World == "" {
			c.f.World = "w"
		}
		t.Run("delete by "+c.name, func(t *testing.T) {
			defer put(t, s, all...)
			n, err := s.Delete(ctx, c.f)
			if err != nil || n != len(c.want) {
				t.Errorf("deleted %d, %v; want %d", n, err, len(c.want))
			}
			wantIDs(t, s, c.f)
			var left []string
			for _, p := range all {
				if p.Memory.World == c.f.World && !slices.Contains(c.want, p.Memory.ID) {
					left = append(left, p.Memory.ID)
				}
			}
			wantIDs(t, s, store.MemoryFilter{World: c.f.World}, left...)
			near, err := s.Nearest(ctx, store.MemoryFilter{World: c.f.World}, model, []float32{0, 1}, 100)
			must(t, err)
			if got := scoredIDs(near); fmt.Sprint(sorted(got)) != fmt.Sprint(left) {
				t.Errorf("nearest = %v, want %v", got, left)
			}
		})
	}
	t.Run("filters mixed at random name what Match names", func(t *testing.T) { mixedFilters(t, s, all) })
}

// mixedFilters draws filters of several fields with values of the points.
func mixedFilters(t *testing.T, s store.Session, all []store.MemoryPoint) {
	r := rand.New(rand.NewPCG(6, 1))
	pick := func() schema.Memory { return all[r.IntN(len(all))].Memory }
	named := 0
	for range 150 {
		f := store.MemoryFilter{World: "w"}
		fields := []func(m schema.Memory){
			func(m schema.Memory) { f.NPC = m.NPC },
			func(m schema.Memory) { f.Player = m.Player },
			func(schema.Memory) { f.NoPlayer = true },
			func(m schema.Memory) { f.IDs = append(f.IDs, m.ID, pick().ID, pick().ID) },
			func(m schema.Memory) { f.Kinds = append(f.Kinds, m.Kind, pick().Kind) },
			func(m schema.Memory) { f.Statuses = append(f.Statuses, m.Status, pick().Status) },
			func(m schema.Memory) { f.Sources = append(f.Sources, m.Source) },
			func(m schema.Memory) { f.Subject = m.Subject },
			func(m schema.Memory) { f.Predicate = m.Pred },
			func(m schema.Memory) { f.Object = m.Object },
			func(m schema.Memory) { f.TurnID = m.TurnID },
			func(m schema.Memory) { f.HeardFrom = m.HeardFrom },
			func(schema.Memory) { f.Tag = "dictated" },
			func(m schema.Memory) { f.Mentions = m.Player },
			func(m schema.Memory) { f.EventFrom = m.EventTime },
			func(m schema.Memory) { f.EventTo = m.EventTime },
			func(schema.Memory) { f.ValidAt = day(r.IntN(8)) },
		}
		one := pick()
		for range 1 + r.IntN(3) {
			fields[r.IntN(len(fields))](one)
		}
		var want []string
		for _, p := range all {
			if f.Match(&p.Memory) {
				want = append(want, p.Memory.ID)
			}
		}
		if len(want) > 0 {
			named++
		}
		wantIDs(t, s, f, want...)
		if t.Failed() {
			t.Fatalf("under %+v", f)
		}
	}
	if named < 30 {
		t.Errorf("only %d of the filters named anything", named)
	}
}

func scoredIDs(points []store.Scored) []string {
	var out []string
	for _, p := range points {
		out = append(out, p.Memory.ID)
	}
	return out
}

func sorted(s []string) []string {
	s = slices.Clone(s)
	slices.Sort(s)
	return s
}

func sessionPages(t *testing.T, place Place[store.Session]) {
	ctx := context.Background()
	s := opened(t, place(t))
	var all []store.MemoryPoint
	var want []string
	for i := range 57 {
		id := fmt.Sprintf("%c.%x", "Zm_a:9-"[i%7], i*7919)
		player := fmt.Sprintf("p%d", i%2)
		all = append(all, Point(id, []float32{1, float32(i)}, func(m *schema.Memory) { m.Player = player }))
		if player == "p1" {
			want = append(want, id)
		}
	}
	slices.Sort(want)
	put(t, s, all...)
	f := store.MemoryFilter{World: "w", Player: "p1"}
	for _, limit := range []int{1, 5, 27, 28, 29, 1000, 0, -1} {
		t.Run(fmt.Sprintf("%d at a time", limit), func(t *testing.T) {
			var got []string
			for after := ""; ; after = got[len(got)-1] {
				page, err := s.Scroll(ctx, f, after, limit)
				must(t, err)
				if limit > 0 && len(page) > limit {
					t.Fatalf("a page of %d points", len(page))
				}
				if len(page) == 0 {
					break
				}
				got = append(got, idsOf(page)...)
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("got %v\nwant %v", got, want)
			}
		})
	}
	t.Run("after an id that is not kept", func(t *testing.T) {
		page, err := s.Scroll(ctx, f, want[3]+"0", 2)
		must(t, err)
		if got := idsOf(page); fmt.Sprint(got) != fmt.Sprint(want[4:6]) {
			t.Errorf("got %v, want %v", got, want[4:6])
		}
	})
	t.Run("a page goes on when points before it are gone", func(t *testing.T) {
		if _, err := s.Delete(ctx, store.MemoryFilter{World: "w", IDs: want[:4]}); err != nil {
			t.Fatal(err)
		}
		page, err := s.Scroll(ctx, f, want[3], 3)
		must(t, err)
		if got := idsOf(page); fmt.Sprint(got) != fmt.Sprint(want[4:7]) {
			t.Errorf("got %v, want %v", got, want[4:7])
		}
	})
}
