package store

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// MemoryFilter names memories: those that every set field admits. World is
// required; the zero value of any other field filters nothing. A list that is
// set but has nothing in it names no memory, so that an empty list of ids,
// passed to Delete, never means the whole world.
type MemoryFilter struct {
	World     string
	NPC       string
	Player    string // exactly this player
	NoPlayer  bool   // with Player: those of no player too; without: only those of no player
	IDs       []string
	Kinds     []schema.MemoryKind
	Statuses  []schema.MemoryStatus
	Sources   []schema.Origin
	Subject   string
	Predicate string
	Object    string
	TurnID    string // of the memory itself, not of its spans
	HeardFrom string
	Tag       string
	Mentions  string    // a player anywhere: see Mentioned
	EventFrom time.Time // event_time in [from, to); a memory without one is in no stretch
	EventTo   time.Time
	ValidAt   time.Time // valid_from ≤ t (or absent) and t < valid_to (or absent), game time
}

// Check refuses a filter without a world.
func (f *MemoryFilter) Check() error {
	if f.World == "" {
		return errors.New("a filter of memories needs a world")
	}
	return nil
}

// NamesNone says that a list is set with nothing in it.
func (f *MemoryFilter) NamesNone() bool {
	return f.IDs != nil && len(f.IDs) == 0 || f.Kinds != nil && len(f.Kinds) == 0 ||
		f.Statuses != nil && len(f.Statuses) == 0 || f.Sources != nil && len(f.Sources) == 0
}

// Match says whether the filter names a memory.
func (f *MemoryFilter) Match(m *schema.Memory) bool {
	return m.World == f.World && f.matchWhose(m) && f.matchWhat(m) && f.matchWhen(m) &&
		among(f.IDs, m.ID) && among(f.Kinds, m.Kind) && among(f.Statuses, m.Status) && among(f.Sources, m.Source)
}

func (f *MemoryFilter) matchWhose(m *schema.Memory) bool {
	switch {
	case f.NoPlayer && m.Player != "" && m.Player != f.Player:
		return false
	case !f.NoPlayer && f.Player != "" && m.Player != f.Player:
		return false
	}
	return is(f.NPC, m.NPC) && (f.Mentions == "" || slices.Contains(Mentioned(m), f.Mentions))
}

func (f *MemoryFilter) matchWhat(m *schema.Memory) bool {
	return is(f.Subject, m.Subject) && is(f.Predicate, m.Pred) && is(f.Object, m.Object) &&
		is(f.TurnID, m.TurnID) && is(f.HeardFrom, m.HeardFrom) && (f.Tag == "" || slices.Contains(m.Tags, f.Tag))
}

func (f *MemoryFilter) matchWhen(m *schema.Memory) bool {
	if !f.EventFrom.IsZero() && (m.EventTime.IsZero() || m.EventTime.Before(f.EventFrom)) {
		return false
	}
	if !f.EventTo.IsZero() && (m.EventTime.IsZero() || !m.EventTime.Before(f.EventTo)) {
		return false
	}
	if f.ValidAt.IsZero() {
		return true
	}
	return !m.ValidFrom.After(f.ValidAt) && (m.ValidTo.IsZero() || f.ValidAt.Before(m.ValidTo))
}

func is(want, have string) bool { return want == "" || want == have }

func among[T comparable](want []T, have T) bool { return want == nil || slices.Contains(want, have) }

// playerPrefix marks a player's id among the subjects and objects of memories.
const playerPrefix = "player:"

// Mentioned are the players that a memory names, each once: its own, those that
// are its subject or object, and its witnesses (of which the handles of NPCs
// cannot be told from players' ids, and are named too). Names inside its texts
// are not looked for.
func Mentioned(m *schema.Memory) []string {
	var out []string
	add := func(id string) {
		if id != "" && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	add(m.Player)
	for _, id := range []string{m.Subject, m.Object} {
		if player, ok := strings.CutPrefix(id, playerPrefix); ok {
			add(player)
		}
	}
	for _, w := range m.Witnesses {
		add(strings.TrimPrefix(w, playerPrefix))
	}
	return out
}
