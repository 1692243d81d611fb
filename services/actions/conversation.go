package actions

import (
	"slices"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/echo"
	"github.com/forsooth-npc/forsooth/internal/relation"
	"github.com/forsooth-npc/forsooth/internal/scene"
	"github.com/forsooth-npc/forsooth/internal/voice"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Limits of a conversation's document.
const (
	keptLines = 16
	lineBytes = 2 << 10
)

// Apply changes a conversation by a stored reply: working memory, trust,
// the ledger and opinion, by rule, from what was released and which actions were taken.
// It is the whole of what a turn leaves behind.
func (s *Service) Apply(c *schema.Conversation, r *schema.Reply) {
	if r.Scene != nil {
		scene.Apply(c, r)
		return
	}
	c.World, c.NPC, c.Player = r.World, r.NPC, r.Player
	c.Turns++
	if r.Begin != nil {
		c.NoteBegun(*r.Begin, r.AcceptedAt)
	}
	remember(c, r)
	var rules world.Relating
	if x := s.library.Get(r.World); x != nil {
		rules = x.World.RelatingFor(x.World.NPCs[r.NPC])
	}
	relation.Take(c, r, rules)
}

// remember keeps the last lines of the conversation, verbatim. A turn that was
// aborted unheard leaves only what the player did hear.
func remember(c *schema.Conversation, r *schema.Reply) {
	if r.Message != "" {
		c.Memory = append(c.Memory, schema.Line{Speaker: "player", Text: cut(r.Message), TurnID: r.TurnID, At: r.AcceptedAt,
			Source: schema.OriginUser})
	}
	for _, s := range r.Sentences {
		c.Memory = append(c.Memory, schema.Line{Speaker: "npc", Text: s.Text, TurnID: r.TurnID, At: r.AcceptedAt,
			Source: schema.OriginSystem, Verbatim: s.Authored || quotesVerbatim(s)})
	}
	if over := len(c.Memory) - keptLines; over > 0 {
		c.Memory = slices.Clone(c.Memory[over:])
	}
}

// Written are hashes of the sentences of a reply that a model wrote: a text that repeats
// one of them later is no evidence, whoever brings it.
func (s *Service) Written(r *schema.Reply) []uint64 {
	var out []uint64
	for _, said := range r.Sentences {
		if !said.Authored && !quotesVerbatim(said) {
			out = append(out, echo.Hashes(said.Text, r.Message)...)
		}
	}
	return out
}

// quotesVerbatim says whether a sentence repeats its evidence word for word.
func quotesVerbatim(s schema.Sentence) bool {
	for _, e := range s.Evidence {
		if voice.Quotes(s.Text, e.Text) {
			return true
		}
	}
	return false
}

func cut(s string) string {
	const more = "…"
	if len(s) <= lineBytes {
		return s
	}
	end := lineBytes - len(more)
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + more
}
