package reviewer

import (
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/voice"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// secrets finds what of a model's draft tells a secret whose condition does not
// hold, in whatever spelling. What was drafted by rule is looked at before its
// release alone, as everything is.
func secrets(t *protocol.Turn, of scene, draft []protocol.DraftSentence) []schema.Issue {
	if t.Speech == nil || !t.Speech.ByModel() {
		return nil
	}
	var out []schema.Issue
	person, earlier := of.x.Person(of.npc), saidBefore(t)
	for _, d := range draft {
		said := voice.Release(d.Text, person)
		if told(t.Released, said) {
			continue
		}
		if leak, ok := of.x.Guard(of.npc).Look(lore.Facts(t), earlier, said); ok {
			out = append(out, schema.Issue{Claim: d.Text, Type: schema.IssueSecret, Correction: "leave it out",
				Citation: leak.How})
			continue
		}
		earlier = append(earlier, said)
	}
	return out
}

// saidBefore is what the NPC has said to this player, as far as it is remembered,
// and in this turn: a secret may come in pieces.
func saidBefore(t *protocol.Turn) []string {
	var out []string
	if t.Convo != nil {
		for _, l := range t.Convo.Memory {
			if l.Speaker == "npc" {
				out = append(out, l.Text)
			}
		}
	}
	for _, s := range t.Released {
		out = append(out, s.Text)
	}
	return out
}
