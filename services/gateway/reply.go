package gateway

import (
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Reply is the reply of a turn as the doors show it: what was released, with what
// stands behind it. Drafts, and what was taken out of them, are no part of it.
type Reply struct {
	TurnID       string            `json:"turn_id"`
	World        string            `json:"world"`
	NPC          string            `json:"npc"`
	NPCName      string            `json:"npc_name,omitempty"`
	Player       string            `json:"player"`
	Text         string            `json:"reply"` // the sentences, joined
	Status       schema.Status     `json:"status"`
	Reason       string            `json:"reason,omitempty"`
	RetryAfterMS int               `json:"retry_after_ms,omitempty"`
	Audit        schema.Audit      `json:"audit,omitempty"`
	Sentences    []schema.Sentence `json:"sentences"`
	Actions      []Action          `json:"actions"`
	Doubt        *Doubt            `json:"doubt,omitempty"` // where Guard 3 did something about the reply
	LoreVersion  string            `json:"lore_version,omitempty"`
	AcceptedAt   time.Time         `json:"accepted_at,omitzero"`
	Scene        *Scene            `json:"scene,omitempty"` // in which it was said, and who heard it
	// The turn id had been said before: this is the reply of then, and this message was not said.
	Again bool `json:"again,omitempty"`
}

// Doubt is Guard 3's mark of a reply: how much of what was drafted had no support, and
// where the reply itself is in doubt. What was taken out is no part of it.
type Doubt struct {
	Risk      string  `json:"risk"`                // low, medium, high
	Action    string  `json:"action"`              // warn, regenerate, block
	Score     float64 `json:"score"`               // supported claims of all
	Sentences []int   `json:"sentences"`           // places of released sentences that a second opinion does not support
	Corrected int     `json:"corrected,omitempty"` // place of the sentence by which the NPC says that it is not sure
}

func doubtOf(f *schema.Faithfulness) *Doubt {
	if f == nil || f.Action == protocol.ActionRelease {
		return nil
	}
	return &Doubt{Risk: f.Risk, Action: f.Action, Score: f.Score, Sentences: append([]int{}, f.Doubted()...),
		Corrected: f.Corrected}
}

// Action is an action that an NPC proposes to the game. Turn and index name it.
type Action struct {
	Turn       string         `json:"turn_id"`
	Index      int            `json:"index"`
	NPC        string         `json:"npc"`
	Player     string         `json:"player"`
	Scene      string         `json:"scene,omitempty"` // its id, where the turn is of one
	Name       string         `json:"name"`
	Parameters map[string]any `json:"parameters,omitempty"`
	Confirm    bool           `json:"confirm"` // a sentence waits for the game's result, at most 1.5 s
	At         time.Time      `json:"at,omitzero"`
}

// shown is a reply for a caller. A player's own game sees no evidence: what was said of
// a passage is for the player, the passage itself may hold more.
func (c *caller) shown(r *schema.Reply) *Reply {
	out := &Reply{TurnID: r.TurnID, World: r.World, NPC: r.NPC, NPCName: r.NPCName, Player: r.Player, Text: r.Text,
		Status: r.Status, Reason: r.Reason,
		RetryAfterMS: r.RetryAfterMS, Audit: r.Audit, Sentences: []schema.Sentence{}, Actions: []Action{},
		LoreVersion: r.LoreVersion, AcceptedAt: r.AcceptedAt, Doubt: doubtOf(r.Faithfulness),
		Scene: sceneOf(r)}
	for i := range r.Sentences {
		out.Sentences = append(out.Sentences, c.sentence(r.Sentences[i]))
	}
	for i, a := range r.Actions {
		if !a.Checked || a.Refused != "" { // the mesh proposes it to nobody
			continue
		}
		out.Actions = append(out.Actions, Action{Turn: r.TurnID, Index: i, NPC: r.NPC, Player: r.Player,
			Scene: r.SceneID(), Name: a.Name,
			Parameters: a.Parameters, Confirm: a.Confirm})
	}
	return out
}

func (c *caller) sentence(s schema.Sentence) schema.Sentence {
	if c.grant != nil || s.Evidence == nil {
		s.Evidence = []schema.EvidenceRef{}
	}
	return s
}
