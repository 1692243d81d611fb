package mesh

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Processes come and go while turns flow, each drained before the next: every
// message is handled once, at its first delivery.
func TestARollingRestartRedeliversNothing(t *testing.T) {
	r := newRig(t)
	const turns, restarts = 120, 6
	var again atomic.Int64
	begin := func() func() {
		m := New(r.connect(), Options{Workers: 2, Shared: true, Report: func(rep Report) { t.Logf("%+v", rep) }})
		if err := m.Setup(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, p := range protocol.Passes {
			h := plainPass(m, p)
			// More is fetched than is worked on, so that a drain finds messages that wait.
			m.Handle(p, func(ctx context.Context, turn *protocol.Turn) (schema.Pass, error) {
				if turn.Passes[len(turn.Passes)-1].Attempt > 1 {
					again.Add(1)
				}
				time.Sleep(5 * time.Millisecond)
				return h(ctx, turn)
			}, Prefetch(16))
		}
		m.Intake(Intake{})
		m.Ends(Ends{})
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- m.Run(ctx) }()
		return func() {
			cancel()
			if err := <-done; err != nil {
				t.Errorf("Run: %v", err)
			}
		}
	}
	stop := []func(){begin(), begin()}
	var flow sync.WaitGroup
	flow.Go(func() {
		for i := range turns {
			q := schema.Request{TurnID: fmt.Sprint("t", i), World: "w", NPC: "n", Player: fmt.Sprint("p", i),
				Message: "Is it so?", DeadlineMS: 60_000}
			if _, err := r.client.Publish(t.Context(), &q); err != nil {
				t.Error(err)
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
	for i := range restarts {
		time.Sleep(200 * time.Millisecond)
		stop[i%2]()
		stop[i%2] = begin()
	}
	flow.Wait()
	for i := range turns {
		_, reply := r.watch(schema.ConversationID{World: "w", NPC: "n", Player: fmt.Sprint("p", i)}, fmt.Sprint("t", i))
		for _, p := range reply.Passes {
			if p.Attempt != 1 {
				t.Errorf("turn %d: %s ran %d times", i, p.Pass, p.Attempt)
			}
		}
	}
	_, consumers, err := r.client.Inspect(t.Context())
	must(t, err)
	for _, c := range consumers {
		if c.Redelivered > 0 {
			t.Errorf("%s: %d redelivered", c.Name, c.Redelivered)
		}
	}
	for _, s := range stop {
		s()
	}
	if again.Load() > 0 {
		t.Errorf("%d messages came a second time", again.Load())
	}
}
