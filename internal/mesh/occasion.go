package mesh

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go/jetstream"
)

// scheduleWorld keeps the schedule of what is done for a world now and then.
func (m *Mesh) scheduleWorld(ctx context.Context, what, world, pattern, zone string) error {
	if err := schema.CheckToken("world", world); err != nil {
		return err
	}
	return m.Cron(ctx, what+"."+world, pattern, zone, nil)
}

// unscheduleWorld takes the schedule of a world away, if there is one.
func (m *Mesh) unscheduleWorld(ctx context.Context, timer, world string) error {
	msg, err := m.conn.Last(ctx, transport.StreamTimers, timer+world)
	if errors.Is(err, transport.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return m.conn.Remove(ctx, transport.StreamTimers, msg.Sequence)
}

// scheduledWorlds are the worlds that have a schedule under timer.
func (m *Mesh) scheduledWorlds(ctx context.Context, timer string) ([]string, error) {
	var out []string
	err := m.conn.Each(ctx, transport.StreamTimers, timer+"*", func(msg *jetstream.RawStreamMsg) bool {
		if msg.Header.Get(jetstream.ScheduleHeader) != "" {
			out = append(out, strings.TrimPrefix(msg.Subject, timer))
		}
		return true
	})
	return out, err
}

// onDue registers the handler of what is due for a world, in the name of a durable
// consumer. TIMERS keeps one message a subject, so what was missed several times comes once.
func (m *Mesh) onDue(consumer, due string, f func(ctx context.Context, world, id string) error) {
	m.addRunner(&transport.Runner{
		Name: consumer, Stream: transport.StreamTimers, Filter: due + "*", Workers: 1, Limit: scanLimit,
		Slowest: followSlowest,
		Handle: func(ctx context.Context, d *transport.Delivery) error {
			if err := f(ctx, strings.TrimPrefix(d.Subject, due), "due-"+strconv.FormatUint(d.Sequence, 10)); err != nil {
				return err
			}
			return m.conn.Remove(ctx, transport.StreamTimers, d.Sequence)
		},
		Bury: func(ctx context.Context, d *transport.Delivery, cause error) error {
			if err := m.buryFollowed(ctx, consumer, transport.StreamTimers, d, cause); err != nil {
				return err
			}
			return m.conn.Remove(ctx, transport.StreamTimers, d.Sequence)
		},
	})
}
