// Package report is the dashboard of the three guards: what they did in a week,
// each figure against the range in which it is healthy and against the four weeks
// before, and how large the risk is that players are told what is not so. It is
// made from the memory log and from counts that are given to it, and shown as text,
// Markdown or one HTML page.
//
// It judges no memory and raises no alarm: the rules of k8s/monitoring do that as
// it happens. It reads no clock. A figure of too few cases is given with them, and
// neither called healthy nor held against anybody. What was erased is gone from the
// log and so from the counts of its weeks.
package report

import (
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Risk is the overall risk.
type Risk string

// The risks. Without a single figure of enough cases, none of the three is said.
const (
	Low      Risk = "LOW"
	Elevated Risk = "ELEVATED"
	High     Risk = "HIGH"
	NotKnown Risk = "NOT KNOWN"
)

// Report is a week of the guards.
type Report struct {
	World    string    `json:"world"`
	From     time.Time `json:"from"`
	To       time.Time `json:"to"`
	Risk     Risk      `json:"risk"`
	Why      string    `json:"why"`
	Figures  []Figure  `json:"figures"`
	Early    []string  `json:"early_signs,omitempty"`
	Alerts   []Alert   `json:"alerts,omitempty"`
	Patterns []Pattern `json:"patterns,omitempty"`

	Grounding Grounding `json:"grounding"`
	Blocked   []Share   `json:"blocked_by_predicate,omitempty"`
	Waiting   int       `json:"waiting"` // for a verdict, at the end

	GroundingP99 string    `json:"grounding_p99,omitempty"` // of a verdict's time; empty: not measured
	Scans        Scans     `json:"scans"`
	LastScan     time.Time `json:"last_scan,omitzero"`
	Flags        Flags     `json:"contradictions"`
	// Proposals are predicates that the world's predicates.yaml may lack.
	Proposals []Proposal `json:"proposed_predicates,omitempty"`
	Replies   Replies    `json:"replies"`
	Mean      float64    `json:"mean_faithfulness"`
	Policy    string     `json:"policy,omitempty"`
	Funnel    Funnel     `json:"funnel"`
	Trend     []Trend    `json:"trend"` // of four weeks, oldest first

	weeks []Week
}

// Make makes the report of the week that ends at in.Now.
func Make(in Input) *Report {
	log, undone := once(in.Events, in.Now)
	list := tally(&in, log, undone)
	recall(&in, list)
	last := list[weeks-1]
	r := &Report{
		World: in.World, From: last.From, To: last.To, Policy: in.Policy, weeks: list,
		Figures: figures(list, in.Policy), Alerts: alerts(&in, log, list),
		Grounding: last.Grounding, Blocked: blockedBy(&in, log), Waiting: waiting(log, undone),
		Scans: last.Scans, LastScan: lastScan(&in), Flags: flags(&in, log, undone), Proposals: proposals(&in, log, undone),
		Replies: last.Replies, Mean: last.Replies.Mean(), Funnel: funnel(&in, last),
	}
	if in.GroundingTimed > 0 {
		r.GroundingP99 = in.GroundingP99.String()
	}
	before, now := conflicts(list)
	r.Patterns = patterns(r.Figures, before, now, r.Flags)
	r.Early = early(r.Figures)
	r.Risk, r.Why = overall(r.Figures, r.Alerts)
	r.Trend = r.trend()
	return r
}

// overall is LOW where every figure is in its range, ELEVATED where one is out, and
// HIGH where two are or an alert went off.
func overall(figures []Figure, alerts []Alert) (Risk, string) {
	var out, few []string
	said := 0
	for i := range figures {
		switch f := &figures[i]; {
		case f.State.out():
			out = append(out, f.Name)
			said++
		case f.State == Healthy:
			said++
		case f.State == TooFew:
			few = append(few, f.Name)
		}
	}
	why := ""
	if len(few) > 0 {
		why = "; too few cases to say: " + list(few)
	}
	switch {
	case len(alerts) > 0 && len(out) > 0:
		return High, plural(len(alerts), "alert") + ", and out of range: " + list(out) + why
	case len(alerts) > 0:
		return High, plural(len(alerts), "alert") + why
	case len(out) > 1:
		return High, "out of range: " + list(out) + why
	case len(out) == 1:
		return Elevated, "out of range: " + list(out) + why
	case said == 0:
		return NotKnown, "no figure rests on enough cases"
	}
	return Low, "every figure that can be said is in its range" + why
}

// risesToSay are so many that chance seldom makes as many: one time in 24.
const risesToSay = 3

// early are rises that are no alarm yet.
func early(figures []Figure) []string {
	var out []string
	for i := range figures {
		f := &figures[i]
		if n := f.rises(); n >= risesToSay && f.State != Off {
			out = append(out, f.Name+" has risen for "+plural(n, "week")+" in a row")
		}
	}
	return out
}

// waiting counts the candidates without a verdict.
func waiting(log []schema.MemoryEvent, undone map[string]bool) int {
	pending := map[string]bool{}
	for i := range log {
		e := &log[i]
		if undone[e.ID] {
			continue
		}
		switch e.Type {
		case schema.MemoryProposed:
			pending[e.Memory.ID] = true
		case schema.MemoryWritten, schema.MemoryDropped:
			if e.Memory != nil {
				delete(pending, e.Memory.ID)
			}
			delete(pending, e.Target)
		case schema.MemoryErasedMark:
			delete(pending, e.Target)
			for _, id := range e.Others {
				delete(pending, id)
			}
		// of what has its verdict
		case schema.MemoryMerged, schema.MemorySupersede, schema.MemoryFlag, schema.MemoryResolved, schema.MemoryUndone:
		}
	}
	return len(pending)
}

func lastScan(in *Input) time.Time {
	var last time.Time
	for _, s := range in.Scans {
		if s.At.Before(in.Now) && s.At.After(last) {
			last = s.At
		}
	}
	return last
}
