package app

import (
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// worldInfos are the worlds of this process as backends see them: nothing that an NPC
// knows or hides is among it.
func (a *App) worldInfos() []schema.WorldInfo {
	out := []schema.WorldInfo{}
	for _, name := range a.Library.Names() {
		if x := a.Library.Get(name); x != nil {
			out = append(out, described(x.World))
		}
	}
	return out
}

func described(w *world.World) schema.WorldInfo {
	info := schema.WorldInfo{Name: w.Name, Title: w.Title, Language: w.Language, Version: w.Version,
		DefaultNPC: w.DefaultNPC, NPCs: []schema.NPCInfo{}}
	for _, handle := range w.Handles() {
		npc := w.NPCs[handle]
		n := schema.NPCInfo{Handle: handle, Name: npc.Name, Greeting: npc.Greeting, Region: npc.Region}
		for _, a := range npc.Actions {
			n.Actions = append(n.Actions, schema.ActionSpec{Name: a.Name, Parameters: a.Parameters, Confirm: a.Confirm})
		}
		info.NPCs = append(info.NPCs, n)
	}
	return info
}
