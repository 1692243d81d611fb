package memory

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// check says why an event is refused, or is nil.
func (b *Book) check(e *schema.MemoryEvent, now time.Time) error {
	if err := CheckEvent(e, now); err != nil {
		return err
	}
	if e.World != b.world || e.NPC != b.npc {
		return invalid(e.ID, "it is of %s.%s, and this is the book of %s.%s", e.World, e.NPC, b.world, b.npc)
	}
	switch e.Type {
	case schema.MemoryDropped:
		if e.Memory == nil {
			return b.known(e, e.Target)
		}
	case schema.MemoryMerged:
		return b.known(e, append([]string{e.Memory.ID}, e.Others...)...)
	case schema.MemorySupersede:
		if err := b.known(e, e.Target, e.Others[0]); err != nil {
			return err
		}
		return b.checkChain(e)
	case schema.MemoryFlag, schema.MemoryResolved:
		return b.known(e, append([]string{e.Target}, e.Others...)...)
	case schema.MemoryUndone:
		return b.checkUndo(e)
	case schema.MemoryProposed, schema.MemoryWritten, schema.MemoryErasedMark: // carry all they need
	}
	return nil
}

// CheckEvent says what is wrong with an event by itself, or is nil. now zero means
// that its time is not looked at.
func CheckEvent(e *schema.MemoryEvent, now time.Time) error {
	switch {
	case !idForm.MatchString(e.ID):
		return invalid(e.ID, "the event's id holds other than letters, digits and _:.-, or not 1 to 96 of them")
	case e.World == "" || e.NPC == "":
		return invalid(e.ID, "world and npc must be given")
	case e.At.IsZero():
		return invalid(e.ID, "at is missing; give the time of the event")
	case !now.IsZero() && e.At.After(now.Add(Skew)):
		return invalid(e.ID, "at is %s, which lies in the future", e.At.UTC().Format(time.RFC3339))
	case e.Memory != nil && e.Memory.CreatedAt.After(e.At.Add(Skew)):
		return invalid(e.ID, "the memory was created at %s, after the event that brings it",
			e.Memory.CreatedAt.UTC().Format(time.RFC3339))
	}
	return checkShape(e)
}

// checkShape asks for what each type of event must carry.
func checkShape(e *schema.MemoryEvent) error {
	switch e.Type {
	case schema.MemoryProposed, schema.MemoryWritten:
		return checkCarried(e)
	case schema.MemoryDropped:
		if e.Memory != nil {
			return checkCarried(e)
		}
		return needTarget(e)
	case schema.MemoryMerged:
		if err := checkCarried(e); err != nil {
			return err
		}
		return needOthers(e, e.Memory.ID)
	case schema.MemorySupersede:
		if err := needTarget(e); err != nil {
			return err
		}
		if len(e.Others) != 1 {
			return invalid(e.ID, "others names %d memories; write the one that takes %s's place", len(e.Others), e.Target)
		}
		return needOthers(e, e.Target)
	case schema.MemoryFlag:
		if err := needTarget(e); err != nil || len(e.Others) == 0 {
			return err
		}
		return needOthers(e, e.Target)
	case schema.MemoryResolved:
		return checkResolved(e)
	case schema.MemoryUndone:
		if e.Undoes == "" || e.Undoes == e.ID {
			return invalid(e.ID, "undoes names no other event")
		}
	case schema.MemoryErasedMark:
		if e.Target == "" && len(e.Others) == 0 && e.Player == "" {
			return invalid(e.ID, "it names neither memories nor a player to be erased")
		}
	default:
		return invalid(e.ID, "type %q is not known", e.Type)
	}
	return nil
}

func checkCarried(e *schema.MemoryEvent) error {
	m := e.Memory
	if m == nil {
		return invalid(e.ID, "%s carries no memory", e.Type)
	}
	if err := Check(m); err != nil {
		return err
	}
	if m.World != e.World || m.NPC != e.NPC || m.Player != e.Player {
		return invalid(e.ID, "the memory is of %s.%s.%s, the event of %s.%s.%s", m.World, m.NPC, cmp.Or(m.Player, "_"),
			e.World, e.NPC, cmp.Or(e.Player, "_"))
	}
	return nil
}

func needTarget(e *schema.MemoryEvent) error {
	if e.Target == "" {
		return invalid(e.ID, "%s names no target", e.Type)
	}
	return nil
}

func needOthers(e *schema.MemoryEvent, self string) error {
	switch {
	case len(e.Others) == 0:
		return invalid(e.ID, "%s names no others", e.Type)
	case slices.Contains(e.Others, self):
		return invalid(e.ID, "others names %s itself", self)
	case slices.Contains(e.Others, ""):
		return invalid(e.ID, "others holds an empty id")
	}
	return nil
}

func checkResolved(e *schema.MemoryEvent) error {
	if err := needTarget(e); err != nil {
		return err
	}
	if len(e.Others) == 0 && e.Keep != e.Target {
		return invalid(e.ID, "one memory is resolved by keeping it; to be rid of %s, drop it", e.Target)
	}
	if e.Keep != "" && e.Keep != e.Target && !slices.Contains(e.Others, e.Keep) {
		return invalid(e.ID, "keep is %s, which is neither side", e.Keep)
	}
	if len(e.Others) > 0 {
		return needOthers(e, e.Target)
	}
	return nil
}

// known asks that memories be in the book, and be of the player of the event: an
// action never joins what two players said.
func (b *Book) known(e *schema.MemoryEvent, ids ...string) error {
	for _, id := range ids {
		if strings.HasPrefix(id, LorePrefix) && e.Type != schema.MemoryMerged && e.Type != schema.MemorySupersede {
			continue
		}
		m := b.memories[id]
		switch {
		case m == nil:
			return invalid(e.ID, "%s speaks of %s, which is not in the book of %s.%s", e.Type, id, b.world, b.npc)
		case m.Status == schema.MemoryErased:
			return invalid(e.ID, "%s speaks of %s, which was erased", e.Type, id)
		case m.Player != e.Player:
			return invalid(e.ID, "%s speaks of %s, which is of player %s, not %s", e.Type, id, cmp.Or(m.Player, "_"),
				cmp.Or(e.Player, "_"))
		}
	}
	return nil
}

// checkChain refuses a circle of memories that supersede each other.
func (b *Book) checkChain(e *schema.MemoryEvent) error {
	for next := range b.successors(b.memories[e.Others[0]]) {
		if next.ID == e.Target {
			return invalid(e.ID, "%s is itself superseded by %s", e.Others[0], e.Target)
		}
	}
	return nil
}

func (b *Book) checkUndo(e *schema.MemoryEvent) error {
	i, ok := b.place[e.Undoes]
	switch {
	case !ok:
		return invalid(e.ID, "it undoes %s, which is not in this log", e.Undoes)
	case i < 0 || b.events[i].Type == schema.MemoryErasedMark:
		return invalid(e.ID, "%s cannot be undone: what was erased is gone", e.Undoes)
	case b.undone[e.Undoes] != "":
		return invalid(e.ID, "%s was undone already, by %s; undo that to have it back", e.Undoes, b.undone[e.Undoes])
	}
	return nil
}
