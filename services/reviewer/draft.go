package reviewer

import (
	"slices"

	"github.com/forsooth-npc/forsooth/internal/deed"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/review"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// draftOf is what every review of this turn shares.
func draftOf(t *protocol.Turn, of scene) review.Draft {
	x, npc := of.x, of.npc
	check := x.ProvenanceCheck(t, npc)
	settings := x.SettingsFor(npc)
	d := review.Draft{
		Class: t.Class, Check: &check, Policy: x.Policy(), Authored: authoredBy(t, x.World, npc), Person: x.Person(npc),
		Specs: deed.Allowed(t.AllowedActions, npc.Actions), Self: selfOf(t, of),
		Support: settings.Thresholds.Entailment, Level: settings.Level,
		Denial: settings.Thresholds.Contradiction, MaxCited: settings.MaxSources, Context: contextOf(t, of),
	}
	if t.Decision != nil {
		d.Actions, d.Withholds = t.Decision.Actions, len(t.Decision.Withhold) > 0
		known := t.Retrieval.Zone != protocol.ZoneUnknown && len(t.Decision.Share) > 0
		d.Answerable = known && t.Decision.Kind == protocol.KindAnswer
	}
	return d
}

// contextOf is what surrounds the sentences of this turn.
func contextOf(t *protocol.Turn, of scene) grounding.Context {
	x, npc := of.x, of.npc
	return grounding.Context{
		NPCName: npc.Name, NPCHandle: npc.Handle, Player: t.PlayerName, Message: t.Message, Names: x.Names(),
		NameOf: x.Person(npc).NameOf, Voice: grounding.Voice{Openers: npc.Voice.Openers, Hedges: npc.Voice.Hedges},
	}
}

// selfOf is what the NPC's own file says of it: the backstory as it was indexed, and
// the personality and the goals, which stand in every prompt too.
func selfOf(t *protocol.Turn, of scene) []protocol.Evidence {
	x, npc := of.x, of.npc
	var sources []protocol.Source
	if x.Index != nil {
		for _, c := range x.Index.Document(npc.Path) {
			if c.Type == "backstory" {
				sources = append(sources, grounding.SourceOf(c, "self", 1))
			}
		}
	}
	out := grounding.Blocks(sources,
		grounding.Limits{MaxChars: grounding.DefaultLimits.MaxChars, MaxBlocks: 32, MaxTokens: 1 << 12})
	for i := range out {
		out[i].Private = true
	}
	check := x.ProvenanceCheck(t, npc)
	out = slices.DeleteFunc(out, func(e protocol.Evidence) bool {
		_, ok := grounding.EligibleEvidence(e, check)
		return !ok
	})
	for _, s := range append([]string{npc.Personality}, npc.Goals...) {
		if s != "" {
			out = append(out, protocol.Evidence{Text: s, Path: npc.Path, ChunkID: npc.Path + "#self", SourceID: "self",
				Type: "self", Private: true,
				Provenance: protocol.Provenance{Source: schema.OriginCorpus, World: t.World, NPC: npc.Handle}})
		}
	}
	for i := range out {
		out[i].ID = "" // it gets an id of the turn when a sentence rests on it
	}
	return out
}

// adoptSelf gives the blocks of the NPC's own file that bear a sentence an id of the
// turn, so that the reply can show them.
func adoptSelf(t *protocol.Turn, outcomes []review.Outcome) {
	for i := range outcomes {
		o := &outcomes[i]
		e := o.Support()
		if e == nil || e.ID != "" || !o.OK() {
			continue
		}
		block := *e
		block.ID = grounding.NextID(t.Evidence)
		for _, known := range t.Evidence {
			if known.ChunkID == block.ChunkID && known.Text == block.Text {
				block.ID = known.ID
			}
		}
		if !slices.ContainsFunc(t.Evidence, func(k protocol.Evidence) bool { return k.ID == block.ID }) {
			t.Evidence = append(t.Evidence, block)
		}
		o.Rest(block.ID)
	}
}
