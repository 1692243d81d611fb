package memory

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func forgetting(id, player, subject string, witnesses ...string) *schema.Memory {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return &schema.Memory{ID: id, World: "w", NPC: "mira", Player: player, Kind: schema.MemoryFact, Subject: subject,
		Pred: "gave", Object: "a sword " + id,
		Content: "Something was given: " + id, Confidence: 0.9, Source: schema.OriginSystem, Witnesses: witnesses,
		CreatedAt: at, Count: 1,
		Spans: []schema.MemorySpan{{EventID: "ev-" + id, Speaker: "game", Text: "it was given"}}}
}

// A log without a player gives the same memories to whoever had read it before as
// to whoever reads it anew, and no entry of it names the player.
func TestForget(t *testing.T) {
	const gone, other = "p-gone", "p-other"
	at := time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)
	n := 0
	event := func(kind schema.MemoryEventType, player string, change func(*schema.MemoryEvent)) Entry {
		n++
		e := schema.MemoryEvent{ID: fmt.Sprintf("e%d", n), Type: kind, World: "w", NPC: "mira", Player: player, At: at,
			By: "guard1"}
		change(&e)
		return Entry{Event: e, Player: cmp.Or(player, "_")}
	}
	written := func(m *schema.Memory) Entry {
		return event(schema.MemoryWritten, m.Player, func(e *schema.MemoryEvent) { e.Memory = m })
	}
	about := func(kind schema.MemoryEventType, player, target string, others ...string) Entry {
		return event(kind, player, func(e *schema.MemoryEvent) { e.Target, e.Others = target, others })
	}
	undo := func(player string, of Entry) Entry {
		return event(schema.MemoryUndone, player, func(e *schema.MemoryEvent) { e.Undoes = of.Event.ID })
	}
	own, plain, seen := forgetting("m1", gone, "npc:mira"), forgetting("m2", other, "npc:mira"),
		forgetting("m3", other, "npc:mira", "mira", gone)
	subject, world := forgetting("m4", "", "player:"+gone), forgetting("m5", "", "the bridge", gone)
	newer := forgetting("m6", other, "npc:mira")
	superseded := about(schema.MemorySupersede, other, "m3", "m6")
	for _, c := range []struct {
		name         string
		log          []Entry
		erased, kept int
		left         []string // "id status"
		deleted      int
	}{
		{"of the player", []Entry{written(own), written(plain)}, 1, 0, []string{"m2 active"}, 1},
		{"about the player", []Entry{written(subject), written(plain)}, 1, 0, []string{"m2 active"}, 1},
		{"where the player looked on", []Entry{written(seen), written(world)}, 0, 2, []string{"m3 active", "m5 active"}, 2},
		{"superseded by another", []Entry{written(seen), written(newer), superseded}, 0, 2,
			[]string{"m3 superseded", "m6 active"}, 3},
		{"superseded, and that undone", []Entry{written(seen), written(newer), superseded, undo(other, superseded)}, 0, 2,
			[]string{"m3 active", "m6 active"}, 4},
		{"contradicted", []Entry{written(seen), written(newer), about(schema.MemoryFlag, other, "m3", "m6")}, 0, 2,
			[]string{"m3 active", "m6 active"}, 3},
		{"dropped since", []Entry{written(own), about(schema.MemoryDropped, gone, "m1"), written(plain)}, 1, 0,
			[]string{"m2 active"}, 2},
		{"an unreadable entry", []Entry{{Player: gone, Bad: true}, written(plain)}, 0, 0, []string{"m2 active"}, 1},
		{"somebody else", []Entry{written(plain), written(newer)}, 0, 0, []string{"m2 active", "m6 active"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			kept := NewBook("w", "mira")
			for _, e := range c.log {
				if e.Bad {
					continue
				}
				if err := kept.Apply(e.Event, time.Time{}); err != nil {
					t.Fatal(err)
				}
			}
			plan := Forget("w", "mira", c.log, Forgotten{ID: gone}, at, func(n int) string { return fmt.Sprintf("erase:%d", n) })
			if plan.Erased != c.erased || plan.Kept != c.kept || len(plan.Gone) != c.deleted {
				t.Errorf("erased %d, kept %d, deleted %v", plan.Erased, plan.Kept, plan.Gone)
			}
			for i := len(plan.Gone) - 1; i >= 0; i-- {
				c.log = append(c.log[:plan.Gone[i]:plan.Gone[i]], c.log[plan.Gone[i]+1:]...)
			}
			for _, e := range plan.Events {
				c.log = append(c.log, Entry{Event: e})
				if err := kept.Apply(e, time.Time{}); err != nil {
					t.Errorf("whoever kept a book: %v", err)
				}
			}
			anew := NewBook("w", "mira")
			for _, e := range c.log {
				if err := anew.Apply(e.Event, time.Time{}); err != nil {
					t.Errorf("whoever reads it anew: %v", err)
				}
			}
			if strings.Contains(fmt.Sprintf("%+v", c.log), gone) {
				t.Errorf("the log names the player: %+v", c.log)
			}
			var left []string
			for _, m := range remaining(anew) {
				left = append(left, m.ID+" "+string(m.Status))
			}
			if !reflect.DeepEqual(left, c.left) || !reflect.DeepEqual(remaining(anew), remaining(kept)) {
				t.Errorf("left %v\nanew %+v\nkept %+v", left, remaining(anew), remaining(kept))
			}
		})
	}
}

// What an operator settled outlives the erasure of somebody who only looked on: the
// scan does not link the two again, and does not set aside what was taken back.
func TestForgettingKeepsWhatAnOperatorSettled(t *testing.T) {
	const gone = "p-gone"
	at := time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)
	n := 0
	event := func(e schema.MemoryEvent) Entry {
		n++
		e.ID, e.World, e.NPC, e.Player, e.At = fmt.Sprintf("e%d", n), "w", "mira", "p-other", at
		return Entry{Event: e, Player: e.Player}
	}
	seen, other, third := forgetting("m1", "p-other", "npc:mira", "mira", gone), forgetting("m2", "p-other", "npc:mira"),
		forgetting("m3", "p-other", "npc:mira")
	flag, aside := event(schema.MemoryEvent{Type: schema.MemoryFlag, Target: "m1", Others: []string{"m2"}}),
		event(schema.MemoryEvent{Type: schema.MemoryFlag, Target: "m1"})
	merged := event(schema.MemoryEvent{Type: schema.MemorySupersede, Target: "m1", Others: []string{"m3"}})
	log := []Entry{
		event(schema.MemoryEvent{Type: schema.MemoryWritten, Memory: seen}),
		event(schema.MemoryEvent{Type: schema.MemoryWritten, Memory: other}),
		event(schema.MemoryEvent{Type: schema.MemoryWritten, Memory: third}),
		flag, event(schema.MemoryEvent{Type: schema.MemoryResolved, By: "operator:ada", Target: "m1",
			Others: []string{"m2"}}),
		aside, event(schema.MemoryEvent{Type: schema.MemoryResolved, By: "operator:ada", Target: "m1", Keep: "m1"}),
		merged, event(schema.MemoryEvent{Type: schema.MemoryUndone, By: "operator:ada", Undoes: merged.Event.ID}),
	}
	kept := NewBook("w", "mira")
	for _, e := range log {
		if err := kept.Apply(e.Event, time.Time{}); err != nil {
			t.Fatal(e.Event.ID, err)
		}
	}
	plan := Forget("w", "mira", log, Forgotten{ID: gone}, at, func(n int) string { return fmt.Sprintf("erase:%d", n) })
	left := slices.DeleteFunc(log, func(e Entry) bool {
		return slices.ContainsFunc(plan.Gone, func(i int) bool { return log[i].Event.ID == e.Event.ID })
	})
	anew := NewBook("w", "mira")
	for _, e := range left {
		if err := anew.Apply(e.Event, time.Time{}); err != nil {
			t.Fatal(err)
		}
	}
	for name, b := range map[string]*Book{"whoever kept a book": kept, "whoever reads it anew": anew} {
		for _, e := range plan.Events {
			if err := b.Apply(e, time.Time{}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		pairs := b.Settled()
		for _, with := range []string{"m2", "m3"} {
			if !IsSettled(pairs, "m1", with) {
				t.Errorf("%s: m1 and %s are not settled: %v", name, with, pairs)
			}
		}
		if m, ok := b.Get("m1"); !ok || m.Status != schema.MemoryActive || !slices.Contains(m.Tags, protocol.TagVouched) ||
			slices.Contains(m.Witnesses, gone) {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

// remaining are the memories of a book but those that are erased.
func remaining(b *Book) (out []schema.Memory) {
	for _, m := range b.Memories() {
		if m.Status != schema.MemoryErased {
			out = append(out, m)
		}
	}
	return out
}

// What an NPC of a scene repeats of a player goes from the memories of other players, and
// what another player says of the same stays.
func TestForgetWhatAnNPCRepeats(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)
	var log []Entry
	for i, c := range []struct{ id, speaker, scene string }{
		{"repeated", "npc", "hall"}, {"another's", "player", "hall"}, {"elsewhere", "npc", ""},
	} {
		m := forgetting(c.id, "p-other", "npc:osric")
		m.Content, m.Object = "Osric told me that there are nine bees.", "nine bees"
		m.Spans = []schema.MemorySpan{{TurnID: "t1", Speaker: c.speaker, Text: "nine bees", Scene: c.scene}}
		log = append(log, Entry{Player: "p-other", Event: schema.MemoryEvent{ID: fmt.Sprint(i), Type: schema.MemoryWritten,
			World: "w", NPC: "mira", Player: "p-other", At: at, By: "guard1", Memory: m}})
	}
	who := Forgotten{ID: "p-gone", Repeated: func(said string) bool { return strings.Contains(said, "nine bees") }}
	plan := Forget("w", "mira", log, who, at, func(n int) string { return fmt.Sprintf("erase:%d", n) })
	if !slices.Equal(plan.Gone, []int{0}) || plan.Erased != 1 {
		t.Errorf("%+v", plan)
	}
}
