package mesh

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go/jetstream"
)

// maxDeadBody is how much of a message that could not be read a dead letter keeps.
const maxDeadBody = 64 << 10

// bury stores a dead letter, once per message.
func (m *Mesh) bury(
	ctx context.Context, where schema.Pass, stream string, d *transport.Delivery, convo schema.ConversationID, turn string,
	cause error, body []byte,
) error {
	letter, err := json.Marshal(schema.DeadLetter{
		Pass: where, TurnID: turn, Reason: cause.Error(), Stream: stream, Sequence: d.Sequence,
		Attempt: d.Attempt, At: m.opts.Now().UTC(), Body: bytes.Clone(body[:min(len(body), maxDeadBody)]),
	})
	if err != nil {
		return fmt.Errorf("dead letter of turn %s: %w", turn, err)
	}
	// Two readers of one stream may each bury the same message.
	id := string(where) + "/" + stream + "/" + strconv.FormatUint(d.Sequence, 10)
	ack, err := m.publish(ctx, transport.NewMessage(protocol.SubjectDead(where, convo, turn), letter,
		jetstream.MsgIDHeader, id))
	if err == nil && !ack.Duplicate && m.opts.Observer != nil {
		m.opts.Observer.Buried(string(where))
	}
	return err
}

// bury is the end of a turn that cannot be handled: a dead letter, then the turn to act as
// aborted. A message that is no turn ends with its letter: its turn, if there is one, is
// ended by its deadline.
func (p *passRunner) bury(ctx context.Context, d *transport.Delivery, cause error) error {
	ctx, cancel := context.WithTimeout(ctx, buryTimeout)
	defer cancel()
	t, unreadable := p.decode(d)
	if unreadable != nil {
		convo := schema.ConversationID{World: "unknown", NPC: "unknown", Player: "unknown"}
		turn := "seq-" + strconv.FormatUint(d.Sequence, 10)
		if s, err := protocol.ParseSubject(d.Subject); err == nil {
			convo, turn = s.Conversation, s.Turn
		}
		return p.m.bury(ctx, p.pass, transport.StreamPasses, d, convo, turn, cause, d.Data)
	}
	if err := p.m.bury(ctx, p.pass, transport.StreamPasses, d, t.Conversation(), t.TurnID, cause, nil); err != nil {
		return err
	}
	if err := p.m.step("reject.buried"); err != nil {
		return err
	}
	return p.abort(ctx, t, cause)
}

// buryTimeout bounds the end of a turn that a pass cannot handle.
const buryTimeout = 10 * time.Second

// abort sends the turn, as it came to this pass, to act. What a failed handler
// left half done in it is gone with that copy.
func (p *passRunner) abort(ctx context.Context, t *protocol.Turn, cause error) error {
	if p.pass == schema.PassAct && t.Abort != nil {
		// Act cannot even abort: the mesh ends the turn by itself.
		return p.m.end(ctx, ending{convo: t.Conversation(), turn: t.TurnID, sequence: t.Sequence,
			reason: schema.ReasonPoison})
	}
	detail, _, _ := strings.Cut(cause.Error(), "\n")
	t.Abort = &protocol.Abort{Reason: schema.ReasonPoison, Detail: detail}
	t.Hop++
	t.Pass, t.Part = schema.PassAct, 0
	data, err := protocol.EncodeTurn(t)
	if err != nil {
		// Too large with the abort in it: only what an ending needs goes on.
		bare := &protocol.Turn{Request: t.Request, Hop: t.Hop, Pass: t.Pass, Sequence: t.Sequence, AcceptedAt: t.AcceptedAt,
			DeadlineAt: t.DeadlineAt, SaidSeq: t.SaidSeq, ReviewSeq: t.ReviewSeq, Abort: t.Abort}
		if data, err = protocol.EncodeTurn(bare); err != nil {
			return err
		}
	}
	_, err = p.m.publish(ctx, transport.NewMessage(protocol.SubjectPass(schema.PassAct, t.Conversation(), t.TurnID), data,
		jetstream.MsgIDHeader,
		hopID(t)))
	return err
}
