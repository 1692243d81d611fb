package write

import (
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

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
