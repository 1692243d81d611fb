package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// A queue that is longer than can be served takes every turn's time before it begins:
// all would be answered late, or at their deadline. A queue stands where every turn that
// came from it for an eighth of a deadline had waited as long before. While one of this
// process stands, turns that have not begun are answered at once, with an authored line,
// until one comes that has not waited so long. A burst, or what piled up while nobody
// ran, is served.
//
// Queues before passes that ask a model do not count: there a turn that has waited goes
// on without a model, and its queue grows shorter by that.
const (
	longWait = 8 // of a deadline
	patience = 8
)

// queues are those of one process.
type queues struct {
	mu sync.Mutex
	by map[string]*standing
}

// standing is a queue, as the turns that come from it show it.
type standing struct {
	since time.Time // since when every turn has waited long; zero: the last one had not
	last  time.Time // when one came
}

func newQueues() *queues { return &queues{by: map[string]*standing{}} }

// came notes that a turn has come from a queue after so long.
func (q *queues) came(name string, now time.Time, waited, deadline time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.by[name]
	if s == nil {
		s = &standing{}
		q.by[name] = s
	}
	s.last = now
	switch {
	case waited <= deadline/longWait:
		s.since = time.Time{}
	case s.since.IsZero():
		s.since = now
	}
}

// stand says whether any of the queues does. One from which nothing came for as long is
// not known to.
func (q *queues) stand(now time.Time, deadline time.Duration) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, s := range q.by {
		if !s.since.IsZero() && now.Sub(s.since) >= deadline/patience && now.Sub(s.last) < deadline/patience {
			return true
		}
	}
	return false
}

// queued are the passes whose queues count. Only at the first is a turn sent away: the
// reviewer may write no reply, and says that it is crowded.
var queued = map[schema.Pass]bool{schema.PassRetrieve: true, schema.PassReviewThought: true,
	schema.PassReviewSpeech: true}

// shed ends a turn that is one too many, and says whether it did.
func (p *passRunner) shed(ctx context.Context, d *transport.Delivery, t *protocol.Turn) (bool, error) {
	if d.Attempt > 1 && p.pass == schema.PassRetrieve {
		return p.shedBefore(ctx, t)
	}
	if d.Attempt > 1 || t.Part > 0 || !queued[p.pass] {
		return false, nil
	}
	now := p.m.opts.Now()
	waited := now.Sub(d.Stored)
	p.m.queues.came(string(p.pass), now, waited, t.Deadline())
	if !p.m.queues.stand(now, t.Deadline()) {
		return false, nil
	}
	p.m.tellCrowded(now)
	if p.pass != schema.PassRetrieve || waited <= t.Deadline()/longWait {
		return false, nil
	}
	p.report(d, t, "shed", errTooMany)
	return true, p.m.end(ctx, ending{convo: t.Conversation(), turn: t.TurnID, sequence: t.Sequence,
		reason: schema.ReasonOverload, retryAfter: waited})
}

// shedBefore ends a turn that was to be sent away before, and says whether it was: its
// fence stands, and the reply may not.
func (p *passRunner) shedBefore(ctx context.Context, t *protocol.Turn) (bool, error) {
	begun, err := p.m.said.begun(ctx, t.Conversation(), t.TurnID)
	if err != nil || !begun.away.is() {
		return false, err
	}
	return true, p.m.end(ctx, begun.away.ending(t.Conversation(), t.TurnID, t.Sequence))
}

// crowded says whether a turn that has just been accepted is one too many.
func (i *intake) crowded(d *transport.Delivery, deadline time.Duration) bool {
	if d.Attempt > 1 {
		return false
	}
	now := i.m.opts.Now()
	i.m.queues.came("intake", now, now.Sub(d.Stored), deadline)
	if !i.m.queues.stand(now, deadline) {
		return false
	}
	i.m.tellCrowded(now)
	return true
}

var errTooMany = errors.New("there are more turns than can be answered")

// A turn that is sent away was accepted, so it has cost its share of the protocol. While
// a queue stands the processes of the mesh say so on `crowded`, and clients refuse turns
// where they are said, which costs the mesh nothing. The word is not kept: whoever
// misses it publishes, and is sent away by the intake.
const (
	crowdedFor   = 500 * time.Millisecond // how long the word holds
	crowdedAgain = 200 * time.Millisecond // between two
)

// tellCrowded says that a queue of this process stands.
func (m *Mesh) tellCrowded(now time.Time) {
	if last := m.crowdedAt.Load(); now.UnixNano()-last < int64(crowdedAgain) ||
		!m.crowdedAt.CompareAndSwap(last, now.UnixNano()) {
		return
	}
	data, err := json.Marshal(protocol.Crowded{ForMS: inMilliseconds(crowdedFor),
		RetryAfterMS: inMilliseconds(retryAfterFull)})
	if err == nil {
		err = m.conn.Core().Publish(protocol.SubjectCrowded, data)
	}
	if err != nil {
		m.opts.Report(Report{Where: "intake", Subject: protocol.SubjectCrowded, Outcome: "lost", Err: err})
	}
}

// crowd is what a client has heard of it.
type crowd struct {
	once  sync.Once
	until atomic.Int64 // nanoseconds
	retry atomic.Int64
}

var errCrowded = errors.New("turns wait longer than they can be answered in time")

// crowded refuses a turn while the mesh says that it has too many.
func (c *Client) crowded() error {
	c.crowd.once.Do(func() {
		// Without it the turns are sent away by the intake.
		_, _ = c.conn.Core().Subscribe(protocol.SubjectCrowded, func(msg *transport.Message) {
			var said protocol.Crowded
			if json.Unmarshal(msg.Data, &said) != nil {
				return
			}
			holds := min(max(0, time.Duration(said.ForMS)*time.Millisecond), 10*crowdedFor)
			c.crowd.retry.Store(int64(time.Duration(said.RetryAfterMS) * time.Millisecond))
			c.crowd.until.Store(time.Now().Add(holds).UnixNano())
		})
	})
	if time.Now().UnixNano() >= c.crowd.until.Load() {
		return nil
	}
	return &RefusedError{RetryAfter: time.Duration(c.crowd.retry.Load()), Cause: errCrowded}
}
