package reviewer

import (
	"context"
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/extractive"
	"github.com/forsooth-npc/forsooth/internal/language"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/moderation"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/voice"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// scene is whose sentences are on their way.
type scene struct {
	x     *lore.Lore
	npc   *world.NPC
	judge *judge // nil where nobody is asked
}

// passed asks the world's moderation about a sentence that passed its review, and
// looks once more whether its language lets it be said and whether it tells a
// secret, behind what was said earlier. It gives back the sentence as it may be
// released; ok is false where it may not.
func (s *Service) passed(
	ctx context.Context, t *protocol.Turn, of scene, d protocol.DraftSentence, seq int, earlier []string,
) (out protocol.DraftSentence, why moderation.Outcome, ok bool, err error) {
	person := of.x.Person(of.npc)
	said := voice.Release(d.Text, person)
	if !language.Policy(&t.Request, of.x.World, of.npc).Releases(
		schema.Sentence{Text: said, Authored: d.Authored, Evidence: refs(t, d)}) {
		return d, moderation.Outcome{Reason: schema.ReasonLanguage}, false, nil
	}
	why, err = s.hooks.Sentence(ctx, t, seq, said, func(ctx context.Context, replacement string) (string, bool, error) {
		again := protocol.DraftSentence{Text: replacement, Citations: d.Citations}
		review, looked, err := s.look(ctx, t, of, []protocol.DraftSentence{again})
		if err != nil || review.Verdict != protocol.Approved {
			return "", false, err
		}
		d = looked[0]
		return voice.Release(d.Text, person), true, nil
	})
	if err != nil {
		return d, why, false, fmt.Errorf("moderation: %w", err)
	}
	if why.Released() && why.Text != said {
		d.Text, d.Authored = why.Text, false
	}
	if leak, ok := of.x.Guard(of.npc).Look(lore.Facts(t), earlier, voice.Release(d.Text, person)); ok && why.Released() {
		why = moderation.Outcome{Reason: schema.ReasonSecret, Detail: leak.How}
	}
	return d, why, why.Released(), nil
}

// refusal is the issue of a sentence that was not let through.
func refusal(d protocol.DraftSentence, why moderation.Outcome) schema.Issue {
	switch why.Reason {
	case schema.ReasonLanguage:
		return schema.Issue{Claim: d.Text, Type: schema.IssueLanguage, Correction: "quote the evidence word for word"}
	case schema.ReasonSecret:
		return schema.Issue{Claim: d.Text, Type: schema.IssueSecret, Correction: "leave it out", Citation: why.Detail}
	}
	return schema.Issue{Claim: d.Text, Type: schema.IssueModerated, Correction: why.Detail, Citation: why.Reason}
}

// moderated is what may be said of a reviewed draft. Where nothing is left and
// nothing was said, an authored line ends the turn.
func (s *Service) moderated(
	ctx context.Context, t *protocol.Turn, of scene, draft []protocol.DraftSentence,
) ([]protocol.DraftSentence, error) {
	if t.Ending != nil {
		return draft, nil
	}
	var kept []protocol.DraftSentence
	earlier := saidBefore(t)
	for i, d := range draft {
		out, why, ok, err := s.passed(ctx, t, of, d, len(t.Released)+len(kept)+1, earlier)
		if err != nil {
			return nil, err
		}
		if ok {
			kept = append(kept, out)
			earlier = append(earlier, voice.Release(out.Text, of.x.Person(of.npc)))
			continue
		}
		s.record(t, []schema.Stripped{{Text: d.Text, Issue: refusal(d, why)}})
		if len(kept) == 0 && len(t.Released) == 0 && i == len(draft)-1 || why.Failed() && len(kept) == 0 &&
			len(t.Released) == 0 {
			return []protocol.DraftSentence{s.ending(t, of.npc, why)}, nil
		}
		if why.Failed() { // nobody is there to ask about the rest
			break
		}
	}
	return kept, nil
}

// ending marks the turn as ended by one authored line, and gives the line.
func (s *Service) ending(t *protocol.Turn, npc *world.NPC, why moderation.Outcome) protocol.DraftSentence {
	if why.Reason == schema.ReasonLanguage {
		t.Fallback, t.Decision.Kind = schema.ReasonLanguage, protocol.KindUnknown
		return extractive.Authored(npc, world.LineUnknown, t)
	}
	if why.Reason == schema.ReasonSecret {
		t.Decision.Kind = protocol.KindWithhold
		t.Decision.Withhold = append([]protocol.Withhold{{Topic: t.Retrieval.Query, Reason: schema.ReasonSecret}},
			t.Decision.Withhold...)
		return extractive.Authored(npc, world.LineRefuse, t)
	}
	t.Ending = &protocol.Ending{Status: why.Status, Reason: why.Reason, Line: why.Line, Detail: why.Detail}
	return extractive.Authored(npc, why.Line, t)
}

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
