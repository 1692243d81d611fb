package consistency

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	domain "github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/memory"
)

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
