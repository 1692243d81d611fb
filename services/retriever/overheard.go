package retriever

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// mostOverheard is how many lines of others one answer tells.
const mostOverheard = 2

// saysWhat asks what somebody in the scene said.
var saysWhat = regexp.MustCompile(`(?i)\bwhat (?:did|does|has|had|was|is) (.{2,40}?) ` +
	`(?:just )?(?:say|said|saying|tell|` +
	`told|telling|answer|answered)\b(.*)`)

// overheard fills a turn of a scene that asks what another one said with what this NPC
// heard of it. It is told as that speaker's word, never as the NPC's own knowledge.
func overheard(t *protocol.Turn, x *lore.Lore, npc *world.NPC) bool {
	if t.Scene == nil || t.Convo == nil {
		return false
	}
	m := saysWhat.FindStringSubmatch(t.Message)
	if m == nil {
		return false
	}
	topic := text.ContentSet(saying.ReplaceAllString(m[2], " "))
	var lines []schema.Line
	for _, l := range t.Convo.Heard {
		if l.By != t.NPC && isSpeaker(m[1], l, x.World) && speaksOf(l.Text, topic) {
			lines = append(lines, l)
		}
	}
	return tellHeard(t, x, npc, lines)
}

// fromHearing answers with what others said in the scene, where the NPC itself knows nothing
// of what is asked.
func fromHearing(t *protocol.Turn, x *lore.Lore, npc *world.NPC) bool {
	if t.Scene == nil || t.Convo == nil || t.Unasked() || t.Retrieval.Zone != protocol.ZoneUnknown ||
		t.Retrieval.Gated != "" {
		return false
	}
	topic := text.ContentSet(t.Retrieval.Query)
	var lines []schema.Line
	for _, l := range t.Convo.Heard {
		if l.By != t.NPC && len(topic) > 1 && !text.IsQuestion(l.Text) && text.Within(topic, text.ContentSet(l.Text)) {
			lines = append(lines, l)
		}
	}
	return tellHeard(t, x, npc, lines)
}

// tellHeard has the last of some lines told.
func tellHeard(t *protocol.Turn, x *lore.Lore, npc *world.NPC, lines []schema.Line) bool {
	if len(lines) == 0 {
		return false
	}
	lines = lines[max(0, len(lines)-mostOverheard):]
	t.Sources, t.Evidence, t.Unknown = nil, nil, nil
	for i, l := range lines {
		block := lineBlock(t, npc, l, i+1)
		block.Text = fmt.Sprintf("I remember that I was told this by %s: “%s”", speakerOf(l, x.World), oneLine(l.Text))
		t.Evidence = append(t.Evidence, block)
	}
	t.Retrieval.Intent, t.Retrieval.Zone, t.Retrieval.Confidence = protocol.IntentRecap, protocol.ZoneNone, 1
	t.Class = protocol.ClassComplex // the words of another are told whole
	return true
}

// speakerOf is the name by which an NPC calls the speaker of a line.
func speakerOf(l schema.Line, w *world.World) string {
	if other := w.NPCs[l.By]; other != nil && l.Speaker == "npc" {
		return other.Name
	}
	if l.ByName != "" {
		return l.ByName
	}
	return "somebody here"
}

// isSpeaker says whether a name in a question means the speaker of a line.
func isSpeaker(name string, l schema.Line, w *world.World) bool {
	name = strings.ToLower(strings.TrimSpace(name))
	full := strings.ToLower(speakerOf(l, w))
	first, _, _ := strings.Cut(full, " ")
	return name == full || name == first || name == strings.ToLower(l.By)
}
