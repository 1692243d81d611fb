package embedded

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"syscall"
	"time"
)

// isFull says whether a line of the server's speaks of a disk, or a quota, without room.
func isFull(line string) bool {
	for _, err := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		if strings.Contains(line, err.Error()) {
			return true
		}
	}
	return false
}

// lookForRoom is how often a full disk is looked at.
const lookForRoom = 500 * time.Millisecond

// watchDisk waits for a write that found no room. Something else has filled the disk:
// the server's own streams stay below what was free. A stream that met a full disk
// answers nobody any more, and does not when there is room again either, so the server
// is then started anew on what it holds. It has acknowledged nothing that it did not
// write.
func (s *Server) watchDisk() {
	for {
		select {
		case <-s.end:
			return
		case <-s.full:
		}
		s.notice(fmt.Sprintf("the disk of data folder %s is full: nothing is stored, and turns wait; free at least %d "+
			"MB there, and they go on by themselves",
			s.opts.Dir, (reserve+leastRoom)>>20))
		for again := false; !again; {
			select {
			case <-s.end:
				return
			case <-time.After(lookForRoom):
			}
			if left, err := free(s.opts.Dir); err == nil && left >= reserve+leastRoom {
				again = s.renew()
			}
		}
		s.notice(fmt.Sprintf("the disk of data folder %s has room again, and the NATS server runs on what it holds",
			s.opts.Dir))
	}
}

// renew starts the server anew at the same address, and says whether it runs.
func (s *Server) renew() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return true
	}
	s.ns.Shutdown()
	s.ns.WaitForShutdown()
	select { // what the old one said of the disk until its end
	case <-s.full:
	default:
	}
	ns, err := s.boot(context.Background())
	if err != nil {
		s.notice(err.Error())
		return false
	}
	s.ns = ns
	return true
}

func (s *Server) notice(line string) {
	if s.opts.Notice != nil {
		s.opts.Notice(line)
	}
}

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
