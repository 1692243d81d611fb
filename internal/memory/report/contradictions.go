package report

import (
	"cmp"
	"maps"
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

// Share is a name with how often it was met.
type Share struct {
	Name string `json:"name"`
	N    int    `json:"n"`
}

// most are the five most frequent of names.
func most(counts map[string]int) []Share {
	var out []Share
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, Share{name, counts[name]})
	}
	slices.SortStableFunc(out, func(a, b Share) int { return cmp.Compare(b.N, a.N) })
	return out[:min(len(out), 5)]
}

// ledger follows the contradictions and the waiting candidates through the log.
type ledger struct {
	open    map[[2]string]bool // both sides
	waiting map[string]bool    // for a verdict
	preds   map[string]string  // of memories
	flags   Flags
}

// follow reads the log for its contradictions, and for the candidates without a verdict.
func (in *Input) follow(log []schema.MemoryEvent, undone map[string]bool) (Flags, int) {
	l := ledger{open: map[[2]string]bool{}, waiting: map[string]bool{}, preds: map[string]string{}}
	for i := range log {
		e := &log[i]
		if e.Memory != nil {
			l.preds[e.Memory.ID] = e.Memory.Pred
		}
		if !undone[e.ID] {
			l.take(e, weekOf(e.At, in.Now) == weeks-1)
		}
	}
	l.flags.Open = len(l.open)
	counts := map[string]int{}
	for sides := range l.open {
		counts[cmp.Or(l.preds[sides[0]], l.preds[sides[1]], "(not known)")]++
	}
	l.flags.Predicates = most(counts)
	return l.flags, len(l.waiting)
}

func (l *ledger) take(e *schema.MemoryEvent, counted bool) {
	named := append([]string{e.Target}, e.Others...)
	switch e.Type {
	case schema.MemoryProposed:
		l.waiting[e.Memory.ID] = true
	case schema.MemoryWritten:
		l.judged(e)
	case schema.MemoryDropped:
		if l.judged(e); e.Memory == nil {
			l.gone(e, counted, e.Target)
		}
	case schema.MemoryFlag:
		for _, other := range e.Others {
			if sides := pair(e.Target, other); !l.open[sides] {
				l.open[sides] = true
				l.flags.Raised += map[bool]int{true: 1}[counted]
			}
		}
	case schema.MemoryResolved:
		for _, other := range e.Others {
			l.close(e, counted, func(sides [2]string) bool { return sides == pair(e.Target, other) })
		}
	case schema.MemorySupersede:
		l.gone(e, counted, e.Target)
	case schema.MemoryMerged:
		l.inherit(e, counted)
	case schema.MemoryErasedMark:
		l.gone(e, false, named...)
		for _, id := range named {
			delete(l.waiting, id)
		}
	case schema.MemoryUndone: // what it undoes was left out
	}
}

// judged takes a candidate that waits no more.
func (l *ledger) judged(e *schema.MemoryEvent) {
	if delete(l.waiting, e.Target); e.Memory != nil {
		delete(l.waiting, e.Memory.ID)
	}
}

// gone closes the contradictions of memories that hold no longer.
func (l *ledger) gone(e *schema.MemoryEvent, counted bool, ids ...string) {
	l.close(e, counted, func(sides [2]string) bool {
		return slices.Contains(ids, sides[0]) || slices.Contains(ids, sides[1])
	})
}

func (l *ledger) close(e *schema.MemoryEvent, counted bool, is func([2]string) bool) {
	for sides := range l.open {
		if !is(sides) {
			continue
		}
		delete(l.open, sides)
		switch {
		case !counted:
		case strings.HasPrefix(e.By, "guard"):
			l.flags.ByGuards++
		default:
			l.flags.ByPeople++
		}
	}
}

// inherit hands the contradictions of what was merged to the memory that stands for it:
// merging resolves none but those within.
func (l *ledger) inherit(e *schema.MemoryEvent, counted bool) {
	to := e.Memory.ID
	within := func(id string) bool { return id == to || slices.Contains(e.Others, id) }
	l.close(e, counted, func(s [2]string) bool { return within(s[0]) && within(s[1]) })
	for sides := range l.open {
		for i, id := range sides {
			if slices.Contains(e.Others, id) {
				delete(l.open, sides)
				l.open[pair(to, sides[1-i])] = true
			}
		}
	}
}

func pair(a, b string) [2]string { return [2]string{min(a, b), max(a, b)} }
