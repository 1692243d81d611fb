package moderation

import (
	"context"
	"errors"
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// The kinds of authored lines that answer for a text that is not let through, as
// worlds name them.
const (
	lineRefuse = "refuse"
	lineError  = "error"
)

// Outcome is what follows from a verdict, or from none.
type Outcome struct {
	Text   string        // what goes on; empty where nothing does
	Status schema.Status // of a turn that ends on it
	Reason string        // of such a turn; empty where the text goes on
	Line   string        // the kind of authored line that answers then
	Detail string        // the hook's word or the failure, for the record
}

// Released says whether the text, or what replaced it, goes on.
func (o Outcome) Released() bool { return o.Reason == "" }

// Failed says whether the hook gave no verdict: what else the turn would say is
// not asked about any more.
func (o Outcome) Failed() bool { return o.Reason == schema.ReasonModerationFailed }

func blocked(detail string) Outcome {
	return Outcome{Status: schema.StatusWithheld, Reason: schema.ReasonModerated, Line: lineRefuse, Detail: detail}
}

func failed(err error) Outcome {
	return Outcome{Status: schema.StatusAuthored, Reason: schema.ReasonModerationFailed, Line: lineError,
		Detail: err.Error()}
}

// Message moderates the player's message of a turn, before any pass has read it.
// What replaces it takes its place, and a message that is not let through is
// taken out: the turn, its prompts, its memory and its reply never hold the
// original. The error is only the context's.
func (m *Moderator) Message(ctx context.Context, s Settings, t *protocol.Turn) (Outcome, error) {
	v, err := m.Check(ctx, s, Item{Kind: KindMessage, World: t.World, NPC: t.NPC, Player: t.Player, TurnID: t.TurnID,
		Text: t.Message})
	o := Outcome{}
	switch {
	case err != nil && ctx.Err() != nil:
		return Outcome{}, ctx.Err()
	case err != nil:
		o = failed(err)
	case v.Action == Block:
		o = blocked(v.Reason)
	case v.Action == Replace:
		o = Outcome{Text: v.Text, Detail: v.Reason}
	default:
		o = Outcome{Text: t.Message}
	}
	t.Message = o.Text
	return o, nil
}

// Review judges a replacement as any sentence is judged, gives it the NPC's voice
// and returns what would be said; ok is false where it does not pass.
type Review func(ctx context.Context, replacement string) (said string, ok bool, err error)

// Sentence moderates a sentence in the form in which the player would read it. A
// replacement goes through review; where the NPC's voice makes another text of it,
// the hook is asked once more and must allow that one. At most two calls are made.
// The error is the context's or that of review.
func (m *Moderator) Sentence(
	ctx context.Context, s Settings, t *protocol.Turn, seq int, said string, review Review,
) (Outcome, error) {
	item := Item{Kind: KindSentence, World: t.World, NPC: t.NPC, Player: t.Player, TurnID: t.TurnID, Seq: seq, Text: said}
	v, err := m.Check(ctx, s, item)
	switch {
	case err != nil:
		return failedOr(ctx, err)
	case v.Action == Block:
		return blocked(v.Reason), nil
	case v.Action == Allow:
		return Outcome{Text: said}, nil
	}
	item.Text, err = reviewed(ctx, v.Text, review)
	switch {
	case errors.Is(err, errUnsupported):
		return blocked(err.Error()), nil
	case err != nil:
		return Outcome{}, err
	case item.Text == v.Text:
		return Outcome{Text: v.Text, Detail: v.Reason}, nil
	}
	again, err := m.Check(ctx, s, item)
	switch {
	case err != nil:
		return failedOr(ctx, err)
	case again.Action != Allow:
		return blocked("the replacement was not allowed in the NPC's voice"), nil
	}
	return Outcome{Text: item.Text, Detail: v.Reason}, nil
}

// errUnsupported is a replacement that review did not pass.
var errUnsupported = errors.New("the replacement did not pass review")

func reviewed(ctx context.Context, replacement string, review Review) (string, error) {
	if review == nil {
		return "", errUnsupported
	}
	said, ok, err := review(ctx, replacement)
	if err == nil && (!ok || said == "") {
		err = errUnsupported
	}
	return said, err
}

// failedOr tells a hook that failed from a turn that is over.
func failedOr(ctx context.Context, err error) (Outcome, error) {
	if ctx.Err() != nil {
		return Outcome{}, ctx.Err()
	}
	return failed(err), nil
}

// Hooks are the hooks of the worlds in service. A nil *Hooks is none at all.
type Hooks struct {
	moderator *Moderator
	of        map[string]Settings
}

// NewHooks reads the worlds' settings; it gives nil where no world has a hook.
func NewHooks(worlds []*world.World, o Options) (*Hooks, error) {
	h := &Hooks{of: map[string]Settings{}}
	for _, w := range worlds {
		s, err := Parse(w.Moderation)
		if err != nil {
			return nil, fmt.Errorf("world %s: %w", w.Name, err)
		}
		if s.On() {
			h.of[w.Name] = s
		}
	}
	if len(h.of) == 0 {
		return nil, nil
	}
	h.moderator = New(o)
	return h, nil
}

// Close ends idle connections.
func (h *Hooks) Close() {
	if h != nil {
		h.moderator.Close()
	}
}

// On says whether a world has a hook.
func (h *Hooks) On(world string) bool { return h != nil && h.of[world].On() }

// Message moderates the player's message; see Moderator.Message.
func (h *Hooks) Message(ctx context.Context, t *protocol.Turn) (Outcome, error) {
	if !h.On(t.World) {
		return Outcome{Text: t.Message}, nil
	}
	return h.moderator.Message(ctx, h.of[t.World], t)
}

// Sentence moderates a sentence; see Moderator.Sentence.
func (h *Hooks) Sentence(ctx context.Context, t *protocol.Turn, seq int, said string, review Review) (Outcome, error) {
	if !h.On(t.World) {
		return Outcome{Text: said}, nil
	}
	return h.moderator.Sentence(ctx, h.of[t.World], t, seq, said, review)
}
