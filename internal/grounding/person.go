package grounding

import (
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// PairOf asks whether a block of evidence supports a claim of an NPC's speech.
func PairOf(e *protocol.Evidence, claim string, c Context) entail.Pair {
	return entail.Pair{Premise: e.Text, Hypothesis: claim, Names: c.namesIn(e)}
}

// namesIn say whose first person stands in a block.
func (c *Context) namesIn(e *protocol.Evidence) entail.Names {
	n := entail.Names{Self: c.NPCName, Aliases: c.NPCAliases, Known: c.Names}
	if given, _, two := strings.Cut(c.NPCName, " "); two && len(c.NPCAliases) == 0 && !titles[strings.ToLower(given)] {
		n.Aliases = []string{given}
	}
	n.Leads = append(append([]string(nil), c.Openers...), c.Hedges...)
	n.Writer = writerOf(e, c)
	if n.Writer != "" && (addressed[strings.ToLower(e.Type)] || e.Speaker != "") {
		n.Reader = entail.Stranger
	}
	return n
}

// titles stand before a name and are none.
var titles = text.Set(`the a an old young lord lady sir dame brother sister father mother captain sergeant doctor dr
	mr mrs ms king queen master mistress reeve private gate city guard high grand arch saint st prince princess duke
	duchess baron count abbot prior friar elder chief`)

// addressed are types of document whose "you" is somebody.
var addressed = text.Set(`letter mail email e-mail message chat irc log transcript dm`)

// writerOf is whose "I" a block holds: empty for the NPC's own.
func writerOf(e *protocol.Evidence, c *Context) string {
	who := e.Speaker
	if who == "" {
		who = e.Author
	}
	own := append([]string{c.NPCName, c.NPCHandle}, c.NPCAliases...)
	switch {
	case who == "" && (e.Private || e.Type == "backstory" || e.Provenance.Source == schema.OriginSystem ||
		e.Provenance.Source == schema.OriginUser):
		return ""
	case who == "":
		return entail.Stranger
	case slices.ContainsFunc(own, func(n string) bool { return n != "" && strings.EqualFold(n, who) }):
		return ""
	}
	if c.NameOf != nil {
		if name := c.NameOf(who); name != "" {
			return name
		}
	}
	return who
}

// Premise is the text of a block as a model should read it beside this NPC's speech:
// the "I" of another writer is named, and a rumour is marked as one.
func Premise(e *protocol.Evidence, c *Context) string {
	premise, _ := PairOf(e, "", *c).Spoken()
	if IsRumour(e) {
		return "They say: " + premise
	}
	return premise
}

// IsRumour says whether a block is something that the NPC has only heard.
func IsRumour(e *protocol.Evidence) bool {
	return e != nil && e.Belief != "" && !strings.EqualFold(e.Belief, "fact") && !strings.EqualFold(e.Belief, "known")
}
