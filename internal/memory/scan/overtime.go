package scan

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// when is the game time of a memory.
func when(m *Item) time.Time {
	if m.EventTime.IsZero() {
		return m.ValidFrom
	}
	return m.EventTime
}

// stretch are memories that give one value, with no other value between them.
type stretch struct {
	members []int
	view    schema.Memory // as the rule of supersession is to see it
}

// overTime judges memories of a key that has one value at a time. Each value in
// turn is one stretch: who left a place and came back has three.
func (r *run) overTime(c *cluster, o *outcome) error {
	order := slices.Clone(c.members)
	slices.SortFunc(order, func(i, k int) int {
		a, b := r.items[i], r.items[k]
		return cmp.Or(when(a).Compare(when(b)), a.CreatedAt.Compare(b.CreatedAt), strings.Compare(a.ID, b.ID))
	})
	var all []*stretch
	for _, i := range order {
		if len(all) > 0 {
			same, err := r.continues(all[len(all)-1], i)
			if err != nil {
				return err
			}
			if same {
				last := all[len(all)-1]
				last.members = append(last.members, i)
				continue
			}
		}
		all = append(all, &stretch{members: []int{i}})
	}
	for _, s := range all {
		slices.SortFunc(s.members, r.canonicalFirst)
		s.view = r.view(s)
		if len(s.members) > 1 {
			o.merges = append(o.merges, class{s.members, "the same value"})
			o.why = "the same value"
		}
	}
	r.changes(all, o)
	return nil
}

// continues says whether a memory gives the value of a stretch again.
func (r *run) continues(s *stretch, i int) (bool, error) {
	last := s.members[len(s.members)-1]
	if r.in.Settled[PairKey(r.items[last].ID, r.items[i].ID)] || !r.mergeable(last, i) {
		return false, nil
	}
	a, b := r.valueOf(last), r.valueOf(i)
	if a.key == b.key {
		return r.agree(last, i), nil
	}
	if r.Entail == nil || a.within(b) || !r.agree(last, i) {
		return false, nil
	}
	v, _, err := r.ask(last, i)
	return v == Equivalent, err
}

// view is a stretch as one memory: since its first words, last said with its last.
func (r *run) view(s *stretch) schema.Memory {
	m := r.united(s.members)
	m.Pred, m.Subject = r.canonical(m.Pred), r.subject(r.items[s.members[0]])
	m.Object = r.valueOf(s.members[0]).key
	if m.EventTime.IsZero() {
		m.EventTime = m.ValidFrom
	}
	return m
}

// changes finds for each value the one that took its place, and the contradictions
// of what is left.
func (r *run) changes(all []*stretch, o *outcome) {
	replaced := map[int]bool{}
	var open []change
	for x, a := range all {
		for y := x + 1; y < len(all) && y <= x+maxSides && !replaced[x]; y++ {
			b := all[y]
			i, k := a.members[0], b.members[0]
			if r.in.Settled[PairKey(r.items[i].ID, r.items[k].ID)] || r.valueOf(i).within(r.valueOf(k)) {
				continue
			}
			older, newer, relation, why := r.rule(a.view.Pred).Judge(&a.view, &b.view, true)
			if older == &b.view { // hearsay is as old as what it tells
				i, k = k, i
			}
			c := change{from: i, to: k, newer: newer, why: why}
			switch relation {
			case memory.Contradicts:
				open = append(open, c)
			case memory.Evolution:
				n := x
				if older == &b.view {
					n = y
				}
				if !replaced[n] {
					replaced[n] = true
					o.supersedes = append(o.supersedes, c)
					o.why = why
				}
			case memory.Distinct, memory.Same: // both may stand
			}
		}
	}
	gone := map[int]bool{}
	for n := range replaced {
		gone[all[n].members[0]] = true
	}
	for _, c := range open {
		if !gone[c.from] && !gone[c.to] && !r.settled(c.from, c.to) {
			o.flags = append(o.flags, c)
			o.why = c.why
		}
	}
}
