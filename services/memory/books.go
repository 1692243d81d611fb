package memory

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Books are the memories of NPCs as the log makes them, kept by a process and
// brought up to the log's end before each use.
type Books struct {
	log    *mesh.MemoryLog
	now    func() time.Time
	notice func(string)

	mu sync.Mutex
	of map[owner]*notebook
}

type owner struct{ world, npc string }

// NewBooks makes the books of a process. notice is told of entries that cannot be
// taken, one line each.
func NewBooks(log *mesh.MemoryLog, now func() time.Time, notice func(string)) *Books {
	if notice == nil {
		notice = func(string) {}
	}
	return &Books{log: log, now: now, notice: notice, of: map[owner]*notebook{}}
}

// notebook is one NPC's book with how far the log was read into it.
type notebook struct {
	mu   sync.Mutex
	own  owner
	book *memory.Book
	read uint64            // the last entry of this NPC that was read
	last map[string]uint64 // the last entry by player, as subjects name them
}

func (b *Books) notebook(o owner) *notebook {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.of[o]
	if n == nil {
		n = &notebook{own: o, book: memory.NewBook(o.world, o.npc), last: map[string]uint64{}}
		b.of[o] = n
	}
	return n
}

// use runs f over an NPC's book as it stands in the log now. Nobody else uses that
// book meanwhile.
func (b *Books) use(ctx context.Context, o owner, f func(*notebook) error) error {
	n := b.notebook(o)
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := b.catchUp(ctx, n, 0); err != nil {
		return err
	}
	return f(n)
}

// catchUp reads on to the end of the log. What stands up to the entry indexed is
// not counted as a change: the index has it.
func (b *Books) catchUp(ctx context.Context, n *notebook, indexed uint64) error {
	return b.log.Read(ctx, n.own.world, n.own.npc, n.read, func(l mesh.Logged) error {
		n.read = l.Sequence
		n.last[l.Player] = max(n.last[l.Player], l.Sequence)
		b.take(n.book, &l)
		if l.Sequence <= indexed {
			n.book.Changed()
		}
		return nil
	})
}

// take lets a book take an entry. What the log holds is the truth for every reader, so
// no clock of a reader decides on it: one that runs otherwise than the writer's would
// make another book than a rebuilding does. That its time is wrong is said.
func (b *Books) take(book *memory.Book, l *mesh.Logged) {
	err := l.Bad
	if err == nil && !book.Has(l.Event.ID) {
		if future := memory.CheckEvent(&l.Event, b.now()); future != nil && memory.CheckEvent(&l.Event, time.Time{}) == nil {
			b.notice(future.Error() + "; the log holds it, and it is taken")
		}
	}
	if err == nil {
		err = book.Apply(l.Event, time.Time{})
	}
	if err != nil {
		b.notice(err.Error() + "; it is passed over")
	}
}

// append writes the events that f makes of the book, in order, those that are in it
// already left out. Where somebody else has written meanwhile, f is asked again.
func (b *Books) append(ctx context.Context, n *notebook, f func(*memory.Book) []schema.MemoryEvent) error {
	for {
		moved, err := b.appendOnce(ctx, n, f(n.book))
		if err != nil || !moved {
			return err
		}
		if err := b.catchUp(ctx, n, 0); err != nil {
			return err
		}
		if err := b.recede(ctx, n); err != nil {
			return err
		}
	}
}

// recede takes back the places of entries that an erasure has deleted since they
// were read: nothing stands there to be written behind.
func (b *Books) recede(ctx context.Context, n *notebook) error {
	for player, at := range n.last {
		last, err := b.log.Last(ctx, n.own.world, n.own.npc, player)
		if err != nil {
			return err
		}
		n.last[player] = min(at, last)
	}
	return nil
}

func (b *Books) appendOnce(ctx context.Context, n *notebook, events []schema.MemoryEvent) (moved bool, err error) {
	for i := range events {
		e := &events[i]
		if n.book.Has(e.ID) {
			continue
		}
		if err := n.book.Accepts(*e, b.now()); err != nil {
			b.notice(err.Error() + "; it is not written")
			continue
		}
		player := e.Player
		if player == "" {
			player = "_"
		}
		at, err := b.log.Append(ctx, e, n.last[player])
		if errors.Is(err, mesh.ErrErased) {
			continue
		}
		if errors.Is(err, mesh.ErrLogMoved) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		n.last[player] = at
		if err := n.book.Apply(*e, b.now()); err != nil {
			return false, err
		}
	}
	return false, nil
}
