package memory

import (
	"context"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/memory/write"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// proposal are candidates with the words they are held against.
type proposal struct {
	candidates []extract.Candidate
	words      []extract.Utterance
	context    extract.Context
}

// remember grounds candidates and writes what becomes of them. Those of which the
// book has these very words already are left alone.
func (s *Service) remember(ctx context.Context, npc string, p proposal) error {
	if len(p.candidates) == 0 {
		return nil
	}
	own := owner{p.candidates[0].World, npc}
	var open []extract.Candidate
	err := s.books.use(ctx, own, func(n *notebook) error {
		open = slices.DeleteFunc(slices.Clone(p.candidates), func(c extract.Candidate) bool { return settled(n.book, c) })
		return nil
	})
	if err != nil || len(open) == 0 {
		return err
	}
	outcomes := make([]write.Outcome, len(open)) // judged while others may use the book
	for i, c := range open {
		outcomes[i] = s.o.Guard.Judge(ctx, c, p.words, p.context)
	}
	if err := ctx.Err(); err != nil {
		return err // a verdict that ran out of time is no verdict
	}
	return s.books.use(ctx, own, func(n *notebook) error {
		for i := range outcomes {
			if err := s.write(ctx, n, &open[i], outcomes[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// settled says whether these words of this turn were judged before: they stand in
// the book, or were dropped.
func settled(b *memory.Book, c extract.Candidate) bool {
	m := c.Memory
	id, known := b.Place(&m)
	if have, _ := b.Get(id); known && have.Status != schema.MemoryPending {
		return true
	}
	return !known && b.Has(memory.EventID(schema.MemoryDropped, causeOf(&m), id))
}

// causeOf is the turn or event that a memory comes from.
func causeOf(m *schema.Memory) string {
	for _, s := range m.Spans {
		if s.EventID != "" {
			return s.EventID
		}
	}
	return m.TurnID
}

// write appends what an outcome means. A crash between two of its events leaves the
// memory without the older one marked; the nightly scan finds that.
func (s *Service) write(ctx context.Context, n *notebook, c *extract.Candidate, o write.Outcome) error {
	pending := waitingFor(n.book, c)
	return s.books.append(ctx, n, func(b *memory.Book) []schema.MemoryEvent {
		now := s.o.Now()
		return append(s.o.Guard.Events(b, o, pending, now), answered(b, &o.Memory, s.o)...)
	})
}

// waitingFor is the id under which a candidate waits for its verdict, or "".
func waitingFor(b *memory.Book, c *extract.Candidate) string {
	m := c.Memory
	id, _ := b.Place(&m)
	if have, ok := b.Get(id); ok && have.Status == schema.MemoryPending {
		return id
	}
	return ""
}

// answered lets a deed of which the game's answer is known take the place of the
// same deed remembered as offered.
func answered(b *memory.Book, m *schema.Memory, o Options) []schema.MemoryEvent {
	if m.Pred != "did" && m.Pred != "offered" || m.Source != schema.OriginSystem {
		return nil
	}
	id, _ := b.Place(m)
	now := o.Now()
	var out []schema.MemoryEvent
	for _, other := range b.Same(&schema.Memory{Player: m.Player, Subject: m.Subject, Pred: "offered"}) {
		if other.ID != id && other.TurnID == m.TurnID && other.Object == m.Object && other.Status == schema.MemoryActive {
			newer := *m
			newer.ID = id
			out = append(out, memory.Supersede(&other, &newer, m.TurnID, write.By, "the game has answered", now))
		}
	}
	return out
}
