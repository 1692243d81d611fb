package mesh

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// While what a pass needs is away, every turn of it fails. The pass asks for it a
// little more often than there are turns, and not many times for each; every turn has
// its reply.
func TestRetriesDoNotMultiplyAnOutage(t *testing.T) {
	r := newRig(t)
	var asked atomic.Int64
	r.start(Options{Report: func(Report) {}},
		with(schema.PassRetrieve, func(context.Context, *protocol.Turn) (schema.Pass, error) {
			asked.Add(1)
			return "", errors.New("the store is away")
		}))
	const turns = 80
	convo := func(i int) schema.ConversationID {
		return schema.ConversationID{World: "hollowmere", NPC: "mira", Player: fmt.Sprint("p", i)}
	}
	for i := range turns {
		req := request(convo(i), fmt.Sprint("t", i))
		req.DeadlineMS = schema.MinDeadlineMS
		r.publish(req)
	}
	for i := range turns {
		if _, reply := r.watch(convo(i), fmt.Sprint("t", i)); reply.Reason != schema.ReasonDeadline {
			t.Errorf("turn %d: %s %s", i, reply.Status, reply.Reason)
		}
	}
	budget := turns*retryShare + firstRetries
	if n, most := float64(asked.Load()), 2*turns+budget; n > most || n < turns {
		t.Errorf("%g tries of %d turns; at most %g: one each, %g retries, and the last of each", n, turns, most, budget)
	}
	t.Log(asked.Load())
}
