package mesh

import (
	"context"
	"testing"
	"time"
)

// A broker that goes away while it is asked for a stream never answers: whoever watches
// a turn must not wait for that answer to the end of its patience.
func TestAStreamIsAskedForAgainWhenTheAnswerIsLost(t *testing.T) {
	r := newRig(t)
	r.start(Options{}, plain)
	client, p := r.away()
	lost := loseAnswer(p, "$JS.API.STREAM.INFO."+streamSaid)
	ctx, stop := context.WithTimeout(t.Context(), 5*readTimeout)
	defer stop()
	began := time.Now()
	if _, err := client.conn.stream(ctx, streamSaid); err != nil || !lost.Load() {
		t.Errorf("after %s, with an answer lost %v: %v", time.Since(began), lost.Load(), err)
	}
}
