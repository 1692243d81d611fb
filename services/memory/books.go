package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// eventsHeld is how many events all projections of a process hold together: some tens
// of megabytes. The rest is read from the log again when it is asked for.
const eventsHeld = 32_768

// Books are the projections of the memory log that a process has at hand: one for each
// NPC and player, and one for what an NPC remembers of nobody. Each is brought up to
// the end of the log before it is used. Those that were unused for longest are let go.
type Books struct {
	log     *transport.MemoryLog
	now     func() time.Time
	notice  func(string)
	limit   int           // events held
	indexed atomic.Uint64 // the entry up to which the index of this process is complete

	mu   sync.Mutex
	of   *simplelru.LRU[schema.ConversationID, *projection]
	held int // events of all projections in it, and one for each
}

// NewBooks makes the books of a process. notice is told of entries that cannot be
// taken, one line each.
func NewBooks(log *transport.MemoryLog, now func() time.Time, notice func(string)) *Books {
	if notice == nil {
		notice = func(string) {}
	}
	b := &Books{log: log, now: now, notice: notice}
	return b.Within(eventsHeld)
}

// Within bounds how many events are held. It is for tests, before the first use.
func (b *Books) Within(events int) *Books {
	b.limit = events
	b.of, _ = simplelru.NewLRU(events, func(_ schema.ConversationID, p *projection) { b.held -= p.weight })
	return b
}

// Held is how many events the projections at hand hold, and how many projections these are.
func (b *Books) Held() (events, projections int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held - b.of.Len(), b.of.Len()
}

// projection is the book of one NPC about one player, with how far the log was read
// into it.
type projection struct {
	mu   sync.Mutex
	own  schema.ConversationID // without a player: of nobody
	book *memory.Book
	read uint64 // the last entry of this subject that was read
	last uint64 // the last entry that stands on this subject
	took uint64 // the last entry of this subject that is in the book, also what was just written
	anew bool   // made anew since the index was told what changed

	// Erasures are entries of the NPC and name no player. They concern every projection.
	erased   uint64             // the last erasure that this projection has taken
	erasures []transport.Logged // those of the NPC; only in the projection of nobody

	refused func(error) // told of entries that cannot be taken
	weight  int         // as the books count it; theirs
}

// fresh is an empty projection that does not stay at hand.
func (b *Books) fresh(own schema.ConversationID) *projection {
	return &projection{own: own, book: memory.NewBook(own.World, own.NPC), refused: func(err error) {
		b.notice(err.Error() + "; it is passed over")
	}}
}

func (b *Books) projection(own schema.ConversationID) *projection {
	b.mu.Lock()
	defer b.mu.Unlock()
	p, ok := b.of.Get(own)
	if !ok {
		p = b.fresh(own)
		p.weight = 1
		b.held++
		b.of.Add(own, p)
	}
	return p
}

// weigh counts what a projection holds now, and lets others go where all hold too much.
// Whoever uses one of these still ends that use: the log decides what is written.
func (b *Books) weigh(p *projection) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if have, ok := b.of.Peek(p.own); !ok || have != p {
		return
	}
	weight := 1 + p.book.Size()
	b.held, p.weight = b.held+weight-p.weight, weight
	for b.held > b.limit && b.of.Len() > 1 {
		b.of.RemoveOldest()
	}
}

// use runs f over a projection as it stands in the log now. Nobody else uses it
// meanwhile.
func (b *Books) use(ctx context.Context, own schema.ConversationID, f func(*projection) error) error {
	p := b.projection(own)
	p.mu.Lock()
	defer p.mu.Unlock()
	defer b.weigh(p)
	if err := b.catchUp(ctx, p); err != nil {
		return err
	}
	return f(p)
}

// Read runs f over what an NPC remembers of a player, or of nobody, as the log has it now.
// The book is f's until it returns, to read alone.
func (b *Books) Read(ctx context.Context, of schema.ConversationID, f func(*memory.Book) error) error {
	return b.use(ctx, of, func(p *projection) error { return f(p.book) })
}

// Each runs f over every projection of a world, one after another. None of them stays at
// hand for that.
func (b *Books) Each(ctx context.Context, world string, f func(schema.ConversationID, *memory.Book) error) error {
	all, err := owners(ctx, b.log, world, 0, func(transport.Logged) error { return nil })
	for i := 0; err == nil && i < len(all); i++ {
		p := b.fresh(all[i])
		if err = b.catchUp(ctx, p); err == nil {
			err = f(p.own, p.book)
		}
	}
	return err
}

// Append writes the events that f makes of a projection, in order; those that the log has
// already, or refuses, are left out. Where somebody else has written meanwhile, f is asked
// again.
func (b *Books) Append(ctx context.Context, of schema.ConversationID, f func(*memory.Book) []schema.MemoryEvent) error {
	return b.use(ctx, of, func(p *projection) error { return b.append(ctx, p, f) })
}

// errOutOfOrder: an erasure and an entry came to a projection other than they stand in
// the log.
var errOutOfOrder = errors.New("an erasure was taken out of order")

// catchUp reads on to the end of the log: the entries of this subject and the erasures
// of its NPC, in the order of the log. Where one of them was missed, all is read anew.
func (b *Books) catchUp(ctx context.Context, p *projection) error {
	err := b.readOn(ctx, p)
	if errors.Is(err, errOutOfOrder) {
		p.book, p.anew = memory.NewBook(p.own.World, p.own.NPC), true
		p.read, p.last, p.took, p.erased = 0, 0, 0, 0
		err = b.readOn(ctx, p)
	}
	if err == nil && p.anew {
		p.book.Retouch(nil, true)
		p.anew = false
	}
	return err
}

func (b *Books) readOn(ctx context.Context, p *projection) error {
	erasures, err := b.erasures(ctx, p)
	if err != nil {
		return err
	}
	if len(erasures) > 0 && erasures[0].Sequence < p.took {
		return errOutOfOrder
	}
	erase := func(before uint64) {
		for len(erasures) > 0 && erasures[0].Sequence < before {
			p.erased = erasures[0].Sequence
			b.take(p, &erasures[0])
			erasures = erasures[1:]
		}
	}
	err = b.log.ReadOf(ctx, p.own, p.read, func(l transport.Logged) error {
		if l.Sequence < p.erased && !p.book.Has(l.Event.ID) {
			return errOutOfOrder
		}
		erase(l.Sequence)
		p.read, p.last, p.took = l.Sequence, max(p.last, l.Sequence), max(p.took, l.Sequence)
		if p.own.Player == "" && l.Event.Type == schema.MemoryErasedMark {
			p.erasures = append(p.erasures, l)
		}
		b.take(p, &l)
		return nil
	})
	if err == nil {
		erase(^uint64(0))
	}
	return err
}

// erasures are those of the NPC that a player's projection has not taken yet.
func (b *Books) erasures(ctx context.Context, p *projection) (out []transport.Logged, err error) {
	if p.own.Player == "" {
		return nil, nil
	}
	err = b.use(ctx, schema.ConversationID{World: p.own.World, NPC: p.own.NPC}, func(all *projection) error {
		for i := len(all.erasures); i > 0 && all.erasures[i-1].Sequence > p.erased; i-- {
			out = append(out, all.erasures[i-1])
		}
		slices.Reverse(out)
		return nil
	})
	return out, err
}

// take lets a projection take an entry. What the log holds is the truth for every reader,
// so no clock of a reader decides on it: one that runs otherwise than the writer's would
// make another book than a rebuilding does. That its time is wrong is said. What the
// index has already is no change.
func (b *Books) take(p *projection, l *transport.Logged) {
	err := l.Bad
	if err == nil && !p.book.Has(l.Event.ID) {
		future := memory.CheckEvent(&l.Event, b.now())
		if future != nil && memory.CheckEvent(&l.Event, time.Time{}) == nil {
			b.notice(future.Error() + "; the log holds it, and it is taken")
		}
	}
	if err == nil {
		err = p.book.Apply(l.Event, time.Time{})
	}
	if err != nil {
		p.refused(err)
	}
	if l.Sequence <= b.indexed.Load() {
		p.book.Changed()
	}
}

// append writes the events that f makes of the book, in order, those that are in it
// already left out. Where somebody else has written meanwhile, f is asked again.
func (b *Books) append(ctx context.Context, p *projection, f func(*memory.Book) []schema.MemoryEvent) error {
	for {
		moved, err := b.appendOnce(ctx, p, f(p.book))
		if err != nil || !moved {
			return err
		}
		if err := b.catchUp(ctx, p); err != nil {
			return err
		}
		// An erasure may have deleted the last entry: nothing stands there to be written behind.
		last, err := b.log.Last(ctx, p.own.World, p.own.NPC, p.own.Player)
		if err != nil {
			return err
		}
		p.last = min(p.last, last)
	}
}

func (b *Books) appendOnce(ctx context.Context, p *projection, events []schema.MemoryEvent) (moved bool, err error) {
	for i := range events {
		e := &events[i]
		if p.book.Has(e.ID) {
			continue
		}
		if err := b.accepts(p, e); err != nil {
			b.notice(err.Error() + "; it is not written")
			continue
		}
		at, err := b.log.Append(ctx, e, p.last)
		if errors.Is(err, transport.ErrErased) {
			continue
		}
		if errors.Is(err, transport.ErrLogMoved) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		p.last, p.took = at, max(p.took, at)
		if err := p.book.Apply(*e, b.now()); err != nil {
			return false, err
		}
	}
	return false, nil
}

// accepts says why an event is not one of this projection, or is nil.
func (b *Books) accepts(p *projection, e *schema.MemoryEvent) error {
	if e.Player != p.own.Player {
		return fmt.Errorf("event %s is of player %q, and is written to the projection of %q", e.ID, e.Player, p.own.Player)
	}
	return p.book.Accepts(*e, b.now())
}

// owners are those of whom the log holds entries behind a place, in the order of their
// names. seen is given each entry.
func owners(ctx context.Context, log *transport.MemoryLog, world string, after uint64,
	seen func(transport.Logged) error) ([]schema.ConversationID, error) {
	all := map[schema.ConversationID]bool{}
	err := log.Read(ctx, world, "", after, func(l transport.Logged) error {
		all[l.Of()] = true
		return seen(l)
	})
	return sortedOwners(all), err
}

func sortedOwners(all map[schema.ConversationID]bool) []schema.ConversationID {
	return slices.SortedFunc(maps.Keys(all), func(a, c schema.ConversationID) int {
		return cmp.Or(cmp.Compare(a.World, c.World), cmp.Compare(a.NPC, c.NPC), cmp.Compare(a.Player, c.Player))
	})
}
