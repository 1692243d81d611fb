// Package speaker is Pass 3 and Pass 4: the decision (what to share, what to
// withhold, which actions to take) and the speech that carries it out in the
// NPC's voice. The speech sees only the evidence that the decision shares. It
// releases nothing: the reviewer does.
package speaker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/ablation"
	"github.com/forsooth-npc/forsooth/internal/extractive"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/language"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/relation"
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
	quotes  bool // the experiment in which a model quotes by document id

	requests Requests
}

// Streamer sends the sentences of a speech that is still being spoken to the
// review. The mesh is one; tests have another without a broker.
type Streamer interface {
	Load(ctx context.Context, t *protocol.Turn) (mesh.State, error)
	Emit(ctx context.Context, t *protocol.Turn, part int) error
}

// Options are what the service may have besides its library.
type Options struct {
	Similar extractive.Similarity // how near a sentence stands to a question
	Reads   extractive.Similarity // the probability that a sentence answers it; nil: no reader is at hand
	Model   *model.Model          // nil: no model speaks
	Stream  Streamer              // nil: speeches are reviewed whole
	Without ablation.Set          // what an experiment leaves out

	Requests Requests // nil: only what an action's own words ask for is done
}

// New makes the service.
func New(library *lore.Library, o Options) *Service {
	return &Service{library: library, similar: o.Similar, reads: o.Reads, model: o.Model, stream: o.Stream,
		quotes: o.Without.Has(ablation.EvidenceFirst), requests: o.Requests}
}

// Decide is Pass 3.
func (s *Service) Decide(ctx context.Context, t *protocol.Turn) (schema.Pass, error) {
	x, npc, err := s.library.FindTurn(t)
	if err != nil {
		return "", err
	}
	d := &protocol.Decision{Kind: kindOf(t), Tone: npc.Style}
	switch d.Kind {
	case protocol.KindAnswer:
		d.Share = shared(t)
		if a := s.model.For(ctx, t, x, npc); a != nil {
			if err := decide(ctx, t, npc, a, d); err != nil {
				return "", err
			}
			break
		}
		d.Plan = []string{"Say what the evidence says, and no more."}
		if len(d.Share) == 0 {
			d.Kind, d.Plan, d.Share = protocol.KindUnknown, []string{"Say that I do not know."}, ids(t.Evidence)
		}
	case protocol.KindWithhold:
		d.Plan = []string{"Keep it to myself."}
		d.Withhold = []protocol.Withhold{{Topic: t.Retrieval.Query, Reason: withheldBecause(t)}}
	case protocol.KindSocial:
		d.Plan = []string{"Answer in kind."}
	default:
		d.Plan = []string{"Say that I do not know it.", "Then say what I do know of the very thing that was asked " +
			"about, if anything."}
		d.Share = ids(t.Evidence)
	}
	if t.Unasked() && d.Kind != protocol.KindAnswer {
		return silent(t), nil
	}
	if !t.Unasked() { // nobody asked for a deed
		d.Actions = append(intended(t, x, npc), d.Actions...)
		if err := s.requested(ctx, t, x, npc, d); err != nil {
			return "", err
		}
	}
	t.Decision = d
	return schema.PassSpeak, nil
}

// kindOf chooses which way to answer.
func kindOf(t *protocol.Turn) protocol.ReplyKind {
	r := t.Retrieval
	switch {
	case r.Intent == protocol.IntentInjection:
		return protocol.KindWithhold
	case r.Intent == protocol.IntentRelation:
		return protocol.KindSocial
	case r.Intent == protocol.IntentRecap && len(t.Evidence) > 0:
		return protocol.KindAnswer
	case r.Intent == protocol.IntentRecap && r.Gated != "":
		return protocol.KindWithhold // the world's policy
	case r.Intent == protocol.IntentRecap:
		return protocol.KindUnknown
	case r.Zone == protocol.ZoneNone:
		return protocol.KindSocial
	case r.Gated != "":
		return protocol.KindWithhold
	case hasState(t):
		return protocol.KindAnswer
	case r.Zone == protocol.ZoneUnknown:
		return protocol.KindUnknown
	}
	return protocol.KindAnswer
}

func hasState(t *protocol.Turn) bool {
	for _, e := range t.Evidence {
		if e.Type == "state" {
			return true
		}
	}
	return false
}

func withheldBecause(t *protocol.Turn) string {
	if t.Retrieval.Intent == protocol.IntentInjection {
		return schema.ReasonPolicy
	}
	return t.Retrieval.Gated
}

// shared are the blocks that the approved thoughts rest on, in the order of the
// evidence; a block of the state goes first.
func shared(t *protocol.Turn) []string {
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
func (s *Service) Speak(ctx context.Context, t *protocol.Turn) (schema.Pass, error) {
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
	if a := s.model.Speaking(ctx, t, x, npc); a != nil && !recorded(t.Retrieval.Intent) {
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
		t.Speech = &protocol.Speech{Attempt: attempt, Speaker: speakerModel}
		return schema.PassReviewSpeech, nil
	}
	t.Speech = &protocol.Speech{Attempt: attempt, Speaker: protocol.SpeakerExtractive, Sentences: s.sentences(t, x, npc)}
	if t.Unasked() && t.Decision.Kind == protocol.KindUnknown {
		return silent(t), nil
	}
	return schema.PassReviewSpeech, nil
}

// recorded says whether the words for an intent are on record, and no model chooses any.
func recorded(intent string) bool {
	return intent == protocol.IntentRelation || intent == protocol.IntentBegin
}

// silent ends a turn in which the NPC was to speak unasked and has nothing to say: nobody
// waits for it to own to that.
func silent(t *protocol.Turn) schema.Pass {
	t.Abort = &protocol.Abort{Reason: schema.ReasonNothing}
	return schema.PassAct
}

// sentences are the speech for the decision: evidence in the NPC's voice, or an
// authored line.
func (s *Service) sentences(t *protocol.Turn, x *lore.Lore, npc *world.NPC) []protocol.DraftSentence {
	if t.Ending != nil {
		return []protocol.DraftSentence{extractive.Authored(npc, t.Ending.Line, t)}
	}
	if t.Decision.Kind == protocol.KindAnswer {
		said := extractive.Answer(extractive.Input{
			Question: t.Retrieval.Query, Message: t.Message, Class: t.Class, Evidence: only(t.Evidence, t.Decision.Share),
			Person: x.Person(npc), Openers: npc.Voice.Openers, Avoid: refused(t), Seed: t.TurnID,
			Similar: s.similar, Reads: s.reads, Whole: t.Retrieval.Whole,
		})
		if line, spoken := reply(t, npc); spoken {
			return append(promises(t), line)
		}
		if promised := promises(t); len(promised) > 0 && t.Decision.Deed != nil && t.Decision.Deed.Meant >= plainly {
			return promised // what is near to a request is no answer to it
		}
		switch {
		case len(said) > 0 && t.Retrieval.Zone == protocol.ZoneNear:
			return append(promises(t), extractive.Authored(npc, world.LineUnsure, t), said[0])
		case len(said) > 0 && s.beside(t, said):
			said = append([]protocol.DraftSentence{extractive.Authored(npc, world.LineUnsure, t)}, said...)
		}
		if len(said) > 0 {
			if words(said) > grounding.SpeechWords(t.Class) && len(said) > 1 {
				t.Class = protocol.ClassComplex // two accounts, or a lead and its answer, are told whole or not at all
			}
			return append(promises(t), said...)
		}
		t.Decision.Kind = protocol.KindUnknown
	}
	said := promises(t)
	if t.Retrieval.Intent == protocol.IntentRelation {
		return append(said, related(t, x.World, npc)...)
	}
	if t.Retrieval.Intent == protocol.IntentBegin {
		return []protocol.DraftSentence{extractive.Opening(npc, t)}
	}
	if len(said) > 0 {
		return said
	}
	if line, ok := reply(t, npc); ok {
		return []protocol.DraftSentence{line}
	}
	if t.Fallback == schema.ReasonLanguage && t.Decision.Kind == protocol.KindUnknown {
		return []protocol.DraftSentence{extractive.Authored(npc, language.LineFor(t.Retrieval.Intent), t)}
	}
	return []protocol.DraftSentence{extractive.Authored(npc, lineKind(t), t)}
}

// beside says whether an answer may well be beside the point, as the reader and
// the retrieval's confidence have it. Without a reader nobody says so.
func (s *Service) beside(t *protocol.Turn, said []protocol.DraftSentence) bool {
	if s.reads == nil || t.Retrieval.Zone == protocol.ZoneNone {
		return false
	}
	texts := make([]string, len(said))
	for i := range said {
		texts[i] = said[i].Text
	}
	answer := strings.Join(texts, " ")
	read := s.reads(cmp.Or(t.Retrieval.Whole, t.Message), []string{answer})
	return extractive.Beside(t.Message, answer, t.Retrieval.Confidence, read[0])
}

// related are the lines of the relation: the record words them, and no model does.
func related(t *protocol.Turn, w *world.World, npc *world.NPC) []protocol.DraftSentence {
	var out []protocol.DraftSentence
	for _, l := range relation.Answer(t.Message, w, npc, t.Relation) {
		d := protocol.DraftSentence{Text: l.Text, Authored: true}
		for _, e := range t.Evidence {
			if l.Source != "" && e.Path == l.Source && e.Text == l.Proof {
				d.Citations = append(d.Citations, protocol.Citation{Claim: l.Text, EvidenceID: e.ID})
			}
		}
		out = append(out, d)
	}
	return out
}

func words(sentences []protocol.DraftSentence) int {
	n := 0
	for _, s := range sentences {
		n += len(text.WordSpans(s.Text))
	}
	return n
}

// only are the blocks that were shared, in the order shared.
func only(all []protocol.Evidence, ids []string) []protocol.Evidence {
	byID := map[string]protocol.Evidence{}
	for _, e := range all {
		byID[e.ID] = e
	}
	var out []protocol.Evidence
	for _, id := range ids {
		if e, ok := byID[id]; ok {
			out = append(out, e)
		}
	}
	return out
}

// refused are the sentences that the last review found wrong, whole or in part.
func refused(t *protocol.Turn) map[string]bool {
	out := map[string]bool{}
	if t.Unasked() && t.Convo != nil { // who speaks behind another says nothing twice
		for _, l := range t.Convo.Heard {
			out[text.Fold(l.Text)] = true
		}
	}
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
func lineKind(t *protocol.Turn) string {
	switch t.Decision.Kind {
	case protocol.KindWithhold:
		return world.LineRefuse
	case protocol.KindSocial:
		switch t.Retrieval.Intent {
		case protocol.IntentGreeting:
			return world.LineGreeting
		case protocol.IntentFarewell:
			return world.LineFarewell
		case protocol.IntentThanks:
			return world.LineThanks
		case protocol.IntentFeelings:
			return world.LineFeelings
		case protocol.IntentWhoAreYou:
			return world.LineWhoAreYou
		case protocol.IntentKindness:
			return world.LineKindness
		case protocol.IntentTelling:
			return world.LineHeard
		}
		return world.LineSmalltalk
	}
	return world.LineUnknown
}
