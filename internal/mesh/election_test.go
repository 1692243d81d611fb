package mesh

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
)

// A stream whose servers elect a leader answers nothing for some seconds. A process that
// starts in them waits, whichever of its first questions is the one without an answer.
func TestAProcessThatStartsInAnElectionWaits(t *testing.T) {
	for _, subject := range []string{
		"$JS.API.STREAM.INFO." + transport.StreamTurns, "$JS.API.STREAM.INFO." + transport.StreamScans,
		"$JS.API.STREAM.INFO." + transport.StreamFlags,
		"$JS.API.CONSUMER.INFO." + transport.StreamPasses + ".pass-act",
		"$JS.API.CONSUMER.INFO." + transport.StreamTimers + ".deadline",
		"$JS.API.DIRECT.GET." + transport.StreamFlags,
	} {
		t.Run(strings.TrimPrefix(subject, "$JS.API."), func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.start(Options{}, plain)
			client, p := r.away()
			lost := loseAnswer(p, subject)
			m := New(client.conn, Options{Shared: true})
			began := time.Now()
			if err := m.Setup(t.Context()); err != nil {
				t.Fatalf("Setup after %s: %v", time.Since(began), err)
			}
			plain(m)
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- m.Run(ctx) }()
			select {
			case <-m.Bound():
			case err := <-ended:
				t.Fatalf("it gave up after %s: %v", time.Since(began), err)
			case <-time.After(5 * transport.ReadTimeout):
				t.Fatalf("no work is asked for after %s", time.Since(began))
			}
			stop()
			if err := <-ended; err != nil || !lost.Load() {
				t.Errorf("an answer was lost: %v; Run: %v", lost.Load(), err)
			}
		})
	}
}
