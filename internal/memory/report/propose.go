package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Proposal is a predicate that no table knows and that behaves as one with a single value
// at a time: whoever has several values of it has them one after another.
type Proposal struct {
	World     string `json:"world"`
	Predicate string `json:"predicate"`
	Several   int    `json:"several"` // subjects with more than one value
	Changed   int    `json:"changed"` // of them, those whose values follow each other
}

// What it takes to propose a predicate: so many subjects, this share of them, and so much
// time between two values.
const (
	proposeFrom  = 3
	proposeShare = 0.8
	proposeGap   = 24 * time.Hour
)

// valued is a value of a key with its time.
type valued struct {
	object string
	at     time.Time
}

// proposals looks through the memories of the log for predicates that known does not hold.
func proposals(in *Input, log []schema.MemoryEvent, undone map[string]bool) []Proposal {
	if in.Known == nil {
		return nil
	}
	type key struct{ world, npc, player, subject, pred string }
	values := map[key][]valued{}
	for i := range log {
		e := &log[i]
		m := e.Memory
		if e.Type != schema.MemoryWritten || m == nil || undone[e.ID] || !standing(m.Kind) || in.Known(e.World,
			m.Pred) {
			continue
		}
		at := m.ValidFrom
		if at.IsZero() {
			at = e.At
		}
		k := key{e.World, e.NPC, e.Player, m.Subject, m.Pred}
		values[k] = append(values[k], valued{text.Fold(m.Object), at})
	}
	found := map[[2]string]*Proposal{}
	for k, list := range values {
		several, changed := follow(list)
		if !several {
			continue
		}
		p := found[[2]string{k.world, k.pred}]
		if p == nil {
			p = &Proposal{World: k.world, Predicate: k.pred}
			found[[2]string{k.world, k.pred}] = p
		}
		p.Several++
		if changed {
			p.Changed++
		}
	}
	var out []Proposal
	for _, p := range found {
		if p.Changed >= proposeFrom && float64(p.Changed) >= proposeShare*float64(p.Several) {
			out = append(out, *p)
		}
	}
	slices.SortFunc(out, func(a, b Proposal) int {
		return cmp.Or(b.Changed-a.Changed, cmp.Compare(a.World, b.World), cmp.Compare(a.Predicate, b.Predicate))
	})
	return out
}

// standing says whether memories of a kind tell how things are.
func standing(k schema.MemoryKind) bool {
	return k == schema.MemoryFact || k == schema.MemoryPreference || k == schema.MemoryRelation
}

// follow says whether there are several values, and whether each new one comes a day or
// more behind the last and none comes back.
func follow(list []valued) (several, changed bool) {
	slices.SortStableFunc(list, func(a, b valued) int { return a.at.Compare(b.at) })
	seen := map[string]bool{list[0].object: true}
	changed = true
	for i := 1; i < len(list); i++ {
		last, now := list[i-1], list[i]
		if now.object == last.object {
			continue
		}
		changed = changed && !seen[now.object] && now.at.Sub(last.at) >= proposeGap
		seen[now.object] = true
	}
	return len(seen) > 1, changed
}

// proposed are the proposals in a line.
func proposed(list []Proposal) string {
	var parts []string
	for _, p := range list[:min(len(list), 5)] {
		parts = append(parts, fmt.Sprintf("%s of %s (%d of %d changed)", p.Predicate, p.World, p.Changed, p.Several))
	}
	return "no table knows these, and they have one value at a time: " + strings.Join(parts, ", ") +
		"; if that is so, add them to predicates.yaml with stateful: true"
}
