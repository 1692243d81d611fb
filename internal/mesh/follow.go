package mesh

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// OnReply registers a reader of every stored reply, in the name of a durable
// consumer: memory is one. It is given each reply at least once, and must make
// nothing of the second time. An error is tried again until it succeeds;
// Reject(err) makes a dead letter.
func (m *Mesh) OnReply(name string, f func(ctx context.Context, r *schema.Reply, sequence uint64) error) {
	m.addRunner(&runner{name: name, stream: streamReplies, handle: func(ctx context.Context, d *delivery) verdict {
		ctx, cancel := context.WithTimeout(ctx, messageTimeout)
		defer cancel()
		var r schema.Reply
		err := json.Unmarshal(d.data, &r)
		if err == nil {
			err = f(ctx, &r, d.sequence)
		} else {
			err = Reject(err)
		}
		var rejected *rejectError
		if errors.As(err, &rejected) {
			m.opts.Report(Report{Where: name, Subject: d.subject, Turn: r.TurnID, Attempt: d.attempt, Outcome: "reject", Err: rejected.err})
			err = m.buryReply(ctx, name, d, rejected.err)
		}
		return m.settled(name, d, err)
	}})
}

// buryReply makes a dead letter of a reply that a reader cannot take.
func (m *Mesh) buryReply(ctx context.Context, name string, d *delivery, cause error) error {
	subject, err := schema.ParseSubject(d.subject)
	if err != nil {
		return nil
	}
	return m.bury(ctx, schema.Pass(name), streamReplies, d, subject.Conversation, subject.Turn, cause, d.data)
}
