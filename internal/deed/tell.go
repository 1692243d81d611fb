package deed

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Tell is the action by which an NPC passes on to another what it remembers. Its
// parameters are npc, the handle of the one that is told, and memory, the id of what
// is told; where a turn chooses it, memory may be the id of evidence that is one.
const Tell = "tell"

// memoryPath leads the path of evidence that is a memory.
const memoryPath = "memory:"

func checkTell(a schema.Action) error {
	for _, name := range []string{"npc", "memory"} {
		if s, ok := a.Parameters[name].(string); !ok || schema.CheckToken(name, s) != nil {
			return fmt.Errorf("%s: %s must be given, the handle of an NPC or the id of a memory", Tell, name)
		}
	}
	return nil
}

// Told puts the memory's id in the place of the evidence's. What the turn did not
// bring to the NPC's mind it does not pass on, unless the action itself fixes it.
func Told(a schema.Action, spec schema.ActionSpec, t *protocol.Turn) schema.Action {
	if a.Name != Tell {
		return a
	}
	named, _ := a.Parameters["memory"].(string)
	if fixed, ok := Defaults(spec)["memory"]; ok && fixed == named {
		return a
	}
	params := map[string]any{}
	for k, v := range a.Parameters {
		params[k] = v
	}
	delete(params, "memory")
	for _, e := range t.Evidence {
		if id, ok := strings.CutPrefix(e.Path, memoryPath); ok && (e.ID == named || id == named) {
			params["memory"] = id
		}
	}
	a.Parameters = params
	return a
}

// passOn is a message that asks for something to be passed on: "tell Osric where I
// come from".
var passOn = regexp.MustCompile(`(?i)\b(?:tell|inform|let|pass (?:it|this|that|the word) on to|give word to` +
	`|say (?:it|this|that) to)\s+((?:[\p{L}'-]+ ?){1,4})`)

// Telling is what a message asks an NPC to tell another: whom, and the memory that the
// turn brought to its mind. It is false where nobody of the world is named, or nothing
// is remembered.
func Telling(t *protocol.Turn, w *world.World) (map[string]any, bool) {
	m := passOn.FindStringSubmatch(t.Message)
	if m == nil {
		return nil, false
	}
	whom := " " + strings.ToLower(strings.Join(strings.Fields(m[1]), " ")) + " "
	for _, handle := range w.Handles() {
		first, _, _ := strings.Cut(w.NPCs[handle].Name, " ")
		named := slices.ContainsFunc([]string{handle, first, w.NPCs[handle].Name},
			func(n string) bool { return strings.HasPrefix(whom, " "+strings.ToLower(n)+" ") })
		if !named || handle == t.NPC {
			continue
		}
		for _, e := range t.Evidence {
			if id, ok := strings.CutPrefix(e.Path, memoryPath); ok {
				return map[string]any{"npc": handle, "memory": id}, true
			}
		}
	}
	return nil, false
}
