package scan

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// cluster is a set of memories that may not stand beside each other as they are.
type cluster struct {
	members  []int // of run.items, ascending
	stateful bool  // all of one key whose predicate has one value at a time
	signals  []string
	links    map[[2]int]link // pairs that are suspect; nil: all
	open     bool            // the rules do not know
	hash     string
}

// link is what the words of a pair say of it.
type link struct {
	verdict Verdict
	why     string
}

// The signals.
const (
	SignalStructural = "structural"
	SignalSemantic   = "semantic"
	SignalTemporal   = "temporal"
)

// find gathers the clusters of all signals: those that the rules decide first, for
// they cost nothing, then the oldest, so that none is carried over for ever.
func (r *run) find() ([]cluster, error) {
	groups := r.groups()
	var out []cluster
	for _, g := range groups {
		out = append(out, r.suspects(g)...)
	}
	near, err := r.near(out)
	if err != nil {
		return nil, err
	}
	out = append(out, near...)
	for i := range out {
		r.count(out[i].signals)
		out[i].hash = r.hash(&out[i])
	}
	slices.SortFunc(out, func(a, b cluster) int {
		if a.open != b.open {
			if a.open {
				return 1
			}
			return -1
		}
		return cmp.Or(r.born(&a).Compare(r.born(&b)), strings.Compare(a.hash, b.hash))
	})
	return out, nil
}

func (r *run) count(signals []string) {
	for _, s := range signals {
		switch s {
		case SignalStructural:
			r.out.Report.Structural++
		case SignalSemantic:
			r.out.Report.Semantic++
		case SignalTemporal:
			r.out.Report.Temporal++
		}
	}
}

// born is when a cluster became one: when its last member was written.
func (r *run) born(c *cluster) time.Time {
	var last time.Time
	for _, i := range c.members {
		if t := r.items[i].CreatedAt; t.After(last) {
			last = t
		}
	}
	return last
}

// hash names a cluster by all of its members that a verdict rests on, so that it
// is another one as soon as a member changes.
func (r *run) hash(c *cluster) string {
	h := sha256.New()
	fmt.Fprintf(h, "%v\n", c.stateful)
	for _, i := range c.members {
		m := r.items[i]
		fmt.Fprintf(h, "%s\x00%s\x00%s\x00%s\x00%s\x00%d\x00%.3f\x00%d\x00%d\x00%d\n", m.ID, r.subject(m),
			r.canonical(m.Pred), m.Object, m.Content,
			m.Rank(), m.Confidence, m.EventTime.UnixNano(), m.ValidFrom.UnixNano(), len(m.Spans))
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// group are memories of one key: who remembers what kind of thing of whom.
type group struct {
	members  []int
	stateful bool
}

// groups are the keys that more than one memory has, in order of their first.
// What happened and what was promised may happen and be promised again.
func (r *run) groups() []group {
	type key struct{ npc, player, subject, pred string }
	at := map[key]int{}
	var all []group
	for i, m := range r.items {
		if !asserts(m.Kind) {
			continue
		}
		pred := r.canonical(m.Pred)
		k := key{m.NPC, m.Player, r.subject(m), pred}
		g, ok := at[k]
		if !ok {
			g = len(all)
			at[k] = g
			all = append(all, group{stateful: r.Predicates.Stateful(pred)})
		}
		all[g].members = append(all[g].members, i)
	}
	return slices.DeleteFunc(all, func(g group) bool { return len(g.members) < 2 })
}

// asserts says whether memories of a kind say how things are.
func asserts(k schema.MemoryKind) bool {
	return k == schema.MemoryFact || k == schema.MemoryPreference || k == schema.MemoryRelation || k == schema.MemoryEntity
}

// suspects are the clusters of one key. Where it has one value at a time all of
// its memories are suspect; where it may have several, those that say the same
// value, or that a value is and is not so.
func (r *run) suspects(g group) []cluster {
	structural, temporal := r.Settings.Structural, r.drifts(g.members)
	if !structural && !temporal {
		return nil
	}
	var signals []string
	if structural {
		signals = append(signals, SignalStructural)
	}
	if temporal {
		signals = append(signals, SignalTemporal)
	}
	n := len(g.members)
	r.out.Report.Pairs += n * (n - 1) / 2
	if g.stateful {
		return []cluster{{members: g.members, stateful: true, signals: signals}}
	}
	if !structural {
		return nil // several values over time are no change
	}
	out := r.conflicting(g.members, signals)
	r.out.Report.Dismissed += n*(n-1)/2 - len(out)
	return out
}

// drifts is signal C: the same key with valid_from further apart than the drift.
func (r *run) drifts(members []int) bool {
	var first, last time.Time
	for _, i := range members {
		t := r.items[i].ValidFrom
		if t.IsZero() {
			continue
		}
		if first.IsZero() || t.Before(first) {
			first = t
		}
		if t.After(last) {
			last = t
		}
	}
	return r.Settings.Drift > 0 && !first.IsZero() && last.Sub(first) > r.Settings.Drift
}

// linked says whether all pairs are settled already. Of many members it is not
// looked at: judging them tells the same.
func (r *run) linked(members []int) bool {
	if len(members) > maxSides {
		return false
	}
	for x, i := range members {
		for _, k := range members[x+1:] {
			if !r.settled(i, k) {
				return false
			}
		}
	}
	return true
}

// conflicting finds, among memories whose predicate may have several values, those
// of the same value, or of a value and its opposite. The opposites are looked up,
// so that many values cost no more than they are.
func (r *run) conflicting(members []int, signals []string) []cluster {
	first := map[string]int{} // value → its set
	var sets [][]int
	for _, i := range members {
		v := r.valueOf(i)
		at, ok := first[v.key]
		for _, o := range v.opposites() {
			if ok {
				break
			}
			at, ok = first[o]
		}
		if !ok {
			at = len(sets)
			sets = append(sets, nil)
		}
		if _, known := first[v.key]; !known {
			first[v.key] = at
		}
		sets[at] = append(sets[at], i)
	}
	var out []cluster
	for _, set := range sets {
		if len(set) > 1 && !r.linked(set) {
			out = append(out, cluster{members: set, signals: signals})
		}
	}
	return out
}

// unite makes clusters of pairs, united where they share a
// member. A chain of likenesses is no likeness, so a cluster stays small.
func (r *run) unite(found map[[2]int]link) []cluster {
	pairs := make([][2]int, 0, len(found))
	for p := range found {
		pairs = append(pairs, p)
	}
	slices.SortFunc(pairs, func(a, b [2]int) int { return cmp.Or(a[0]-b[0], a[1]-b[1]) })
	of := map[int]int{}
	var out []cluster
	for _, p := range pairs {
		a, hasA := of[p[0]]
		b, hasB := of[p[1]]
		var at int
		switch {
		case hasA && hasB && a == b:
			at = a
		case hasA && !hasB && len(out[a].members) < maxSides:
			at = a
		case hasB && !hasA && len(out[b].members) < maxSides:
			at = b
		default:
			at = len(out)
			out = append(out, cluster{signals: []string{SignalSemantic}, links: map[[2]int]link{}})
		}
		c := &out[at]
		for _, i := range p {
			if !slices.Contains(c.members, i) {
				c.members = append(c.members, i)
			}
			if _, taken := of[i]; !taken {
				of[i] = at
			}
		}
		c.links[p] = found[p]
		c.open = c.open || found[p].verdict == Unclear
	}
	for i := range out {
		slices.Sort(out[i].members)
	}
	return out
}

// maxSides bounds how many memories one cluster of likenesses holds, and with how
// many others each is compared where a key has many values.
const maxSides = 12

// fold is text.Fold, remembered.
func (v *vocabulary) fold(s string) string {
	f, ok := v.folded[s]
	if !ok {
		f = text.Fold(s)
		v.folded[s] = f
	}
	return f
}
