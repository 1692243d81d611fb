// Package replay runs a stored turn again through the handlers of the passes,
// with whatever settings they were composed with, and changes nothing: no broker,
// no store of turns and no conversation is written. It composes no handlers:
// whoever replays hands them in.
package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Passes are the handlers of a turn, composed over the Log that the replay runs
// with.
type Passes map[schema.Pass]mesh.Handler

// maxHops is far beyond what feedback loops can make of one turn.
const maxHops = 60

// ErrBusy says that another replay is running where one runs at a time.
var ErrBusy = errors.New("another replay is running")

// Stored gives the turn as it was when it came, from its traces: the request and
// the conversation, and nothing that a pass has added.
func Stored(traces []protocol.Trace) (*protocol.Turn, error) {
	for _, tr := range traces {
		if tr.Turn != nil {
			return &protocol.Turn{Request: tr.Turn.Request, Convo: tr.Turn.Convo, Sequence: tr.Turn.Sequence,
				AcceptedAt: tr.Turn.AcceptedAt, DeadlineAt: tr.Turn.DeadlineAt}, nil
		}
	}
	return nil, errors.New("no trace of it holds the turn")
}

// Renew makes a stored turn one that is accepted now, with all its time before
// it. Lore is indexed when a replay begins, so a turn that began earlier could
// rest on none of it; game time stays what it was.
func Renew(t *protocol.Turn, now time.Time, worldHasTime bool) (*protocol.Turn, error) {
	out := new(protocol.Turn)
	data, err := json.Marshal(t)
	if err == nil {
		err = json.Unmarshal(data, out)
	}
	if err != nil {
		return nil, err
	}
	if out.GameTime == nil && !worldHasTime {
		was := t.AcceptedAt
		out.GameTime = &was
	}
	out.AcceptedAt = now
	out.DeadlineAt = now.Add(out.Deadline())
	return out, nil
}

// Run takes a turn from its first pass to its reply, by the handlers alone: the
// feedback of a review sends it back as in the mesh, and a speech that streams is
// reviewed sentence by sentence. An error of a pass ends the replay; the context's
// deadline does too, with what was said so far in the log.
func Run(ctx context.Context, passes Passes, log *Log, t *protocol.Turn, now func() time.Time) (*schema.Reply, error) {
	r := &run{passes: passes, log: log, now: now}
	log.Reviewed(func(ctx context.Context, part *protocol.Turn, attempt int) error {
		_, err := r.pass(ctx, part, schema.PassReviewSpeech, attempt)
		return err
	})
	reply, err := r.toReply(ctx, t)
	if failed := log.Wait(); err == nil && failed != nil {
		return nil, failed
	}
	return reply, err
}

// Again runs a stored turn from now on, in its own time. Where that is up it gives what was
// said so far.
func Again(ctx context.Context, passes Passes, log *Log, stored *protocol.Turn, worldHasTime bool,
	now func() time.Time) (*schema.Reply, error) {
	t, err := Renew(stored, now(), worldHasTime)
	if err != nil {
		return nil, err
	}
	within, cancel := context.WithDeadline(ctx, t.DeadlineAt)
	defer cancel()
	reply, err := Run(within, passes, log, t, now)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case within.Err() != nil:
		return CutOff(t, log), nil
	}
	return reply, err
}

// toReply takes the turn itself from pass to pass.
func (r *run) toReply(ctx context.Context, t *protocol.Turn) (*schema.Reply, error) {
	next := schema.PassRetrieve
	for range maxHops {
		t.Pass = next
		if next == schema.PassAct {
			t.Released = r.log.Close()
		}
		err := r.log.Deliver(ctx, t, func(attempt int) (err error) {
			next, err = r.pass(ctx, t, t.Pass, attempt)
			return err
		})
		if err != nil {
			return nil, err
		}
		if next == schema.PassDone {
			return finished(t)
		}
		t.Hop++
	}
	return nil, fmt.Errorf("the turn goes round and round: after %d passes it is at %s", maxHops, next)
}

type run struct {
	passes Passes
	log    *Log
	now    func() time.Time
}

// pass runs one handler and records it, as the mesh does.
func (r *run) pass(ctx context.Context, t *protocol.Turn, pass schema.Pass, attempt int) (schema.Pass, error) {
	handler := r.passes[pass]
	if handler == nil {
		return "", fmt.Errorf("no handler is there for pass %q", pass)
	}
	start := r.now()
	t.Passes = append(t.Passes, schema.PassRecord{Pass: pass, Hop: t.Hop, Attempt: attempt,
		StartMS: milliseconds(start.Sub(t.AcceptedAt))})
	record := len(t.Passes) - 1
	next, err := handler(ctx, t)
	if err != nil {
		return "", fmt.Errorf("pass %s: %w", pass, err)
	}
	if record >= len(t.Passes) {
		return "", fmt.Errorf("pass %s dropped its own record", pass)
	}
	t.Passes[record].TookMS = milliseconds(r.now().Sub(start))
	return next, nil
}

func finished(t *protocol.Turn) (*schema.Reply, error) {
	if t.Reply == nil {
		return nil, errors.New("the turn ended without a reply")
	}
	t.Reply.Passes = t.Passes
	return t.Reply, nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// CutOff is the reply of a replay whose time was up: what was said so far, as the
// deadline would have left it, without the authored line.
func CutOff(t *protocol.Turn, log *Log) *schema.Reply {
	r := &schema.Reply{TurnID: t.TurnID, NPC: t.NPC, Message: t.Message, Status: schema.StatusAuthored,
		Reason:    schema.ReasonDeadline,
		Sentences: log.Sentences, Stripped: t.Stripped, Passes: t.Passes, Audit: schema.FullyCited}
	if len(log.Sentences) > 0 {
		r.Status = schema.StatusPartial
	}
	return r
}
