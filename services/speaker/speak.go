package speaker

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/deed"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/prompt"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/voice"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// speakerModel stands for the model's name until its answer says which it was.
const speakerModel = "model"

// maxSpoken is how many sentences a speech may have.
const maxSpoken = 4

// modelError is a model that could not speak; anything else that goes wrong is an
// error of the pass.
type modelError struct{ err error }

func (e *modelError) Error() string { return e.err.Error() }
func (e *modelError) Unwrap() error { return e.err }

// speech is one run of the model on its way to the review.
type speech struct {
	s       *Service
	ctx     context.Context // of the handler: a sentence that is complete goes out even when the model's time is up
	t       *protocol.Turn
	person  voice.Person
	emitted int
	words   int   // that are said so far
	full    bool  // as much is said as a message of this kind is answered with
	broken  error // what kept a sentence from being sent
}

// errEnough ends the model's work: what it goes on to say would not be said.
var errEnough = errors.New("enough is said")

// speak lets the model speak. Where speeches stream, each complete sentence goes
// to the review while the model goes on. mesh.ErrClosed: the turn was ended, nothing is
// to be said.
func (s *Service) speak(
	ctx context.Context, t *protocol.Turn, x *lore.Lore, npc *world.NPC, a *model.Turn, attempt int,
) error {
	delivery := t.Passes[len(t.Passes)-1].Attempt
	streams := s.streams(t, x, npc)
	if streams && delivery > 1 { // a run before this one may have said something
		state, err := s.stream.Load(ctx, t)
		if err != nil {
			return fmt.Errorf("read what was released: %w", err)
		}
		if t.Released = state.Sentences; state.Closed {
			return mesh.ErrClosed
		}
	}
	t.Speech = &protocol.Speech{Attempt: attempt, Speaker: speakerModel, Base: len(t.Released)}
	if streams {
		t.Speech.Run = fmt.Sprintf("%d.%d", t.Hop, delivery)
	}
	for _, d := range promises(t) {
		if !released(t, voice.Release(d.Text, x.Person(npc))) {
			t.Speech.Sentences = append(t.Speech.Sentences, d)
		}
	}
	before := len(t.Speech.Sentences)
	run := &speech{s: s, ctx: ctx, t: t, person: x.Person(npc)}
	for _, said := range t.Released {
		run.words += len(text.WordSpans(said.Text))
	}
	answer, err := run.ask(ctx, question(t, npc, a), a)
	if run.broken != nil {
		return run.broken
	}
	said := len(t.Speech.Sentences) - before
	if errors.Is(err, errEnough) {
		t.Speech.Speaker = answer.Model
		return nil
	}
	if err != nil && said == 0 {
		return &modelError{err}
	}
	if err != nil { // what came before the model broke off is reviewed as it is
		t.Passes[len(t.Passes)-1].Note = err.Error()
		return nil
	}
	t.Speech.Speaker = answer.Model
	draft, err := prompt.Read(answer.JSON)
	if err != nil {
		return nil // the sentences were read while they came
	}
	if a.Lean() {
		planned(t, npc, draft)
	}
	if more := draft.Sentences[min(said, len(draft.Sentences)):]; len(more) > 0 {
		return run.add(more)
	}
	return nil
}

// streams says whether this speech is reviewed sentence by sentence. A strict NPC
// takes back all for one fault, one whose settings block does the same, and a deed that the game must confirm
// is asked of
// it once: both are reviewed whole.
func (s *Service) streams(t *protocol.Turn, x *lore.Lore, npc *world.NPC) bool {
	confirm := slices.ContainsFunc(t.Decision.Actions,
		func(a schema.Action) bool { return a.Confirm && a.Promised && a.Checked })
	settings := x.SettingsFor(npc)
	return s.stream != nil && settings.Streaming && !settings.Strict && !settings.Blocks() && !confirm
}

// question is the call: a speech for the decision, or all in one.
func question(t *protocol.Turn, npc *world.NPC, a *model.Turn) model.Asked {
	q := model.Asked{Name: prompt.Speech, Words: grounding.SpeechWords(t.Class), Sentences: maxSpoken,
		Validate: func(answer []byte) error {
			_, err := prompt.Read(answer)
			return err
		}}
	if a.Lean() {
		q.Name, q.Data = prompt.Lean, a.SpeakLean(deed.Allowed(t.AllowedActions, npc.Actions))
		return q
	}
	q.Data = a.Scene.Speak()
	return q
}

// ask streams the speech where the review takes it sentence by sentence. A stream
// that breaks before its first sentence is asked for once more, whole.
func (r *speech) ask(ctx context.Context, q model.Asked, a *model.Turn) (llm.Answer, error) {
	if r.t.Speech.Run == "" {
		return a.Ask(ctx, q)
	}
	if err := r.add(nil); err != nil { // what was promised is said first
		return llm.Answer{}, err
	}
	var reader prompt.Stream
	read := 0
	answer, err := a.Stream(ctx, q, func(delta string) error {
		said := reader.Feed(delta)
		read += len(said)
		err := r.add(said)
		if err == nil && r.full && !a.Lean() { // a lean answer names its actions at its end
			err = errEnough
		}
		return err
	})
	if errors.Is(err, llm.ErrCut) && read == 0 && r.broken == nil {
		return a.Ask(ctx, q)
	}
	return answer, err
}

// add appends sentences to the speech and, where it streams, sends them. What goes
// beyond the length of an answer of this kind is left out: it is said too much, and
// not wrongly.
func (r *speech) add(said []protocol.DraftSentence) error {
	for _, d := range said {
		if r.s.quotes {
			d = quoted(r.t, d)
		}
		n := len(text.WordSpans(voice.Release(d.Text, r.person)))
		if r.full = r.full || r.words > 0 && r.words+n > grounding.SpeechWords(r.t.Class); r.full {
			break
		}
		r.words += n
		r.t.Speech.Sentences = append(r.t.Speech.Sentences, d)
	}
	if r.t.Speech.Run == "" {
		return nil
	}
	for ; r.emitted < len(r.t.Speech.Sentences); r.emitted++ {
		if err := r.s.stream.Emit(r.ctx, r.t, r.emitted+1); err != nil {
			r.broken = fmt.Errorf("send sentence %d to the review: %w", r.emitted+1, err)
			return r.broken
		}
	}
	return nil
}

// planned keeps the plan of a lean call: as a thought, which grounds nothing, and
// in the decision. A draft that was sent back has named its actions before.
func planned(t *protocol.Turn, npc *world.NPC, d prompt.Draft) {
	if d.Plan != "" {
		t.Decision.Plan = []string{d.Plan}
		t.Thoughts = append(t.Thoughts, protocol.Thought{Text: d.Plan, Citations: []string{"self"}, Plan: true})
	}
	for _, a := range meant(t, deed.Allowed(t.AllowedActions, npc.Actions), d.Actions) {
		named := func(other schema.Action) bool { return other.Name == a.Name }
		if a.Promised || slices.ContainsFunc(t.Decision.Actions, named) { // no sentence has spoken of the promised
			continue
		}
		t.Decision.Actions = append(t.Decision.Actions, a)
	}
}

func released(t *protocol.Turn, said string) bool {
	return slices.ContainsFunc(t.Released, func(s schema.Sentence) bool { return s.Text == said })
}
