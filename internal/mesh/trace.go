package mesh

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// trace keeps a pass of a turn, with the turn as it left the pass, but for what is as
// it came to it. It asks for no answer: a trace is for people, and the hop that follows
// on the same connection is acked only after the broker has taken this in.
func (m *Mesh) trace(t *protocol.Turn, record schema.PassRecord, next schema.Pass, came protocol.Lists) {
	trace := protocol.Trace{TurnID: t.TurnID, Record: record, Next: next, Turn: t}
	if len(t.Evidence)+len(t.Sources) > 0 && t.Holds(came) {
		bare := *t
		bare.Evidence, bare.Sources = nil, nil
		trace.Turn, trace.AsBefore = &bare, true
	}
	data, err := json.Marshal(trace)
	if err == nil {
		err = m.conn.Core().Publish(protocol.SubjectTrace(t.Conversation(), t.TurnID), data)
	}
	if err != nil {
		m.opts.Report(Report{Where: "trace", Turn: t.TurnID, Outcome: "lost", Err: err})
	}
}

// Trace reads every pass of a turn, in the order they were done. One whose evidence and
// sources were those of a trace that is gone comes without them, AsBefore.
func (c *Client) Trace(ctx context.Context, turn string) ([]protocol.Trace, error) {
	if err := schema.CheckToken("turn", turn); err != nil {
		return nil, err
	}
	var out []protocol.Trace
	var bad error
	err := c.conn.Each(ctx, transport.StreamTraces, protocol.Prefix+"trace.*.*.*."+turn,
		func(msg *transport.Entry) bool {
			var t protocol.Trace
			if bad = json.Unmarshal(msg.Data, &t); bad != nil {
				bad = fmt.Errorf("trace %d is not JSON: %w", msg.Sequence, bad)
				return false
			}
			out = append(out, whole(out, &t))
			return true
		})
	if err == nil {
		err = bad
	}
	return out, err
}
