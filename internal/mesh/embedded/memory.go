package embedded

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"time"
)

const (
	// room is what blocks and garbage may have above what lives: a dozen streams, each
	// with a block or two of 8 MB, twice.
	room = 400 << 20
	// small is what may live before garbage has as much room again as what lives more,
	// as Go by itself gives it: collecting a large heap costs in proportion to it.
	small = 128 << 20

	every  = 10 * time.Second
	window = 30 // looks
)

// memoryLimit is the soft limit of a process that needs so many bytes of heap and holds so
// many live ones. A large world that has just come is pressed against it until the next look.
func memoryLimit(needs, live uint64) int64 {
	limit := room + needs
	if needs > small {
		limit += needs - small
	}
	return int64(max(limit, live+room/4)) //nolint:gosec // a heap is far below an int64
}

// HoldMemory bounds the memory of a process that has a broker in it, until the context
// ends, and then puts back the limit of before. A broker keeps what was lately written in
// large blocks and drops them at the next collection. Under load there are more of them the
// more memory there is before Go collects. A soft limit a little above what lives has them
// dropped in time. HoldMemory does nothing where GOMEMLIMIT is set.
func HoldMemory(ctx context.Context) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	var looks lows
	look := func() int64 {
		now := live()
		return memoryLimit(looks.add(now), now)
	}
	before := debug.SetMemoryLimit(look())
	defer debug.SetMemoryLimit(before)
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			debug.SetMemoryLimit(look())
		}
	}
}

// live is what the last collection found alive.
func live() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// lows are the last looks at what lives. The least of them is what the process needs:
// what was more was blocks that had been written to since.
type lows []uint64

func (l *lows) add(live uint64) uint64 {
	*l = append(*l, live)
	if len(*l) > window {
		*l = slices.Delete(*l, 0, 1)
	}
	return slices.Min(*l)
}
