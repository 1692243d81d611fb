package memory

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Entry is an event of a log with the player of its subject; "_" is none.
type Entry struct {
	Event  schema.MemoryEvent
	Player string
	Bad    bool // it cannot be read
}

// Forgetting is how a log forgets a player: entries to be deleted, after the events
// that tell whoever keeps a book of it.
type Forgetting struct {
	Gone   []int                // places in the log
	Events []schema.MemoryEvent // to be appended first
	Erased int                  // memories that are gone
	Kept   int                  // memories of others, in which the player only looked on: written anew without them
}

// Forget reads one NPC's log. What is of the player, or about the player, goes.
// Where the player only stands among the witnesses the memory stays without them;
// with the entries that tied it to another it is written anew as it stands. No
// event says whom it is about: id, which makes an event's id of a number, must not
// either.
func Forget(world, npc string, log []Entry, who Forgotten, now time.Time, id func(n int) string) Forgetting {
	f := forgetter{world: world, npc: npc, log: log, Forgotten: who, gone: map[string]bool{},
		tied: map[string]bool{}}
	f.find()
	f.tie()
	return f.plan(now, id)
}

// Forgotten is the player whom a log forgets.
type Forgotten struct {
	ID       string
	Handle   bool                   // an NPC of the world has this id for its handle: among witnesses it is the NPC
	Repeated func(said string) bool // in a scene an NPC repeats the player so; nil: none does
}

// Mentioned says whether a memory speaks of the player.
func (p Forgotten) Mentioned(m *schema.Memory) bool {
	return About(m, p.ID) || !p.Handle && slices.Contains(m.Witnesses, p.ID) || p.retold(m)
}

// retold says whether a memory is of what an NPC said in a scene, and repeats the player. What
// another player said belongs to that one.
func (p Forgotten) retold(m *schema.Memory) bool {
	inScene := slices.ContainsFunc(m.Spans, func(s schema.MemorySpan) bool { return s.Scene != "" })
	ofNPC := func(s schema.MemorySpan) bool { return s.Speaker == "npc" }
	if p.Repeated == nil || !inScene || m.HeardFrom == "" && !slices.ContainsFunc(m.Spans, ofNPC) {
		return false
	}
	return p.Repeated(m.Content) || p.Repeated(m.Object) ||
		slices.ContainsFunc(m.Spans, func(s schema.MemorySpan) bool { return ofNPC(s) && p.Repeated(s.Text) })
}

type forgetter struct {
	Forgotten
	world, npc string
	log        []Entry
	gone, tied map[string]bool // memories: to be erased; to be written anew
}

// find sorts the memories that name the player.
func (f *forgetter) find() {
	for i := range f.log {
		e := &f.log[i]
		m := e.Event.Memory
		switch {
		case e.Bad || e.Event.Type == schema.MemoryErasedMark:
		case e.Player == f.ID:
			for _, id := range idsOf(&e.Event) {
				f.gone[id] = true
			}
		case m != nil && f.Mentioned(m):
			w := clone(m)
			if w.Witnesses = f.others(w.Witnesses); f.Mentioned(&w) {
				f.gone[m.ID] = true
			} else {
				f.tied[m.ID] = true
			}
		}
	}
	for id := range f.gone {
		delete(f.tied, id)
	}
}

func (f *forgetter) others(witnesses []string) []string {
	return slices.DeleteFunc(slices.Clone(witnesses), func(w string) bool { return w == f.ID && !f.Handle })
}

// idsOf are the memories that an event speaks of.
func idsOf(e *schema.MemoryEvent) []string {
	var out []string
	if e.Memory != nil {
		out = append(out, e.Memory.ID)
	}
	for _, id := range append([]string{e.Target, e.Keep}, e.Others...) {
		if id != "" && !isLore(id) {
			out = append(out, id)
		}
	}
	return out
}

func isLore(id string) bool { return strings.HasPrefix(id, LorePrefix) }

// tie adds what an event joined to a memory that goes or is written anew: that
// event goes, and without it the other memory would stand otherwise.
func (f *forgetter) tie() {
	for grown := true; grown; {
		grown = false
		for i := range f.log {
			e := &f.log[i]
			if e.Bad || e.Event.Type == schema.MemoryErasedMark || !f.touches(&e.Event) {
				continue
			}
			for _, id := range idsOf(&e.Event) {
				if !f.gone[id] && !f.tied[id] {
					f.tied[id], grown = true, true
				}
			}
		}
	}
}

func (f *forgetter) touches(e *schema.MemoryEvent) bool {
	return slices.ContainsFunc(idsOf(e), func(id string) bool { return f.gone[id] || f.tied[id] })
}

// plan makes the events and names the entries.
func (f *forgetter) plan(now time.Time, id func(int) string) Forgetting {
	out := Forgetting{Gone: f.entries(), Erased: len(f.gone), Kept: len(f.tied)}
	book := NewBook(f.world, f.npc)
	for i := range f.log {
		if e := &f.log[i]; !e.Bad {
			_ = book.Apply(e.Event, time.Time{}) // what is refused here is refused everywhere
		}
	}
	all := append(slices.Sorted(maps.Keys(f.gone)), slices.Sorted(maps.Keys(f.tied))...)
	if len(all) == 0 {
		return out
	}
	add := func(e schema.MemoryEvent) {
		e.ID, e.World, e.NPC, e.At, e.By = id(len(out.Events)), f.world, f.npc, now, ByErasure
		out.Events = append(out.Events, e)
	}
	// As the book stands without those that go; an erasure must name something.
	_ = book.Apply(schema.MemoryEvent{ID: "forget", Type: schema.MemoryErasedMark, World: f.world, NPC: f.npc, At: now,
		By: ByErasure, Others: append(slices.Sorted(maps.Keys(f.gone)), "none")}, time.Time{})
	settled, vouched := f.settled(book), book.vouched()
	kept := f.standing(book)
	for i := range kept {
		if m := &kept[i]; vouched[m.ID] && !slices.Contains(m.Tags, protocol.TagVouched) {
			m.Tags = append(m.Tags, protocol.TagVouched)
		}
	}
	add(schema.MemoryEvent{Type: schema.MemoryErasedMark, Others: all})
	for i := range kept {
		m := &kept[i]
		kind := schema.MemoryWritten
		if m.Status == schema.MemoryPending {
			kind = schema.MemoryProposed
		}
		add(schema.MemoryEvent{Type: kind, Player: m.Player, TurnID: m.TurnID, Memory: m})
	}
	for i := range kept {
		if m := &kept[i]; m.Status == schema.MemorySuperseded && m.SupersededBy != "" {
			add(schema.MemoryEvent{Type: schema.MemorySupersede, Player: m.Player, Target: m.ID,
				Others: []string{m.SupersededBy}, ValidTo: m.ValidTo})
		}
	}
	for _, p := range settled {
		e := schema.MemoryEvent{Type: schema.MemoryResolved, Target: p[0], Others: []string{p[1]},
			Why: "an operator had settled it"}
		if m, ok := book.Get(p[0]); ok {
			e.Player = m.Player
		}
		add(e)
	}
	return out
}

// settled are the pairs between which an operator let nothing be done, of which the
// entries go with a memory that is written anew: each is said again.
func (f *forgetter) settled(book *Book) [][2]string {
	var out [][2]string
	for _, p := range book.Settled() {
		if isLore(p[0]) {
			p[0], p[1] = p[1], p[0]
		}
		if (f.tied[p[0]] || f.tied[p[1]]) && !f.gone[p[0]] && !f.gone[p[1]] && !isLore(p[0]) && !IsSettled(out, p[0], p[1]) {
			out = append(out, p)
		}
	}
	return out
}

// standing are the memories that stay, without the player.
func (f *forgetter) standing(book *Book) []schema.Memory {
	var out []schema.Memory
	for _, id := range slices.Sorted(maps.Keys(f.tied)) {
		m, ok := book.Get(id)
		if !ok || m.Status == schema.MemoryErased {
			continue
		}
		m.Witnesses = f.others(m.Witnesses)
		if f.gone[m.SupersededBy] {
			m.SupersededBy = ""
		}
		out = append(out, m)
	}
	return out
}

// entries are the places of all that speaks of those memories, of the player's own
// subject, and of the undos of either.
func (f *forgetter) entries() []int {
	var out []int
	undone := map[string]bool{}
	for i := range f.log {
		e := &f.log[i]
		own := e.Player == f.ID
		about := !e.Bad && e.Event.Type != schema.MemoryErasedMark && f.touches(&e.Event)
		if own || about || e.Event.Undoes != "" && undone[e.Event.Undoes] {
			out = append(out, i)
			undone[e.Event.ID] = true
		}
	}
	return out
}

// ByErasure is who writes the events of an erasure.
const ByErasure = "erasure"

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
