package memory

import (
	"context"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Rebuilt is what a rebuilding came to.
type Rebuilt struct {
	Entries  int      `json:"entries"` // of the log
	Memories int      `json:"memories"`
	Removed  int      `json:"removed"` // that stood in the index and not in the log
	Problems []string `json:"problems"`
}

// Rebuild makes the index anew from the whole log, one projection after another. How
// often a memory was used is not in the log, and stays. What is written meanwhile is
// read too, until nothing is: whoever follows the log may have indexed it already, and
// it was taken for a stray.
func (x *Index) Rebuild(ctx context.Context) (Rebuilt, error) {
	out, known := Rebuilt{Problems: []string{}}, map[schema.ConversationID]bool{}
	last, err := x.log.End(ctx)
	if err != nil {
		return out, err
	}
	read := uint64(0)
	for first := true; ; first = false {
		all, err := owners(ctx, x.log, "*", read, func(l transport.Logged) error {
			read = l.Sequence
			out.Entries++
			return nil
		})
		if err != nil {
			return out, err
		}
		if len(all) == 0 && !first {
			break
		}
		for _, own := range all {
			if err := x.rebuild(ctx, own, !known[own], &out); err != nil {
				return out, err
			}
			known[own] = true
		}
		if err := x.strays(ctx, known, &out); err != nil {
			return out, err
		}
	}
	return out, x.mark(ctx, max(last, read))
}

// rebuild puts a projection in the place of what the index has of it. What is wrong with
// its entries is told the first time.
func (x *Index) rebuild(ctx context.Context, own schema.ConversationID, first bool, out *Rebuilt) error {
	p := x.books.fresh(own)
	p.refused = func(err error) {
		if first {
			out.Problems = append(out.Problems, err.Error())
		}
	}
	if err := x.books.catchUp(ctx, p); err != nil {
		return err
	}
	removed, err := x.put(ctx, p, nil, true)
	out.Removed += removed
	return err
}

// strays takes out what the index has of those whom the log does not know, and counts
// what it has then.
func (x *Index) strays(ctx context.Context, known map[schema.ConversationID]bool, out *Rebuilt) error {
	worlds := map[string]bool{}
	for own := range known {
		worlds[own.World] = true
	}
	out.Memories = 0
	for world := range worlds {
		for after := ""; ; {
			points, err := x.session.Scroll(ctx, store.MemoryFilter{World: world}, after, batch)
			if err != nil {
				return err
			}
			gone := []string{}
			for i := range points {
				if after = points[i].Memory.ID; !known[ownerOf(&points[i].Memory)] {
					gone = append(gone, after)
				}
			}
			removed, err := x.session.Delete(ctx, store.MemoryFilter{World: world, IDs: gone})
			if err != nil {
				return err
			}
			out.Removed += removed
			out.Memories += len(points) - len(gone)
			if len(points) < batch {
				break
			}
		}
	}
	return nil
}
