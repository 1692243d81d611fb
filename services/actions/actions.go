// Package actions is Pass 5 and the end of the turn: it checks the actions that
// the decision named, makes the reply from the released sentences, writes the
// authored reply at a deadline, and says how a reply changes the conversation.
// It releases no sentence; the mesh publishes what it makes.
package actions

import (
	"context"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/deed"
	"github.com/forsooth-npc/forsooth/internal/extractive"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/language"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/memory/faithful"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/moderation"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/voice"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Service answers the act pass, the deadline and the finisher.
type Service struct {
	library *lore.Library
	model   *model.Model
	hooks   *moderation.Hooks
}

// Options are what the service may have besides its library.
type Options struct {
	Model *model.Model      // nil: no model chooses actions
	Hooks *moderation.Hooks // nil: no world moderates
}

// New makes the service.
func New(library *lore.Library, o Options) *Service {
	return &Service{library: library, model: o.Model, hooks: o.Hooks}
}

// Act is Pass 5: the reply, with the actions that are checked once more.
func (s *Service) Act(ctx context.Context, t *protocol.Turn) (schema.Pass, error) {
	r := &schema.Reply{
		SchemaVersion: schema.Version, TurnID: t.TurnID, World: t.World, NPC: t.NPC, Player: t.Player, Message: t.Message,
		Sentences: t.Released, Stripped: t.Stripped, Passes: t.Passes,
		Sequence: t.Sequence, AcceptedAt: t.AcceptedAt, GameTime: t.GameTime, Audit: schema.FullyCited,
		Faithfulness: t.Faithfulness,
	}
	if t.Retrieval != nil {
		r.Confidence, r.LoreVersion = t.Retrieval.Confidence, t.Retrieval.LoreHash
	}
	if t.SpeechReview != nil && t.SpeechReview.Audit != "" {
		r.Audit = t.SpeechReview.Audit
	}
	x, npc, err := s.library.FindTurn(t)
	if err == nil {
		if a := s.model.For(ctx, t, x, npc); a != nil && !a.Lean() && t.Abort == nil && t.Decision != nil && !t.Unasked() {
			add(ctx, t, npc, x.Guard(npc), a)
		}
		r.Actions = checked(t, npc, x.Person(npc))
		if t.Decision != nil && t.Abort == nil {
			r.Deed = t.Decision.Deed
		}
		r.Passes, r.Faithfulness = t.Passes, placed(t, x, npc)
	}
	r.Status, r.Reason = statusOf(t, r.Actions)
	if err == nil {
		r.NPCName = npc.Name
		if len(r.Sentences) == 0 && t.Abort == nil {
			r.Sentences = []schema.Sentence{authored(x, npc, world.LineError, &t.Request, 1)}
			r.Status = schema.StatusAuthored
		}
	}
	switch {
	case t.Abort != nil:
		r.Detail = t.Abort.Detail
	case t.Ending != nil:
		r.Detail = t.Ending.Detail
	}
	finish(r)
	t.Reply = r
	return schema.PassDone, nil
}

// placed is Guard 3's mark with the places of its sentences in the reply.
func placed(t *protocol.Turn, x *lore.Lore, npc *world.NPC) *schema.Faithfulness {
	if t.Faithfulness == nil {
		return nil
	}
	f, person := *t.Faithfulness, x.Person(npc)
	f.Sentences = faithful.Placed(f.Sentences, t.Released, func(s string) string { return voice.Release(s, person) })
	for _, s := range t.Released {
		for _, line := range npc.Line(world.LineDoubt, t.Locale) {
			if s.Authored && s.Text == voice.Release(line, person) {
				f.Corrected = s.Seq
			}
		}
	}
	return &f
}

// finish fills what follows from the sentences.
func finish(r *schema.Reply) {
	var texts []string
	for _, sentence := range r.Sentences {
		texts = append(texts, sentence.Text)
	}
	r.Text = strings.Join(texts, " ")
	r.SourceCounts = grounding.SourceCounts(r.Sentences)
	if r.Sentences == nil {
		r.Sentences = []schema.Sentence{}
	}
	if r.Passes == nil {
		r.Passes = []schema.PassRecord{}
	}
}

// statusOf is how the turn ended, and why.
func statusOf(t *protocol.Turn, taken []schema.Action) (schema.Status, string) {
	switch {
	case t.Abort != nil:
		return schema.StatusAborted, t.Abort.Reason
	case t.Ending != nil:
		return t.Ending.Status, t.Ending.Reason
	case t.Fallback == schema.ReasonLanguage:
		status, _ := answered(t, taken)
		return status, schema.ReasonLanguage
	}
	return answered(t, taken)
}

// answered is the status of a turn that nothing has cut short.
func answered(t *protocol.Turn, taken []schema.Action) (schema.Status, string) {
	if cites(t.Released) {
		if t.Speech != nil && !t.Speech.ByModel() {
			return schema.StatusExtractive, t.Fallback
		}
		return schema.StatusAnswered, ""
	}
	if t.Decision == nil {
		return schema.StatusAuthored, schema.ReasonDeadline
	}
	switch t.Decision.Kind {
	case protocol.KindSocial:
		return schema.StatusAnswered, schema.ReasonSocial
	case protocol.KindWithhold:
		if len(t.Decision.Withhold) > 0 {
			return schema.StatusWithheld, t.Decision.Withhold[0].Reason
		}
		return schema.StatusWithheld, schema.ReasonPolicy
	case protocol.KindAnswer:
		return schema.StatusUnknown, schema.ReasonNotEntailed
	}
	if promised(taken) {
		return schema.StatusAnswered, ""
	}
	switch {
	case len(t.Unknown) > 0:
		return schema.StatusUnknown, schema.ReasonUnknownName
	case len(t.Evidence) == 0:
		return schema.StatusUnknown, schema.ReasonNoEvidence
	}
	return schema.StatusUnknown, schema.ReasonLowConfidence
}

func cites(sentences []schema.Sentence) bool {
	for _, s := range sentences {
		if len(s.Evidence) > 0 {
			return true
		}
	}
	return false
}

// promised says whether a released sentence speaks of an action that is taken.
func promised(taken []schema.Action) bool {
	return slices.ContainsFunc(taken, func(a schema.Action) bool { return a.Promised && a.Checked })
}

// checked are the decision's actions that still pass the check, and the refused
// ones with their reason, for the record. What was refused before stays refused,
// and an action whose sentence the player did not hear is not taken. The place of an
// action in the decision is its index in the reply and for the game.
func checked(t *protocol.Turn, npc *world.NPC, person voice.Person) []schema.Action {
	if t.Decision == nil {
		return nil
	}
	if t.Abort != nil {
		return owed(t.Decision.Actions, t.Released, person)
	}
	allowed := deed.Allowed(t.AllowedActions, npc.Actions)
	var out []schema.Action
	for _, a := range t.Decision.Actions {
		if a.Checked {
			a = deed.Check(a, allowed, lore.Facts(t))
		}
		if a.Checked && a.Promised && !heard(t.Released, voice.Release(a.Phrase, person)) {
			a.Checked, a.Refused = false, unsaid
		}
		out = append(out, a)
	}
	return out
}

// unsaid is why a promised action is not taken.
const unsaid = "its sentence was not said"

func heard(said []schema.Sentence, phrase string) bool {
	return slices.ContainsFunc(said, func(s schema.Sentence) bool { return s.Authored && s.Text == phrase })
}

// Author is the reply of a turn that its deadline, a cancel or a newer message
// ends: what was said so far, and an authored line.
func (s *Service) Author(
	_ context.Context, req *schema.Request, p mesh.Progress, reason string,
) (*schema.Reply, error) {
	said := p.Sentences
	r := &schema.Reply{
		SchemaVersion: schema.Version, TurnID: req.TurnID, World: req.World, NPC: req.NPC, Player: req.Player,
		Message: req.Message, GameTime: req.GameTime, Sentences: said, Reason: reason, Audit: schema.FullyCited,
	}
	if s.hooks.On(req.World) {
		r.Message = "" // nobody has said yet that it may be kept
	}
	x, npc, err := s.library.Find(req)
	if err == nil {
		local := *req
		local.Locale = language.Policy(req, x.World, npc).Locale
		req = &local
	}
	switch {
	case !protocol.IsLate(reason):
		r.Status = schema.StatusAborted
	case len(said) > 0:
		r.Status = schema.StatusPartial
	case req.Unasked(): // nobody waits for a line
		r.Status = schema.StatusAborted
	default:
		r.Status = schema.StatusAuthored
	}
	if err == nil {
		r.NPCName = npc.Name
		r.Actions = owed(decided(&p), said, x.Person(npc))
		if r.Status == schema.StatusAuthored {
			r.Sentences = append(r.Sentences, authored(x, npc, lineOf(reason), req, len(said)+1))
		}
	}
	finish(r)
	return r, nil
}

// lineOf is the kind of line for a turn of which nothing was said. Who is to ask again
// is told so.
func lineOf(reason string) string {
	if reason == schema.ReasonOverload {
		return world.LineError
	}
	return world.LineWait
}

// decided are the actions of the decision as the last sentence that promised one of
// them was released with them; none where no sentence did.
func decided(p *mesh.Progress) []schema.Action {
	var out []schema.Action
	for _, r := range p.Records {
		if len(r.Actions) > 0 && p.Stored(r) {
			out = r.Actions
		}
	}
	return out
}

// owed are the actions of a decision, each in its place, where the turn ends early. A
// word given is kept: what a released sentence has promised is taken, and nothing else.
func owed(decided []schema.Action, said []schema.Sentence, person voice.Person) []schema.Action {
	out := slices.Clone(decided)
	for i := range out {
		switch a := &out[i]; {
		case !a.Checked:
		case !a.Promised:
			a.Checked, a.Refused = false, "the turn ended first"
		case !heard(said, voice.Release(a.Phrase, person)):
			a.Checked, a.Refused = false, unsaid
		}
	}
	return out
}

// authored is an authored line as a released sentence.
func authored(x *lore.Lore, npc *world.NPC, kind string, req *schema.Request, seq int) schema.Sentence {
	line := voice.Release(extractive.Pick(npc.Line(kind, req.Locale), req.TurnID, nil), x.Person(npc))
	return schema.Sentence{Seq: seq, Text: line, Authored: true, Evidence: []schema.EvidenceRef{},
		Hash: protocol.HashText(line)}
}
