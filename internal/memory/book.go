package memory

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Book is all that one NPC of one world remembers, of every player, as its log
// makes it. The zero value is not ready; see NewBook. A Book is for one goroutine.
//
// What a book says is what its events say in their order, without those that were
// undone: so an undo needs no inverse of its own, and an undo of an undo gives the
// same book again.
type Book struct {
	world, npc string
	events     []schema.MemoryEvent // in the order applied; erased ones are gone
	place      map[string]int       // of events by id; -1 where the event is gone
	undone     map[string]string    // event → the undo that holds
	erasedIDs  map[string]bool      // whatever was erased, though it may have been said anew
	memories   map[string]*schema.Memory
	changed    map[string]bool // memories, since Changed was last asked
	allChanged bool
}

// NewBook is the empty book of an NPC.
func NewBook(world, npc string) *Book {
	return &Book{world: world, npc: npc, place: map[string]int{}, undone: map[string]string{},
		erasedIDs: map[string]bool{}, memories: map[string]*schema.Memory{}, changed: map[string]bool{}}
}

// Apply takes one event. One that was taken before changes nothing; one that is
// damaged, or speaks of a memory that is not here, is refused and changes nothing.
// now is the wall time against which an event may not lie in the future; zero
// means that the time is not looked at.
func (b *Book) Apply(e schema.MemoryEvent, now time.Time) error {
	if _, known := b.place[e.ID]; known && e.ID != "" {
		return nil
	}
	if err := b.check(&e, now); err != nil {
		return err
	}
	e = cloneEvent(&e)
	b.place[e.ID] = len(b.events)
	b.events = append(b.events, e)
	switch e.Type {
	case schema.MemoryUndone:
		b.refold()
	case schema.MemoryErasedMark:
		b.erase(&e)
	default:
		b.fold(&e)
	}
	return nil
}

func cloneEvent(e *schema.MemoryEvent) schema.MemoryEvent {
	out := *e
	out.Others = slices.Clone(e.Others)
	if e.Memory != nil {
		m := clone(e.Memory)
		out.Memory = &m
	}
	if e.Verdict != nil {
		v := *e.Verdict
		v.Spans = slices.Clone(v.Spans)
		out.Verdict = &v
	}
	return out
}

// Get is a memory by its id.
func (b *Book) Get(id string) (schema.Memory, bool) {
	m, ok := b.memories[id]
	if !ok {
		return schema.Memory{}, false
	}
	return clone(m), true
}

// Memories are all memories by id, the superseded, pending and erased ones too.
func (b *Book) Memories() []schema.Memory {
	out := make([]schema.Memory, 0, len(b.memories))
	for _, id := range slices.Sorted(maps.Keys(b.memories)) {
		out = append(out, clone(b.memories[id]))
	}
	return out
}

// Len counts the memories of a status; of none given, all.
func (b *Book) Len(statuses ...schema.MemoryStatus) int {
	n := 0
	for _, m := range b.memories {
		if len(statuses) == 0 || slices.Contains(statuses, m.Status) {
			n++
		}
	}
	return n
}

// Size is how many events the book was made of.
func (b *Book) Size() int { return len(b.place) }

// Has says whether an event of this id was taken, though it may be undone since.
func (b *Book) Has(event string) bool {
	_, ok := b.place[event]
	return ok
}

// Accepts says why Apply would refuse an event, or is nil.
func (b *Book) Accepts(e schema.MemoryEvent, now time.Time) error { return b.check(&e, now) }

// PlaceOf is the place of an event in the log, from 1; 0 where it is not there.
func (b *Book) PlaceOf(event string) int {
	if i, ok := b.place[event]; ok {
		return i + 1
	}
	return 0
}

// Wrote says at which place of the log, from 1, a memory was first written, and in which
// an operator last decided on it: 0 where never.
func (b *Book) Wrote(id string) (written, decided int) {
	for i := range b.events {
		e := &b.events[i]
		switch {
		case e.Type == schema.MemoryUndone && b.speaksOf(e.Undoes, id), e.Type == schema.MemoryResolved && speaks(e, id):
			decided = i + 1
		case e.Type == schema.MemoryWritten && written == 0 && speaks(e, id):
			written = i + 1
		}
	}
	return written, decided
}

// speaksOf says whether an event is about a memory.
func (b *Book) speaksOf(event, id string) bool {
	i, ok := b.place[event]
	if !ok || i < 0 {
		return false
	}
	return speaks(&b.events[i], id)
}

func speaks(e *schema.MemoryEvent, id string) bool {
	return e.Target == id || slices.Contains(e.Others, id) || e.Memory != nil && e.Memory.ID == id
}

// Of are the memories that the events of a turn carry, each once, as they were then;
// those that were dropped too.
func (b *Book) Of(turn string) []schema.Memory {
	var out []schema.Memory
	for i := range b.events {
		m := b.events[i].Memory
		if b.events[i].TurnID == turn && m != nil &&
			!slices.ContainsFunc(out, func(o schema.Memory) bool { return o.ID == m.ID }) {
			out = append(out, clone(m))
		}
	}
	return out
}

// Changed are the memories that may be other than when it was last asked, those
// that are gone too; all says that any may be. It begins anew with that.
func (b *Book) Changed() (ids []string, all bool) {
	if all = b.allChanged; !all {
		ids = slices.Sorted(maps.Keys(b.changed))
	}
	clear(b.changed)
	b.allChanged = false
	return ids, all
}

// Retouch takes an answer of Changed back: nothing was made of it.
func (b *Book) Retouch(ids []string, all bool) {
	for _, id := range ids {
		b.changed[id] = true
	}
	b.allChanged = b.allChanged || all
}

// touch says that memories are about to change, with those that they contradict.
func (b *Book) touch(ids ...string) {
	for _, id := range ids {
		if id == "" {
			continue
		}
		b.changed[id] = true
		if m := b.memories[id]; m != nil {
			for _, other := range m.Contradicts {
				b.changed[other] = true
			}
		}
	}
}

// Undone says by which event another was undone; empty: it holds.
func (b *Book) Undone(event string) string { return b.undone[event] }

// Place says which id a candidate has in this book, and whether these words of the
// same turn or event are in it already. Where the same was said before and holds
// no longer, saying it anew is a new memory; where it was merged into another, it
// is that one.
func (b *Book) Place(m *schema.Memory) (id string, known bool) {
	for nth := 0; ; nth++ {
		id = ID(m, nth)
		have, ok := b.memories[id]
		switch {
		case !ok || have.Status == schema.MemoryErased:
			return id, false
		case have.Status == schema.MemoryPending || provedBy(have, m):
			return id, true
		case merged(have):
			return b.canonical(have, m)
		case have.Status != schema.MemorySuperseded:
			return id, false
		}
	}
}

// merged says whether a memory stands in another that says the same: it did not end.
func merged(m *schema.Memory) bool {
	return m.Status == schema.MemorySuperseded && m.ValidTo.IsZero() && m.SupersededBy != ""
}

// canonical is the memory into which one was merged, in the end, for a candidate that
// says the same again.
func (b *Book) canonical(have, m *schema.Memory) (id string, known bool) {
	for next := range b.successors(have) {
		if !merged(have) {
			break
		}
		have = next
	}
	return have.ID, provedBy(have, m)
}

// provedBy says whether all of m's spans are among those of have.
func provedBy(have, m *schema.Memory) bool {
	return !slices.ContainsFunc(m.Spans, func(s schema.MemorySpan) bool { return !holdsSpan(have, s) })
}

func holdsSpan(m *schema.Memory, s schema.MemorySpan) bool {
	return slices.ContainsFunc(m.Spans, func(h schema.MemorySpan) bool { return sameSpan(h, s) })
}

// AddSpans adds those of some spans that a memory lacks and has room for.
func AddSpans(m *schema.Memory, spans []schema.MemorySpan) {
	for _, s := range spans {
		if len(m.Spans) < MaxSpans && !holdsSpan(m, s) {
			m.Spans = append(m.Spans, s)
		}
	}
}

// sameSpan says whether two spans are the same words of the same occasion.
func sameSpan(a, b schema.MemorySpan) bool {
	return a.TurnID == b.TurnID && a.EventID == b.EventID && a.Speaker == b.Speaker && a.Text == b.Text
}

// Same are the memories of the same player, subject and predicate, by id.
func (b *Book) Same(m *schema.Memory) []schema.Memory {
	var out []schema.Memory
	for _, o := range b.memories {
		if o.Player == m.Player && o.Status != schema.MemoryErased && sameSubject(o, m) {
			out = append(out, clone(o))
		}
	}
	slices.SortFunc(out, func(x, y schema.Memory) int { return strings.Compare(x.ID, y.ID) })
	return out
}

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
