package report

import (
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Flags are contradictions: which were marked, and what became of them.
type Flags struct {
	Raised int `json:"raised"` // in the last week, by either guard
	// in the last week, whenever raised: a side was superseded, merged or dropped by itself
	ByGuards   int     `json:"closed_by_guards"`
	ByPeople   int     `json:"closed_by_operators"`
	Open       int     `json:"open"` // at the end of the week
	Predicates []Share `json:"open_by_predicate,omitempty"`
}

// Automatic is the share of what was closed that needed nobody.
func (f Flags) Automatic() (share float64, of int) {
	of = f.ByGuards + f.ByPeople
	if of == 0 {
		return 0, 0
	}
	return float64(f.ByGuards) / float64(of), of
}

// ledger follows the contradictions through the log.
type ledger struct {
	open  map[[2]string]bool // both sides
	preds map[string]string  // of memories
	out   Flags
}

// flags reads the log for its contradictions.
func flags(in *Input, log []schema.MemoryEvent, undone map[string]bool) Flags {
	l := ledger{open: map[[2]string]bool{}, preds: map[string]string{}}
	for i := range log {
		e := &log[i]
		if e.Memory != nil {
			l.preds[e.Memory.ID] = e.Memory.Pred
		}
		if !undone[e.ID] {
			l.take(e, weekOf(e.At, in.Now) == weeks-1)
		}
	}
	l.out.Open = len(l.open)
	counts := map[string]int{}
	for sides := range l.open {
		name := l.preds[sides[0]]
		if name == "" {
			name = l.preds[sides[1]]
		}
		if name == "" {
			name = "(not known)"
		}
		counts[name]++
	}
	l.out.Predicates = most(counts, 5)
	return l.out
}

func (l *ledger) take(e *schema.MemoryEvent, counted bool) {
	switch e.Type {
	case schema.MemoryFlag:
		for _, other := range e.Others {
			l.raise(e.Target, other, counted)
		}
	case schema.MemoryResolved:
		for _, other := range e.Others {
			l.closed(e, counted, func(sides [2]string) bool { return sides == pair(e.Target, other) })
		}
	case schema.MemorySupersede:
		l.gone(e, counted, e.Target)
	case schema.MemoryMerged:
		l.inherit(e, counted)
	case schema.MemoryDropped:
		if e.Memory == nil {
			l.gone(e, counted, e.Target)
		}
	case schema.MemoryErasedMark:
		l.gone(e, false, append([]string{e.Target}, e.Others...)...)
	case schema.MemoryProposed, schema.MemoryWritten, schema.MemoryUndone: // contradict nothing
	}
}

func (l *ledger) raise(a, b string, counted bool) {
	if l.open[pair(a, b)] {
		return
	}
	l.open[pair(a, b)] = true
	if counted {
		l.out.Raised++
	}
}

// gone closes the contradictions of memories that hold no longer.
func (l *ledger) gone(e *schema.MemoryEvent, counted bool, ids ...string) {
	l.closed(e, counted, func(sides [2]string) bool {
		return slices.Contains(ids, sides[0]) || slices.Contains(ids, sides[1])
	})
}

func (l *ledger) closed(e *schema.MemoryEvent, counted bool, is func([2]string) bool) {
	for sides := range l.open {
		if !is(sides) {
			continue
		}
		delete(l.open, sides)
		switch {
		case !counted:
		case strings.HasPrefix(e.By, "guard"):
			l.out.ByGuards++
		default:
			l.out.ByPeople++
		}
	}
}

// inherit hands the contradictions of what was merged to the memory that stands for
// it: merging resolves none but those within.
func (l *ledger) inherit(e *schema.MemoryEvent, counted bool) {
	to := e.Memory.ID
	l.closed(e, counted, func(s [2]string) bool {
		within := func(id string) bool { return id == to || slices.Contains(e.Others, id) }
		return within(s[0]) && within(s[1])
	})
	for sides := range l.open {
		for i, id := range sides {
			if slices.Contains(e.Others, id) {
				delete(l.open, sides)
				l.open[pair(to, sides[1-i])] = true
			}
		}
	}
}

func pair(a, b string) [2]string {
	if b < a {
		a, b = b, a
	}
	return [2]string{a, b}
}
