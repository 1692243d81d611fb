package memory_test

import (
	"testing"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Whatever is undone and had back, one side of a change stands.
func TestAnUndoHadBackLosesNeitherSide(t *testing.T) {
	ferry, oak := told("p42", "lives_in", "Ferrytown", "I live in Ferrytown", day(0)),
		told("p42", "lives_in", "Oakham", "I live in Oakham", day(1))
	f, o := ferry.ID, oak.ID
	until := func(e schema.MemoryEvent) schema.MemoryEvent { e.ValidTo = day(1); return e }
	kept := func(id, keep, other string) schema.MemoryEvent {
		e := about(id, schema.MemoryResolved, keep, other)
		e.Keep = keep
		return until(e)
	}
	for name, c := range map[string]struct {
		events []schema.MemoryEvent
		stands string
	}{
		"superseded both ways": {[]schema.MemoryEvent{until(about("s1", schema.MemorySupersede, f, o)), undo("u1", "s1"),
			until(about("s2", schema.MemorySupersede, o, f)), undo("u2", "u1")}, f},
		"resolved both ways": {[]schema.MemoryEvent{about("c", schema.MemoryFlag, f, o), kept("r1", o, f), undo("u1", "r1"),
			kept("r2", f, o), undo("u2", "u1")}, f},
	} {
		b := memory.NewBook("hollowmere", "mira")
		apply(t, b, event("w1", schema.MemoryWritten, &ferry), event("w2", schema.MemoryWritten, &oak))
		apply(t, b, c.events...)
		if n := b.Len(schema.MemoryActive); n != 1 {
			t.Errorf("%s: %d are active", name, n)
		}
		if m, _ := b.Get(c.stands); m.Status != schema.MemoryActive || !m.ValidTo.IsZero() || m.SupersededBy != "" {
			t.Errorf("%s: %s is %s, valid to %s, by %q", name, m.Object, m.Status, m.ValidTo, m.SupersededBy)
		}
	}
}
