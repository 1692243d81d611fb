package write

import (
	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// partly is the verdict on a candidate of which the spans say a part. It is
// rewritten to what they say; where that may not be, only one that the verifier
// supports is kept.
func (q *question) partly(v schema.GroundingVerdict, d details, supported bool) Outcome {
	v.Label, v.Penalty, v.Why = schema.GroundingPartial, d.penalty(), d.why()
	m := q.candidate.Memory
	if !q.guard.settings.RewritePartial {
		if !supported {
			return q.guard.settle(m, schema.GroundingVerdict{Label: schema.GroundingNotSupported, Why: v.Why, Score: v.Score,
				Tier: v.Tier})
		}
		return q.guard.settle(m, v)
	}
	content := extract.Reported(m.Spans, m.NPC, m.Player, q.context)
	if content == "" {
		return q.guard.settle(m, schema.GroundingVerdict{Label: schema.GroundingNotSupported, Why: v.Why, Score: v.Score,
			Tier: v.Tier})
	}
	m.Content = content
	if !supported || d.object < 1 {
		m = asSaid(m, q.speaker())
	}
	return q.guard.settle(m, v)
}

// asSaid keeps of a memory no more than that it was said: its predicate and object
// are not proved.
func asSaid(m schema.Memory, speaker string) schema.Memory {
	m.Kind, m.Pred = schema.MemoryOccurrence, "said"
	m.Object = strippedLead(m.Content)
	m.Subject = memory.PlayerPrefix + m.Player
	if speaker == extract.SpeakerNPC {
		m.Subject = memory.NPCPrefix + m.NPC
	}
	if speaker == extract.SpeakerGame {
		m.Subject, m.Pred = "the world", "happened"
	}
	return m
}
