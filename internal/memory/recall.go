package memory

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Record is a memory with what an index knows of it beside the log.
type Record struct {
	Memory    schema.Memory
	Relevance float64 // cosine of the memory to what is asked; below 0 counts as 0
	Accessed  int     // how often it was brought into a turn
}

// Query asks what an NPC may bring into a turn.
type Query struct {
	World, NPC, Player string
	Now                time.Time // game time of the turn; recency counts from it
	At                 time.Time // what was known and held at this game time; zero: what holds now
	Budget             int       // characters of content; 0 means DefaultBudget
	Limit              int       // memories; 0 means DefaultLimit
	MinScore           float64   // below which a memory is left out
	Half               time.Duration
}

// Defaults of a query.
const (
	DefaultBudget = 1_200
	DefaultLimit  = 12
	DefaultHalf   = 30 * 24 * time.Hour // of game time, after which recency weighs half
	recencyFloor  = 0.25                // what is old and to the point is still recalled
	partialWeight = 0.5
	hearsayWeight = 0.7
)

// Recalled is a memory for a turn.
type Recalled struct {
	Memory    schema.Memory
	Score     float64
	Conflicts []string // the others of this answer that tell another story; the NPC says that it heard both
	Lore      []string // chunks of lore that say otherwise
}

// Recall chooses memories by recency × importance × relevance within a budget.
// The sides of a contradiction come together or not at all, each marked. The same
// question gives the same answer.
func Recall(records []Record, q Query) []Recalled {
	q = q.withDefaults()
	open := allowed(records, q)
	slices.SortFunc(open, func(a, b Record) int { return compare(&a, &b, q) })
	byID := byIDOf(open)
	var out []Recalled
	taken := map[string]bool{}
	left := q.Budget
	for i := range open {
		r := &open[i]
		if taken[r.Memory.ID] || score(r, q) < q.MinScore {
			continue
		}
		group := story(r, byID, q)
		cost := costOf(group)
		if cost > left || len(out)+len(group) > q.Limit {
			continue
		}
		left -= cost
		for _, g := range group {
			taken[g.Memory.ID] = true
		}
		out = append(out, marked(group, q)...)
	}
	return out
}

func (q Query) withDefaults() Query {
	q.Budget = cmp.Or(q.Budget, DefaultBudget)
	q.Limit = cmp.Or(q.Limit, DefaultLimit)
	q.Half = cmp.Or(q.Half, DefaultHalf)
	return q
}

func byIDOf(records []Record) map[string]*Record {
	out := make(map[string]*Record, len(records))
	for i := range records {
		out[records[i].Memory.ID] = &records[i]
	}
	return out
}

// compare puts the higher score first, then the newer, then the lower id.
func compare(a, b *Record, q Query) int {
	if c := cmp.Compare(score(b, q), score(a, q)); c != 0 {
		return c
	}
	if c := b.Memory.EventTime.Compare(a.Memory.EventTime); c != 0 {
		return c
	}
	return cmp.Compare(a.Memory.ID, b.Memory.ID)
}

// allowed are the records that this NPC may use before this player at this time.
func allowed(records []Record, q Query) []Record {
	var out []Record
	for _, r := range records {
		if !MayUse(&r.Memory, q.World, q.NPC, q.Player) || !standing(&r.Memory, q.At) {
			continue
		}
		out = append(out, r)
	}
	return withoutMerged(out)
}

// MayUse says whether an NPC may bring a memory into a turn with a player: its
// own, what this player said or did, and what concerns no player at all.
func MayUse(m *schema.Memory, world, npc, player string) bool {
	if m.World != world || m.NPC != npc {
		return false
	}
	if m.Player != "" {
		return m.Player == player
	}
	for _, id := range []string{m.Subject, m.Object} {
		if _, of, ok := strings.Cut(" "+id, " "+PlayerPrefix); ok && of != player {
			return false
		}
	}
	return true
}

// standing says whether a memory may be retrieved: an active one, and of a past
// time also a superseded one that was known and held then.
func standing(m *schema.Memory, at time.Time) bool {
	if at.IsZero() {
		return m.Status == schema.MemoryActive
	}
	if m.Status != schema.MemoryActive && m.Status != schema.MemorySuperseded {
		return false
	}
	known := !knownSince(m).After(at)
	began := m.ValidFrom.IsZero() || !m.ValidFrom.After(at)
	lasts := m.ValidTo.IsZero() || at.Before(m.ValidTo)
	return known && began && lasts
}

// knownSince is when an NPC came to know of a memory. What was merged has the time of
// its last words, and is known since its first.
func knownSince(m *schema.Memory) time.Time {
	if m.HeardFrom == "" && !m.ValidFrom.IsZero() && m.ValidFrom.Before(m.EventTime) {
		return m.ValidFrom
	}
	return m.EventTime
}

// withoutMerged leaves out the originals of a merged memory that stands here itself.
func withoutMerged(records []Record) []Record {
	here := byIDOf(records)
	var out []Record
	for _, r := range records {
		m := &r.Memory
		if m.Status == schema.MemorySuperseded && m.ValidTo.IsZero() && here[m.SupersededBy] != nil {
			continue
		}
		out = append(out, r)
	}
	return out
}

// story is a memory with all that contradicts it, itself first.
func story(r *Record, byID map[string]*Record, q Query) []*Record {
	group := []*Record{r}
	seen := map[string]bool{r.Memory.ID: true}
	for i := 0; i < len(group); i++ {
		for _, id := range group[i].Memory.Contradicts {
			if other := byID[id]; other != nil && !seen[id] {
				seen[id] = true
				group = append(group, other)
			}
		}
	}
	rest := group[1:]
	slices.SortFunc(rest, func(a, b *Record) int { return compare(a, b, q) })
	return group
}

func costOf(group []*Record) int {
	n := 0
	for _, r := range group {
		n += utf8.RuneCountInString(r.Memory.Content)
	}
	return n
}

func marked(group []*Record, q Query) []Recalled {
	var out []Recalled
	for _, r := range group {
		c := Recalled{Memory: clone(&r.Memory), Score: score(r, q)}
		for _, id := range r.Memory.Contradicts {
			if strings.HasPrefix(id, LorePrefix) {
				c.Lore = append(c.Lore, id)
			} else if slices.ContainsFunc(group, func(g *Record) bool { return g.Memory.ID == id }) {
				c.Conflicts = append(c.Conflicts, id)
			}
		}
		out = append(out, c)
	}
	return out
}

// score is how much a memory has to say to a query.
func score(r *Record, q Query) float64 {
	relevance := r.Relevance
	if math.IsNaN(relevance) || relevance < 0 {
		relevance = 0
	}
	return recency(&r.Memory, q) * importance(r) * min(relevance, 1)
}

// recency falls by half with each half-life, down to a floor. Who somebody is does
// not grow old.
func recency(m *schema.Memory, q Query) float64 {
	from := q.Now
	if !q.At.IsZero() {
		from = q.At
	}
	if m.EventTime.IsZero() || from.IsZero() || !from.After(m.EventTime) || m.Kind == schema.MemoryEntity {
		return 1
	}
	age := float64(from.Sub(m.EventTime)) / float64(q.Half)
	return recencyFloor + (1-recencyFloor)*math.Exp2(-age)
}

// kindWeight is how much a kind of memory matters by itself.
var kindWeight = map[schema.MemoryKind]float64{
	schema.MemoryPromise: 1, schema.MemoryRelation: 0.9, schema.MemoryFact: 0.85,
	schema.MemoryPreference: 0.8, schema.MemoryEntity: 0.7, schema.MemoryOccurrence: 0.65,
}

// importance weighs the kind, how sure it is, and how often it was said and used.
func importance(r *Record) float64 {
	m := &r.Memory
	w := cmp.Or(kindWeight[m.Kind], 0.5) * m.Confidence
	w *= 1 + 0.1*math.Log1p(float64(max(m.Count-1, 0))) + 0.02*math.Log1p(float64(max(r.Accessed, 0)))
	if slices.Contains(m.Tags, protocol.TagPartial) {
		w *= partialWeight
	}
	if m.HeardFrom != "" {
		w *= hearsayWeight
	}
	return w
}
