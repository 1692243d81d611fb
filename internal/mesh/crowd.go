package mesh

import (
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/nats-io/nats.go"
)

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
		_, _ = c.conn.Core().Subscribe(protocol.SubjectCrowded, func(msg *nats.Msg) {
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
