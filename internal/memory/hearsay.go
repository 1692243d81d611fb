package memory

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Telling is one NPC passing on to another what it remembers.
type Telling struct {
	Teller   string    // the name of the NPC that tells
	To       string    // the handle of the one that hears
	GameTime time.Time // when it is told
	At       time.Time // wall time
	Loss     float64   // what a telling takes off the confidence, as a share; 0 means DefaultLoss
	Floor    float64   // under which nobody passes it on; 0 means DefaultHearsayFloor
}

// Defaults of a telling.
const (
	DefaultLoss         = 0.3
	DefaultHearsayFloor = 0.3
)

// Hearsay is the copy of a memory that another NPC keeps when told of it. It says
// from whom and of which memory, keeps the words that prove the first one, and
// belongs to the same player: what is told about a player is retrieved with that
// player only. Its rank is the lowest.
func Hearsay(m *schema.Memory, t Telling) (schema.Memory, error) {
	if m.Status != schema.MemoryActive {
		return schema.Memory{}, fmt.Errorf("memory %s is %s; only an active one is passed on", m.ID,
			cmp.Or(string(m.Status), "of no status"))
	}
	if t.To == "" || t.To == m.NPC {
		return schema.Memory{}, fmt.Errorf("memory %s: %s tells it to nobody else", m.ID, m.NPC)
	}
	if t.Loss == 0 {
		t.Loss = DefaultLoss
	}
	if t.Floor == 0 {
		t.Floor = DefaultHearsayFloor
	}
	confidence := m.Confidence * (1 - t.Loss)
	if confidence < t.Floor {
		return schema.Memory{}, fmt.Errorf("memory %s has been told too often: its confidence would be %.2f, below %.2f",
			m.ID, confidence, t.Floor)
	}
	out := clone(m)
	out.NPC, out.HeardFrom, out.HeardID = t.To, m.NPC, m.ID
	out.Confidence, out.Count = confidence, 1
	out.Content = fmt.Sprintf("%s told me that %s", t.Teller, entail.InThirdPerson(lowerPronoun(m.Content), t.Teller))
	out.CreatedAt, out.EventTime = t.At, t.GameTime
	if out.ValidFrom.IsZero() {
		out.ValidFrom = m.EventTime
	}
	out.Contradicts, out.SupersededBy, out.Witnesses = nil, "", nil
	out.Tags = slices.Clone(m.Tags)
	out.Status = schema.MemoryPending
	out.ID = ID(&out, 0)
	return out, nil
}

// lowerPronoun lets a sentence that begins with a pronoun or an article follow
// another clause.
func lowerPronoun(s string) string {
	for _, w := range []string{"The ", "A ", "An ", "They ", "Their "} {
		if len(s) > len(w) && s[:len(w)] == w {
			return string(s[0]|0x20) + s[1:]
		}
	}
	return s
}
