package actions

import (
	"slices"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/deed"
	"github.com/forsooth-npc/forsooth/internal/voice"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Limits of a conversation's document.
const (
	keptLines   = 16
	keptFavours = 16
	lineBytes   = 2 << 10
)

// Apply changes a conversation by a stored reply: working memory, trust, favours
// and opinion, by rule, from what was released and which actions were taken. It
// is the whole of what a turn leaves behind.
func (s *Service) Apply(c *schema.Conversation, r *schema.Reply) {
	c.World, c.NPC, c.Player = r.World, r.NPC, r.Player
	c.Turns++
	remember(c, r)
	step := 0
	for _, a := range r.Actions {
		switch {
		case !a.Checked:
		case a.Name != deed.Trust:
			c.Favours = append(c.Favours, a.Name)
		default:
			if d, ok := a.Parameters["delta"].(float64); ok {
				step += clamp(int(d), -schema.MaxTrustStep, schema.MaxTrustStep)
			}
		}
	}
	step = clamp(step, -schema.MaxTrustStep, schema.MaxTrustStep) // in one turn, however many moved it
	c.Trust = clamp(c.Trust+step, schema.MinTrust, schema.MaxTrust)
	if over := len(c.Favours) - keptFavours; over > 0 {
		c.Favours = slices.Clone(c.Favours[over:])
	}
	c.Opinion = opinion(c.Trust)
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

// quotesVerbatim says whether a sentence repeats its evidence word for word.
func quotesVerbatim(s schema.Sentence) bool {
	for _, e := range s.Evidence {
		if voice.Quotes(s.Text, e.Text) {
			return true
		}
	}
	return false
}

// opinion words the trust, in bands.
func opinion(trust int) string {
	switch {
	case trust <= -40:
		return "hostile"
	case trust < 0:
		return "wary"
	case trust < 20:
		return "neutral"
	case trust < 60:
		return "friendly"
	}
	return "devoted"
}

func clamp(n, low, high int) int { return min(max(n, low), high) }

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
