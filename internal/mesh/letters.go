package mesh

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// answerLetters answers svc.letters.<world>: its dead letters behind a place.
func (m *Mesh) answerLetters(ctx context.Context, world string, query []byte) (any, error) {
	var q schema.LettersQuery
	if err := readQuery(query, &q); err != nil {
		return nil, err
	}
	out := schema.LettersFound{Letters: []schema.StoredLetter{}}
	size := 0
	err := m.conn.EachFrom(ctx, transport.StreamDead, protocol.Prefix+"dead.*."+world+".*.*.*", q.After+1,
		func(msg *transport.Entry) bool {
			if size += len(msg.Data); size > maxEvents && len(out.Letters) > 0 {
				out.More = true
				return false
			}
			out.Last = msg.Sequence
			if l, err := storedLetter(msg); err == nil {
				out.Letters = append(out.Letters, l)
			}
			return true
		})
	return out, err
}

// storedLetter reads a dead letter.
func storedLetter(msg *transport.Entry) (schema.StoredLetter, error) {
	l := schema.StoredLetter{Number: msg.Sequence}
	s, err := protocol.ParseSubject(msg.Subject)
	if err != nil {
		return l, err
	}
	l.NPC, l.Player = s.Conversation.NPC, s.Conversation.Player
	if err := json.Unmarshal(msg.Data, &l.Letter); err != nil {
		return l, fmt.Errorf("letter %d is not JSON: %w", msg.Sequence, err)
	}
	switch string(l.Letter.Pass) {
	case ConsumerMemory, ConsumerEvents, ConsumerResults:
		l.Retry = true
	}
	return l, nil
}

// retry answers svc.retry.<consumer>.<world>: the reader of a stream is given the message
// of a dead letter once more, and the letter goes once the reader has taken it. A reader
// makes nothing of a message that it has taken before, so that a lost answer does no harm.
func (m *Mesh) retry(r *transport.Runner) Answer {
	return func(ctx context.Context, world string, query []byte) (any, error) {
		var q schema.RetryQuery
		if err := readQuery(query, &q); err != nil {
			return nil, err
		}
		msg, err := m.conn.Get(ctx, transport.StreamDead, q.Number, "")
		if err != nil {
			return nil, fmt.Errorf("dead letter %d: %w", q.Number, err)
		}
		s, err := protocol.ParseSubject(msg.Subject)
		l, unreadable := storedLetter(msg)
		if err != nil || unreadable != nil || s.Conversation.World != world || string(l.Letter.Pass) != r.Name {
			return nil, fmt.Errorf("dead letter %d: %w", q.Number, transport.ErrNotFound)
		}
		of, err := m.conn.Get(ctx, r.Stream, l.Letter.Sequence, "")
		if errors.Is(err, transport.ErrNotFound) {
			return nil, &schema.FieldError{Field: "number", Reason: "is of a message that is kept no more; " +
				"nothing can be tried again"}
		}
		if err != nil {
			return nil, err
		}
		d := &transport.Delivery{Subject: of.Subject, Data: of.Data, Sequence: of.Sequence, Attempt: l.Letter.Attempt + 1,
			Stored: of.Time}
		if err := r.Handle(ctx, d); err != nil {
			return nil, &schema.FieldError{Field: "number", Reason: fmt.Sprintf("failed again: %v", err)}
		}
		return schema.Retried(q), m.conn.Remove(ctx, transport.StreamDead, q.Number)
	}
}

// Letters asks the mesh for the dead letters of a world behind a place.
func (c *Client) Letters(ctx context.Context, world string, q schema.LettersQuery) (*schema.LettersFound, error) {
	if err := schema.CheckToken("world", world); err != nil {
		return nil, err
	}
	var out schema.LettersFound
	err := c.askAnswer(ctx, protocol.SubjectLetters(world), q, &out)
	return &out, transport.Wrap(err, "dead letters of %s", world)
}

// Retry has the reader of a dead letter's message try it again. transport.ErrNotFound where there is
// no such letter; schema.ErrInvalid, with the reason, where it cannot be tried or fails again.
func (c *Client) Retry(ctx context.Context, world string, number uint64) error {
	if number == 0 { // letters are numbered from 1
		return fmt.Errorf("dead letter 0 of %s: %w", world, transport.ErrNotFound)
	}
	found, err := c.Letters(ctx, world, schema.LettersQuery{After: number - 1})
	switch {
	case err != nil:
		return err
	case len(found.Letters) == 0 || found.Letters[0].Number != number:
		return fmt.Errorf("dead letter %d of %s: %w", number, world, transport.ErrNotFound)
	case !found.Letters[0].Retry:
		return &schema.FieldError{Field: "number", Reason: "is of a turn that has ended; say its message again"}
	}
	var out schema.Retried
	subject := protocol.SubjectRetry(string(found.Letters[0].Letter.Pass), world)
	return transport.Wrap(c.askAnswer(ctx, subject, schema.RetryQuery{Number: number}, &out), "dead letter %d", number)
}

// ServeResolve has Run settle contradictions between memories.
func (m *Mesh) ServeResolve(f func(ctx context.Context, world string, q schema.ResolveQuery) (schema.MemoryEvent,
	error)) {
	m.answer(protocol.SubjectResolve, "memories", func(ctx context.Context, world string, query []byte) (any, error) {
		var q schema.ResolveQuery
		if err := readQuery(query, &q); err != nil {
			return nil, err
		}
		if err := q.Validate(); err != nil {
			return nil, err
		}
		return f(ctx, world, q)
	})
}

// Resolve asks the mesh to settle a contradiction, and gives the entry of the log.
func (c *Client) Resolve(ctx context.Context, world string, q schema.ResolveQuery) (*schema.MemoryEvent, error) {
	if err := schema.CheckToken("world", world); err != nil {
		return nil, err
	}
	if err := q.Validate(); err != nil {
		return nil, err
	}
	var out schema.MemoryEvent
	err := c.askAnswer(ctx, protocol.SubjectResolve(world), q, &out)
	return &out, transport.Wrap(err, "memory %s", q.Memory)
}

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
		transport.HeaderID, id))
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
		transport.HeaderID,
		hopID(t)))
	return err
}
