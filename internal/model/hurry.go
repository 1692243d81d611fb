package model

import (
	"context"
	"fmt"
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
)

// What a model is asked for takes time that a turn must have. Less than leastTime
// before the mesh ends it, a turn is answered the extractive way, which needs none to
// speak of; one with a short deadline from a quarter of it.
//
// A turn that has waited at the door of a pass for a quarter of its deadline is in a
// queue that is not served in time. It is answered the extractive way at once, so that
// the queue grows shorter and those behind it still have time for a model.
const (
	leastTime = 1500 * time.Millisecond
	share     = 4
)

// hurried says why no model is asked in what is left of a turn; nil where one may be.
func hurried(ctx context.Context, t *protocol.Turn) error {
	quarter := t.Deadline() / share
	if ends, ok := ctx.Deadline(); ok {
		if left := time.Until(ends); left < min(leastTime, quarter) {
			return fmt.Errorf("%s were left, too little for a model", left.Round(time.Millisecond))
		}
	}
	if waited := waited(t); waited > quarter {
		return fmt.Errorf("the turn waited %s for this pass, and others behind it", waited.Round(time.Millisecond))
	}
	return nil
}

// waited is how long a turn stood before the pass that runs took it: from the end of
// the last one. Before the first it may have waited for its own conversation, and one
// that is delivered again, or a sentence of a speech under way, has not waited alone.
func waited(t *protocol.Turn) time.Duration {
	n := len(t.Passes)
	if n < 2 || t.Part > 0 || t.Passes[n-1].Attempt > 1 {
		return 0
	}
	now, last := t.Passes[n-1], t.Passes[n-2]
	return time.Duration((now.StartMS - last.StartMS - last.TookMS) * float64(time.Millisecond))
}
