package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Answer answers what is asked about a world. An error that is schema.ErrInvalid or
// ErrNotFound is told as such.
type Answer func(ctx context.Context, world string, query []byte) (any, error)

// answer has Run answer questions on a subject of each world. Replicas share them.
func (m *Mesh) answer(subject func(world string) string, queue string, f Answer) {
	prefix := subject("")
	m.answerOn(subject("*"), queue, func(ctx context.Context, msg *transport.Message) (any, error) {
		return f(ctx, strings.TrimPrefix(msg.Subject, prefix), msg.Data)
	})
}

func (m *Mesh) answerOn(subject, queue string, f func(context.Context, *transport.Message) (any, error)) {
	handle := func(ctx context.Context, msg *transport.Message) {
		ctx, stop := context.WithTimeout(ctx, messageTimeout)
		defer stop()
		respond(msg, encodeAnswer(recovered(ctx, msg, f)))
	}
	for range askers {
		m.subs = append(m.subs, subscription{subject: subject, queue: queue, handle: handle})
	}
}

func recovered(
	ctx context.Context, msg *transport.Message, f func(context.Context, *transport.Message) (any, error),
) (out any, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return f(ctx, msg)
}

func encodeAnswer(out any, err error) []byte {
	var data []byte
	if err == nil {
		data, err = json.Marshal(out)
	}
	if err == nil && len(data) > maxAnswer {
		err = fmt.Errorf("the answer is %d bytes, too long for one message; ask for less", len(data))
	}
	if err == nil {
		return data
	}
	refusal := protocol.Refusal{Error: strings.Join(strings.Fields(err.Error()), " ")}
	switch {
	case errors.Is(err, schema.ErrInvalid):
		refusal.Code = protocol.RefusalInvalid
	case errors.Is(err, transport.ErrNotFound):
		refusal.Code = protocol.RefusalUnknown
	}
	data, _ = json.Marshal(refusal) // two strings
	return data
}

// readQuery reads a question; an empty one asks for all.
func readQuery(data []byte, query any) error {
	if len(data) == 0 {
		return nil
	}
	if err := json.Unmarshal(data, query); err != nil {
		return fmt.Errorf("%w: the query is not its JSON: %w", schema.ErrInvalid, err)
	}
	return nil
}

// askAnswer puts a question to answer, and reads what it answers.
func (c *Client) askAnswer(ctx context.Context, subject string, query, out any) error {
	var raw json.RawMessage
	if err := c.askJSON(ctx, subject, query, &raw); err != nil {
		return err
	}
	var refusal protocol.Refusal
	if err := json.Unmarshal(raw, &refusal); err != nil {
		return fmt.Errorf("the answer is not JSON: %w", err)
	}
	switch {
	case refusal.Code == protocol.RefusalUnknown:
		return &answeredError{refusal.Error, transport.ErrNotFound}
	case refusal.Code == protocol.RefusalInvalid:
		return &answeredError{refusal.Error, schema.ErrInvalid}
	case refusal.Error != "":
		return errors.New(refusal.Error)
	}
	return json.Unmarshal(raw, out)
}

// answeredError is the text of a refusal, with what it is.
type answeredError struct {
	text string
	is   error
}

func (e *answeredError) Error() string { return e.text }
func (e *answeredError) Unwrap() error { return e.is }
