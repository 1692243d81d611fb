package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
)

// hearing keeps the book of what NPCs have said in a model's words, in the processes that
// judge what is evidence. It reads all of it before the first turn, and then as it grows, so
// no turn asks a store.
type hearing struct {
	book   *lore.Echoes
	log    *transport.SaidHashes
	worlds []string
	after  uint64
	notice func(string)
}

// echoOf is the book that the worlds of this process are to have; nil where nobody asks it.
func echoOf(o Options) *lore.Echoes {
	if o.runs("retriever") || o.runs("reviewer") {
		return lore.NewEchoes()
	}
	return nil
}

// hear reads what is kept. Nil where there is no book.
func (a *App) hear(ctx context.Context, o Options) error {
	if o.echo == nil {
		return nil
	}
	h := &hearing{book: o.echo, log: a.Conn.SaidHashes(), notice: o.notice}
	var err error
	if h.after, err = h.log.End(ctx); err != nil {
		return err
	}
	for _, w := range o.Worlds {
		h.worlds = append(h.worlds, w.Name)
		if err := h.log.Read(ctx, w.Name, "", h.add(h.book)); err != nil {
			return fmt.Errorf("what the NPCs of %s have said: %w", w.Name, err)
		}
	}
	a.hearing = h
	return nil
}

func (h *hearing) add(to *lore.Echoes) func(transport.Hashed) {
	return func(e transport.Hashed) { to.Add(e.World, e.NPC, e.At, e.Hashes) }
}

// hearAgain is how long the reading rests when it was cut off.
const hearAgain = time.Second

// run reads on until the context ends.
func (h *hearing) run(ctx context.Context) error {
	if h == nil {
		return nil
	}
	told := false
	for {
		err := h.log.Follow(ctx, h.after, func(e transport.Hashed) error { return h.take(ctx, e) })
		if ctx.Err() != nil || errors.Is(err, context.Canceled) {
			return nil
		}
		if !told {
			h.notice("what NPCs say in a model's words is not followed, and is tried again each second: " + fmt.Sprint(err))
			told = true
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(hearAgain):
		}
	}
}

// take notes one reply, or reads all of an NPC again after an erasure.
func (h *hearing) take(ctx context.Context, e transport.Hashed) error {
	if slices.Contains(h.worlds, e.World) {
		if e.Anew {
			left := lore.NewEchoes()
			if err := h.log.Read(ctx, e.World, e.NPC, h.add(left)); err != nil {
				return err
			}
			h.book.Replace(e.World, e.NPC, left)
		} else {
			h.add(h.book)(e)
		}
	}
	h.after = e.Sequence
	return nil
}
