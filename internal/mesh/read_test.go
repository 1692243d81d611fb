package mesh

import (
	"context"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
)

// A broker that goes away while it is asked for a stream never answers: whoever watches
// a turn must not wait for that answer to the end of its patience.
func TestAStreamIsAskedForAgainWhenTheAnswerIsLost(t *testing.T) {
	r := newRig(t)
	r.start(Options{}, plain)
	client, p := r.away()
	lost := loseAnswer(p, "$JS.API.STREAM.INFO."+transport.StreamSaid)
	ctx, stop := context.WithTimeout(t.Context(), 5*transport.ReadTimeout)
	defer stop()
	began := time.Now()
	if _, err := client.conn.Stream(ctx, transport.StreamSaid); err != nil || !lost.Load() {
		t.Errorf("after %s, with an answer lost %v: %v", time.Since(began), lost.Load(), err)
	}
}

// A broker that starts again while it is asked how far memory has come never answers that
// question: it is put again, long before the caller's time is over.
func TestWhatWaitsForMemoryIsAskedForAgainWhenTheAnswerIsLost(t *testing.T) {
	for _, question := range []string{"$JS.API.STREAM.INFO." + transport.StreamReplies,
		"$JS.API.CONSUMER.INFO." + transport.StreamReplies} {
		r := newRig(t)
		r.start(Options{}, plain)
		client, p := r.away()
		lost := loseAnswer(p, question)
		ctx, stop := context.WithTimeout(t.Context(), 5*transport.ReadTimeout)
		defer stop()
		if _, err := client.MemoryWaiting(ctx); err != nil || !lost.Load() {
			t.Errorf("%s: an answer lost %v: %v", question, lost.Load(), err)
		}
	}
}
