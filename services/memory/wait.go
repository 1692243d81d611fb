package memory

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/write"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Waiting finds the memories of a world that wait for a verdict. An Index does.
type Waiting interface {
	Pending(ctx context.Context, world string) ([]schema.Memory, error)
}

// Run tries candidates without a verdict again until the context ends. A verifier
// that is back decides them; what has waited too long is dropped.
func (s *Service) Run(ctx context.Context, w Waiting) error {
	tick := time.NewTicker(s.o.Retry)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		// of that the store tells by itself
		if err := s.Again(ctx, w); err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrUnavailable) {
			s.o.Notice("memories that wait for a verdict: " + err.Error())
		}
	}
}

// Again tries them once.
func (s *Service) Again(ctx context.Context, w Waiting) error {
	var failed error
	for _, world := range s.o.Library.Names() {
		pending, err := w.Pending(ctx, world)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		turns := map[string]bool{}
		for i := range pending {
			m := &pending[i]
			if s.o.Guard.Expired(m.CreatedAt, s.o.Now()) {
				failed = errors.Join(failed, s.expire(ctx, m))
				continue
			}
			if key := m.NPC + "." + m.Player + "." + m.TurnID; m.TurnID != "" && !turns[key] {
				turns[key] = true
				failed = errors.Join(failed, s.retry(ctx, m))
			}
		}
	}
	return failed
}

// retry reads the turn of a waiting memory once more.
func (s *Service) retry(ctx context.Context, m *schema.Memory) error {
	r, err := s.o.Turns.Reply(ctx, m.Conversation(m.TurnID), m.TurnID)
	if errors.Is(err, transport.ErrNotFound) {
		return s.expire(ctx, m) // nothing is left to hold it against
	}
	if err != nil {
		return fmt.Errorf("turn %s: %w", m.TurnID, err)
	}
	_, err = s.take(ctx, r)
	return err
}

func (s *Service) expire(ctx context.Context, m *schema.Memory) error {
	own := schema.ConversationID{World: m.World, NPC: m.NPC, Player: m.Player}
	return s.books.Append(ctx, own, func(b *memory.Book) []schema.MemoryEvent {
		waiting, ok := b.Get(m.ID)
		if !ok || waiting.Status != schema.MemoryPending {
			return nil
		}
		return []schema.MemoryEvent{write.Expire(b, waiting, s.o.Now())}
	})
}
