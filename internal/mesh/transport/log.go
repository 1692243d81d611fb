package transport

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go/jetstream"
)

// MemoryLog is the log of what NPCs remember, memory.<world>.<npc>.<player>. It is
// the truth; whoever keeps an index of it reads it from where it stopped.
type MemoryLog struct{ conn *Conn }

// MemoryLog is the log of this broker.
func (c *Conn) MemoryLog() *MemoryLog { return &MemoryLog{c} }

// Logged is an entry of the log.
type Logged struct {
	Event    schema.MemoryEvent
	Sequence uint64
	Player   string // of its subject, "_" for none
	Last     bool   // nothing stands behind it now
	Bad      error  // the entry cannot be read; the event is empty
}

// Of says whose entry it is; without a player, it is of nobody.
func (l *Logged) Of() schema.ConversationID {
	of := schema.ConversationID{World: l.Event.World, NPC: l.Event.NPC, Player: l.Player}
	if of.Player == NoPlayer {
		of.Player = ""
	}
	return of
}

// ErrLogMoved says that somebody has written to this part of the log since it was
// read: read on, and decide again.
var ErrLogMoved = errors.New("the memory log has gone on")

// Append stores an event behind the entry after, the last that the writer has
// seen of the same NPC and player; 0 is none. ErrLogMoved may also mean that this
// very event was stored and the answer lost: whoever reads on finds it. ErrErased: it
// comes from a turn or an event of a player who was erased after it.
func (l *MemoryLog) Append(ctx context.Context, e *schema.MemoryEvent, after uint64) (uint64, error) {
	convo := schema.ConversationID{World: e.World, NPC: e.NPC, Player: e.Player}
	for _, f := range []struct{ field, value string }{{"world", convo.World}, {"npc", convo.NPC},
		{"player", cmp.Or(convo.Player, "none")}} {
		if err := schema.CheckToken(f.field, f.value); err != nil {
			return 0, fmt.Errorf("memory event %s: %w", e.ID, err)
		}
	}
	data, err := json.Marshal(e)
	if err != nil {
		return 0, fmt.Errorf("memory event %s: %w", e.ID, err)
	}
	msg := NewMessage(protocol.SubjectMemory(convo), data, jetstream.MsgIDHeader, e.ID,
		jetstream.ExpectedLastSubjSeqHeader, strconv.FormatUint(after, 10))
	var ack Stored
	err = RetryWhile(ctx, IsLost, func() error {
		// Looked at before each attempt, so that none is under way long after an erasure began.
		if refused, err := l.refuses(ctx, e); err != nil {
			return err
		} else if refused {
			return fmt.Errorf("memory event %s: %w", e.ID, ErrErased)
		}
		answer, err := l.conn.Request(ctx, msg, ReadTimeout)
		if err == nil {
			ack, err = parseStored(answer.Data)
		}
		return Wrap(err, "publish on %s", msg.Subject)
	})
	if IsConflict(err) {
		return 0, ErrLogMoved
	}
	return ack.Sequence, err
}

// Read gives the entries of an NPC behind a place, in order. An empty npc is all
// NPCs of the world.
func (l *MemoryLog) Read(ctx context.Context, world, npc string, after uint64, f func(Logged) error) error {
	return l.read(ctx, protocol.Prefix+"memory."+world+"."+cmp.Or(npc, "*")+".*", after, f)
}

// ReadOf gives the entries of one NPC and player behind a place, in order; without a
// player, those of nobody.
func (l *MemoryLog) ReadOf(ctx context.Context, of schema.ConversationID, after uint64, f func(Logged) error) error {
	return l.read(ctx, protocol.SubjectMemory(of), after, f)
}

func (l *MemoryLog) read(ctx context.Context, subject string, after uint64, f func(Logged) error) error {
	var failed error
	err := l.conn.EachFrom(ctx, StreamMemory, subject, after+1, func(msg *jetstream.RawStreamMsg) bool {
		failed = f(ParseLogged(msg.Subject, msg.Sequence, msg.Data))
		return failed == nil
	})
	if err == nil {
		err = failed
	}
	return err
}

// ParseLogged reads an entry of the log; Bad says why where it cannot be read.
func ParseLogged(subject string, sequence uint64, data []byte) Logged {
	out := Logged{Sequence: sequence}
	s, err := protocol.ParseSubject(subject)
	out.Player = s.Conversation.Player
	if err == nil {
		err = json.Unmarshal(data, &out.Event)
	}
	if e := &out.Event; err == nil &&
		protocol.SubjectMemory(schema.ConversationID{World: e.World, NPC: e.NPC, Player: e.Player}) != subject {
		err = fmt.Errorf("event %s of %s.%s stands on %s", e.ID, e.World, e.NPC, subject)
	}
	if err != nil {
		out.Event = schema.MemoryEvent{World: s.Conversation.World, NPC: s.Conversation.NPC}
		out.Bad = fmt.Errorf("entry %d of the memory log: %w", sequence, err)
	}
	return out
}

// End is the place of the last entry; 0 where there is none.
func (l *MemoryLog) End(ctx context.Context) (uint64, error) {
	s, err := l.conn.Look(ctx, StreamMemory)
	if err != nil {
		return 0, fmt.Errorf("stream %s: %w", StreamMemory, err)
	}
	return s.CachedInfo().State.LastSeq, nil
}

// Follow gives every entry behind a place, and then each new one, until the
// context ends or f fails. A broken connection is mended and the reading goes on
// where it was.
func (l *MemoryLog) Follow(ctx context.Context, after uint64, f func(Logged) error) error {
	return l.conn.follow(ctx, StreamMemory, after, func(subject string, sequence, pending uint64, data []byte) error {
		entry := ParseLogged(subject, sequence, data)
		entry.Last = pending == 0
		return f(entry)
	})
}

// follow gives every message of a stream behind a place, and then each new one.
func (c *Conn) follow(
	ctx context.Context, stream string, after uint64, f func(subject string, sequence, pending uint64, data []byte) error,
) error {
	messages, err := c.ordered(ctx, stream, after)
	if err != nil {
		return fmt.Errorf("follow %s: %w", stream, err)
	}
	defer func() {
		if messages != nil {
			messages.Stop()
		}
	}()
	for {
		msg, err := messages.Next(jetstream.NextContext(ctx))
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, jetstream.ErrNoHeartbeat):
			continue
		case err != nil:
			messages.Stop()
			if messages, err = c.orderedAgain(ctx, stream, after); err != nil {
				return err
			}
			continue
		}
		meta, err := msg.Metadata()
		if err != nil {
			continue
		}
		after = meta.Sequence.Stream
		if err := f(msg.Subject(), after, meta.NumPending, msg.Data()); err != nil {
			return err
		}
	}
}

// ordered reads a stream behind a place. The library makes a lost consumer anew once: it would go on trying
// behind the end of a context, and who stops it meanwhile may stop the consumer before.
func (c *Conn) ordered(ctx context.Context, stream string, after uint64) (jetstream.MessagesContext, error) {
	cons, err := c.js.OrderedConsumer(ctx, stream, jetstream.OrderedConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: after + 1, MaxResetAttempts: 1,
	})
	if err != nil {
		return nil, err
	}
	return cons.Messages(jetstream.PullHeartbeat(PullHeartbeat))
}

// orderedAgain tries until the broker has the consumer again, or the context or the connection ends.
func (c *Conn) orderedAgain(ctx context.Context, stream string, after uint64) (jetstream.MessagesContext, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, ErrDisconnected
		case <-time.After(followAgain):
		}
		if messages, err := c.ordered(ctx, stream, after); err == nil {
			return messages, nil
		}
	}
}

// followAgain is how long a follower waits before it asks again for a consumer that was lost.
const followAgain = time.Second
