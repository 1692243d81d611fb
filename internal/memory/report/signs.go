package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Pattern is what moves together, and what that points to.
type Pattern struct {
	Name string `json:"name"`
	Seen string `json:"seen"`
	Try  string `json:"try"`
}

// patterns are paper 004's two.
func patterns(figures []Figure, list []Week, f Flags) []Pattern {
	block, risk := &figures[0], &figures[2]
	var out []Pattern
	if block.Before.Direction == Rising && risk.Before.Direction == Rising {
		out = append(out, Pattern{
			Name: "a topic that the guards do not know",
			Seen: fmt.Sprintf("more is blocked as it is written (%s, before %s), and more replies are a high risk (%s, "+
				"before %s)", block.of(block.Past), block.of(block.Before), risk.of(risk.Past), risk.of(risk.Before)),
			Try: "look at what players talk of now that they did not before, and at whether the lore and the memories hold " +
				"anything of it",
		})
	}
	before, now := conflicts(list)
	calm := func(f *Figure) bool { return f.State == Off || f.Before.Direction == Steady }
	if now.Direction == Rising && calm(block) && calm(risk) {
		others := "the other guards are steady"
		if risk.State == Off {
			others = "Guard 1 is steady, and Guard 3 is off"
		}
		p := Pattern{Name: "changes that are not seen as they are written",
			Seen: fmt.Sprintf("the scans flag more contradictions (%d, before %s a week), and %s", now.Hits,
				oneDigit(float64(before.Hits)/(weeks-1)), others),
			Try: "see whether predicates.yaml calls the predicates stateful whose values change"}
		if len(f.Predicates) > 0 {
			p.Try += "; most of what is open is of " + f.Predicates[0].Name
		}
		out = append(out, p)
	}
	return out
}

// conflicts compares the flags of the scans, of the memories they looked at, with those
// of the weeks before.
func conflicts(list []Week) (before, now Past) {
	for _, w := range list[:weeks-1] {
		before.Hits, before.N = before.Hits+w.Scans.Flagged, before.N+w.Scans.Memories
	}
	now.Hits, now.N = list[weeks-1].Scans.Flagged, list[weeks-1].Scans.Memories
	const need = 10_000
	if now.N >= need && before.N >= need {
		now.Direction = direction(before.Hits, before.N, now.Hits, now.N)
	}
	return before, now
}

// early are rises that are no alarm yet: so many weeks in a row as chance seldom makes,
// one time in 24.
func early(figures []Figure) []string {
	const weeksToSay = 3
	var out []string
	for i := range figures {
		f := &figures[i]
		if n := f.rises(); n >= weeksToSay && f.State != Off {
			out = append(out, fmt.Sprintf("%s has risen for %d weeks in a row", f.Name, n))
		}
	}
	return out
}

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

// proposals looks through the memories of the log for predicates that no table holds.
func (in *Input) proposals(log []schema.MemoryEvent, undone map[string]bool) []Proposal {
	type key struct{ world, npc, player, subject, pred string }
	values := map[key][]valued{}
	for i := range log {
		e, m := &log[i], log[i].Memory
		if in.Known == nil || e.Type != schema.MemoryWritten || m == nil || undone[e.ID] ||
			!slices.Contains(standing, m.Kind) || in.Known(e.World, m.Pred) {
			continue
		}
		at := m.ValidFrom
		if at.IsZero() {
			at = e.At
		}
		k := key{e.World, e.NPC, e.Player, m.Subject, m.Pred}
		values[k] = append(values[k], valued{text.Fold(m.Object), at})
	}
	found := map[Proposal]*Proposal{}
	for k, list := range values {
		if several, changed := follow(list); several {
			name := Proposal{World: k.world, Predicate: k.pred}
			if found[name] == nil {
				found[name] = &Proposal{World: k.world, Predicate: k.pred}
			}
			found[name].Several++
			found[name].Changed += map[bool]int{true: 1}[changed]
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

// standing are the kinds of memories that tell how things are.
var standing = []schema.MemoryKind{schema.MemoryFact, schema.MemoryPreference, schema.MemoryRelation}

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
