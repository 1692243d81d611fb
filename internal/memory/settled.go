package memory

import (
	"slices"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Settled are pairs of memories between which nothing is to be done by itself any
// more: an operator called them distinct, or took back what was done between them.
// The log says so, and so does every book that is made of it.
func (b *Book) Settled() [][2]string {
	var out [][2]string
	for i := range b.events {
		e := &b.events[i]
		undone := b.undone[e.ID] != ""
		switch e.Type {
		case schema.MemoryResolved:
			if e.Keep != "" || undone {
				continue
			}
		case schema.MemoryMerged, schema.MemorySupersede, schema.MemoryFlag:
			if !undone {
				continue
			}
		default:
			continue
		}
		sides := append([]string{e.Target}, e.Others...)
		if e.Memory != nil {
			sides[0] = e.Memory.ID
		}
		for x, one := range sides {
			for _, other := range sides[x+1:] {
				out = append(out, [2]string{one, other})
			}
		}
	}
	return out
}

// vouched are the memories that the scan had set aside as unproven, and that an
// operator took back.
func (b *Book) vouched() map[string]bool {
	out := map[string]bool{}
	for i := range b.events {
		e := &b.events[i]
		switch {
		case e.Type == schema.MemoryFlag && len(e.Others) == 0 && b.undone[e.ID] != "":
			out[e.Target] = true
		case e.Type == schema.MemoryResolved && len(e.Others) == 0 && e.Keep == e.Target && b.undone[e.ID] == "":
			out[e.Target] = true
		}
	}
	return out
}

// IsSettled says whether two memories are among such pairs.
func IsSettled(pairs [][2]string, one, other string) bool {
	return slices.Contains(pairs, [2]string{one, other}) || slices.Contains(pairs, [2]string{other, one})
}

// Event is an event of the book by its id; one that was erased is not there.
func (b *Book) Event(id string) (schema.MemoryEvent, bool) {
	i, ok := b.place[id]
	if !ok || i < 0 {
		return schema.MemoryEvent{}, false
	}
	return cloneEvent(&b.events[i]), true
}

// Merged are the memories that stand for others, with those, as the merges that hold
// have it.
func (b *Book) Merged() map[string][]string {
	out := map[string][]string{}
	for i := range b.events {
		if e := &b.events[i]; e.Type == schema.MemoryMerged && b.undone[e.ID] == "" {
			out[e.Memory.ID] = append(out[e.Memory.ID], e.Others...)
		}
	}
	return out
}
