package natstest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Broker is a connection of its own, with rights that no service has.
type Broker struct {
	nc *nats.Conn
	js jetstream.JetStream
}

// TamperWith reaches a broker, and finds it again as often as it goes away.
func TamperWith(url string) (*Broker, error) {
	nc, err := nats.Connect(url, nats.Name("tamper"), nats.MaxReconnects(-1), nats.ReconnectWait(100*time.Millisecond))
	if err != nil {
		return nil, err
	}
	js, err := jetstream.New(nc)
	if err != nil {
		nc.Close()
		return nil, err
	}
	return &Broker{nc: nc, js: js}, nil
}

// Close ends the connection.
func (b *Broker) Close() { b.nc.Close() }

// Due sends a turn's deadline at once, as a broker does whose clock is ahead.
func (b *Broker) Due(ctx context.Context, convo schema.ConversationID, turn string, sequence uint64) error {
	body, err := json.Marshal(protocol.Due{World: convo.World, NPC: convo.NPC, Player: convo.Player, TurnID: turn,
		Sequence: sequence})
	if err != nil {
		return err
	}
	_, err = b.Write(ctx, protocol.SubjectDue(convo, turn), body)
	return err
}

// Undue takes a turn's deadline away, as a broker does whose clock is behind.
func (b *Broker) Undue(ctx context.Context, turn string) error {
	msg := nats.NewMsg(protocol.SubjectTimer(turn))
	msg.Header.Set("Nats-Rollup", "sub")
	msg.Header.Set("Nats-TTL", "1s")
	_, err := b.js.PublishMsg(ctx, msg)
	return err
}

// Write stores a message under a subject, and says where in its stream.
func (b *Broker) Write(ctx context.Context, subject string, body []byte) (uint64, error) {
	ack, err := b.js.Publish(ctx, subject, body)
	if err != nil {
		return 0, fmt.Errorf("write on %s: %w", subject, err)
	}
	return ack.Sequence, nil
}

// forgetting are the streams whose messages carry ids that the protocol rests on.
var forgetting = []string{"TURNS", "PASSES", "SAID"}

// The shortest window that a broker takes, and how long it needs to act on it.
const (
	shortWindow = 100 * time.Millisecond
	forgotten   = 300 * time.Millisecond
)

// Forget has the broker forget every message id that it knows, as it does when the
// window in which it remembers them has passed.
func (b *Broker) Forget(ctx context.Context) (err error) {
	windows := map[string]time.Duration{}
	defer func() {
		for name, window := range windows {
			err = errors.Join(err, b.remember(context.WithoutCancel(ctx), name, window))
		}
	}()
	for _, name := range forgetting {
		s, err := b.js.Stream(ctx, name)
		if err != nil {
			return fmt.Errorf("stream %s: %w", name, err)
		}
		windows[name] = s.CachedInfo().Config.Duplicates
		// Twice: a broker sweeps its ids when a window changes, and may begin before it has
		// noted the new one. By the second change the first is noted.
		for _, window := range []time.Duration{shortWindow, shortWindow + time.Millisecond} {
			if err := b.remember(ctx, name, window); err != nil {
				return err
			}
		}
	}
	timer := time.NewTimer(forgotten)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
	return nil
}

// remember sets the window of a stream, as often as it takes: one that was left
// short would be refused by the next process that starts.
func (b *Broker) remember(ctx context.Context, name string, window time.Duration) error {
	var err error
	for range 20 {
		var s jetstream.Stream
		if s, err = b.js.Stream(ctx, name); err == nil {
			config := s.CachedInfo().Config
			config.Duplicates = window
			if _, err = b.js.UpdateStream(ctx, config); err == nil {
				return nil
			}
		}
		if ctx.Err() != nil {
			break
		}
	}
	return fmt.Errorf("set the window of %s to %s: %w", name, window, err)
}
