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
	return &Book{world: world, npc: npc, place: map[string]int{}, undone: map[string]string{}, erasedIDs: map[string]bool{}, memories: map[string]*schema.Memory{}, changed: map[string]bool{}}
}

// Rebuild makes a book from a log. Events that are refused are left out, and their
// errors given in order.
func Rebuild(world, npc string, log []schema.MemoryEvent, now time.Time) (*Book, []error) {
	b := NewBook(world, npc)
	var problems []error
	for _, e := range log {
		if err := b.Apply(e, now); err != nil {
			problems = append(problems, err)
		}
	}
	return b, problems
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
		if b.events[i].TurnID == turn && m != nil && !slices.ContainsFunc(out, func(o schema.Memory) bool { return o.ID == m.ID }) {
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
	for steps := 0; merged(have) && steps <= len(b.memories); steps++ {
		next := b.memories[have.SupersededBy]
		if next == nil {
			break
		}
		have = next
	}
	return have.ID, provedBy(have, m)
}

// provedBy says whether all of m's spans are among those of have.
func provedBy(have, m *schema.Memory) bool {
	for _, s := range m.Spans {
		if !slices.ContainsFunc(have.Spans, func(h schema.MemorySpan) bool { return sameSpan(h, s) }) {
			return false
		}
	}
	return true
}

func sameSpan(a, b schema.MemorySpan) bool {
	return a.TurnID == b.TurnID && a.EventID == b.EventID && a.Speaker == b.Speaker && a.Text == b.Text
}

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
	for _, s := range m.Spans {
		if len(have.Spans) < MaxSpans && !slices.ContainsFunc(have.Spans, func(h schema.MemorySpan) bool { return sameSpan(h, s) }) {
			have.Spans = append(have.Spans, s)
		}
	}
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
	for steps := 0; m != nil && m.Status == schema.MemorySuperseded && steps <= len(b.memories); steps++ {
		if m.SupersededBy == other {
			return true
		}
		m = b.memories[m.SupersededBy]
	}
	return false
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
