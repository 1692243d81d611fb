package write_test

import (
	"testing"

	"github.com/forsooth-npc/forsooth/internal/memory/write"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// An event under the settings that made it has the fate that it had; under others
// the one that they give.
func TestWhatWouldHaveBecomeOfACandidate(t *testing.T) {
	event := func(kind schema.MemoryEventType, label schema.GroundingLabel, confidence, penalty float64, why string,
		tags ...string) *schema.MemoryEvent {
		return &schema.MemoryEvent{Type: kind, By: write.By, Why: why,
			Verdict: &schema.GroundingVerdict{Label: label, Penalty: penalty, Why: why},
			Memory: &schema.Memory{Kind: schema.MemoryFact, Confidence: confidence, Tags: tags,
				Spans: []schema.MemorySpan{{Text: "x"}}}}
	}
	floor := func(v float64) func(*write.Settings) { return func(s *write.Settings) { s.Floor = v } }
	none := func(*write.Settings) {}
	shadow := func(s *write.Settings) { s.Shadow = true }
	for name, c := range map[string]struct {
		event  *schema.MemoryEvent
		change func(*write.Settings)
		fate   write.Fate
		known  bool
		ok     bool
	}{
		"supported": {event(schema.MemoryWritten, schema.GroundingSupported, 0.8, 0, ""), none,
			write.Store, true, true},
		"supported, a high floor": {event(schema.MemoryWritten, schema.GroundingSupported, 0.8, 0, ""), floor(0.9),
			write.Drop, true, true},
		"partial, stored": {event(schema.MemoryWritten, schema.GroundingPartial, 0.4, 0.2, "",
			protocol.TagPartial), none, write.Store, true, true},
		"partial, a higher floor": {event(schema.MemoryWritten, schema.GroundingPartial, 0.4, 0.2, "",
			protocol.TagPartial), floor(0.5), write.Drop, true, true},
		"partial, dropped": {event(schema.MemoryDropped, schema.GroundingPartial, 0.25, 0.3, ""), none,
			write.Drop, true, true},
		"partial, a lower floor": {event(schema.MemoryDropped, schema.GroundingPartial, 0.25, 0.3, ""), floor(0.2),
			write.Store, true, true},
		"an invention": {event(schema.MemoryDropped, schema.GroundingNotSupported, 0.8, 0, "made up"), none,
			write.Drop, true, true},
		"an invention in the shadow": {event(schema.MemoryDropped, schema.GroundingNotSupported, 0.8, 0, "made up"), shadow,
			write.Flag, true, true},
		"out of the shadow": {event(schema.MemoryWritten, schema.GroundingNotSupported, 0.8, 0, "made up",
			write.TagShadow), none, write.Drop, true, true},
		"a kind that is not kept": {event(schema.MemoryWritten, schema.GroundingSupported, 0.8, 0, ""),
			func(s *write.Settings) { s.SkipForTypes = []schema.MemoryKind{schema.MemoryFact} }, write.Drop, true, true},
		"a kind that was not kept": {event(schema.MemoryDropped, schema.GroundingNotSupported, 0.8, 0,
			"memories of kind fact are not kept"), none, "", false, true},
		"without a verdict in time": {event(schema.MemoryDropped, schema.GroundingUnknown, 0.8, 0, ""),
			func(s *write.Settings) { s.OnFailure = write.Allow }, write.Flag, true, true},
		"rewritten under another name": {event(schema.MemoryDropped, schema.GroundingPartial, 0.8, 0.1, "rewritten as m1"),
			none, "", false, false},
		"superseded": {event(schema.MemorySupersede, schema.GroundingSupported, 0.8, 0, ""), none, "", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := write.DefaultSettings()
			c.change(&s)
			if fate, known, ok := write.Would(s, c.event); fate != c.fate || known != c.known || ok != c.ok {
				t.Errorf("%q, %v, %v; want %q, %v, %v", fate, known, ok, c.fate, c.known, c.ok)
			}
		})
	}
}
