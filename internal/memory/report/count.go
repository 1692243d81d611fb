package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/memory/faithful"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/internal/memory/write"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Week is what happened in seven days.
type Week struct {
	From, To  time.Time
	Grounding Grounding
	Scans     Scans
	Replies   Replies
	Risk      Risk // that a report of the week said; empty: none is kept
}

// Grounding counts the verdicts of Guard 1.
type Grounding struct {
	Supported    int `json:"supported"`
	Partial      int `json:"partial"`
	NotSupported int `json:"not_supported"`
	Unknown      int `json:"unknown"`
	Stored       int `json:"stored"`      // of all, active
	UnderFloor   int `json:"under_floor"` // partial ones dropped for their confidence
	Shadow       int `json:"shadow"`      // kept flagged where they would have been dropped
}

// Judged are the candidates that got a verdict. UNKNOWN is none: the verifier
// failed, and nothing is said of the candidate.
func (g Grounding) Judged() int { return g.Supported + g.Partial + g.NotSupported }

// Scans counts what Guard 2 found and did.
type Scans struct {
	Runs       int `json:"runs"`
	Memories   int `json:"memories"` // looked at, summed over the runs
	Clusters   int `json:"clusters"` // that no earlier run had judged
	Carried    int `json:"carried_over"`
	Merged     int `json:"merged"`
	Superseded int `json:"superseded"`
	Flagged    int `json:"flagged"`
	Unproven   int `json:"unproven"` // set aside, since their own words do not prove them
	Undone     int `json:"undone"`   // of the actions taken in the week, whenever undone
}

// Replies counts what Guard 3 scored.
type Replies struct {
	Scored      int                   `json:"scored"`
	Sum         float64               `json:"-"` // of the scores
	Risks       map[faithful.Risk]int `json:"risks,omitempty"`
	Regenerated int                   `json:"regenerated"`
	Blocked     int                   `json:"blocked"`
	Warned      int                   `json:"warned"`
}

// Mean is the mean faithfulness.
func (r Replies) Mean() float64 {
	if r.Scored == 0 {
		return 0
	}
	return r.Sum / float64(r.Scored)
}

const (
	day   = 24 * time.Hour
	span  = 7 * day
	weeks = 5 // the last, and the four before
)

// weekOf is the index of the week that a time lies in, oldest first, or -1.
func weekOf(at, now time.Time) int {
	if at.IsZero() || !at.Before(now) || at.Before(now.Add(-weeks*span)) {
		return -1
	}
	return weeks - 1 - int((now.Sub(at)-1)/span)
}

// calendar makes the weeks, empty.
func calendar(now time.Time) []Week {
	out := make([]Week, weeks)
	for i := range out {
		from := now.Add(-time.Duration(weeks-i) * span)
		out[i] = Week{From: from, To: from.Add(span), Replies: Replies{Risks: map[faithful.Risk]int{}}}
	}
	return out
}

// tally gathers the weeks of an input.
func tally(in *Input, log []schema.MemoryEvent, undone map[string]bool) []Week {
	out := calendar(in.Now)
	for i := range log {
		w := weekOf(log[i].At, in.Now)
		if w < 0 {
			continue
		}
		out[w].Grounding.add(&log[i], in.Skip)
		out[w].Scans.act(&log[i], undone[log[i].ID])
	}
	for _, s := range in.Scans {
		if w := weekOf(s.At, in.Now); w >= 0 {
			out[w].Scans.run(s.Report)
		}
	}
	for _, r := range in.Reply {
		if w := weekOf(r.At, in.Now); w >= 0 {
			out[w].Replies.add(r)
		}
	}
	return out
}

// rewritten begins the reason of an event that lets go of a candidate whose memory
// was stored under other words: it is no second candidate.
const rewritten = "rewritten as "

// verdictOf is Guard 1's verdict that an event brings for the first and last time,
// or nil. A candidate that waits has none yet.
func verdictOf(e *schema.MemoryEvent, skip []schema.MemoryKind) *schema.GroundingVerdict {
	v := e.Verdict
	switch {
	case v == nil || e.By != write.By || e.Memory == nil:
		return nil
	case e.Type != schema.MemoryWritten && e.Type != schema.MemoryDropped:
		return nil
	case strings.HasPrefix(e.Why, rewritten):
		return nil
	case v.Label == schema.GroundingSupported && v.Tier == entail.TierNone:
		return nil // Guard 1 is off
	case v.Label == schema.GroundingNotSupported && slices.Contains(skip, e.Memory.Kind):
		return nil
	}
	return v
}

func (g *Grounding) add(e *schema.MemoryEvent, skip []schema.MemoryKind) {
	v := verdictOf(e, skip)
	if v == nil {
		return
	}
	dropped := e.Type == schema.MemoryDropped
	switch v.Label {
	case schema.GroundingSupported:
		g.Supported++
	case schema.GroundingPartial:
		g.Partial++
		if dropped {
			g.UnderFloor++
		}
	case schema.GroundingNotSupported:
		g.NotSupported++
	case schema.GroundingUnknown:
		g.Unknown++
	}
	switch {
	case dropped:
	case slices.Contains(e.Memory.Tags, write.TagShadow):
		g.Shadow++
	case e.Memory.Status == schema.MemoryActive:
		g.Stored++
	}
}

func (s *Scans) run(r scan.Report) {
	s.Runs++
	s.Memories += r.Memories
	s.Clusters += max(0, r.Clusters-r.Known)
	s.Carried += r.Carried
}

func (s *Scans) act(e *schema.MemoryEvent, undone bool) {
	if e.By != scan.By {
		return
	}
	n := map[schema.MemoryEventType]*int{schema.MemoryMerged: &s.Merged, schema.MemorySupersede: &s.Superseded,
		schema.MemoryFlag: &s.Flagged}[e.Type]
	if e.Type == schema.MemoryFlag && len(e.Others) == 0 {
		n = &s.Unproven
	}
	switch {
	case n == nil:
	case undone:
		s.Undone++
	default:
		*n++
	}
}

func (r *Replies) add(p Reply) {
	r.Scored++
	r.Sum += p.Score
	r.Risks[p.Risk]++
	switch p.Step {
	case faithful.Regenerate:
		r.Regenerated++
	case faithful.Refuse:
		r.Blocked++
	case faithful.Annotate:
		r.Warned++
	case faithful.Release:
	}
}

// once is the log with each event once, up to a time, and which of its events were
// undone for good. An undo stands behind what it undoes, and can be undone itself.
func once(events []schema.MemoryEvent, now time.Time) ([]schema.MemoryEvent, map[string]bool) {
	seen := make(map[string]bool, len(events))
	out := make([]schema.MemoryEvent, 0, len(events))
	for _, e := range events {
		if !seen[e.ID] && e.At.Before(now) {
			seen[e.ID] = true
			out = append(out, e)
		}
	}
	undone := map[string]bool{}
	for _, e := range slices.Backward(out) {
		if e.Type == schema.MemoryUndone && !undone[e.ID] {
			undone[e.Undoes] = true
		}
	}
	return out, undone
}

// Share is a name with how often it was met.
type Share struct {
	Name string `json:"name"`
	N    int    `json:"n"`
}

// most are the most frequent of names, at most so many.
func most(counts map[string]int, limit int) []Share {
	var out []Share
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, Share{name, counts[name]})
	}
	slices.SortStableFunc(out, func(a, b Share) int { return cmp.Compare(b.N, a.N) })
	return out[:min(len(out), limit)]
}

// blockedBy counts the last week's blocked candidates by predicate.
func blockedBy(in *Input, log []schema.MemoryEvent) []Share {
	counts := map[string]int{}
	for i := range log {
		v := verdictOf(&log[i], in.Skip)
		if v != nil && v.Label == schema.GroundingNotSupported && weekOf(log[i].At, in.Now) == weeks-1 {
			counts[log[i].Memory.Pred]++
		}
	}
	return most(counts, 5)
}
