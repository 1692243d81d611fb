package moderation

import (
	"context"
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/world"
)

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
