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
	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Index keeps the session store in step with the memory log: a projection, which
// can be made anew at any time.
type Index struct {
	log     *mesh.MemoryLog
	books   *Books
	session store.Session
	embed   embed.Embedder
	notice  func(string)
	written atomic.Uint64 // up to which entry of the log this process has marked the store
}

// NewIndex makes the projection into a session store; it writes nothing yet.
func NewIndex(log *mesh.MemoryLog, books *Books, session store.Session, e embed.Embedder, notice func(string)) *Index {
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

func (x *Index) follow(ctx context.Context) error {
	from, err := x.marked(ctx)
	if err != nil {
		return err
	}
	end, err := x.log.End(ctx)
	if err != nil {
		return err
	}
	if from > end || from < x.written.Load() { // it was made from another log, or lost what was written
		if _, err := x.Rebuild(ctx); err != nil {
			return err
		}
		from = end
	}
	touched, count := map[owner]bool{}, 0
	return x.log.Follow(ctx, from, func(l mesh.Logged) error {
		touched[owner{l.Event.World, l.Event.NPC}] = true
		if count++; !l.Last && count < batch {
			return nil
		}
		for o := range touched {
			if err := x.project(ctx, o, from); err != nil {
				return err
			}
		}
		touched, count = map[owner]bool{}, 0
		return x.mark(ctx, l.Sequence)
	})
}

// CatchUp brings the index up to the end of the log once, where nobody follows it.
func (x *Index) CatchUp(ctx context.Context) error {
	from, err := x.marked(ctx)
	if err != nil {
		return err
	}
	end, err := x.log.End(ctx)
	if err != nil || from == end {
		return err
	}
	if from > end { // it was made from another log
		_, err := x.Rebuild(ctx)
		return err
	}
	touched := map[owner]bool{}
	err = x.log.Read(ctx, "*", "", from, func(l mesh.Logged) error {
		touched[owner{l.Event.World, l.Event.NPC}] = true
		return nil
	})
	if err != nil {
		return err
	}
	for o := range touched {
		if err := x.project(ctx, o, from); err != nil {
			return err
		}
	}
	return x.mark(ctx, end)
}

// Update brings what one NPC remembers up to the end of the log now.
func (x *Index) Update(ctx context.Context, world, npc string) error {
	return x.project(ctx, owner{world, npc}, 0)
}

// project writes what changed of an NPC's memories. from is the entry up to which
// the index was complete when the following began.
func (x *Index) project(ctx context.Context, o owner, from uint64) error {
	n := x.books.notebook(o)
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := x.books.catchUp(ctx, n, from); err != nil {
		return err
	}
	ids, all := n.book.Changed()
	if err := x.put(ctx, n, ids, all); err != nil {
		n.book.Retouch(ids, all) // to be written at the next try
		return err
	}
	return nil
}

// put brings the index in line with the book: of some memories, or of all of them.
func (x *Index) put(ctx context.Context, n *notebook, ids []string, all bool) error {
	var keep []schema.Memory
	var gone []string
	if all {
		keep = slices.DeleteFunc(n.book.Memories(), func(m schema.Memory) bool { return store.CheckMemory(&m) != nil })
		here := map[string]bool{}
		for i := range keep {
			here[keep[i].ID] = true
		}
		have, err := x.session.Scroll(ctx, store.MemoryFilter{World: n.own.world, NPC: n.own.npc}, "", 0)
		if err != nil {
			return err
		}
		for i := range have {
			if !here[have[i].Memory.ID] {
				gone = append(gone, have[i].Memory.ID)
			}
		}
	}
	for _, id := range ids {
		if m, ok := n.book.Get(id); ok && store.CheckMemory(&m) == nil {
			keep = append(keep, m)
		} else {
			gone = append(gone, id)
		}
	}
	if len(gone) > 0 {
		if _, err := x.session.Delete(ctx, store.MemoryFilter{World: n.own.world, NPC: n.own.npc, IDs: gone}); err != nil {
			return err
		}
	}
	return x.write(ctx, keep)
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
	x.written.Store(at)
	return nil
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
	points, err := x.session.Scroll(ctx, store.MemoryFilter{World: world, Statuses: []schema.MemoryStatus{schema.MemoryPending}}, "", 0)
	out := make([]schema.Memory, len(points))
	for i := range points {
		out[i] = points[i].Memory
	}
	return out, err
}

// Rebuilt is what a rebuilding came to.
type Rebuilt struct {
	Entries  int      `json:"entries"` // of the log
	Memories int      `json:"memories"`
	Removed  int      `json:"removed"` // that stood in the index and not in the log
	Problems []string `json:"problems"`
}

// Rebuild makes the index anew from the whole log. How often a memory was used is
// not in the log, and stays. What is written meanwhile is read too, until nothing is:
// whoever follows the log may have indexed it already, and it was taken for a stray.
func (x *Index) Rebuild(ctx context.Context) (Rebuilt, error) {
	r := rebuilding{x: x, out: Rebuilt{Problems: []string{}}, books: map[owner]*memory.Book{}}
	for first := true; ; first = false {
		touched, err := r.read(ctx)
		if err != nil {
			return r.out, err
		}
		if len(touched) == 0 && !first {
			break
		}
		if err := r.write(ctx, touched); err != nil {
			return r.out, err
		}
	}
	for o := range r.books {
		n, err := x.session.Count(ctx, store.MemoryFilter{World: o.world, NPC: o.npc})
		if err != nil {
			return r.out, err
		}
		r.out.Memories += n
	}
	return r.out, x.mark(ctx, r.end)
}

// rebuilding is an index that is being made anew.
type rebuilding struct {
	x     *Index
	out   Rebuilt
	books map[owner]*memory.Book
	end   uint64
}

// read takes the entries behind the last that was read, and says whose they are.
func (r *rebuilding) read(ctx context.Context) (touched map[owner]bool, err error) {
	touched = map[owner]bool{}
	err = r.x.log.Read(ctx, "*", "", r.end, func(l mesh.Logged) error {
		r.end = l.Sequence
		r.out.Entries++
		o := owner{l.Event.World, l.Event.NPC}
		if r.books[o] == nil {
			r.books[o] = memory.NewBook(o.world, o.npc)
		}
		touched[o] = true
		problem := l.Bad
		if problem == nil {
			problem = r.books[o].Apply(l.Event, time.Time{})
		}
		if problem != nil {
			r.out.Problems = append(r.out.Problems, problem.Error())
		}
		return nil
	})
	return touched, err
}

// write puts books in the place of what the index has of their NPCs, and takes out
// what it has of NPCs that the log does not know.
func (r *rebuilding) write(ctx context.Context, touched map[owner]bool) error {
	worlds := map[string]bool{}
	for o := range touched {
		worlds[o.world] = true
		filter := store.MemoryFilter{World: o.world, NPC: o.npc}
		before, err := r.x.session.Count(ctx, filter)
		if err == nil {
			err = r.x.put(ctx, &notebook{own: o, book: r.books[o]}, nil, true)
		}
		if err != nil {
			return err
		}
		after, err := r.x.session.Count(ctx, filter)
		if err != nil {
			return err
		}
		r.out.Removed += max(before-after, 0)
	}
	for world := range worlds {
		removed, err := r.x.strays(ctx, world, r.books)
		if err != nil {
			return err
		}
		r.out.Removed += removed
	}
	return nil
}

func (x *Index) strays(ctx context.Context, world string, books map[owner]*memory.Book) (int, error) {
	points, err := x.session.Scroll(ctx, store.MemoryFilter{World: world}, "", 0)
	if err != nil {
		return 0, err
	}
	ids := []string{}
	for i := range points {
		if books[owner{world, points[i].Memory.NPC}] == nil {
			ids = append(ids, points[i].Memory.ID)
		}
	}
	return x.session.Delete(ctx, store.MemoryFilter{World: world, IDs: ids})
}
