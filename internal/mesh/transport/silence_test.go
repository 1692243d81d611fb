package transport

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A broker that stays silent is told of in one line: what, where, and what to look at.
func TestASilentBrokerIsNotWaitedForForEver(t *testing.T) {
	ctx, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer stop()
	asked := 0
	err := (&Conn{url: "nats://10.0.0.7:4222"}).RetryUnavailable(ctx, "stream TURNS", func(ctx context.Context) error {
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
		if isSilent(c.err) != c.silent || IsLost(c.err) != c.lost {
			t.Errorf("%v: silent %v, lost %v", c.err, isSilent(c.err), IsLost(c.err))
		}
	}
}
