package scan

import (
	"slices"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// cause is part of the ids of a scan's events: what one run did, another does
// under the same id, so that two at once do it once.
const cause = "scan"

// act makes the events of an outcome. It says whether all of it was done: what the
// settings hold back is looked at again in the next run.
func (r *run) act(o *outcome) bool {
	whole := true
	for _, c := range o.merges {
		if !r.Settings.Merge {
			whole = false
			continue
		}
		r.merge(c.members, c.why)
	}
	for _, c := range o.supersedes {
		if !r.Settings.Supersede {
			whole = false
			continue
		}
		r.emit(memory.Supersede(&r.items[c.from].Memory, c.newer, cause, By, c.why, r.in.Now))
		r.gone[c.from] = true
	}
	for _, c := range o.flags {
		if !r.Settings.Flag {
			whole = false
			continue
		}
		r.flag(c.from, c.to, c.why)
	}
	return whole
}

func (r *run) emit(e schema.MemoryEvent) { r.out.Events = append(r.out.Events, e) }

// flag links two memories, here too, so that no other cluster links them again.
func (r *run) flag(i, k int, why string) {
	a, b := r.items[i], r.items[k]
	if r.gone[i] || r.gone[k] || slices.Contains(a.Contradicts, b.ID) {
		return
	}
	r.emit(memory.Flag(&a.Memory, &b.Memory, cause, By, why, r.in.Now))
	for _, side := range [][2]int{{i, k}, {k, i}} {
		c := *r.items[side[0]]
		c.Contradicts = append(slices.Clone(c.Contradicts), r.items[side[1]].ID)
		r.items[side[0]] = &c
	}
}

// merge lets the first of a class stand for all of it. What the others contradict,
// it contradicts: that is said first, for a merge that stands alone would lose it.
func (r *run) merge(members []int, why string) {
	canon := members[0]
	var others []string
	accessed := 0
	for _, i := range members {
		accessed += r.items[i].Accessed
		if i == canon {
			continue
		}
		others = append(others, r.items[i].ID)
		for _, id := range r.items[i].Contradicts {
			if k, ok := r.index[id]; ok && !slices.Contains(members, k) {
				r.flag(canon, k, "a memory merged into it contradicts")
			}
		}
	}
	for _, i := range members[1:] {
		r.gone[i] = true
	}
	slices.Sort(others)
	m := r.united(members)
	r.emit(schema.MemoryEvent{
		ID: memory.EventID(schema.MemoryMerged, cause, append([]string{m.ID}, others...)...), Type: schema.MemoryMerged,
		World: m.World, NPC: m.NPC, Player: m.Player, At: r.in.Now, By: By, Why: why, Memory: &m, Others: others,
	})
	r.items[canon] = &Item{Memory: m, Vector: r.items[canon].Vector, Model: r.items[canon].Model, Accessed: accessed}
	r.out.Accessed[m.ID] = accessed
}

// united is the canonical memory of a class as it stands afterwards: proved by the
// words of all, true since the first and said last with the last.
func (r *run) united(members []int) schema.Memory {
	m := r.items[members[0]].Memory
	m.Spans, m.Witnesses = slices.Clone(m.Spans), slices.Clone(m.Witnesses)
	for _, i := range members[1:] {
		o := r.items[i]
		m.Count = max(m.Count, 1) + max(o.Count, 1)
		memory.AddSpans(&m, o.Spans)
		for _, w := range o.Witnesses {
			if !slices.Contains(m.Witnesses, w) {
				m.Witnesses = append(m.Witnesses, w)
			}
		}
		if o.EventTime.After(m.EventTime) {
			m.EventTime = o.EventTime
		}
		if !m.ValidFrom.IsZero() && !o.ValidFrom.IsZero() && o.ValidFrom.Before(m.ValidFrom) {
			m.ValidFrom = o.ValidFrom
		}
	}
	return m
}
