package report

import (
	"fmt"
	"time"

	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/memory/faithful"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/internal/memory/write"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

var now = time.Date(2026, 4, 6, 3, 30, 0, 0, time.UTC)

// start is the beginning of a week; 4 is the last one.
func start(week int) time.Time { return now.Add(-time.Duration(weeks-week) * span) }

// feed makes inputs by what a week held, spread evenly over it.
type feed struct {
	Input
	n int
}

func (f *feed) spread(week, i, of int) time.Time {
	return start(week).Add(span * time.Duration(i) / time.Duration(of))
}

func (f *feed) id(kind string) string { f.n++; return fmt.Sprintf("%s%05d", kind, f.n) }

func event(id string, kind schema.MemoryEventType, by string, at time.Time) schema.MemoryEvent {
	return schema.MemoryEvent{ID: id, Type: kind, World: "hollowmere", NPC: "mira", Player: "p42", At: at, By: by}
}

func remembered(id, pred string, status schema.MemoryStatus) *schema.Memory {
	return &schema.Memory{ID: id, World: "hollowmere", NPC: "mira", Player: "p42", Kind: schema.MemoryFact,
		Subject: "player:p42", Pred: pred, Status: status}
}

// verdicts adds candidates that got a verdict.
func (f *feed) verdicts(week int, label schema.GroundingLabel, n int) {
	preds := []string{"works_at", "lives_in", "likes", "works_at"}
	for i := range n {
		e := event(f.id("e"), schema.MemoryWritten, write.By, f.spread(week, i, n))
		e.Memory = remembered(f.id("m"), preds[i%len(preds)], schema.MemoryActive)
		e.Verdict = &schema.GroundingVerdict{Label: label, Tier: "rule"}
		if label == schema.GroundingNotSupported || label == schema.GroundingUnknown {
			e.Type = schema.MemoryDropped
		}
		f.Events = append(f.Events, e)
	}
}

func (f *feed) grounding(week, supported, partial, blocked int) {
	f.verdicts(week, schema.GroundingSupported, supported)
	f.verdicts(week, schema.GroundingPartial, partial)
	f.verdicts(week, schema.GroundingNotSupported, blocked)
}

// nights adds seven scans of a week, with so many clusters in all, of which so many
// are merged, superseded and flagged.
func (f *feed) nights(week, memories, merged, superseded, flagged int) {
	for night := range 7 {
		r := scan.Report{Memories: memories, Clusters: 1, Known: 1, Actions: map[string]int{}}
		if night == 6 {
			r.Clusters += merged + superseded + flagged
			r.Actions = map[string]int{"merge": merged, "supersede": superseded, "flag": flagged}
		}
		f.Scans = append(f.Scans, Scan{At: start(week).Add(time.Duration(night)*day + time.Hour), World: "hollowmere",
			Report: r})
	}
	at := start(week).Add(6*day + time.Hour)
	for range merged {
		e := event(f.id("e"), schema.MemoryMerged, scan.By, at)
		e.Memory, e.Others = remembered(f.id("m"), "likes", schema.MemoryActive), []string{f.id("m")}
		f.Events = append(f.Events, e)
	}
	for range superseded {
		e := event(f.id("e"), schema.MemorySupersede, scan.By, at)
		e.Target, e.Others = f.id("m"), []string{f.id("m")}
		f.Events = append(f.Events, e)
	}
	for range flagged {
		a, b := f.told(at, "works_at"), f.told(at, "works_at")
		f.flag(at, a, b)
	}
}

// told adds a memory that an NPC was told by another: no candidate of Guard 1.
func (f *feed) told(at time.Time, pred string) string {
	e := event(f.id("e"), schema.MemoryWritten, "hearsay", at)
	e.Memory = remembered(f.id("m"), pred, schema.MemoryActive)
	f.Events = append(f.Events, e)
	return e.Memory.ID
}

func (f *feed) flag(at time.Time, a, b string) {
	e := event(f.id("e"), schema.MemoryFlag, scan.By, at)
	e.Target, e.Others = a, []string{b}
	f.Events = append(f.Events, e)
}

func (f *feed) replies(week, n, high int) {
	for i := range n {
		r := Reply{At: f.spread(week, i, n), Score: 1, Risk: faithful.None, Step: faithful.Release}
		switch {
		case i*high/n != (i+1)*high/n:
			r.Score, r.Risk, r.Step = 0.4, faithful.High, faithful.Regenerate
		case i%10 == 0:
			r.Score, r.Risk = 0.75, faithful.Low
		}
		f.Reply = append(f.Reply, r)
	}
}

// sample is the paper's dashboard as a week: all in range, four weeks like it
// before.
func sample() Input {
	f := &feed{Input: Input{World: "hollowmere", Now: now, Policy: guards.PolicyRegenerate}}
	for week, blocked := range []int{40, 44, 38, 41, 43} {
		f.grounding(week, 1677, 127, blocked)
		f.nights(week, 5_000, 7, 3, 2)
		f.replies(week, 2341, 18)
	}
	f.verdicts(4, schema.GroundingUnknown, 4)
	f.Work = []Work{{At: start(4).Add(day), Turns: 5000, Read: 3000, Extracted: 3600,
		Calls: []Calls{{"extract", 3000, 0.31}, {"judge", 3, 0.0004}, {"score", 2341, 1.1}}},
		{At: start(3).Add(day), Turns: 9999}}
	return f.Input
}

// troubled is a week in which all guards have something to say. The world's name
// and a predicate hold what a page must not take for markup.
func troubled() Input {
	f := &feed{Input: Input{World: "a <b>moor</b>", Now: now, Policy: guards.PolicyWarn}}
	for week, blocked := range []int{25, 27, 30, 33, 160} {
		f.grounding(week, 870, 40, blocked)
		f.nights(week, 4_000, 2, 2, 1)
		f.replies(week, 1000, 6)
	}
	f.replies(4, 1000, 140)
	f.nights(4, 4_000, 1, 2, 60)
	e := event(f.id("e"), schema.MemoryDropped, write.By, start(4).Add(day))
	e.Memory, e.Verdict = remembered("m_script", "<script>|works_at*", schema.MemoryPending),
		&schema.GroundingVerdict{Label: schema.GroundingNotSupported}
	f.Events = append(f.Events, e)
	return f.Input
}

// quiet is a week of a young world.
func quiet() Input {
	f := &feed{Input: Input{World: "shadowwatch", Now: now}}
	f.grounding(4, 12, 1, 3)
	f.nights(4, 20, 1, 0, 1)
	return f.Input
}
