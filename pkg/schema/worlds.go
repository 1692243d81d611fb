package schema

// WorldInfo is a world that is served, as svc.world.<world> shows it.
type WorldInfo struct {
	Name       string    `json:"name"`
	Title      string    `json:"title,omitempty"`
	Language   string    `json:"language,omitempty"`
	Version    string    `json:"version"` // the lore_version of a turn that begins now
	DefaultNPC string    `json:"default_npc,omitempty"`
	NPCs       []NPCInfo `json:"npcs"`
}

// NPCInfo is an NPC of a world.
type NPCInfo struct {
	Handle   string       `json:"handle"` // the <npc> of subjects
	Name     string       `json:"name"`
	Greeting string       `json:"greeting,omitempty"`
	Region   string       `json:"region,omitempty"`
	Actions  []ActionSpec `json:"actions,omitempty"` // that it may propose where a request names none
}

// NPC is the NPC of a handle; nil where the world has none.
func (w *WorldInfo) NPC(handle string) *NPCInfo {
	for i := range w.NPCs {
		if w.NPCs[i].Handle == handle {
			return &w.NPCs[i]
		}
	}
	return nil
}
