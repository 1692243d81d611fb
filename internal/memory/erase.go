package memory

import (
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// erase takes memories out with every event that carries or names them, so that
// the book is the one that the log gives when those events are gone from it. What
// stays is the bare id: with it a late event is told from an unknown one.
func (b *Book) erase(e *schema.MemoryEvent) {
	ids := b.erased(e)
	for i := range b.events {
		if ev := &b.events[i]; ev.ID != e.ID && ev.Type != schema.MemoryErasedMark {
			scrub(ev, ids)
		}
	}
	b.compact()
	b.unsound()
	for id := range ids {
		b.erasedIDs[id] = true
	}
	b.refold()
}

// unsound takes out what the log would have refused without the events that are gone: a memory may stand in the
// other's place only because a third, which is erased, had let it.
func (b *Book) unsound() {
	replay, refused := NewBook(b.world, b.npc), false
	for i := range b.events {
		e := &b.events[i]
		if e.Type == schema.MemoryErasedMark {
			continue // what it erased is gone already
		}
		if replay.Apply(*e, time.Time{}) != nil {
			*e, refused = schema.MemoryEvent{ID: e.ID}, true
		}
	}
	if refused {
		b.compact()
	}
}

// stone is what stays of an erased memory.
func (b *Book) stone(id string) *schema.Memory {
	return &schema.Memory{ID: id, World: b.world, NPC: b.npc, Status: schema.MemoryErased}
}

// erased are the memories that an erasure names: by id, or all in which a player
// stands.
func (b *Book) erased(e *schema.MemoryEvent) map[string]bool {
	ids := map[string]bool{}
	for _, id := range append([]string{e.Target}, e.Others...) {
		if id != "" {
			ids[id] = true
		}
	}
	if len(ids) > 0 {
		return ids
	}
	for i := range b.events { // those that were undone or dropped stand only there
		if m := b.events[i].Memory; m != nil && Mentions(m, e.Player) {
			ids[m.ID] = true
		}
	}
	return ids
}

// scrub empties an event of erased memories. An event of which nothing is left
// has no type any more.
func scrub(e *schema.MemoryEvent, ids map[string]bool) {
	if e.Memory != nil && ids[e.Memory.ID] || ids[e.Target] || ids[e.Keep] {
		*e = schema.MemoryEvent{ID: e.ID}
		return
	}
	if len(e.Others) == 0 {
		return
	}
	e.Others = slices.DeleteFunc(e.Others, func(id string) bool { return ids[id] })
	if len(e.Others) == 0 {
		*e = schema.MemoryEvent{ID: e.ID}
	}
}

// compact lets go of the events that scrub emptied, and of the undos of those.
func (b *Book) compact() {
	gone := map[string]bool{}
	kept := b.events[:0]
	for _, e := range b.events {
		if e.Type == "" || e.Type == schema.MemoryUndone && gone[e.Undoes] {
			gone[e.ID] = true
			b.place[e.ID] = -1
			continue
		}
		b.place[e.ID] = len(kept)
		kept = append(kept, e)
	}
	clear(b.events[len(kept):])
	b.events = kept
}
