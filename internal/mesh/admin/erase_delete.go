package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// ErrNobodyEnds says that no service runs that could end a turn.
var ErrNobodyEnds = errors.New("nobody ends turns here")

// endTimeout bounds how long one turn may take to end.
const endTimeout = 30 * time.Second

// End cancels the turns that wait, and comes back when each has ended. A mesh of
// which no service runs ends none: ErrNobodyEnds.
func (e *Eraser) End(ctx context.Context, open []EndedTurn) error {
	for _, t := range open {
		asking, stop := context.WithTimeout(ctx, endTimeout)
		_, err := e.conn.Core().RequestMsgWithContext(asking,
			transport.NewMessage(protocol.SubjectCancel(t.Conversation, t.Turn), nil))
		stop()
		if errors.Is(err, nats.ErrNoResponders) {
			return ErrNobodyEnds
		}
		if err != nil { // the answer may be that it has ended already
			return fmt.Errorf("end turn %s: %w", t.Turn, err)
		}
	}
	for _, t := range open {
		if err := e.ended(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// ended waits until a turn has left its queue.
func (e *Eraser) ended(ctx context.Context, t EndedTurn) error {
	ctx, stop := context.WithTimeout(ctx, endTimeout)
	defer stop()
	for {
		_, err := mesh.QueuedTurn(ctx, e.conn, t.Conversation, t.Turn)
		if errors.Is(err, transport.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("turn %s was cancelled and has not ended; see `forsooth doctor`, and run this again", t.Turn)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Refuse keeps the turns and events of a trail from being taken a second time.
func (e *Eraser) Refuse(ctx context.Context, key []byte, turns []EndedTurn) error {
	for _, t := range turns {
		if err := e.conn.Refuse(ctx, key, t.Conversation, t.Turn); err != nil {
			return err
		}
	}
	return nil
}

// Erase deletes the messages of a place, and says how many.
func (e *Eraser) Erase(ctx context.Context, p *Place) (int, error) {
	for i, m := range p.messages {
		if err := e.delete(ctx, p.stream, m); err != nil {
			return i, err
		}
	}
	if p.stream == transport.StreamSaidHashes {
		return len(p.messages), e.saidAnew(ctx, p)
	}
	return len(p.messages), nil
}

// saidAnew has the processes that know what NPCs said forget what was erased of it.
func (e *Eraser) saidAnew(ctx context.Context, p *Place) error {
	told := map[schema.ConversationID]bool{}
	for _, m := range p.messages {
		of := ofSubject(m.subject)
		if of.Player = ""; told[of] {
			continue
		}
		told[of] = true
		if err := e.conn.SaidHashes().Anew(ctx, of.World, of.NPC); err != nil {
			return err
		}
	}
	return nil
}

// Share puts events that the player only witnessed in their place without them.
func (e *Eraser) Share(ctx context.Context, t *Trail) (int, error) {
	for i, s := range t.shared {
		data, err := json.Marshal(s.event)
		if err != nil {
			return i, err
		}
		msg := transport.NewMessage(protocol.SubjectEvent(s.event.World), data, jetstream.MsgIDHeader,
			fmt.Sprintf("%s/%d", s.event.ID, s.sequence))
		transport.MarkShared(msg)
		if _, err := e.conn.Publish(ctx, msg, transport.ReadTimeout); err != nil {
			return i, err
		}
		if err := e.delete(ctx, transport.StreamEvents, spot{s.sequence, msg.Subject}); err != nil {
			return i, err
		}
	}
	return len(t.shared), nil
}

// EraseEntries deletes entries of the memory log.
func (e *Eraser) EraseEntries(ctx context.Context, entries []transport.Logged) (int, error) {
	for i := range entries {
		if err := e.delete(ctx, transport.StreamMemory, spot{sequence: entries[i].Sequence}); err != nil {
			return i, err
		}
	}
	return len(entries), nil
}

// delete deletes a message; a secure eraser has the broker write random bytes in
// its place. A bucket of an older version forbids either: its subject is purged.
func (e *Eraser) delete(ctx context.Context, stream string, m spot) error {
	c := e.conn
	err := c.DeleteMessage(ctx, stream, m.sequence, e.secure, 5*transport.ReadTimeout)
	if !transport.IsNotDeleted(err) || m.subject == "" {
		return err
	}
	s, found := c.Stream(ctx, stream)
	if found != nil {
		return found
	}
	return transport.Wrap(s.Purge(ctx, jetstream.WithPurgeSubject(m.subject)), "purge %s", stream)
}
