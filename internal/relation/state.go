package relation

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Keys of the state of an NPC, behind "npc." or the NPC's handle.
const (
	keyMood     = "mood"
	keyActivity = "activity"
	keyPlans    = "plans"
)

var stateKeys = []string{keyMood, keyActivity, keyPlans}

const prefixStanding = "standing."

// mostStateBytes bounds a mood, an activity and plans: they are a few words.
const mostStateBytes = 120

// stateOf is how the NPC is: as the game says in this turn, else as an event made it, else
// as its schedule has it. An event holds until the next part of the day begins.
func stateOf(in Input) schema.NPCState {
	var s schema.NPCState
	if slot, since, ok := in.NPC.Schedule.At(in.Now); ok {
		s = schema.NPCState{Mood: slot.Mood, Activity: slot.Activity, Says: slot.Says, Since: since, Source: "schedule"}
	}
	begun := s.Since
	for _, m := range byTime(in) {
		at := m.EventTime
		if at.Before(begun) || !in.Now.IsZero() && at.After(in.Now) {
			continue
		}
		set(&s, m.Pred, m.Object)
		s.Since, s.Source = at, eventID(m)
	}
	for _, key := range stateKeys {
		if v, ok := sent(in.State, in.NPC.Handle, key); ok {
			set(&s, key, v)
			s.Since, s.Source = time.Time{}, "state"
		}
	}
	return s
}

// byTime are the events of nobody but the NPC that set its state, oldest first.
func byTime(in Input) []*schema.Memory {
	var out []*schema.Memory
	for i := range in.Seen {
		m := &in.Seen[i]
		if m.Player == "" && isSeen(m) && slices.Contains(stateKeys, m.Pred) &&
			partyOf(m, in) == schema.SideNPC && eventID(m) != "" {
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b *schema.Memory) int { return a.EventTime.Compare(b.EventTime) })
	return out
}

func eventID(m *schema.Memory) string {
	for _, s := range m.Spans {
		if s.EventID != "" {
			return s.EventID
		}
	}
	return ""
}

// set changes one part. A line of the schedule says no longer what is so.
func set(s *schema.NPCState, key, value string) {
	switch key {
	case keyMood:
		s.Mood = value
	case keyActivity:
		s.Activity, s.Says = value, ""
	case keyPlans:
		s.Plans = value
	}
}

// sent is what the game says of an NPC in this turn.
func sent(state map[string]any, handle, key string) (string, bool) {
	for _, prefix := range []string{"npc.", handle + "."} {
		if v, ok := state[prefix+key].(string); ok && strings.TrimSpace(v) != "" {
			return strings.TrimSpace(v), true
		}
	}
	return "", false
}

func sentStanding(state map[string]any) map[string]int {
	out := map[string]int{}
	for key, v := range state {
		faction, ok := strings.CutPrefix(key, prefixStanding)
		if n, whole := number(v); ok && whole {
			out[faction] = n
		}
	}
	return out
}

func number(v any) (int, bool) {
	switch v := v.(type) {
	case int:
		return v, true
	case float64:
		return int(v), v == float64(int(v))
	case json.Number:
		n, err := v.Int64()
		return int(n), err == nil
	}
	return 0, false
}

// Check refuses a request whose state cannot be: a faction that the world does not list, a
// standing out of bounds, a mood that is no text, or two that contradict each other. npc is nil
// where a scene has yet to choose who answers.
func Check(w *world.World, npc *world.NPC, r *schema.Request) error {
	wrong := func(format string, args ...any) error {
		return &schema.FieldError{Field: "state", Reason: fmt.Sprintf(format, args...)}
	}
	for _, key := range slices.Sorted(maps.Keys(r.State)) {
		faction, ok := strings.CutPrefix(key, prefixStanding)
		if !ok || len(w.Factions) == 0 {
			continue
		}
		if msg := w.CheckFaction(faction); msg != "" {
			return wrong("%s %s", key, msg)
		}
		if n, whole := number(r.State[key]); !whole || n < schema.MinTrust || n > schema.MaxTrust {
			return wrong("%s is %v; write a whole number from %d to %d", key, r.State[key], schema.MinTrust, schema.MaxTrust)
		}
	}
	handles := w.Handles() // any of them may be the one that answers in a scene
	if npc != nil {
		handles = []string{npc.Handle}
	}
	for _, handle := range handles {
		for _, key := range stateKeys {
			if msg := contradicts(r.State, "npc."+key, handle+"."+key); msg != "" {
				return wrong("%s", msg)
			}
		}
	}
	return nil
}

// contradicts says what is wrong with a line of an NPC's state under its two names.
func contradicts(state map[string]any, common, own string) string {
	for _, k := range []string{common, own} {
		if s, text := state[k].(string); text && (len(s) > mostStateBytes || strings.ContainsAny(s, "\n\r")) {
			return fmt.Sprintf("%s is no line of at most %d bytes", k, mostStateBytes)
		}
	}
	a, both := state[common]
	if b, ok := state[own]; both && ok && a != b {
		return fmt.Sprintf("%s is %v and %s is %v; send one of them", common, a, own, b)
	}
	return ""
}

func stateLines(s schema.NPCState) []string {
	var out []string
	since := ""
	if !s.Since.IsZero() {
		since = " (since " + s.Since.Format("15:04") + ")"
	}
	for _, line := range [][2]string{{"Mood", s.Mood}, {"Doing now", s.Activity}, {"Plans", s.Plans}} {
		if line[1] != "" {
			out = append(out, line[0]+": "+line[1]+since)
		}
	}
	return out
}

func sorted(m map[string]int) []string { return slices.Sorted(maps.Keys(m)) }
