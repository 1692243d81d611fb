package mesh

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Settle remembers what a reply leaves behind before the next turn of its
// conversation begins. Given the same reply again it does nothing.
type Settle func(ctx context.Context, r *schema.Reply) error

// subjectSettle is where the memory service of another process hears of a reply
// whose conversation waits for it.
const subjectSettle = protocol.Prefix + "svc.settle"

// settleLimit is how long a conversation waits.
const settleLimit = 2 * time.Second

// settled is its answer.
type settled struct {
	Error string `json:"error,omitempty"`
}

// ServeSettle has Run settle replies for finishers elsewhere, so many at a time.
// Replicas share them.
func (m *Mesh) ServeSettle(settle Settle, workers int) {
	handle := func(ctx context.Context, msg *transport.Message) {
		ctx, stop := context.WithTimeout(ctx, messageTimeout)
		defer stop()
		var out settled
		if err := settleMessage(ctx, settle, msg.Data); err != nil {
			out.Error = strings.Join(strings.Fields(err.Error()), " ")
		}
		if data, err := json.Marshal(out); err == nil {
			respond(msg, data)
		}
	}
	for range workers {
		m.subs = append(m.subs, subscription{subject: subjectSettle, queue: "memory", handle: handle})
	}
}

func settleMessage(ctx context.Context, settle Settle, data []byte) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	var r schema.Reply
	if err := json.Unmarshal(data, &r); err != nil {
		return fmt.Errorf("the reply is not JSON: %w", err)
	}
	return settle(ctx, &r)
}

// AskSettle has the memory service of another process settle a reply.
func (m *Mesh) AskSettle(ctx context.Context, r *schema.Reply) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	began := time.Now()
	answer, err := m.conn.Core().RequestWithContext(ctx, subjectSettle, data)
	if err != nil {
		return fmt.Errorf("ask the memory service: %w", m.conn.Denied(subjectSettle, began, err))
	}
	var out settled
	if err := json.Unmarshal(answer.Data, &out); err != nil {
		return fmt.Errorf("the memory service's answer is not JSON: %w", err)
	}
	if out.Error != "" {
		return fmt.Errorf("the memory service: %s", out.Error)
	}
	return nil
}

// remembered lets the conversation wait for its memories, and no longer than the limit:
// a memory that comes late is known to the turn after the next, and never before it
// is grounded.
func (m *Mesh) remembered(ctx context.Context, r *schema.Reply) {
	if m.ends.Settle == nil || r.Unheard() {
		return
	}
	ctx, stop := context.WithTimeout(ctx, settleLimit)
	defer stop()
	err := func() (err error) {
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("panic: %v", v)
			}
		}()
		return m.ends.Settle(ctx, r)
	}()
	if err != nil {
		m.opts.Report(Report{Where: "settle", Turn: r.TurnID, Outcome: "late", Err: err})
	}
}
