package memory

import (
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// refold makes the memories anew from the events that are not undone. What an
// event speaks of may be missing then; it has no effect on that.
func (b *Book) refold() {
	b.allChanged = true
	b.undone = map[string]string{}
	for i := len(b.events) - 1; i >= 0; i-- { // an undo stands behind what it undoes
		e := &b.events[i]
		if e.Type == schema.MemoryUndone && b.undone[e.ID] == "" {
			b.undone[e.Undoes] = e.ID
		}
	}
	b.memories = map[string]*schema.Memory{}
	for id := range b.erasedIDs {
		b.memories[id] = b.stone(id)
	}
	for i := range b.events {
		if e := &b.events[i]; b.undone[e.ID] == "" {
			b.fold(e)
		}
	}
}

// fold lets one sound event change the memories.
func (b *Book) fold(e *schema.MemoryEvent) {
	b.touch(e.Target)
	b.touch(e.Others...)
	if e.Memory != nil {
		b.touch(e.Memory.ID)
	}
	switch e.Type {
	case schema.MemoryProposed:
		b.propose(e.Memory)
	case schema.MemoryWritten:
		b.write(e.Memory)
	case schema.MemoryDropped:
		b.drop(e)
	case schema.MemoryMerged:
		b.merge(e)
	case schema.MemorySupersede:
		b.supersede(e.Target, e.Others[0], e.ValidTo)
	case schema.MemoryFlag:
		b.flag(e)
	case schema.MemoryResolved:
		b.resolve(e)
	case schema.MemoryUndone, schema.MemoryErasedMark: // see refold and erase
	}
}

func (b *Book) propose(m *schema.Memory) {
	if have := b.memories[m.ID]; have != nil && have.Status != schema.MemoryErased {
		return // known: only a verdict proves it anew
	}
	c := clone(m)
	c.Status, c.Count = schema.MemoryPending, max(c.Count, 1)
	b.memories[m.ID] = &c
}

// write makes a memory active, or flagged where the record says so; one that is
// active already is proved anew.
func (b *Book) write(m *schema.Memory) {
	have := b.memories[m.ID]
	if have != nil && have.Status != schema.MemoryPending && have.Status != schema.MemoryErased {
		b.proveAnew(have, m)
		return
	}
	c := clone(m)
	c.Count = max(c.Count, 1)
	if c.Status != schema.MemoryFlagged {
		c.Status = schema.MemoryActive
	}
	b.memories[m.ID] = &c
}

// proveAnew raises the count of a memory. What was flagged unverified and is now
// verified becomes active; what was hearsay and is now heard at first hand is
// hearsay no more.
func (b *Book) proveAnew(have, m *schema.Memory) {
	have.Count++
	AddSpans(have, m.Spans)
	if have.HeardFrom != "" && m.HeardFrom == "" {
		have.HeardFrom, have.HeardID = "", ""
		have.Source, have.Content, have.EventTime, have.ValidFrom = m.Source, m.Content, m.EventTime, m.ValidFrom
	}
	have.Confidence = max(have.Confidence, m.Confidence)
	if have.Status == schema.MemoryFlagged && m.Status != schema.MemoryFlagged {
		have.Status = schema.MemoryActive
		have.Confidence, have.Tags = m.Confidence, slices.Clone(m.Tags)
	}
}

// drop lets go of a memory. An event that carries the candidate is a guard's, and
// drops only what waits for a verdict: the same words may stand proved by another
// turn. One that names a target drops it whatever it is.
func (b *Book) drop(e *schema.MemoryEvent) {
	id := e.Target
	if e.Memory != nil {
		id = e.Memory.ID
		if have := b.memories[id]; have != nil && have.Status != schema.MemoryPending {
			return
		}
	}
	b.unlink(id)
	delete(b.memories, id)
	if b.erasedIDs[id] {
		b.memories[id] = b.stone(id)
	}
}

// unlink takes a memory off the contradictions of the others.
func (b *Book) unlink(id string) {
	m := b.memories[id]
	if m == nil {
		return
	}
	for _, other := range m.Contradicts {
		if o := b.memories[other]; o != nil {
			o.Contradicts = without(o.Contradicts, id)
		}
	}
	m.Contradicts = nil
}

func without(list []string, id string) []string {
	list = slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == id })
	if len(list) == 0 {
		return nil
	}
	return list
}

func (b *Book) merge(e *schema.MemoryEvent) {
	have := b.memories[e.Memory.ID]
	if have == nil || have.Status == schema.MemoryErased {
		return
	}
	c := clone(e.Memory)
	c.Status, c.SupersededBy, c.Count = schema.MemoryActive, "", max(c.Count, 1)
	c.Contradicts = slices.Clone(have.Contradicts)
	b.memories[c.ID] = &c
	for _, id := range e.Others {
		b.supersede(id, c.ID, time.Time{})
	}
}

// supersede puts one memory in another's place. The older one's contradictions
// are settled by that.
func (b *Book) supersede(older, newer string, until time.Time) {
	o, n := b.memories[older], b.memories[newer]
	if o == nil || n == nil || o.Status == schema.MemoryErased || n.Status == schema.MemoryErased {
		return
	}
	if b.heldBy(n, older) { // had back by an undo after the opposite was done: the later holds
		revive(n)
	}
	b.unlink(older)
	o.Status, o.SupersededBy = schema.MemorySuperseded, newer
	if !until.IsZero() {
		o.ValidTo = until
	}
}

// heldBy says whether a memory is superseded by another, in the end.
func (b *Book) heldBy(m *schema.Memory, other string) bool {
	for next := range b.successors(m) {
		if m.Status != schema.MemorySuperseded || next.ID == other {
			return m.Status == schema.MemorySuperseded
		}
		m = next
	}
	return false
}

// successors are the memories that took a memory's place, one after another; a circle ends.
func (b *Book) successors(m *schema.Memory) iter.Seq[*schema.Memory] {
	return func(yield func(*schema.Memory) bool) {
		for range b.memories {
			if m = b.memories[m.SupersededBy]; m == nil || !yield(m) {
				return
			}
		}
	}
}

// revive lets a memory stand that was superseded.
func revive(m *schema.Memory) {
	if m.Status == schema.MemorySuperseded {
		m.ValidTo = time.Time{}
	}
	m.Status, m.SupersededBy = schema.MemoryActive, ""
}

// flag links the sides of a contradiction, which stay as they are; with no other
// side the memory is unverified, and nobody retrieves it.
func (b *Book) flag(e *schema.MemoryEvent) {
	m := b.memories[e.Target]
	if m == nil || m.Status == schema.MemoryErased {
		return
	}
	if len(e.Others) == 0 {
		m.Status = schema.MemoryFlagged
		return
	}
	for _, id := range e.Others {
		if strings.HasPrefix(id, LorePrefix) {
			m.Contradicts = with(m.Contradicts, id)
			continue
		}
		if o := b.memories[id]; o != nil && o.Status != schema.MemoryErased {
			m.Contradicts = with(m.Contradicts, id)
			o.Contradicts = with(o.Contradicts, m.ID)
		}
	}
}

func with(list []string, id string) []string {
	if slices.Contains(list, id) {
		return list
	}
	list = append(slices.Clone(list), id)
	slices.Sort(list)
	return list
}

// resolve ends a contradiction: one side holds, or both do.
func (b *Book) resolve(e *schema.MemoryEvent) {
	sides := append([]string{e.Target}, e.Others...)
	for _, one := range sides {
		if m := b.memories[one]; m != nil {
			for _, other := range sides {
				m.Contradicts = without(m.Contradicts, other)
			}
		}
	}
	keep := b.memories[e.Keep]
	if keep == nil || keep.Status == schema.MemoryErased {
		return
	}
	revive(keep)
	for _, id := range sides {
		if id != e.Keep {
			b.supersede(id, e.Keep, e.ValidTo)
		}
	}
}
