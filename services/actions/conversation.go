package actions

import (
	"slices"

	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/relation"
	"github.com/forsooth-npc/forsooth/internal/scene"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// keptLines is how many lines a conversation keeps.
const keptLines = 16

// Apply changes a conversation by a stored reply: working memory, trust,
// the ledger and opinion, by rule, from what was released and which actions were taken.
// It is the whole of what a turn leaves behind.
func (s *Service) Apply(c *schema.Conversation, r *schema.Reply) {
	if r.Scene != nil {
		scene.Apply(c, r)
		return
	}
	c.World, c.NPC, c.Player = r.World, r.NPC, r.Player
	if r.Begin != nil {
		c.NoteBegun(*r.Begin, r.AcceptedAt)
	}
	if r.Unheard() { // it had nothing to say: only its cooldown runs
		return
	}
	c.Turns++
	remember(c, r)
	var rules world.Relating
	if x := s.library.Get(r.World); x != nil {
		rules = x.World.RelatingFor(x.World.NPCs[r.NPC])
	}
	relation.Take(c, r, rules)
}

// remember keeps the last lines of the conversation.
func remember(c *schema.Conversation, r *schema.Reply) {
	c.Memory = append(c.Memory, scene.LinesOf(r)...)
	if over := len(c.Memory) - keptLines; over > 0 {
		c.Memory = slices.Clone(c.Memory[over:])
	}
}

// Written are hashes of the sentences of a reply that a model wrote: a text that repeats
// one of them later is no evidence, whoever brings it.
func (s *Service) Written(r *schema.Reply) []uint64 {
	var out []uint64
	for _, said := range r.Sentences {
		if !scene.IsVerbatim(said) {
			out = append(out, lore.EchoesOf(said.Text, r.Message)...)
		}
	}
	return out
}
