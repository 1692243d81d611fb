package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
)

// SceneNPC stands for the NPC in the subjects of a scene: turn.<world>.scene.<id> is its
// queue, and no NPC has this handle.
const SceneNPC = "scene"

// Bounds of a scene.
const (
	MaxSceneNPCs    = 8
	MaxScenePlayers = 16
	MaxSceneRounds  = 4   // NPCs that speak upon a player's message behind the first
	MaxSceneHourly  = 120 // NPCs that speak so in one scene in an hour
)

// Scene makes a request one of a scene of several NPCs and players: somebody enters, or
// leaves, or a player says something that all present hear.
type Scene struct {
	ID     string    `json:"id"`
	Enter  *Presence `json:"enter,omitempty"`
	Leave  *Presence `json:"leave,omitempty"`
	Rounds int       `json:"rounds,omitempty"` // how many other NPCs may speak upon the message

	// set by the mesh
	Present *Presence `json:"present,omitempty"` // who hears what is said in this turn
	Round   int       `json:"round,omitempty"`   // 0: a player speaks; else the n-th NPC behind the first
	Of      string    `json:"of,omitempty"`      // the turn of the player's message, where Round is not 0
	Spoke   []string  `json:"spoke,omitempty"`   // the NPCs that have had their turn upon it
	Message string    `json:"message,omitempty"` // what they speak upon, where Round is not 0
}

// Presence are NPCs, by handle, and players, by id.
type Presence struct {
	NPCs    []string `json:"npcs,omitempty"`
	Players []string `json:"players,omitempty"`
}

// Moves says whether somebody enters or leaves, and nobody speaks.
func (s *Scene) Moves() bool { return s != nil && (s.Enter != nil || s.Leave != nil) }

// Heard says whether an NPC hears what is said in the turn.
func (s *Scene) Heard(npc string) bool {
	return s != nil && s.Present != nil && slices.Contains(s.Present.NPCs, npc)
}

// SceneState is who is in a scene, and whose turn it is.
type SceneState struct {
	Presence
	Last      string    `json:"last,omitempty"` // the NPC that spoke last
	Hour      time.Time `json:"hour,omitzero"`  // the hour in which NPCs spoke behind others
	Exchanged int       `json:"exchanged,omitempty"`
}

// roundPrefix begins the ids of turns in which NPCs speak behind each other.
const roundPrefix = "round-"

// SceneRound is the id of the turn in which the n-th NPC speaks upon a player's message.
func SceneRound(of string, round int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%d", of, round))
	return roundPrefix + hex.EncodeToString(sum[:16])
}

// IsSceneRound says whether a turn id is one that the mesh alone gives, in scenes. Whoever took it
// would have another turn stand where that of an NPC is looked for.
func IsSceneRound(turnID string) bool { return strings.HasPrefix(turnID, roundPrefix) }

// SceneConversation is the conversation of a scene.
func SceneConversation(world, id string) ConversationID {
	return ConversationID{World: world, NPC: SceneNPC, Player: id}
}

// SceneID is the scene of a reply; "" where it is of none.
func (r *Reply) SceneID() string {
	if r.Scene == nil {
		return ""
	}
	return r.Scene.ID
}

// validate says what is wrong with the part of a request that is of its scene.
func (s *Scene) validate() error {
	if err := CheckToken("scene.id", s.ID); err != nil {
		return err
	}
	if s.Rounds < 0 || s.Rounds > MaxSceneRounds {
		return invalid("scene.rounds", "is %d; it must lie between 0 and %d", s.Rounds, MaxSceneRounds)
	}
	if s.Moves() && s.Rounds > 0 {
		return invalid("scene.rounds", "stands in a request that has somebody enter or leave; send it with a message")
	}
	for field, p := range map[string]*Presence{"scene.enter": s.Enter, "scene.leave": s.Leave} {
		if p == nil {
			continue
		}
		if len(p.NPCs)+len(p.Players) == 0 {
			return invalid(field, "names nobody; name npcs or players, or leave it out")
		}
		for _, who := range slices.Concat(p.NPCs, p.Players) {
			if err := CheckToken(field, who); err != nil {
				return err
			}
		}
	}
	return nil
}
