package write

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// OnFailure is what becomes of a candidate when the verifier itself fails.
type OnFailure string

// What becomes of it.
const (
	Queue OnFailure = "queue" // it waits, pending, and is tried again
	Block OnFailure = "block" // it is dropped
	Allow OnFailure = "allow" // it is stored flagged: operators see it, nobody retrieves it
)

// Settings are how strict Guard 1 is.
type Settings struct {
	Enabled        bool
	Floor          float64 // below it after the penalty, a memory is dropped (paper 004: 0.3)
	OnFailure      OnFailure
	RewritePartial bool
	SkipForTypes   []schema.MemoryKind // kinds that are never stored
	// Shadow keeps what would be dropped as flagged, so that developers see it. It is
	// never evidence.
	Shadow   bool
	QueueFor time.Duration // a candidate without a verdict is dropped after it
	// Supersede lets a newer value of a stateful predicate take the older one's place
	// as it is written, by Guard 2's rule.
	Supersede bool
	Gap       time.Duration // of that rule
}

// DefaultSettings are paper 004's.
func DefaultSettings() Settings {
	return Settings{Enabled: true, Floor: 0.3, OnFailure: Queue, RewritePartial: true,
		SkipForTypes: []schema.MemoryKind{schema.MemoryEntity},
		QueueFor:     24 * time.Hour, Supersede: true, Gap: 30 * 24 * time.Hour}
}

// Check says what is wrong with settings, or is nil.
func (s Settings) Check() error {
	switch {
	case math.IsNaN(s.Floor) || s.Floor < 0 || s.Floor > 1:
		return fmt.Errorf("min_confidence_after_penalty is %v; it must lie between 0 and 1", s.Floor)
	case !slices.Contains([]OnFailure{Queue, Block, Allow}, s.OnFailure):
		return fmt.Errorf("on_verifier_failure is %q; write queue, block or allow", s.OnFailure)
	case s.QueueFor <= 0:
		return fmt.Errorf("a candidate may wait for %s; write a time above nothing", s.QueueFor)
	case s.Gap < 0:
		return fmt.Errorf("the gap of a change is %s; it must not lie below nothing", s.Gap)
	}
	return nil
}

// The beginnings of reasons that say of an event more than its verdict does.
const (
	notKept   = "memories of kind "
	rewritten = "rewritten as "
)

// Verdict says whether an event brings this guard's verdict on a candidate, for the first
// and last time. One that lets go of a candidate stored under other words brings none.
func Verdict(e *schema.MemoryEvent) bool {
	return e.Verdict != nil && e.Memory != nil && e.By == By &&
		(e.Type == schema.MemoryWritten || e.Type == schema.MemoryDropped) && !strings.HasPrefix(e.Why, rewritten)
}

// Would is what becomes of a candidate under other settings, as the log has its
// verdict: one that these settings would have judged and those of then did not is
// known false. ok is false where the event brings no candidate's end.
func Would(s Settings, e *schema.MemoryEvent) (fate Fate, known, ok bool) {
	if !Verdict(e) {
		return "", false, false
	}
	v := e.Verdict
	if slices.Contains(s.SkipForTypes, e.Memory.Kind) {
		return Drop, true, true
	}
	if v.Label == schema.GroundingNotSupported && strings.HasPrefix(v.Why, notKept) {
		return "", false, true
	}
	m := *e.Memory
	if v.Label == schema.GroundingPartial { // as it was before its penalty
		m.Confidence = min(1, m.Confidence+v.Penalty)
	}
	m.Tags = slices.DeleteFunc(slices.Clone(m.Tags),
		func(tag string) bool { return tag == protocol.TagPartial || tag == TagShadow })
	g := Guard{settings: s}
	return g.settle(m, *v).Fate, true, true
}
