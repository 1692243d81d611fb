package audit

import (
	"fmt"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// judge holds a citation of lore against the world as it is now: the document, the
// words in it, and the provenance contract for this NPC at the game time of the reply.
// A condition of trust or flags is not judged, since a reply does not keep them.
func (x *shelf) judge(r *schema.Reply, e schema.EvidenceRef) (fault, detail string) {
	npc := x.lore.World.NPCs[r.NPC]
	if npc == nil {
		return NoNPC, fmt.Sprintf("the world has no NPC %s", r.NPC)
	}
	ids := x.byPath[e.Path]
	if len(ids) == 0 {
		return LoreGone, fmt.Sprintf("%s cites %s, which is not in the world", e.ID, e.Path)
	}
	c, ok := x.passage(e, ids)
	if !ok {
		return LoreEdited, fmt.Sprintf("%s cites %s, which does not hold %q", e.ID, e.Path, e.Text)
	}
	turn := r.AcceptedAt
	if turn.IsZero() {
		turn = time.Unix(0, 0)
	}
	c.IndexedAt = turn // the index of the turn held it; when it came there is not known here
	check := x.lore.Contract(npc)
	check.InScope, check.Holds = func(c protocol.Chunk) bool { return world.ScopeOf(c, npc) },
		func(string) bool { return true }
	check.TurnStart, check.GameTime = turn, x.gameTime(r)
	reason, ok := grounding.Eligible(c, check)
	if ok {
		return "", ""
	}
	return reason, fmt.Sprintf("%s cites %s, which %s may not cite in this turn", e.ID, c.ID, r.NPC)
}

// passage is the passage that holds the cited words, or the first of several that hold
// them together: an NPC's own file is cited whole.
func (x *shelf) passage(e schema.EvidenceRef, ids []string) (protocol.Chunk, bool) {
	if c, ok := x.chunks[e.ChunkID]; ok && holds(c.Text, e.Text) {
		return c, true
	}
	var whole strings.Builder
	for _, id := range ids {
		c := x.chunks[id]
		if holds(c.Text, e.Text) {
			return c, true
		}
		whole.WriteString(c.Text + "\n")
	}
	if !holds(whole.String(), e.Text) {
		return protocol.Chunk{}, false
	}
	for _, id := range ids {
		if c := x.chunks[id]; holds(e.Text, c.Text) {
			return c, true
		}
	}
	return x.chunks[ids[0]], true
}

func (x *shelf) gameTime(r *schema.Reply) time.Time {
	return x.lore.GameTime(&schema.Request{GameTime: r.GameTime}, r.AcceptedAt)
}

// holds says whether a passage holds the words, white space and the forms of quotes aside.
func holds(passage, words string) bool {
	flat := func(s string) string { return strings.Join(strings.Fields(text.Plain(s)), " ") }
	return strings.TrimSpace(words) != "" && strings.Contains(flat(passage), flat(words))
}

// conversational are the ids of what was said, remembered or sent by the game.
var conversational = []string{"session:", "memory:", "state:", "event:"}

func ofConversation(e schema.EvidenceRef) bool {
	for _, p := range conversational {
		if strings.HasPrefix(e.ChunkID, p) || strings.HasPrefix(e.Path, p) {
			return true
		}
	}
	return false
}
