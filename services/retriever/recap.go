package retriever

import (
	"regexp"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/protocol"
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
