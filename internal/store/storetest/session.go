package storetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

const model = "m1"

// Point makes a point of world w and the NPC mira with every field of a memory
// set; change alters it.
func Point(id string, vector []float32, change ...func(*schema.Memory)) store.MemoryPoint {
	m := schema.Memory{
		ID: id, World: "w", NPC: "mira", Player: "p1", Kind: schema.MemoryFact,
		Subject: "player:p1", Pred: "lives_in", Object: "arlen", Content: "p1 said that p1 lives in Arlen, by the " +
			"\"gate\" ☾.",
		Confidence: 0.62, Source: schema.OriginUser, HeardFrom: "ansel", HeardID: "m0",
		Spans: []schema.MemorySpan{{TurnID: "t1", Speaker: "player", Text: "I live in Arlen,\nby the gate.", At: day(0)}},
		Count: 2, TurnID: "t1", CreatedAt: day(1), EventTime: day(0), ValidFrom: day(0), ValidTo: day(9),
		Status: schema.MemoryActive, SupersededBy: "m2", Contradicts: []string{"m3"}, Witnesses: []string{"mira"},
		Tags: []string{"t"},
	}
	for _, c := range change {
		c(&m)
	}
	p := store.MemoryPoint{Memory: m}
	if len(vector) > 0 {
		p.Vector, p.Model = vector, model
	}
	return p
}

// Session runs the suite of a session.
func Session(t *testing.T, place Place[store.Session]) {
	t.Run("kept", func(t *testing.T) { sessionKeeps(t, place) })
	t.Run("refused", func(t *testing.T) { sessionRefuses(t, place) })
	t.Run("used", func(t *testing.T) { sessionCountsUse(t, place) })
	t.Run("filters", func(t *testing.T) { sessionFilters(t, place) })
	t.Run("pages", func(t *testing.T) { sessionPages(t, place) })
	t.Run("nearest", func(t *testing.T) { sessionNearest(t, place) })
	t.Run("lasts", func(t *testing.T) { sessionLasts(t, place) })
	t.Run("many", func(t *testing.T) { sessionOfMany(t, place) })
}

func sessionKeeps(t *testing.T, place Place[store.Session]) {
	ctx := context.Background()
	t.Run("a new session is empty", func(t *testing.T) {
		s := opened(t, place(t))
		wantIDs(t, s, store.MemoryFilter{World: "w"})
		if _, err := s.Get(ctx, "w", "a"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("err = %v, want %v", err, store.ErrNotFound)
		}
		if got, err := s.Nearest(ctx, store.MemoryFilter{World: "w"}, model, []float32{1, 0}, 3); err != nil ||
			len(got) != 0 {
			t.Errorf("nearest = %v, %v", got, err)
		}
	})
	t.Run("what is put comes back as it was, its vector at unit length", func(t *testing.T) {
		s := opened(t, place(t))
		full, bare := Point("a", []float32{3, 4}), store.MemoryPoint{Memory: schema.Memory{ID: "b", World: "w", NPC: "mira",
			Source: schema.OriginSystem, Spans: []schema.MemorySpan{{Speaker: "game", Text: "It rained."}}}}
		put(t, s, full, bare)
		full.Vector = []float32{0.6, 0.8}
		wantPoint(t, s, full)
		wantPoint(t, s, bare)
	})
	t.Run("put again, it stands once, and is what was put last", func(t *testing.T) {
		s := opened(t, place(t))
		put(t, s, Point("a", []float32{1, 0}), Point("b", []float32{1, 0}))
		put(t, s, Point("a", []float32{1, 0}), Point("b", []float32{1, 0}))
		wantIDs(t, s, store.MemoryFilter{World: "w"}, "a", "b")
		bare := Point("a", nil, func(m *schema.Memory) {
			*m = schema.Memory{ID: "a", World: "w", NPC: "mira", Source: schema.OriginSystem, Spans: m.Spans,
				Status: schema.MemoryFlagged}
		})
		put(t, s, bare)
		wantPoint(t, s, bare)
		wantIDs(t, s, store.MemoryFilter{World: "w", Tag: "t"}, "b")
		wantIDs(t, s, store.MemoryFilter{World: "w", Mentions: "p1"}, "b")
	})
	t.Run("of two with one id in a batch the later stands", func(t *testing.T) {
		s := opened(t, place(t))
		later := Point("a", []float32{0, 1}, func(m *schema.Memory) { m.Object = "port" })
		put(t, s, Point("a", []float32{1, 0}), later)
		wantPoint(t, s, later)
	})
	t.Run("an empty batch is no error", func(t *testing.T) {
		s := opened(t, place(t))
		put(t, s)
		wantIDs(t, s, store.MemoryFilter{World: "w"})
	})
	t.Run("one id in two worlds is two memories", func(t *testing.T) {
		s := opened(t, place(t))
		here, there := Point("a", []float32{1, 0}), Point("a", []float32{0, 1}, func(m *schema.Memory) { m.World = "w2" })
		put(t, s, here, there)
		must(t, s.Touch(ctx, "w2", []string{"a"}, day(1)))
		wantPoint(t, s, here)
		if n, err := s.Delete(ctx, store.MemoryFilter{World: "w2"}); n != 1 || err != nil {
			t.Errorf("deleted %d, %v; want 1", n, err)
		}
		wantPoint(t, s, here)
	})
	t.Run("a memory inherits nothing of one that was deleted", func(t *testing.T) {
		s := opened(t, place(t))
		put(t, s, Point("a", []float32{1, 0}))
		if n, err := s.Delete(ctx, store.MemoryFilter{World: "w"}); n != 1 || err != nil {
			t.Errorf("deleted %d, %v; want 1", n, err)
		}
		put(t, s, Point("b", []float32{1, 0},
			func(m *schema.Memory) { m.Player, m.Subject, m.Tags = "p2", "player:p2", nil }))
		wantIDs(t, s, store.MemoryFilter{World: "w", Tag: "t"})
		wantIDs(t, s, store.MemoryFilter{World: "w", Mentions: "p1"})
	})
	t.Run("marks are kept beside the points", func(t *testing.T) {
		s := opened(t, place(t))
		wantMark(t, s, "log", "")
		must(t, s.Mark(ctx, "log", "17"))
		must(t, s.Mark(ctx, "scan/w", "é\x01\"'"))
		must(t, s.Mark(ctx, "log", "18"))
		put(t, s, Point("a", []float32{1, 0}))
		wantIDs(t, s, store.MemoryFilter{World: "w"}, "a")
		if _, err := s.Delete(ctx, store.MemoryFilter{World: "w"}); err != nil {
			t.Fatal(err)
		}
		wantMark(t, s, "log", "18")
		wantMark(t, s, "scan/w", "é\x01\"'")
	})
}

func sessionRefuses(t *testing.T, place Place[store.Session]) {
	ctx := context.Background()
	cases := []struct {
		name       string
		provenance bool
		spoil      func(*store.MemoryPoint)
	}{
		{"written by a model", true, func(p *store.MemoryPoint) { p.Memory.Source = schema.OriginModel }},
		{"of the corpus", true, func(p *store.MemoryPoint) { p.Memory.Source = schema.OriginCorpus }},
		{"of no origin", true, func(p *store.MemoryPoint) { p.Memory.Source = "" }},
		{"proved by no words", true, func(p *store.MemoryPoint) { p.Memory.Spans = nil }},
		{"of no world", false, func(p *store.MemoryPoint) { p.Memory.World = "" }},
		{"of no NPC", false, func(p *store.MemoryPoint) { p.Memory.NPC = "" }},
		{"without an id", false, func(p *store.MemoryPoint) { p.Memory.ID = "" }},
		{"an id with a space", false, func(p *store.MemoryPoint) { p.Memory.ID = "a b" }},
		{"an id with a line end", false, func(p *store.MemoryPoint) { p.Memory.ID = "a\n" }},
		{"an id too long", false, func(p *store.MemoryPoint) { p.Memory.ID = strings.Repeat("a", 97) }},
		{"a huge text", false, func(p *store.MemoryPoint) {
			p.Memory.Spans[0].Text = strings.Repeat("a", store.MaxMemoryText)
		}},
		{"a year that cannot be written", false, func(p *store.MemoryPoint) { p.Memory.ValidTo = at.AddDate(9000, 0, 0) }},
		{"a vector of no model", false, func(p *store.MemoryPoint) { p.Model = "" }},
		{"a vector of zeroes", false, func(p *store.MemoryPoint) { p.Vector = []float32{0, 0} }},
		{"a vector with no number in it", false, func(p *store.MemoryPoint) { p.Vector = []float32{1, float32(math.NaN())} }},
		{"an endless vector", false, func(p *store.MemoryPoint) { p.Vector = []float32{1, float32(math.Inf(1))} }},
	}
	for _, c := range cases {
		t.Run("a batch with one refused changes nothing: "+c.name, func(t *testing.T) {
			s := opened(t, place(t))
			kept := Point("kept", []float32{1, 0})
			put(t, s, kept)
			bad := Point("bad", []float32{1, 0})
			c.spoil(&bad)
			err := s.Put(ctx, []store.MemoryPoint{Point("kept", []float32{0, 1}), Point("good", []float32{1, 0}), bad})
			if err == nil || errors.Is(err, store.ErrProvenance) != c.provenance || strings.Contains(err.Error(), "\n") {
				t.Fatalf("err = %v, want one line, of provenance: %v", err, c.provenance)
			}
			wantIDs(t, s, store.MemoryFilter{World: "w"}, "kept")
			wantPoint(t, s, kept)
		})
	}
	t.Run("a filter without a world", func(t *testing.T) {
		s := opened(t, place(t))
		put(t, s, Point("a", []float32{1, 0}))
		f := store.MemoryFilter{NPC: "mira"}
		_, count := s.Count(ctx, f)
		_, scroll := s.Scroll(ctx, f, "", 0)
		_, nearest := s.Nearest(ctx, f, model, []float32{1, 0}, 1)
		_, del := s.Delete(ctx, f)
		for name, err := range map[string]error{"count": count, "scroll": scroll, "nearest": nearest, "delete": del} {
			if err == nil || !strings.Contains(err.Error(), "needs a world") {
				t.Errorf("%s: err = %v", name, err)
			}
		}
		wantIDs(t, s, store.MemoryFilter{World: "w"}, "a")
	})
	t.Run("a context that has ended changes nothing", func(t *testing.T) {
		s := opened(t, place(t))
		put(t, s, Point("a", []float32{1, 0}))
		gone, cancel := context.WithCancel(ctx)
		cancel()
		_, del := s.Delete(gone, store.MemoryFilter{World: "w"})
		for name, err := range map[string]error{
			"put":   s.Put(gone, []store.MemoryPoint{Point("b", []float32{1, 0})}),
			"touch": s.Touch(gone, "w", []string{"a"}, day(1)), "mark": s.Mark(gone, "log", "1"), "delete": del,
		} {
			if err == nil {
				t.Errorf("%s: was done", name)
			}
		}
		wantIDs(t, s, store.MemoryFilter{World: "w"}, "a")
		wantPoint(t, s, Point("a", []float32{1, 0}))
		wantMark(t, s, "log", "")
	})
}

func sessionCountsUse(t *testing.T, place Place[store.Session]) {
	ctx := context.Background()
	t.Run("each use is counted, the last one kept, the unknown passed over", func(t *testing.T) {
		s := opened(t, place(t))
		a, b := Point("a", []float32{1, 0}), Point("b", nil)
		put(t, s, a, b)
		must(t, s.Touch(ctx, "w", []string{"a", "no-such"}, day(3)))
		must(t, s.Touch(ctx, "w", []string{"a", "b"}, day(2)))
		must(t, s.Touch(ctx, "w", nil, day(9)))
		a.Accessed, a.LastUsed = 2, day(3)
		b.Accessed, b.LastUsed = 1, day(2)
		wantPoint(t, s, a)
		wantPoint(t, s, b)
		wantIDs(t, s, store.MemoryFilter{World: "w"}, "a", "b")
	})
	t.Run("uses are gathered once, whoever does it again", func(t *testing.T) {
		s := opened(t, place(t))
		a, b, c := Point("a", []float32{1, 0}), Point("b", nil), Point("c", nil)
		a.Accessed, b.Accessed, c.Accessed = 1, 2, 4
		a.LastUsed, c.LastUsed = day(1), day(5)
		put(t, s, a, b, c)
		for range 2 {
			must(t, s.Gather(ctx, "w", "a", []string{"a", "b", "c", "no-such"}))
		}
		must(t, s.Gather(ctx, "w", "no-such", []string{"a"}))
		must(t, s.Gather(ctx, "w2", "a", []string{"b"}))
		a.Accessed, b.Accessed, c.Accessed = 7, 0, 0
		a.LastUsed = day(5)
		wantPoint(t, s, a)
		wantPoint(t, s, b)
		wantPoint(t, s, c)
	})
	t.Run("a memory put again keeps its count", func(t *testing.T) {
		s := opened(t, place(t))
		put(t, s, Point("a", []float32{1, 0}))
		must(t, s.Touch(ctx, "w", []string{"a"}, day(3)))
		again := Point("a", []float32{0, 1}, func(m *schema.Memory) { m.Status = schema.MemorySuperseded })
		again.Accessed, again.LastUsed = 40, day(50)
		put(t, s, again)
		again.Accessed, again.LastUsed = 1, day(3)
		wantPoint(t, s, again)
	})
	t.Run("a memory put for the first time brings its own", func(t *testing.T) {
		s := opened(t, place(t))
		p := Point("a", []float32{1, 0})
		p.Accessed, p.LastUsed = 40, day(50)
		put(t, s, p)
		wantPoint(t, s, p)
	})
	t.Run("a memory deleted and put again starts anew", func(t *testing.T) {
		s := opened(t, place(t))
		put(t, s, Point("a", []float32{1, 0}))
		must(t, s.Touch(ctx, "w", []string{"a"}, day(3)))
		if n, err := s.Delete(ctx, store.MemoryFilter{World: "w", IDs: []string{"a"}}); n != 1 || err != nil {
			t.Fatalf("deleted %d, %v", n, err)
		}
		put(t, s, Point("a", []float32{1, 0}))
		wantPoint(t, s, Point("a", []float32{1, 0}))
	})
}

func put(t *testing.T, s store.Session, points ...store.MemoryPoint) {
	t.Helper()
	must(t, s.Put(context.Background(), points))
}

func wantMark(t *testing.T, s store.Session, key, want string) {
	t.Helper()
	if got, err := s.Marked(context.Background(), key); err != nil || got != want {
		t.Errorf("mark %s = %q, %v; want %q", key, got, err, want)
	}
}

// wantPoint wants a point as given, by Get and by Scroll.
func wantPoint(t *testing.T, s store.Session, want store.MemoryPoint) {
	t.Helper()
	got, err := s.Get(context.Background(), want.Memory.World, want.Memory.ID)
	if err != nil {
		t.Fatal(err)
	}
	samePoint(t, got, want)
	f := store.MemoryFilter{World: want.Memory.World, IDs: []string{want.Memory.ID}}
	page, err := s.Scroll(context.Background(), f, "", 0)
	if err != nil || len(page) != 1 {
		t.Fatalf("scroll = %d points, %v; want one", len(page), err)
	}
	samePoint(t, page[0], want)
}

func samePoint(t *testing.T, got, want store.MemoryPoint) {
	t.Helper()
	if len(got.Vector) != len(want.Vector) {
		t.Fatalf("vector = %v, want %v", got.Vector, want.Vector)
	}
	if len(want.Vector) > 0 {
		unit, err := store.Unit(want.Vector)
		must(t, err)
		for i, x := range unit {
			if math.Abs(float64(got.Vector[i]-x)) > 1e-6 {
				t.Fatalf("vector = %v, want %v", got.Vector, unit)
			}
		}
	}
	got.Vector, want.Vector = nil, nil
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("point = %+v, want %+v", got, want)
	}
}

// wantIDs wants exactly these memories under a filter, in order, by Scroll and by
// Count.
func wantIDs(t *testing.T, s store.Session, f store.MemoryFilter, want ...string) {
	t.Helper()
	got, err := s.Scroll(context.Background(), f, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	if ids := idsOf(got); fmt.Sprint(ids) != fmt.Sprint(want) {
		t.Errorf("scroll = %v, want %v", ids, want)
	}
	if n, err := s.Count(context.Background(), f); err != nil || n != len(want) {
		t.Errorf("count = %d, %v; want %d", n, err, len(want))
	}
}

func idsOf(points []store.MemoryPoint) []string {
	var out []string
	for _, p := range points {
		out = append(out, p.Memory.ID)
	}
	return out
}
