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

// WorldsFound is the answer of svc.worlds and of svc.world.<world>.
type WorldsFound struct {
	Worlds []WorldInfo `json:"worlds"`
}

// ConversationQuery asks svc.conversation.<world> for a conversation. Reset has the NPC
// forget it first: what was said, its opinion, favours and trust. What it remembers
// beyond the conversation stays: see MemoriesQuery.
type ConversationQuery struct {
	NPC    string `json:"npc"`
	Player string `json:"player"`
	Reset  bool   `json:"reset,omitempty"`
}

// MemoriesQuery asks svc.memories.<world> for what its NPCs remember. An empty field
// asks for all.
type MemoriesQuery struct {
	NPC    string       `json:"npc,omitempty"`
	Player string       `json:"player,omitempty"`
	Status MemoryStatus `json:"status,omitempty"`
	ID     string       `json:"id,omitempty"`    // this one alone, with the entries of the log that made it
	After  string       `json:"after,omitempty"` // those behind this one, in the order of the answer before
	Limit  int          `json:"limit,omitempty"` // at most so many; default and most: MaxMemories
}

// MaxMemories is how many memories one answer holds at most.
const MaxMemories = 200

// MemoriesFound is the answer of svc.memories.<world>.
type MemoriesFound struct {
	Memories []Memory      `json:"memories"`
	Events   []MemoryEvent `json:"events,omitempty"` // of the one that was asked for
	More     bool          `json:"more,omitempty"`   // these are not all: ask again after the last
}

// Refusal is the answer to a question that could not be answered.
type Refusal struct {
	Error string      `json:"error"`
	Code  RefusalCode `json:"code,omitempty"`
}

// RefusalCode says whose fault it is; empty: of the service that was asked.
type RefusalCode string

// The codes of a refusal.
const (
	RefusalInvalid RefusalCode = "INVALID"   // the question can never be answered
	RefusalUnknown RefusalCode = "NOT_FOUND" // there is no such thing
)
