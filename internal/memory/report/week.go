package report

import (
	"slices"
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
	Risk      Risk           // of the stored report of the week; empty: there is none
	blocked   map[string]int // candidates by predicate
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

// Judged are the candidates that got a verdict. UNKNOWN is none: the verifier failed.
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
func (r Replies) Mean() float64 { return r.Sum / float64(max(r.Scored, 1)) }

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
		out[i] = Week{From: from, To: from.Add(span), Replies: Replies{Risks: map[faithful.Risk]int{}},
			blocked: map[string]int{}}
	}
	return out
}

// count gathers the weeks of an input.
func (in *Input) count(log []schema.MemoryEvent, undone map[string]bool) []Week {
	out := calendar(in.Now)
	for i := range log {
		if w := weekOf(log[i].At, in.Now); w >= 0 {
			out[w].verdict(&log[i], in.Skip)
			out[w].Scans.act(&log[i], undone[log[i].ID])
		}
	}
	for _, s := range in.Scans {
		if w := weekOf(s.At, in.Now); w >= 0 {
			c := &out[w].Scans
			c.Runs, c.Memories, c.Carried = c.Runs+1, c.Memories+s.Report.Memories, c.Carried+s.Report.Carried
			c.Clusters += max(0, s.Report.Clusters-s.Report.Known)
		}
	}
	for _, r := range in.Reply {
		if w := weekOf(r.At, in.Now); w >= 0 {
			out[w].Replies.add(r)
		}
	}
	in.recall(out)
	return out
}

// verdict counts Guard 1's verdict, where an event brings one for the first and last
// time. A candidate that waits has none yet.
func (w *Week) verdict(e *schema.MemoryEvent, skip []schema.MemoryKind) {
	v, g := e.Verdict, &w.Grounding
	switch {
	case !write.Verdict(e), v.Label == schema.GroundingSupported && v.Tier == entail.TierNone, // Guard 1 is off
		v.Label == schema.GroundingNotSupported && slices.Contains(skip, e.Memory.Kind):
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
		w.blocked[e.Memory.Pred]++
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

// recall takes from the stored reports what the streams no longer hold. Replies are kept
// seven days, and no stream keeps the risk. A report is of the week in which most of its
// days lie: where clocks change, it is made an hour early or late. Of two reports of a
// week the later stands.
func (in *Input) recall(list []Week) {
	kept := make([]map[string]*Report, len(list))
	for _, r := range in.Earlier {
		w := weekOf(r.To.Add(-span/2), in.Now)
		if w < 0 || w == len(list)-1 {
			continue
		}
		if kept[w] == nil {
			kept[w] = map[string]*Report{}
		}
		if known := kept[w][r.World]; known == nil || r.To.After(known.To) {
			kept[w][r.World] = r
		}
	}
	worse := []Risk{"", NotKnown, Low, Elevated, High}
	for w, of := range kept {
		told := Replies{Risks: map[faithful.Risk]int{}}
		for _, r := range of {
			told.merge(r)
			if slices.Index(worse, r.Risk) > slices.Index(worse, list[w].Risk) {
				list[w].Risk = r.Risk
			}
		}
		if told.Scored > list[w].Replies.Scored {
			list[w].Replies = told
		}
	}
}

// merge adds the replies of a report.
func (r *Replies) merge(of *Report) {
	p := of.Replies
	r.Scored += p.Scored
	r.Sum += of.Mean * float64(p.Scored)
	for risk, n := range p.Risks {
		r.Risks[risk] += n
	}
	r.Regenerated, r.Blocked, r.Warned = r.Regenerated+p.Regenerated, r.Blocked+p.Blocked, r.Warned+p.Warned
}

// once is the log with each event once, up to a time, and which of its events were undone
// for good. An undo stands behind what it undoes, and can be undone itself.
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
