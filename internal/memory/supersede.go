package memory

import (
	"regexp"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Relation is how two memories of the same subject and predicate stand to each
// other.
type Relation string

// The relations.
const (
	Distinct    Relation = "distinct"      // both may hold
	Same        Relation = "same"          // they say the same
	Evolution   Relation = "evolution"     // the newer takes the older one's place
	Contradicts Relation = "contradiction" // both stay, linked
)

// Rule is when a newer memory takes an older one's place by itself.
type Rule struct {
	Gap time.Duration // of game time between the two that is a change by itself
}

// DefaultRule is paper 004's: thirty days.
func DefaultRule() Rule { return Rule{Gap: 30 * 24 * time.Hour} }

// Judge compares two memories, whichever is older. stateful says that the
// predicate has one value at a time. It gives the older and the newer one, in that
// order, with the relation and why.
func (r Rule) Judge(a, b *schema.Memory, stateful bool) (older, newer *schema.Memory, rel Relation, why string) {
	older, newer = a, b
	if since(b).Before(since(a)) {
		older, newer = b, a
	}
	if a.NPC != b.NPC || a.World != b.World || a.Player != b.Player || !sameSubject(a, b) {
		return older, newer, Distinct, "not of the same player, subject and predicate"
	}
	rel, why = compareObjects(a, b, stateful)
	if rel != Contradicts {
		return older, newer, rel, why
	}
	if evolves, why := r.evolves(older, newer, stateful); evolves {
		return older, newer, Evolution, why
	} else if why != "" {
		return older, newer, Contradicts, why
	}
	return older, newer, Contradicts, "neither time nor words say that it changed"
}

func sameSubject(a, b *schema.Memory) bool {
	return a.Pred == b.Pred && text.Fold(a.Subject) == text.Fold(b.Subject)
}

// compareObjects says what two values of one predicate are to each other. Of a
// predicate that may have several, only a thing and its denial conflict; a denial
// of one value says nothing of another.
func compareObjects(a, b *schema.Memory, stateful bool) (Relation, string) {
	x, xDenied := Denied(text.Fold(a.Object))
	y, yDenied := Denied(text.Fold(b.Object))
	switch {
	case x == y && xDenied == yDenied:
		return Same, "the same value"
	case x == y:
		return Contradicts, "one denies what the other says"
	case xDenied || yDenied:
		return Distinct, "a denial of one value says nothing of another"
	case !stateful:
		return Distinct, a.Pred + " may have several values"
	}
	return Contradicts, "two values of " + a.Pred
}

// evolves says whether the newer of two conflicting memories is a change, and why
// or why not.
func (r Rule) evolves(older, newer *schema.Memory, stateful bool) (bool, string) {
	word, changed := ChangeWord(newer)
	switch {
	case !stateful:
		return false, newer.Pred + " is not stateful"
	case since(older).IsZero() || since(newer).IsZero():
		return false, "it is not known which is the newer"
	case !since(newer).After(since(older)):
		return false, "both are of the same time"
	case newer.Rank() < older.Rank():
		return false, "the newer comes from a source of lower rank"
	case newer.Source == schema.OriginSystem && newer.HeardFrom == "":
		return true, "the game saw the newer"
	case changed:
		return true, "the newer says " + `"` + word + `"`
	case since(newer).Sub(since(older)) >= r.Gap:
		return true, "they lie " + newerBy(older, newer) + " apart"
	}
	return false, ""
}

func newerBy(older, newer *schema.Memory) string {
	return since(newer).Sub(since(older)).Round(time.Hour).String()
}

// since is the game time that says which of two memories is the newer. Hearsay is
// as old as what it tells.
func since(m *schema.Memory) time.Time {
	if m.HeardFrom != "" && !m.ValidFrom.IsZero() {
		return m.ValidFrom
	}
	return m.EventTime
}

// changes are what people say of a change, and noChange uses of those words that tell of none:
// "now and then", "right now I hate it", "moved by the song", "used to the cold".
var (
	changes = []string{"no longer", "not any more", "not anymore", "any more", "anymore", "any longer", "these days",
		"used to", "moved", "now", "nowadays", "since then", "became", "have become", "gave up", "quit", "stopped"}
	noChange = map[string]*regexp.Regexp{
		"now":     regexp.MustCompile(` now and (?:then|again) | (?:until|till|up to|for|now) now `),
		"moved":   regexp.MustCompile(` moved (?:by|me) `),
		"used to": regexp.MustCompile(` (?:am|m|i'm|is|are|was|got|get) used to `),
	}
)

// ChangeWord is the word of change in a memory's spans, if one stands there.
func ChangeWord(m *schema.Memory) (string, bool) {
	for _, s := range m.Spans {
		words := " " + strings.Join(text.Words(s.Text), " ") + " "
		for _, w := range changes {
			if strings.Contains(words, " "+w+" ") && (noChange[w] == nil || !noChange[w].MatchString(words)) {
				return w, true
			}
		}
	}
	return "", false
}

// Supersede is the event by which newer takes older's place. cause makes its id:
// the turn or the scan that found it.
func Supersede(older, newer *schema.Memory, cause, by, why string, at time.Time) schema.MemoryEvent {
	until := newer.ValidFrom
	if until.IsZero() {
		until = newer.EventTime
	}
	if !older.ValidFrom.IsZero() && until.Before(older.ValidFrom) {
		until = older.ValidFrom
	}
	return schema.MemoryEvent{
		ID: EventID(schema.MemorySupersede, cause, older.ID, newer.ID), Type: schema.MemorySupersede,
		World: older.World, NPC: older.NPC, Player: older.Player, At: at, By: by, Why: why, TurnID: newer.TurnID,
		Target: older.ID, Others: []string{newer.ID}, ValidTo: until,
	}
}

// Flag is the event that links the two sides of a contradiction.
func Flag(a, b *schema.Memory, cause, by, why string, at time.Time) schema.MemoryEvent {
	if b.ID < a.ID {
		a, b = b, a
	}
	return schema.MemoryEvent{
		ID: EventID(schema.MemoryFlag, cause, a.ID, b.ID), Type: schema.MemoryFlag,
		World: a.World, NPC: a.NPC, Player: a.Player, At: at, By: by, Why: why,
		Target: a.ID, Others: []string{b.ID},
	}
}
