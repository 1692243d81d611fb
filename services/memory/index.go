package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Index keeps the session store in step with the memory log: a projection, which
// can be made anew at any time.
type Index struct {
	log     *transport.MemoryLog
	books   *Books
	session store.Session
	embed   embed.Embedder
	notice  func(string)
	written atomic.Uint64 // up to which entry of the log this process has marked the store
}

// NewIndex makes the projection into a session store; it writes nothing yet.
func NewIndex(
	log *transport.MemoryLog, books *Books, session store.Session, e embed.Embedder, notice func(string),
) *Index {
	if notice == nil {
		notice = func(string) {}
	}
	return &Index{log: log, books: books, session: session, embed: e, notice: notice}
}

// markLog is the key under which a session keeps how far the log was read, and by
// which embedding: "3:name-of-the-embedding".
const markLog = "memory-log"

// batch is how many entries are taken before the index is written at the latest.
const batch = 512

// Run follows the log until the context ends. A store that is away is tried again;
// meanwhile turns are answered without what is new.
func (x *Index) Run(ctx context.Context) error {
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		err := x.followWatched(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if !errors.Is(err, store.ErrUnavailable) { // of that the store tells by itself, once
			x.notice(fmt.Sprintf("the index of memories is behind: %v; it is tried again", err))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
	}
}

// lookAfter is how often the store is asked whether it still has what was written.
const lookAfter = 2 * time.Second

// errLost says that a store came back with less than was written to it.
var errLost = errors.New("the store has lost what was written")

// followWatched follows the log until the store fails, or has lost what it had.
func (x *Index) followWatched(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		tick := time.NewTicker(lookAfter)
		defer tick.Stop()
		for less := false; ; {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			before := x.written.Load()
			at, err := x.marked(ctx)
			if again := err == nil && at < before; again && less { // once may be another process that is behind
				stop(errLost)
				return
			} else {
				less = again
			}
		}
	})
	err := x.follow(ctx)
	if cause := context.Cause(ctx); errors.Is(cause, errLost) {
		err = cause
	}
	stop(nil)
	watching.Wait()
	return err
}

// follow brings the index up to the end of the log, and then takes what comes. Where it
// was never made, was made from another log or has lost what it had, it is made anew.
func (x *Index) follow(ctx context.Context) error {
	if err := x.CatchUp(ctx); err != nil {
		return err
	}
	touched, count := map[schema.ConversationID]bool{}, 0
	return x.log.Follow(ctx, x.written.Load(), func(l transport.Logged) error {
		if err := x.touch(ctx, &l, touched); err != nil {
			return err
		}
		if count++; !l.Last && count < batch {
			return nil
		}
		if err := x.project(ctx, sortedOwners(touched)); err != nil {
			return err
		}
		clear(touched)
		count = 0
		return x.mark(ctx, l.Sequence)
	})
}

// CatchUp brings the index up to the end of the log once.
func (x *Index) CatchUp(ctx context.Context) error {
	from, err := x.marked(ctx)
	if err != nil {
		return err
	}
	end, err := x.log.End(ctx)
	if err != nil {
		return err
	}
	if from == 0 && end > 0 || from > end || from < x.written.Load() {
		_, err := x.Rebuild(ctx)
		return err
	}
	x.complete(from)
	touched, at := map[schema.ConversationID]bool{}, max(from, end)
	err = x.log.Read(ctx, "*", "", from, func(l transport.Logged) error {
		at = max(at, l.Sequence)
		return x.touch(ctx, &l, touched)
	})
	if err == nil {
		err = x.project(ctx, sortedOwners(touched))
	}
	if err != nil || at == from {
		return err
	}
	return x.mark(ctx, at)
}

// touch adds those whose memories an entry changes. An erasure names memories and no
// player: the index knows whose they are.
func (x *Index) touch(ctx context.Context, l *transport.Logged, touched map[schema.ConversationID]bool) error {
	touched[l.Of()] = true
	if l.Event.Type != schema.MemoryErasedMark {
		return nil
	}
	for ids := range slices.Chunk(append([]string{l.Event.Target}, l.Event.Others...), batch) {
		f := store.MemoryFilter{World: l.Event.World, NPC: l.Event.NPC, IDs: ids}
		points, err := x.session.Scroll(ctx, f, "", 0)
		if err != nil {
			return err
		}
		for i := range points {
			touched[ownerOf(&points[i].Memory)] = true
		}
	}
	return nil
}

func ownerOf(m *schema.Memory) schema.ConversationID {
	return schema.ConversationID{World: m.World, NPC: m.NPC, Player: m.Player}
}

// Update brings what an NPC remembers of a player up to the end of the log now.
func (x *Index) Update(ctx context.Context, of schema.ConversationID) error {
	return x.project(ctx, []schema.ConversationID{of})
}

// project writes what changed of these projections.
func (x *Index) project(ctx context.Context, all []schema.ConversationID) error {
	for _, own := range all {
		err := x.books.use(ctx, own, func(p *projection) error {
			ids, all := p.book.Changed()
			_, err := x.put(ctx, p, ids, all)
			if err != nil {
				p.book.Retouch(ids, all) // to be written at the next try
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// put brings the index in line with a projection: of some memories, or of all of them.
// It says how many the index had that the projection has not.
func (x *Index) put(ctx context.Context, p *projection, ids []string, all bool) (removed int, err error) {
	var keep []schema.Memory
	var gone []string
	if all {
		keep = slices.DeleteFunc(p.book.Memories(), func(m schema.Memory) bool { return store.CheckMemory(&m) != nil })
		here := map[string]bool{}
		for i := range keep {
			here[keep[i].ID] = true
		}
		f := store.MemoryFilter{World: p.own.World, NPC: p.own.NPC, Player: p.own.Player, NoPlayer: p.own.Player == ""}
		have, err := x.session.Scroll(ctx, f, "", 0)
		if err != nil {
			return 0, err
		}
		for i := range have {
			if !here[have[i].Memory.ID] {
				gone = append(gone, have[i].Memory.ID)
			}
		}
	}
	for _, id := range ids {
		if m, ok := p.book.Get(id); ok && store.CheckMemory(&m) == nil {
			keep = append(keep, m)
		} else {
			gone = append(gone, id)
		}
	}
	if len(gone) > 0 {
		f := store.MemoryFilter{World: p.own.World, NPC: p.own.NPC, IDs: gone}
		if removed, err = x.session.Delete(ctx, f); err != nil {
			return 0, err
		}
	}
	return removed, x.write(ctx, keep)
}

func (x *Index) write(ctx context.Context, list []schema.Memory) error {
	for part := range slices.Chunk(list, batch) {
		texts := make([]string, len(part))
		for i := range part {
			texts[i] = part[i].Content
		}
		vectors, err := x.embed.Embed(ctx, texts)
		if err != nil {
			return fmt.Errorf("embed memories: %w", err)
		}
		points := make([]store.MemoryPoint, len(part))
		for i := range part {
			points[i].Memory = part[i]
			if _, err := store.Unit(vectors[i]); err == nil { // else there is nothing to find it by but its words
				points[i].Vector, points[i].Model = vectors[i], x.embed.ID()
			}
		}
		if err := x.session.Put(ctx, points); err != nil {
			return err
		}
	}
	return nil
}

// marked is the entry up to which the index is complete: 0 where it was never made,
// or by another embedding.
func (x *Index) marked(ctx context.Context) (uint64, error) {
	value, err := x.session.Marked(ctx, markLog)
	if err != nil {
		return 0, err
	}
	number, model, _ := strings.Cut(value, ":")
	at, err := strconv.ParseUint(number, 10, 64)
	if err != nil || model != x.embed.ID() {
		return 0, nil
	}
	return at, nil
}

func (x *Index) mark(ctx context.Context, at uint64) error {
	if err := x.session.Mark(ctx, markLog, strconv.FormatUint(at, 10)+":"+x.embed.ID()); err != nil {
		return err
	}
	x.complete(at)
	return nil
}

// complete notes that the store holds what the log has up to an entry.
func (x *Index) complete(at uint64) {
	x.written.Store(at)
	x.books.indexed.Store(at)
}

// Behind is how many entries of the log the index lacks.
func (x *Index) Behind(ctx context.Context) (uint64, error) {
	at, err := x.marked(ctx)
	if err != nil {
		return 0, err
	}
	end, err := x.log.End(ctx)
	return max(end, at) - at, err
}

// Pending are the memories of a world that wait for a verdict.
func (x *Index) Pending(ctx context.Context, world string) ([]schema.Memory, error) {
	points, err := x.session.Scroll(ctx,
		store.MemoryFilter{World: world, Statuses: []schema.MemoryStatus{schema.MemoryPending}}, "", 0)
	out := make([]schema.Memory, len(points))
	for i := range points {
		out[i] = points[i].Memory
	}
	return out, err
}
