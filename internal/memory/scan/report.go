package scan

import (
	"fmt"
	"strings"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Report says what a run saw and did.
type Report struct {
	Memories   int             `json:"memories"`  // active ones
	Pairs      int             `json:"pairs"`     // as near as the floor, or of one key
	Dismissed  int             `json:"dismissed"` // of them, at sight
	Structural int             `json:"structural"`
	Semantic   int             `json:"semantic"`
	Temporal   int             `json:"temporal"`
	Clusters   int             `json:"clusters"` // suspect ones, those judged before too
	Known      int             `json:"known"`    // of them judged before, and unchanged
	Judged     int             `json:"judged"`
	Carried    int             `json:"carried_over"` // to the next run
	Failed     int             `json:"failed"`       // a verifier gave an error; carried over too
	Verdicts   map[Verdict]int `json:"verdicts,omitempty"`
	Actions    map[string]int  `json:"actions,omitempty"` // merge, supersede, flag, unproven
	Entailed   int             `json:"entailment_calls"`
	Calls      int             `json:"judge_calls"`
	Lore       int             `json:"lore_contradicted"`
	LoreFailed int             `json:"lore_failed"`
	Reread     int             `json:"reread"`   // held against their own words again, those proved at sight left out
	Unread     int             `json:"unread"`   // left to the next run
	Unproven   int             `json:"unproven"` // flagged
	Details    []Detail        `json:"details,omitempty"`
}

// Detail is a cluster with what became of it.
type Detail struct {
	Members []string `json:"members"`
	Signals []string `json:"signals"`
	Verdict Verdict  `json:"verdict"`
	Why     string   `json:"why,omitempty"`
}

// Summary is a report in one line.
func (p Report) Summary() string {
	line := fmt.Sprintf("%d memories, %d clusters, %d judged: %d merged, %d superseded, %d flagged",
		p.Memories, p.Clusters, p.Judged, p.Actions["merge"], p.Actions["supersede"], p.Actions["flag"])
	var rest []string
	for _, x := range []struct {
		n    int
		what string
	}{{p.Known, "judged before"}, {p.Carried, "carried over to the next run"}, {p.Failed, "not judged for an error"},
		{p.Verdicts[Unclear], "unclear"}, {p.Lore, "contradicted by lore"},
		{p.Unproven, "not proved by their words and set aside"}, {p.Unread, "to be read again in the next run"}} {
		if x.n > 0 {
			rest = append(rest, fmt.Sprintf("%d %s", x.n, x.what))
		}
	}
	if len(rest) > 0 {
		line += "; " + strings.Join(rest, ", ")
	}
	return line
}

// actions counts events by what they do.
func actions(events []schema.MemoryEvent) map[string]int {
	out := map[string]int{}
	for i := range events {
		switch events[i].Type {
		case schema.MemoryMerged:
			out["merge"]++
		case schema.MemorySupersede:
			out["supersede"]++
		case schema.MemoryFlag:
			if len(events[i].Others) == 0 {
				out["unproven"]++
			} else {
				out["flag"]++
			}
		}
	}
	return out
}
