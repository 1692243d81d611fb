package runner

import (
	"context"
	"slices"
	"sync"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// observer stands between the mesh and the passes and notes what a reply does
// not tell: what a speaker was shown, and what the reviews said of each draft.
type observer struct {
	mu    sync.Mutex
	turns map[string]*notes
}

type notes struct {
	shown            []string
	thoughts, speech []protocol.Review
	model            bool // a model has spoken
}

func newObserver() *observer { return &observer{turns: map[string]*notes{}} }

func (o *observer) wrap(pass schema.Pass, h mesh.Handler) mesh.Handler {
	return func(ctx context.Context, t *protocol.Turn) (schema.Pass, error) {
		next, err := h(ctx, t)
		if err == nil {
			o.note(pass, t)
		}
		return next, err
	}
}

func (o *observer) note(pass schema.Pass, t *protocol.Turn) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := o.turns[t.TurnID]
	if n == nil {
		n = &notes{}
		o.turns[t.TurnID] = n
	}
	for _, e := range t.Evidence {
		if !slices.Contains(n.shown, e.Path) {
			n.shown = append(n.shown, e.Path)
		}
	}
	switch {
	case t.Part > 0: // one sentence of a speech under way; the review of all of it follows
	case pass == schema.PassReviewSpeech && n.model && t.Speech != nil && !t.Speech.ByModel():
		// The extractive answer in place of a model's: no further draft of the model's.
	case pass == schema.PassReviewSpeech && t.SpeechReview != nil:
		n.speech = append(n.speech, *t.SpeechReview)
		n.model = t.Speech != nil && t.Speech.ByModel()
	case pass == schema.PassReviewThought && t.ThoughtReview != nil:
		n.thoughts = append(n.thoughts, *t.ThoughtReview)
	}
}

// take gives what was noted of a turn, once.
func (o *observer) take(turn string) notes {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := o.turns[turn]
	delete(o.turns, turn)
	if n == nil {
		return notes{}
	}
	return *n
}
