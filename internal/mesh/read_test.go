package mesh

import (
	"bytes"
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/netfault"
)

// A broker that goes away while it is asked for a stream never answers: whoever watches
// a turn must not wait for that answer to the end of its patience.
func TestAStreamIsAskedForAgainWhenTheAnswerIsLost(t *testing.T) {
	r := newRig(t)
	r.start(Options{}, plain)
	client, p := r.away()
	var cut atomic.Bool
	p.Watch(func(toBroker bool, piece []byte) netfault.Act {
		if toBroker && bytes.Contains(piece, []byte("PUB $JS.API.STREAM.INFO."+streamSaid)) && cut.CompareAndSwap(false, true) {
			return netfault.CutAfter
		}
		return netfault.Pass
	})
	ctx, stop := context.WithTimeout(t.Context(), 5*readTimeout)
	defer stop()
	began := time.Now()
	if _, err := client.conn.stream(ctx, streamSaid); err != nil || !cut.Load() {
		t.Errorf("after %s, with an answer lost %v: %v", time.Since(began), cut.Load(), err)
	}
}
