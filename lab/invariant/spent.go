package invariant

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// What a turn may spend: maxCalls is promised; maxHops is seven passes with every
// review sent back as often as it may be, twice over.
const (
	maxCalls = 15
	maxHops  = 40
)

func hops(r *Run, broken report) {
	at := map[string]*Hop{}
	count := map[string]int{}
	for i := range r.Hops {
		h := &r.Hops[i]
		if h.Part == 0 {
			count[h.Turn]++
		}
		id := h.ID
		if id == "" && h.Part == 0 {
			id = h.Turn + "/" + strconv.Itoa(h.Number)
		}
		if before := at[id]; before != nil && !r.forgot(before.At, h.At) {
			broken(h.Turn, "hop %s stands at %d and at %d", id, before.Sequence, h.Sequence)
		}
		if id != "" {
			at[id] = h
		}
	}
	for turn, n := range count {
		if n > maxHops {
			broken(turn, "%d hops; %d are the most", n, maxHops)
		}
	}
}

// forgot says whether ids were forgotten between two moments.
func (r *Run) forgot(from, to time.Time) bool {
	return slices.ContainsFunc(r.Forgotten, func(o Outage) bool { return o.Begin.Before(to) && o.End.After(from) })
}

// calls holds the count that a turn carries against the bound, and what the models
// saw of a turn against the bound of each of its runs: what a killed worker asked is
// in no count.
func calls(r *Run, broken report) {
	for i := range r.Replies {
		n := 0
		for _, p := range r.Replies[i].Passes {
			n += p.LLMCalls
		}
		if n > maxCalls {
			broken(r.Replies[i].TurnID, "%d calls are counted; %d are the most", n, maxCalls)
		}
	}
	asked := map[string]int{}
	for _, p := range r.Prompts {
		if p.Turn != "" {
			asked[p.Turn]++
		}
	}
	for turn, n := range asked {
		if most := maxCalls * (1 + r.Repeated[turn]); n > most {
			broken(turn, "models were asked %d times; %d are the most for a turn of which a pass began again %d times", n, most,
				r.Repeated[turn])
		}
	}
}

func memories(r *Run, broken report) {
	seen := map[string]uint64{}
	for _, e := range r.Memory {
		if before := seen[e.ID]; before > 0 {
			broken(e.TurnID, "memory event %s stands at %d and at %d", e.ID, before, e.Sequence)
		}
		seen[e.ID] = e.Sequence
		if e.TurnID == "" || e.Type != schema.MemoryProposed && e.Type != schema.MemoryWritten {
			continue
		}
		of := schema.ConversationID{World: e.World, NPC: e.NPC, Player: e.Player}
		if e.Memory != nil {
			of = e.Memory.Conversation(e.TurnID)
		}
		replies := r.bySubject.replies[key(of, e.TurnID)]
		if len(replies) == 0 || e.At.Before(replies[0].At) {
			broken(e.TurnID, "memory event %s of it stands, and no reply did before", e.ID)
		}
	}
}

func private(r *Run, broken report) {
	for _, p := range r.Prompts {
		var of *schema.ConversationID
		for mark, convo := range r.Marks {
			if !strings.Contains(p.Text, mark) {
				continue
			}
			if of != nil && *of != convo {
				broken(p.Turn, "a prompt holds what was said to %s and to %s", *of, convo)
			}
			of = &convo
		}
		if of == nil {
			continue
		}
		for npc, notes := range r.Notes {
			if npc == of.NPC {
				continue
			}
			for _, note := range notes {
				if strings.Contains(p.Text, note) {
					broken(p.Turn, "a prompt for %s holds a note of %s: %q", of.NPC, npc, note)
				}
			}
		}
	}
}
