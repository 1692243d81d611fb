package schema

import "time"

// ConversationID is <world>.<npc>.<player>.
type ConversationID struct{ World, NPC, Player string }

func (c ConversationID) String() string { return c.World + "." + c.NPC + "." + c.Player }

// Conversation is the conversation a request belongs to.
func (r *Request) Conversation() ConversationID {
	if r.Scene != nil {
		return SceneConversation(r.World, r.Scene.ID)
	}
	return ConversationID{World: r.World, NPC: r.NPC, Player: r.Player}
}

// Conversation is the conversation a reply belongs to.
func (r *Reply) Conversation() ConversationID {
	if r.Scene != nil {
		return SceneConversation(r.World, r.Scene.ID)
	}
	return ConversationID{World: r.World, NPC: r.NPC, Player: r.Player}
}

// Conversation is the document of one (world, npc, player): what the NPC keeps
// in mind of this player. All of it is context; none of it can be cited for a
// claim about the world.
type Conversation struct {
	World   string `json:"world"`
	NPC     string `json:"npc"`
	Player  string `json:"player"`
	Memory  []Line `json:"memory,omitempty"`  // the last player messages and released sentences, verbatim
	Opinion string `json:"opinion,omitempty"` // changed by rule only
	// the names of actions, as earlier versions kept them; nothing is owed for them
	Favours []string `json:"favours,omitempty"`
	// what checked actions made owed and settled, oldest first
	Ledger []Favour `json:"ledger,omitempty"`
	// what moved the trust, oldest first
	Steps   []TrustStep `json:"steps,omitempty"`
	Trust   int         `json:"trust"`
	Turns   int         `json:"turns"`
	Applied []Applied   `json:"applied,omitempty"` // the last turns applied, oldest first
	Begun   []Begun     `json:"begun,omitempty"`   // where the NPC spoke first, oldest first
	Scene   *SceneState `json:"scene,omitempty"`   // of the document of a scene
	Heard   []Line      `json:"heard,omitempty"`   // in a turn of a scene: what this NPC heard others say
}

// Line is one line of working memory.
type Line struct {
	Speaker  string    `json:"speaker"` // "player" or "npc"
	Text     string    `json:"text"`
	TurnID   string    `json:"turn_id"`
	At       time.Time `json:"at,omitzero"`
	Source   Origin    `json:"source"`             // user or system: the mesh heard it said
	Verbatim bool      `json:"verbatim,omitempty"` // quoted evidence word for word
	// in a scene: who said it, the player of the turn, and the NPCs that were there
	By     string   `json:"by,omitempty"`
	To     string   `json:"to,omitempty"`
	ByName string   `json:"by_name,omitempty"`
	Heard  []string `json:"heard,omitempty"`
}

// Applied is a turn whose reply the document holds.
type Applied struct {
	TurnID   string `json:"turn_id"`
	Sequence uint64 `json:"sequence"` // of its reply in REPLIES
}

// HasApplied says whether the document holds the turn's reply. A reply whose
// sequence lies below the oldest one kept counts as applied: at most nine are
// ever outstanding, and AppliedKept is more than that.
func (c *Conversation) HasApplied(turnID string, sequence uint64) bool {
	if c == nil {
		return false
	}
	for _, a := range c.Applied {
		if a.TurnID == turnID {
			return true
		}
	}
	return len(c.Applied) >= AppliedKept && sequence > 0 && sequence < c.Applied[0].Sequence
}

// MarkApplied records a turn, keeping the newest AppliedKept.
func (c *Conversation) MarkApplied(turnID string, sequence uint64) {
	c.Applied = append(c.Applied, Applied{TurnID: turnID, Sequence: sequence})
	if over := len(c.Applied) - AppliedKept; over > 0 {
		c.Applied = append([]Applied(nil), c.Applied[over:]...)
	}
}
