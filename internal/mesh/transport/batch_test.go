package transport

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/faults"
	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/nats-io/nats.go/jetstream"
)

// fill appends entries to the memory log, in turn for each of so many players.
func (r *rig) fill(entries, players int) {
	r.t.Helper()
	log, last := r.conn.MemoryLog(), map[string]uint64{}
	for i := range entries {
		player := fmt.Sprintf("p%d", i%players)
		at, err := log.Append(r.t.Context(), remembered(fmt.Sprintf("e%d", i), "mira", player), last[player])
		if err != nil {
			r.t.Fatal(err)
		}
		last[player] = at
	}
}

// A read costs a request for each batch of messages, never one for each message.
func TestReadingCostsARequestABatch(t *testing.T) {
	const entries, players = 3 * batchMessages, 50
	r := newRig(t)
	r.setup()
	r.fill(entries, players)
	for _, c := range []struct {
		name    string
		subject string
		from    uint64
		want    int // messages
		at      int // requests at most
	}{
		{"the whole log", "memory.w.mira.*", 1, entries, 4}, // the stream itself is looked at once
		{"from the middle", "memory.w.mira.*", entries/2 + 1, entries / 2, 2},
		{"one player", "memory.w.mira.p7", 1, entries/players + 1, 1},
		{"from behind the end", "memory.w.mira.*", entries + 1, 0, 1},
		{"nobody", "memory.w.nobody.*", 1, 0, 1},
	} {
		before, seen, last := r.conn.Sent(), 0, uint64(0)
		subject := protocol.Prefix + c.subject
		err := r.conn.EachFrom(t.Context(), StreamMemory, subject, c.from, func(msg *jetstream.RawStreamMsg) bool {
			if msg.Sequence <= last || msg.Sequence < c.from || msg.Time.IsZero() || len(msg.Data) == 0 {
				t.Errorf("%s: message %d after %d", c.name, msg.Sequence, last)
			}
			seen, last = seen+1, msg.Sequence
			return true
		})
		if sent := int(r.conn.Sent() - before); err != nil || seen != c.want || sent > c.at {
			t.Errorf("%s: %d messages of %d in %d requests, at most %d: %v", c.name, seen, c.want, sent, c.at, err)
		}
	}
}

// Whoever reads may have seen enough at any message.
func TestAReadEndsWhereItsReaderHasSeenEnough(t *testing.T) {
	r := newRig(t)
	r.setup()
	r.fill(20, 1)
	for _, enough := range []int{1, 7, 20} {
		seen := 0
		err := r.conn.Each(t.Context(), StreamMemory, protocol.Prefix+"memory.>", func(*jetstream.RawStreamMsg) bool {
			seen++
			return seen < enough
		})
		if err != nil || seen != enough {
			t.Errorf("%d messages, %d were enough: %v", seen, enough, err)
		}
	}
}

// A connection that breaks in the middle of a batch loses nothing and repeats nothing.
func TestABatchGoesOnAfterABrokenConnection(t *testing.T) {
	const entries = 400
	r := newRig(t)
	r.setup()
	r.fill(entries, 1)
	away, p := r.awayConn()
	if _, err := away.Stream(t.Context(), StreamMemory); err != nil {
		t.Fatal(err)
	}
	var pieces, cut atomic.Int64
	p.Watch(func(toBroker bool, _ []byte) faults.Act {
		if !toBroker && pieces.Add(1)%3 == 0 && cut.Add(1) <= 2 {
			return faults.CutAfter
		}
		return faults.Pass
	})
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	var got []uint64
	err := away.Each(ctx, StreamMemory, protocol.Prefix+"memory.>", func(msg *jetstream.RawStreamMsg) bool {
		got = append(got, msg.Sequence)
		return true
	})
	if err != nil || len(got) != entries || !slices.IsSorted(got) || len(slices.Compact(got)) != entries {
		t.Errorf("%d of %d messages: %v", len(got), entries, err)
	}
	if cut.Load() == 0 {
		t.Error("the connection was not broken")
	}
}

// With copies of a stream the end is what its leader says, and a long read takes batches
// too, behind the first messages.
func TestAReadOfAStreamWithCopies(t *testing.T) {
	if testing.Short() {
		t.Skip("a cluster of three takes its time to elect")
	}
	const entries = batchMessages + alone
	cluster, err := embedded.StartCluster(t.Context(), t.TempDir(), 3)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Stop)
	conn, err := Connect(t.Context(), Dial{URL: cluster.URL(), Name: t.Name()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	r := &rig{t: t, conn: conn}
	if err := conn.Setup(t.Context(), Settings{Replicas: 3}); err != nil {
		t.Fatal(err)
	}
	r.fill(entries, 1)
	for _, c := range []struct{ from, want, at int }{
		{1, entries, alone + 4}, // the leader is asked for the first, two batches, and the end
		{entries - 2, 3, 4},
		{entries + 1, 0, 1},
	} {
		before, next := conn.Sent(), uint64(c.from)
		subject := protocol.Prefix + "memory.>"
		err := conn.EachFrom(t.Context(), StreamMemory, subject, next, func(msg *jetstream.RawStreamMsg) bool {
			if msg.Sequence != next {
				t.Errorf("message %d, want %d", msg.Sequence, next)
			}
			next++
			return true
		})
		if sent := int(conn.Sent() - before); err != nil || int(next)-c.from != c.want || sent > c.at {
			t.Errorf("from %d: %d messages of %d in %d requests, at most %d: %v",
				c.from, int(next)-c.from, c.want, sent, c.at, err)
		}
	}
}
