package mesh

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A stream whose servers elect a leader answers nothing for some seconds. A process that
// starts in them waits, whichever of its first questions is the one without an answer.
func TestAProcessThatStartsInAnElectionWaits(t *testing.T) {
	for _, subject := range []string{
		"$JS.API.STREAM.INFO." + streamTurns, "$JS.API.STREAM.INFO." + streamScans, "$JS.API.STREAM.INFO." + streamFlags,
		"$JS.API.CONSUMER.INFO." + streamPasses + ".pass-act", "$JS.API.CONSUMER.INFO." + streamTimers + ".deadline",
		"$JS.API.DIRECT.GET." + streamFlags,
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
			case <-time.After(5 * readTimeout):
				t.Fatalf("no work is asked for after %s", time.Since(began))
			}
			stop()
			if err := <-ended; err != nil || !lost.Load() {
				t.Errorf("an answer was lost: %v; Run: %v", lost.Load(), err)
			}
		})
	}
}

// A broker that stays silent is told of in one line: what, where, and what to look at.
func TestASilentBrokerIsNotWaitedForForEver(t *testing.T) {
	ctx, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer stop()
	asked := 0
	err := (&Conn{url: "nats://10.0.0.7:4222"}).patiently(ctx, "stream TURNS", func(ctx context.Context) error {
		asked++
		return context.DeadlineExceeded
	})
	const want = "the NATS server at nats://10.0.0.7:4222 gives no answer about stream TURNS; it may have no leader: " +
		"look at the servers' log, or at `nats server report jetstream`"
	if err == nil || !strings.HasPrefix(err.Error(), want) || asked < 2 {
		t.Errorf("asked %d times: %v", asked, err)
	}
}

// What an election looks like to who asks, and what does not.
func TestWhatIsAskedAgain(t *testing.T) {
	unavailable := &jetstream.APIError{Code: 503, ErrorCode: codeUnavailable,
		Description: "JetStream system temporarily unavailable"}
	for _, c := range []struct {
		err          error
		silent, lost bool
	}{
		{context.DeadlineExceeded, true, true},
		{unavailable, true, true},
		{&jetstream.APIError{ErrorCode: codeSequenceOnItsWay}, false, true},
		{&jetstream.APIError{ErrorCode: codeIDOnItsWay}, false, true},
		{nats.ErrNoResponders, false, true}, // there is no JetStream, as far as a start can know
		{jetstream.ErrStreamNotFound, false, false},
		{&jetstream.APIError{ErrorCode: codeNoStorage}, false, false},
		{errors.New("other"), false, false},
	} {
		if isSilent(c.err) != c.silent || isLost(c.err) != c.lost {
			t.Errorf("%v: silent %v, lost %v", c.err, isSilent(c.err), isLost(c.err))
		}
	}
}
