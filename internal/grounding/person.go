package grounding

import (
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// pair asks whether a text of a block supports a wording of a claim.
func (r *review) pair(e *schema.Evidence, premise, hypothesis string) entail.Pair {
	return entail.Pair{Premise: premise, Hypothesis: hypothesis, Names: r.names(e), At: r.in.Thresholds}
}

// PairOf asks whether a block of evidence supports a claim of an NPC's speech.
func PairOf(e *schema.Evidence, claim string, c Context) entail.Pair {
	r := review{in: ReviewInput{Context: c}}
	return r.pair(e, e.Text, claim)
}

// spoken is the pair for one wording of a claim. In quoted words that are given to
// the writer of the block, "I" is the writer in both.
func (r *review) spoken(j *judged, e *schema.Evidence, premise, hypothesis string) entail.Pair {
	p := r.pair(e, premise, hypothesis)
	if j.Frame == FrameAttribution && strings.ContainsAny(j.Raw, "\"“«") && p.Names.Writer != "" {
		p.Names = entail.Names{Self: p.Names.Writer, Known: p.Names.Known}
	}
	return p
}

// givenTo says whether a block is by the one to whom an attribution gives the
// claim; a claim without one may rest on any.
func (r *review) givenTo(j *judged, e *schema.Evidence) bool {
	if j.Frame != FrameAttribution {
		return true
	}
	by := strings.TrimPrefix(text.Fold(j.By), "the ")
	if kind := text.Fold(strings.NewReplacer("_", " ", "-", " ").Replace(e.Type)); by == kind && kind != "" {
		return true
	}
	writer := writerOf(e, &r.in.Context)
	for _, who := range []string{writer, e.Speaker, e.Author} {
		if who != "" && who != entail.Stranger && sameName(by, who) {
			return true
		}
	}
	return false
}

// names say whose first person stands in a block. A nil block is the NPC's own
// speech.
func (r *review) names(e *schema.Evidence) entail.Names {
	c := &r.in.Context
	n := entail.Names{Self: c.NPCName, Aliases: c.NPCAliases, Known: c.Names}
	if given, _, two := strings.Cut(c.NPCName, " "); two && len(c.NPCAliases) == 0 && !titles[strings.ToLower(given)] {
		n.Aliases = []string{given}
	}
	n.Leads = append(append([]string(nil), c.Openers...), c.Hedges...)
	if e == nil {
		return n
	}
	n.Writer = writerOf(e, c)
	if n.Writer != "" && (addressed[strings.ToLower(e.Type)] || e.Speaker != "") {
		n.Reader = entail.Stranger
	}
	return n
}

// titles stand before a name and are none.
var titles = set(`the a an old young lord lady sir dame brother sister father mother captain sergeant doctor dr mr mrs ms king queen master
	mistress reeve private gate city guard high grand arch saint st prince princess duke duchess baron count abbot prior friar elder chief`)

// addressed are types of document whose "you" is somebody.
var addressed = set(`letter mail email e-mail message chat irc log transcript dm`)

// writerOf is whose "I" a block holds: empty for the NPC's own.
func writerOf(e *schema.Evidence, c *Context) string {
	who := e.Speaker
	if who == "" {
		who = e.Author
	}
	own := append([]string{c.NPCName, c.NPCHandle}, c.NPCAliases...)
	switch {
	case who == "" && (e.Private || e.Type == "backstory" || e.Provenance.Source == schema.OriginSystem || e.Provenance.Source == schema.OriginUser):
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
func Premise(e *schema.Evidence, c *Context) string {
	premise, _ := PairOf(e, "", *c).Spoken()
	if IsRumour(e) {
		return "They say: " + premise
	}
	return premise
}
