package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/faults"
	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go/jetstream"
)

func remembered(id, npc, player string) *schema.MemoryEvent {
	return &schema.MemoryEvent{ID: id, Type: schema.MemoryFlag, World: "w", NPC: npc, Player: player, Target: "m1",
		At: time.Unix(1, 0).UTC(), By: "test"}
}

func ids(t *testing.T, log *MemoryLog, npc string, after uint64) (out []string) {
	t.Helper()
	err := log.Read(t.Context(), "w", npc, after, func(l Logged) error {
		out = append(out, l.Event.ID+"@"+l.Player)
		return l.Bad
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTheMemoryLog(t *testing.T) {
	r := newRigOn(t, embedded.Options{Dir: t.TempDir()})
	r.setup()
	log := r.conn.MemoryLog()
	if end, err := log.End(t.Context()); err != nil || end != 0 {
		t.Fatalf("an empty log ends at %d, %v", end, err)
	}
	put := func(e *schema.MemoryEvent, after uint64) uint64 {
		t.Helper()
		seq, err := log.Append(t.Context(), e, after)
		if err != nil {
			t.Fatal(err)
		}
		return seq
	}
	first := put(remembered("e1", "mira", "p1"), 0)
	put(remembered("e2", "mira", ""), 0)
	put(remembered("e3", "bram", "p1"), 0)
	put(remembered("e4", "mira", "p1"), first)
	for _, id := range []string{"e4", "e5"} { // the same again, and another that did not see it
		if _, err := log.Append(t.Context(), remembered(id, "mira", "p1"), first); !errors.Is(err, ErrLogMoved) {
			t.Errorf("%s behind an old place: %v", id, err)
		}
	}
	if _, err := log.Append(t.Context(), remembered("e5", "mira.x", "p1"), 0); err == nil {
		t.Error("an NPC whose name is no token was taken")
	}
	for _, c := range []struct {
		npc   string
		after uint64
		want  []string
	}{
		{"mira", 0, []string{"e1@p1", "e2@_", "e4@p1"}},
		{"mira", first, []string{"e2@_", "e4@p1"}},
		{"", 0, []string{"e1@p1", "e2@_", "e3@p1", "e4@p1"}},
		{"nobody", 0, nil},
	} {
		if got := ids(t, log, c.npc, c.after); !slices.Equal(got, c.want) {
			t.Errorf("%q after %d: %v, want %v", c.npc, c.after, got, c.want)
		}
	}
}

func TestAnEntryThatCannotBeReadIsSaidToBeSo(t *testing.T) {
	r := newRig(t)
	r.setup()
	for _, body := range []string{"{", `{"id":"e1","world":"w","npc":"bram","player":"p1"}`} {
		if _, err := r.conn.Publish(t.Context(), NewMessage(protocol.Prefix+"memory.w.mira.p1", []byte(body)),
			time.Second); err != nil {
			t.Fatal(err)
		}
	}
	bad := 0
	err := r.conn.MemoryLog().Read(t.Context(), "w", "mira", 0, func(l Logged) error {
		if l.Bad != nil && l.Event.NPC == "mira" && l.Event.ID == "" {
			bad++
		}
		return nil
	})
	if err != nil || bad != 2 {
		t.Errorf("%d of 2 are bad, %v", bad, err)
	}
}

func TestTheMemoryLogIsFollowed(t *testing.T) {
	r := newRig(t)
	r.setup()
	log := r.conn.MemoryLog()
	var last uint64
	for i := range 3 {
		var err error
		if last, err = log.Append(t.Context(), remembered(fmt.Sprintf("e%d", i), "mira", "p1"), last); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	got := make(chan Logged, 8)
	done := make(chan error, 1)
	go func() { done <- log.Follow(ctx, 1, func(l Logged) error { got <- l; return nil }) }()
	if a, b := <-got, <-got; a.Event.ID != "e1" || a.Last || b.Event.ID != "e2" || !b.Last {
		t.Errorf("%+v, %+v", a, b)
	}
	if _, err := log.Append(t.Context(), remembered("e9", "bram", ""), 0); err != nil {
		t.Fatal(err)
	}
	if l := <-got; l.Event.ID != "e9" || l.Player != "_" {
		t.Errorf("%+v", l)
	}
	stop()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
}

// Following ends with its context, also where its consumer is being made anew: what the
// library then stops may be the consumer before.
func TestFollowingEndsWhileItsConsumerIsMadeAnew(t *testing.T) {
	r := newRig(t)
	r.setup()
	conn, p := r.awayConn()
	for try := range 16 {
		ctx, cancel := context.WithCancel(t.Context())
		made := 0
		p.Watch(func(toBroker bool, piece []byte) faults.Act {
			if toBroker && bytes.Contains(piece, []byte("CONSUMER.CREATE")) {
				if made++; made == 2 {
					cancel()
					time.Sleep(2 * time.Millisecond) // what stops it waits for the consumer then
				}
			}
			return faults.Pass
		})
		done := make(chan error, 1)
		go func() { done <- conn.MemoryLog().Follow(ctx, 0, func(Logged) error { return nil }) }()
		r.loseConsumers(ctx, StreamMemory)
		select {
		case err := <-done:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("it ended with %v", err)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("try %d: it goes on behind the end of its context", try)
		}
	}
}

// loseConsumers removes the consumers of a stream until a context ends.
func (r *rig) loseConsumers(ctx context.Context, stream string) {
	r.t.Helper()
	s, err := r.conn.js.Stream(r.t.Context(), stream)
	must(r.t, err)
	for ctx.Err() == nil {
		for name := range s.ConsumerNames(r.t.Context()).Name() {
			if err := s.DeleteConsumer(r.t.Context(), name); !errors.Is(err, jetstream.ErrConsumerNotFound) {
				must(r.t, err)
			}
		}
	}
}
