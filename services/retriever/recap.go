package retriever

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/relation"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Lines of a recap: of one matter, and of a whole talk.
const (
	recapLines = 2
	talkLines  = 4
)

var (
	wholeTalk = regexp.MustCompile(`(?i)\b(?:sum up|summari[sz]e|recap)\b|\bwhat have (?:you|we)\b|\bso far\b`)
	firstLine = regexp.MustCompile(`(?i)\bfirst (?:thing|question)\b`)
	whoSaid   = regexp.MustCompile(`(?i)\b(?:did|have|had|was|were|thing|that|what) (i|you|we)\b`)
	saying    = regexp.MustCompile(`(?i)\b(?:said|say|saying|told|tell|telling|ask|asked|asking|mention|mentioned|call` +
		`|called|talk|talked|talking|thing|again|sorry|first|last|just|already)\b`)
)

// recap are lines of this conversation as session evidence: each grounds that it was said, never what it says.
// A message asks for what the player said or what the NPC did, of a matter or of all; where it names a matter
// that no such line speaks of, there are none.
func recap(t *protocol.Turn, npc *world.NPC) []protocol.Evidence {
	if t.Convo == nil {
		return nil
	}
	whole := wholeTalk.MatchString(t.Message)
	byNPC, most := whole || !asksOfPlayer(t.Message), recapLines
	topic := text.ContentSet(saying.ReplaceAllString(t.Message, " "))
	if whole {
		topic, most = nil, talkLines
	}
	var lines []schema.Line
	for _, line := range t.Convo.Memory {
		if (line.Speaker == "npc") == byNPC && speaksOf(line.Text, topic) {
			lines = append(lines, line)
		}
	}
	if firstLine.MatchString(t.Message) {
		lines = lines[:min(1, len(lines))]
	}
	lines = lines[max(0, len(lines)-most):]
	var out []protocol.Evidence
	for i := range lines { // the latest first, but a talk is told in its order
		line := lines[len(lines)-1-i]
		if whole {
			line = lines[i]
		}
		out = append(out, lineBlock(t, npc, line, len(out)+1))
	}
	return out
}

// retell is recap, where the world's policy of that name lets lines be quoted. Else the
// NPC refuses, whether there is anything to tell or not.
func retell(t *protocol.Turn, x *lore.Lore, npc *world.NPC) []protocol.Evidence {
	if !mayRetell(x, wholeTalk.MatchString(t.Message) || !asksOfPlayer(t.Message)) {
		refuseRecap(t)
		return nil
	}
	return noEchoes(t, x, npc, recap(t, npc))
}

// mayRetell says whether the lines of the NPC, or of the player, may be quoted. What is
// quoted is evidence of the shared past, so that policy counts too.
func mayRetell(x *lore.Lore, byNPC bool) bool {
	of := schema.OriginUser
	if byNPC {
		of = schema.OriginSystem
	}
	return x.World.Grounds(world.PolicyRecap, of) && x.World.Grounds(string(schema.ClaimSharedPast), of)
}

func refuseRecap(t *protocol.Turn) {
	t.Evidence, t.Retrieval.Intent, t.Retrieval.Gated = nil, protocol.IntentRecap, schema.ReasonPolicy
}

// asksOfPlayer says whether a message asks for the player's own words.
func asksOfPlayer(message string) bool {
	if m := whoSaid.FindStringSubmatch(message); m != nil {
		return strings.EqualFold(m[1], "i")
	}
	return !strings.Contains(" "+strings.ToLower(message)+" ", " you ")
}

// speaksOf says whether a line holds a word of the topic; any line speaks of no topic.
func speaksOf(line string, topic map[string]bool) bool {
	if len(topic) == 0 {
		return true
	}
	for w := range text.ContentSet(line) {
		if topic[w] {
			return true
		}
	}
	return false
}

// Events recall what an NPC saw the game do: of one player and of nobody.
type Events interface {
	Witnessed(ctx context.Context, world, npc, player string) ([]schema.Memory, error)
}

// relate fills the turn with how the NPC is and how it stands with the player. Events that
// cannot be read cost what they changed and not the turn: the trace says so.
func (s *Service) relate(ctx context.Context, t *protocol.Turn, x *lore.Lore, npc *world.NPC) {
	in := relation.Input{World: x.World, NPC: npc, Player: t.Player, Convo: t.Convo, Trust: t.Trust, State: t.State,
		Now: x.GameTime(&t.Request, time.Time{})}
	if events, ok := s.memories.(Events); ok {
		ctx, stop := context.WithTimeout(ctx, recallLimit)
		defer stop()
		seen, err := events.Witnessed(ctx, t.World, t.NPC, t.Player)
		if err != nil {
			note(t, fmt.Errorf("events: %w", err))
		}
		in.Seen = seen
	}
	t.Relation = relation.Of(in)
}

// standing fills a turn that asks how the NPC is or how it stands with somebody. It says
// false where the message asks for something else, or where a model can word the answer:
// the model reads the relation in its prompt.
func (s *Service) standing(ctx context.Context, t *protocol.Turn, x *lore.Lore, npc *world.NPC) bool {
	if s.model.Searching(ctx, t, x, npc) != nil && !relation.Recorded(t.Message, npc) {
		return false
	}
	lines := relation.Answer(t.Message, x.World, npc, t.Relation)
	if len(lines) == 0 {
		return false
	}
	t.Retrieval.Intent = protocol.IntentRelation
	for i, l := range lines {
		if l.Source == "" {
			continue
		}
		t.Evidence = append(t.Evidence, protocol.Evidence{
			ID: fmt.Sprintf("R%d", i+1), SourceID: "session", ChunkID: l.Source, Path: l.Source, Type: "session",
			Text: l.Proof, Score: 1, Private: true, AllowedFor: []string{string(schema.ClaimSharedPast)},
			Provenance: protocol.Provenance{Source: schema.OriginSystem, World: t.World, NPC: t.NPC, CreatedAt: t.AcceptedAt,
				IndexedAt: t.AcceptedAt},
		})
	}
	return true
}
