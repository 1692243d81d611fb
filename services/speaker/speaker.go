// Package speaker is Pass 3 and Pass 4: the decision (what to share, what to
// withhold, which actions to take) and the speech that carries it out in the
// NPC's voice. The speech sees only the evidence that the decision shares. It
// releases nothing: the reviewer does.
package speaker

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/extractive"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/language"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Service answers the decide and the speak pass.
type Service struct {
	library *lore.Library
	similar extractive.Similarity
	reads   extractive.Similarity
	model   *model.Model
	stream  Streamer
}

// Streamer sends the sentences of a speech that is still being spoken to the
// review. The mesh is one; tests have another without a broker.
type Streamer interface {
	Load(ctx context.Context, t *schema.Turn) (mesh.State, error)
	Emit(ctx context.Context, t *schema.Turn, part int) error
}

// Options are what the service may have besides its library.
type Options struct {
	Similar extractive.Similarity // how near a sentence stands to a question
	Reads   extractive.Similarity // the probability that a sentence answers it; nil: no reader is at hand
	Model   *model.Model          // nil: no model speaks
	Stream  Streamer              // nil: speeches are reviewed whole
}

// New makes the service.
func New(library *lore.Library, o Options) *Service {
	return &Service{library: library, similar: o.Similar, reads: o.Reads, model: o.Model, stream: o.Stream}
}

// Decide is Pass 3.
func (s *Service) Decide(ctx context.Context, t *schema.Turn) (schema.Pass, error) {
	x, npc, err := s.library.FindTurn(t)
	if err != nil {
		return "", err
	}
	d := &schema.Decision{Kind: kindOf(t), Tone: npc.Style}
	switch d.Kind {
	case schema.KindAnswer:
		d.Share = shared(t)
		if a := s.model.For(ctx, t, x, npc); a != nil {
			if err := decide(ctx, t, npc, a, d); err != nil {
				return "", err
			}
			break
		}
		d.Plan = []string{"Say what the evidence says, and no more."}
		if len(d.Share) == 0 {
			d.Kind, d.Plan, d.Share = schema.KindUnknown, []string{"Say that I do not know."}, ids(t.Evidence)
		}
	case schema.KindWithhold:
		d.Plan = []string{"Keep it to myself."}
		d.Withhold = []schema.Withhold{{Topic: t.Retrieval.Query, Reason: withheldBecause(t)}}
	case schema.KindSocial:
		d.Plan = []string{"Answer in kind."}
	default:
		d.Plan = []string{"Say that I do not know it.", "Then say what I do know of the very thing that was asked about, if anything."}
		d.Share = ids(t.Evidence)
	}
	d.Actions = append(intended(t, x, npc), d.Actions...)
	t.Decision = d
	return schema.PassSpeak, nil
}

// kindOf chooses which way to answer.
func kindOf(t *schema.Turn) schema.ReplyKind {
	r := t.Retrieval
	switch {
	case r.Intent == schema.IntentInjection:
		return schema.KindWithhold
	case r.Intent == schema.IntentRecap && len(t.Evidence) > 0:
		return schema.KindAnswer
	case r.Intent == schema.IntentRecap:
		return schema.KindUnknown
	case r.Zone == schema.ZoneNone:
		return schema.KindSocial
	case r.Gated != "":
		return schema.KindWithhold
	case hasState(t):
		return schema.KindAnswer
	case r.Zone == schema.ZoneUnknown:
		return schema.KindUnknown
	}
	return schema.KindAnswer
}

func hasState(t *schema.Turn) bool {
	for _, e := range t.Evidence {
		if e.Type == "state" {
			return true
		}
	}
	return false
}

func withheldBecause(t *schema.Turn) string {
	if t.Retrieval.Intent == schema.IntentInjection {
		return schema.ReasonPolicy
	}
	return t.Retrieval.Gated
}

// shared are the blocks that the approved thoughts rest on, in the order of the
// evidence; a block of the state goes first.
func shared(t *schema.Turn) []string {
	cited := map[string]bool{}
	for _, th := range t.Thoughts {
		for _, c := range th.Citations {
			cited[c] = true
		}
	}
	var state, rest []string
	for _, e := range t.Evidence {
		switch {
		case e.Type == "state":
			state = append(state, e.ID)
		case cited[e.SourceID]:
			rest = append(rest, e.ID)
		}
	}
	if len(state) > 0 {
		return state
	}
	return rest
}

// Speak is Pass 4. On a second attempt it leaves out what the review refused.
func (s *Service) Speak(ctx context.Context, t *schema.Turn) (schema.Pass, error) {
	x, npc, err := s.library.FindTurn(t)
	if err != nil {
		return "", err
	}
	if t.Decision == nil {
		return "", fmt.Errorf("turn %s reached speak without a decision", t.TurnID)
	}
	attempt := 1
	if t.Speech != nil {
		attempt = t.Speech.Attempt + 1
	}
	if a := s.model.Speaking(ctx, t, x, npc); a != nil {
		err := s.speak(ctx, t, x, npc, a, attempt)
		switch {
		case err == nil:
			return schema.PassReviewSpeech, nil
		case errors.Is(err, mesh.ErrClosed):
			return schema.PassAct, nil
		}
		var failed *modelError
		if !errors.As(err, &failed) {
			return "", err
		}
		if ended := model.FallBack(ctx, t, failed.err); ended != nil {
			return "", ended
		}
	}
	if len(t.Released) > 0 && t.Fallback != "" {
		// What the model has said stands; an extractive answer would say it twice.
		t.Speech = &schema.Speech{Attempt: attempt, Speaker: speakerModel}
		return schema.PassReviewSpeech, nil
	}
	t.Speech = &schema.Speech{Attempt: attempt, Speaker: schema.SpeakerExtractive, Sentences: s.sentences(t, x, npc)}
	return schema.PassReviewSpeech, nil
}

// sentences are the speech for the decision: evidence in the NPC's voice, or an
// authored line.
func (s *Service) sentences(t *schema.Turn, x *lore.Lore, npc *world.NPC) []schema.DraftSentence {
	if t.Ending != nil {
		return []schema.DraftSentence{extractive.Authored(npc, t.Ending.Line, t)}
	}
	if t.Decision.Kind == schema.KindAnswer {
		said := extractive.Answer(extractive.Input{
			Question: t.Retrieval.Query, Message: t.Message, Class: t.Class, Evidence: only(t.Evidence, t.Decision.Share),
			Person: x.Person(npc), Openers: npc.Voice.Openers, Avoid: refused(t), Seed: t.TurnID,
			Similar: s.similar, Reads: s.reads,
		})
		if len(said) > 0 && t.Retrieval.Zone == schema.ZoneNear {
			return append(promises(t), extractive.Authored(npc, world.LineUnsure, t), said[0])
		}
		if len(said) > 0 {
			if words(said) > grounding.SpeechWords(t.Class) && len(said) > 1 {
				t.Class = schema.ClassComplex // two accounts are told whole or not at all
			}
			return append(promises(t), said...)
		}
		t.Decision.Kind = schema.KindUnknown
	}
	said := promises(t)
	if len(said) > 0 {
		return said
	}
	if t.Fallback == schema.ReasonLanguage && t.Decision.Kind == schema.KindUnknown {
		return []schema.DraftSentence{extractive.Authored(npc, language.LineFor(t.Retrieval.Intent), t)}
	}
	return []schema.DraftSentence{extractive.Authored(npc, lineKind(t), t)}
}

func words(sentences []schema.DraftSentence) int {
	n := 0
	for _, s := range sentences {
		n += len(text.WordSpans(s.Text))
	}
	return n
}

// only are the blocks that were shared, in the order shared.
func only(all []schema.Evidence, ids []string) []schema.Evidence {
	byID := map[string]schema.Evidence{}
	for _, e := range all {
		byID[e.ID] = e
	}
	var out []schema.Evidence
	for _, id := range ids {
		if e, ok := byID[id]; ok {
			out = append(out, e)
		}
	}
	return out
}

// refused are the sentences that the last review found wrong, whole or in part.
func refused(t *schema.Turn) map[string]bool {
	out := map[string]bool{}
	if t.SpeechReview == nil || t.Speech == nil {
		return out
	}
	for _, issue := range t.SpeechReview.Issues {
		claim := text.Fold(issue.Claim)
		out[claim] = true
		for _, s := range t.Speech.Sentences {
			if said := text.Fold(s.Text); claim != "" && strings.Contains(said, claim) {
				out[said] = true
			}
		}
	}
	return out
}

// lineKind is the kind of authored line that fits the decision.
func lineKind(t *schema.Turn) string {
	switch t.Decision.Kind {
	case schema.KindWithhold:
		return world.LineRefuse
	case schema.KindSocial:
		switch t.Retrieval.Intent {
		case schema.IntentGreeting:
			return world.LineGreeting
		case schema.IntentFarewell:
			return world.LineFarewell
		case schema.IntentThanks:
			return world.LineThanks
		case schema.IntentFeelings:
			return world.LineFeelings
		case schema.IntentWhoAreYou:
			return world.LineWhoAreYou
		case schema.IntentTelling:
			return world.LineHeard
		}
		return world.LineSmalltalk
	}
	return world.LineUnknown
}
