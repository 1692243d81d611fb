// Package relation says how an NPC stands with a player and how the NPC itself is: the
// trust and what moved it, what is owed, the standing with factions, mood and activity.
// It folds what turns left in the conversation, what events left in the memory and what
// the game sends. It stores nothing, and nothing of it is evidence of the world.
package relation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Input is what a relation is made from.
type Input struct {
	World  *world.World
	NPC    *world.NPC
	Player string
	Convo  *schema.Conversation
	Trust  *int            // of the game; nil: it sends none
	State  map[string]any  // of the game, in this turn
	Seen   []schema.Memory // what the NPC saw the game do: of the player and of no player
	Now    time.Time       // game time
}

const keptWhy = 16

// Of folds a relation.
func Of(in Input) *schema.Relation {
	r := &schema.Relation{}
	rules := in.World.RelatingFor(in.NPC)
	var ledger []schema.Favour
	if in.Convo != nil {
		r.Trust, r.Why, ledger = in.Convo.Trust, slices.Clone(in.Convo.Steps), slices.Clone(in.Convo.Ledger)
	}
	for _, e := range eventsOf(in) {
		if n := stepOf(rules, e.on); e.by == schema.SidePlayer && n != 0 {
			r.Trust = clamp(r.Trust + n)
			r.Why = append(r.Why, schema.TrustStep{By: n, Why: e.on, EventID: e.id, Text: e.text, At: e.at})
		}
		ledger = append(ledger, e.favours(rules)...)
		for _, s := range rules.Standing {
			if canonical(s.On) == e.on && e.by == schema.SidePlayer {
				if r.Standing == nil {
					r.Standing = map[string]int{}
				}
				r.Standing[s.Faction] = clamp(r.Standing[s.Faction] + s.By)
			}
		}
	}
	if in.Trust != nil {
		r.Trust = *in.Trust
	}
	slices.SortStableFunc(r.Why, func(a, b schema.TrustStep) int { return a.At.Compare(b.At) })
	r.Why = r.Why[max(0, len(r.Why)-keptWhy):]
	r.Opinion, r.Owed = Opinion(r.Trust), owed(ledger)
	for faction, n := range sentStanding(in.State) {
		if r.Standing == nil {
			r.Standing = map[string]int{}
		}
		r.Standing[faction] = n
	}
	r.NPC = stateOf(in)
	return r
}

// event is what the game saw happen, as the rules name it.
type event struct {
	id, on, by, object, text string
	at                       time.Time
}

// eventsOf are the events of this player that the NPC saw, oldest first, each once.
func eventsOf(in Input) []event {
	var out []event
	taken := map[string]bool{}
	for i := range in.Seen {
		m := &in.Seen[i]
		by := partyOf(m, in)
		if m.Player != in.Player || !isSeen(m) || by == "" {
			continue
		}
		for _, s := range m.Spans {
			if s.EventID == "" || taken[s.EventID] {
				continue
			}
			taken[s.EventID] = true
			out = append(out, event{id: s.EventID, on: canonical("event." + m.Pred), by: by, object: m.Object, text: s.Text,
				at: cmpTime(s.At, m.EventTime)})
		}
	}
	slices.SortStableFunc(out, func(a, b event) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.id, b.id))
	})
	return out
}

// isSeen says whether a memory is of what the game showed, and still stands or was followed
// by something newer.
func isSeen(m *schema.Memory) bool {
	return m.Source == schema.OriginSystem && m.HeardFrom == "" &&
		(m.Status == "" || m.Status == schema.MemoryActive || m.Status == schema.MemorySuperseded)
}

// partyOf says whose deed an event is; "" where it is neither the player's nor the NPC's.
func partyOf(m *schema.Memory, in Input) string {
	switch m.Subject {
	case in.Player, memory.PlayerPrefix + in.Player:
		return schema.SidePlayer
	case in.NPC.Handle, memory.NPCPrefix + in.NPC.Handle:
		return schema.SideNPC
	}
	return ""
}

func (e event) favours(rules world.Relating) []schema.Favour {
	var out []schema.Favour
	for _, r := range rules.Favours {
		if canonical(r.On) != e.on || r.By != e.by {
			continue
		}
		out = append(out, schema.Favour{What: cmp.Or(r.What, e.object, e.text), Owes: r.Owes, Settles: r.Settles,
			EventID: e.id, Source: schema.OriginSystem, At: e.at})
	}
	return out
}

// stepOf is how far an event moves trust.
func stepOf(rules world.Relating, on string) int {
	for cause, n := range rules.Trust {
		if strings.HasPrefix(cause, "event.") && canonical(cause) == on {
			return n
		}
	}
	return 0
}

// canonical is a cause with the predicate as the memory has it.
func canonical(on string) string {
	name, ok := strings.CutPrefix(on, "event.")
	if !ok {
		return on
	}
	pred, _ := memory.DefaultPredicates().Canonical(name)
	return "event." + pred
}

// owed is what a ledger leaves open. What settles pays the favour that it names, else the
// oldest of its side; where it pays for nothing, it is nothing.
func owed(ledger []schema.Favour) []schema.Favour {
	slices.SortStableFunc(ledger, func(a, b schema.Favour) int { return a.At.Compare(b.At) })
	var out []schema.Favour
	for _, f := range ledger {
		if !f.Settles {
			out = append(out, f)
			continue
		}
		i := slices.IndexFunc(out, func(o schema.Favour) bool { return o.Owes == f.Owes && thing(o) == thing(f) })
		if i < 0 {
			i = slices.IndexFunc(out, func(o schema.Favour) bool { return o.Owes == f.Owes })
		}
		if i >= 0 {
			out = slices.Delete(out, i, i+1)
		}
	}
	return out
}

// thing is what a favour is for, without the article that changes when it is named again.
func thing(f schema.Favour) string {
	return text.WithoutArticle(text.Fold(strings.TrimRight(f.What, ". ")))
}

// Owes are the favours that a side owes.
func Owes(r *schema.Relation, side string) []schema.Favour {
	var out []schema.Favour
	if r != nil {
		for _, f := range r.Owed {
			if f.Owes == side {
				out = append(out, f)
			}
		}
	}
	return out
}

// Opinion words the trust, in bands.
func Opinion(trust int) string {
	switch {
	case trust <= -40:
		return "hostile"
	case trust < 0:
		return "wary"
	case trust < 20:
		return "neutral"
	case trust < 60:
		return "friendly"
	}
	return "devoted"
}

// State are the values that conditions read: favour.owed, favour.owing, standing.FACTION,
// npc.mood and npc.activity. What the game sends under such a key stands.
func State(sent map[string]any, r *schema.Relation) map[string]any {
	if r == nil {
		return sent
	}
	out := map[string]any{
		"favour.owed":  len(Owes(r, schema.SideNPC)) > 0,
		"favour.owing": len(Owes(r, schema.SidePlayer)) > 0,
	}
	for faction, n := range r.Standing {
		out["standing."+faction] = n
	}
	for key, v := range map[string]string{"npc.mood": r.NPC.Mood, "npc.activity": r.NPC.Activity} {
		if v != "" {
			out[key] = v
		}
	}
	for k, v := range sent {
		out[k] = v
	}
	return out
}

// Lines describe a relation, one fact a line, for prompts and for people.
func Lines(r *schema.Relation) []string {
	if r == nil {
		return nil
	}
	var out []string
	if r.Trust != 0 || len(r.Why) > 0 { // of a stranger there is nothing to say
		out = append(out, fmt.Sprintf("Trust in the player: %d (%s)", r.Trust, r.Opinion))
	}
	for _, w := range r.Why[max(0, len(r.Why)-3):] {
		line := fmt.Sprintf("Trust moved by %+d: %s", w.By, w.Why)
		if w.EventID != "" {
			line += ", " + w.Text
		}
		out = append(out, line)
	}
	for _, f := range r.Owed {
		who := "The player owes you"
		if f.Owes == schema.SideNPC {
			who = "You owe the player"
		}
		out = append(out, who+" for "+f.What)
	}
	for _, faction := range sorted(r.Standing) {
		out = append(out, fmt.Sprintf("Standing of the player with %s: %d", faction, r.Standing[faction]))
	}
	return append(out, stateLines(r.NPC)...)
}

func clamp(n int) int { return min(max(n, schema.MinTrust), schema.MaxTrust) }

func cmpTime(a, b time.Time) time.Time {
	if a.IsZero() {
		return b
	}
	return a
}
