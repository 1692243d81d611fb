package consistency

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	domain "github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/memory"
)

// act appends the events of a run one by one, in their order. A memory that is other
// than it was read is left alone, and with it whatever else would rest on that.
func (s *Service) act(ctx context.Context, v *view, r *scan.Result, run *Run) error {
	moved := map[string]bool{} // memories of events that were left out
	for _, e := range run.Events {
		if slices.ContainsFunc(parties(&e), func(id string) bool { return moved[id] }) {
			run.Left++
			continue
		}
		s.o.Step()
		done, err := s.append(ctx, v, e)
		if err != nil {
			return err
		}
		switch done {
		case written:
			run.Written++
			if e.Type == schema.MemoryMerged {
				v.merging[schema.ConversationID{World: e.World, NPC: e.NPC, Player: e.Player}] = true
			}
		case stale:
			run.Left++
			for _, id := range parties(&e) {
				moved[id] = true
			}
		case stood:
		}
	}
	s.o.Step()
	return s.gather(ctx, v)
}

// parties are the memories that an event speaks of.
func parties(e *schema.MemoryEvent) []string {
	var out []string
	if e.Memory != nil {
		out = append(out, e.Memory.ID)
	}
	for _, id := range append([]string{e.Target}, e.Others...) {
		if id != "" && !strings.HasPrefix(id, domain.LorePrefix) {
			out = append(out, id)
		}
	}
	return out
}

// What became of an event.
type fate int

const (
	written fate = iota
	stood        // the log had it, or what it says, already
	stale        // its memories are other than they were read
)

func (s *Service) append(ctx context.Context, v *view, e schema.MemoryEvent) (fate, error) {
	done := stood
	before := e
	own := schema.ConversationID{World: e.World, NPC: e.NPC, Player: e.Player}
	err := s.o.Books.Append(ctx, own, func(b *domain.Book) []schema.MemoryEvent {
		e = before
		if done = v.stands(b, &e); done != written {
			return nil
		}
		return []schema.MemoryEvent{e}
	})
	if err != nil || done == stale {
		return done, err
	}
	// What the scanner saw of these memories is what the log says of them now.
	err = s.o.Books.Read(ctx, own, func(b *domain.Book) error {
		for _, id := range parties(&e) {
			if m, ok := b.Get(id); ok {
				v.seen[id] = m
			}
		}
		if done == written && !b.Has(e.ID) {
			done = stale // the log refused it
		}
		return nil
	})
	return done, err
}

// stands says whether an event is still to be written.
func (v *view) stands(b *domain.Book, e *schema.MemoryEvent) fate {
	if b.Has(e.ID) {
		if b.Undone(e.ID) != "" || !again(b, e) {
			return stood
		}
	}
	for _, id := range parties(e) {
		now, ok := b.Get(id)
		was, known := v.seen[id]
		if !ok || !known || now.Status != schema.MemoryActive || !alike(&now, &was, e) {
			return stale
		}
	}
	return written
}

// again gives an event that was written once, and that something else has ended
// since, an id of its own: lore that changes to and fro contradicts anew each time.
// The id follows from the log, so that two runs at once choose the same one.
func again(b *domain.Book, e *schema.MemoryEvent) bool {
	if len(e.Others) != 1 || !strings.HasPrefix(e.Others[0], domain.LorePrefix) {
		return false
	}
	m, ok := b.Get(e.Target)
	if !ok || slices.Contains(m.Contradicts, e.Others[0]) == (e.Type == schema.MemoryFlag) {
		return false // it is as the event says
	}
	for n, first := 2, e.ID; b.Has(e.ID); n++ {
		if b.Undone(e.ID) != "" {
			return false
		}
		e.ID = fmt.Sprintf("%s.%d", first, n)
	}
	return true
}

// alike says whether a memory is what the scanner saw. A merge writes it anew and so
// needs all of it, a flag that it is not proved its words; its contradictions are the
// log's to keep.
func alike(now, was *schema.Memory, e *schema.MemoryEvent) bool {
	switch {
	case e.Type == schema.MemoryMerged:
		a, b := *now, *was
		a.Contradicts, b.Contradicts = nil, nil
		return reflect.DeepEqual(a, b)
	case e.Type == schema.MemoryFlag && len(e.Others) == 0:
		return scan.ProofKey(now) == scan.ProofKey(was)
	}
	return now.Content == was.Content && now.Object == was.Object
}

// gather counts the uses of what was merged as uses of what stands for it: of every
// merge that holds, so that one which was cut off here is made up for. To do it
// again changes nothing.
func (s *Service) gather(ctx context.Context, v *view) error {
	if s.o.Session == nil {
		return nil
	}
	for own := range v.merging {
		var merged map[string][]string
		err := s.o.Books.Read(ctx, own, func(b *domain.Book) error { merged = b.Merged(); return nil })
		if err != nil {
			return err
		}
		for canonical, others := range merged {
			if !slices.ContainsFunc(others, func(id string) bool { return v.points[id] != nil && v.points[id].Accessed > 0 }) {
				continue
			}
			if err := s.o.Session.Gather(ctx, v.in.World, canonical, others); err != nil {
				return err
			}
		}
	}
	return nil
}

// Operator is a person who settles what no rule may.
type Operator struct {
	Books *memory.Books
	Name  string
	Now   func() time.Time
}

// Refusal is what an operator asked for and cannot have, with how to mend it.
type Refusal struct{ Reason string }

func (r *Refusal) Error() string { return r.Reason }

func refuse(format string, args ...any) error { return &Refusal{fmt.Sprintf(format, args...)} }

// Resolve settles the contradiction of a memory: keep is the side that holds, or
// empty where both do. A memory that was set aside as unproven is taken back by
// keeping it.
func (o *Operator) Resolve(ctx context.Context, m *schema.Memory, keep, why string) (schema.MemoryEvent, error) {
	others := slices.Clone(m.Contradicts)
	switch {
	case keep != "" && keep != m.ID:
		if !slices.Contains(others, keep) {
			return schema.MemoryEvent{}, refuse("%s does not contradict %s; what does: %s", keep, m.ID, orNone(others))
		}
		if strings.HasPrefix(keep, domain.LorePrefix) {
			return schema.MemoryEvent{},
				refuse("%s is lore and needs no keeping; with --both the memory stays as what was said", keep)
		}
		others = []string{keep}
	case len(others) == 0 && m.Status == schema.MemoryFlagged && keep == m.ID:
	case len(others) == 0 && m.Status == schema.MemoryFlagged:
		return schema.MemoryEvent{}, refuse("%s was set aside as unproven and contradicts nothing; --keep %s takes it back",
			m.ID, m.ID)
	case len(others) == 0:
		return schema.MemoryEvent{}, refuse("%s contradicts nothing", m.ID)
	}
	e := schema.MemoryEvent{Type: schema.MemoryResolved, Target: m.ID, Others: others, Keep: keep, Why: why}
	if len(others) > 0 && keep != "" { // what it is kept against holds no longer from when it began
		e.ValidTo = m.ValidFrom
	}
	return o.write(ctx, m.World, m.NPC, m.Player, e, append([]string{m.ID, keep}, others...))
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "nothing"
	}
	return strings.Join(list, ", ")
}

// Undo takes an event back, whatever it did.
func (o *Operator) Undo(ctx context.Context, done *schema.MemoryEvent, why string) (schema.MemoryEvent, error) {
	return o.write(ctx, done.World, done.NPC, done.Player,
		schema.MemoryEvent{Type: schema.MemoryUndone, Undoes: done.ID, Why: why}, []string{done.ID})
}

// write appends an operator's event, under an id of its own: the same may be settled
// again another day.
func (o *Operator) write(
	ctx context.Context, world, npc, player string, e schema.MemoryEvent, of []string,
) (schema.MemoryEvent, error) {
	e.World, e.NPC, e.Player, e.At, e.By = world, npc, player, o.Now(), "operator:"+o.Name
	e.ID = domain.EventID(e.Type, e.By+" "+e.At.UTC().Format(time.RFC3339Nano), of...)
	var refused error
	whose := schema.ConversationID{World: world, NPC: npc, Player: player}
	err := o.Books.Append(ctx, whose, func(b *domain.Book) []schema.MemoryEvent {
		if refused = b.Accepts(e, o.Now()); refused != nil {
			return nil
		}
		return []schema.MemoryEvent{e}
	})
	if err == nil && refused != nil {
		err = refuse("%s", strings.TrimPrefix(refused.Error(), domain.ErrInvalid.Error()+": "+e.ID+": "))
	}
	return e, err
}
