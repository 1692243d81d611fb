package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	_ "time/tzdata"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go/jetstream"
) // time zones of cron schedules, wherever the binary runs

// schedule has the broker send the turn to the deadline handler at a time. The
// header is written here because the library's own option cuts the time to
// whole seconds. A second schedule on the same subject replaces the first.
func (m *Mesh) schedule(
	ctx context.Context, convo schema.ConversationID, turn string, sequence uint64, at time.Time,
) error {
	body, err := json.Marshal(protocol.Due{World: convo.World, NPC: convo.NPC, Player: convo.Player, TurnID: turn,
		Sequence: sequence})
	if err != nil {
		return err
	}
	if mutant == mutantDeadlineSchedule {
		return nil
	}
	_, err = m.publish(ctx, transport.NewMessage(protocol.SubjectTimer(turn), body,
		jetstream.ScheduleHeader, "@at "+at.UTC().Format(time.RFC3339Nano),
		jetstream.ScheduleTargetHeader, protocol.SubjectDue(convo, turn)))
	return err
}

// unschedule takes a turn's schedule away: the roll-up removes it, and the
// message that did so removes itself.
func (m *Mesh) unschedule(ctx context.Context, turn string) error {
	_, err := m.publish(ctx, transport.NewMessage(protocol.SubjectTimer(turn), nil, jetstream.MsgRollup, "sub",
		jetstream.MsgTTLHeader, "1s"))
	return err
}

// Cron keeps a repeated schedule: the broker publishes body on due.<name> at
// each time that the six-field pattern names in the zone. A stored schedule with
// the same pattern is left alone, so that one missed while everything was down
// still fires, once.
func (m *Mesh) Cron(ctx context.Context, name, pattern, zone string, body []byte) error {
	if zone == "" {
		zone = "UTC"
	}
	if _, err := time.LoadLocation(zone); err != nil {
		return fmt.Errorf("time zone %q is not known; write one such as Europe/Berlin", zone)
	}
	subject := protocol.Prefix + "timer." + name
	stored, err := m.conn.Last(ctx, transport.StreamTimers, subject)
	if err != nil && !errors.Is(err, transport.ErrNotFound) {
		return err
	}
	if err == nil && stored.Header.Get(jetstream.ScheduleHeader) == pattern &&
		stored.Header.Get(jetstream.ScheduleTimeZoneHeader) == zone {
		return nil
	}
	_, err = m.publish(ctx, transport.NewMessage(subject, body,
		jetstream.ScheduleHeader, pattern, jetstream.ScheduleTimeZoneHeader, zone, jetstream.ScheduleTargetHeader,
		protocol.Prefix+"due."+name))
	return transport.Wrap(err, "schedule %s as %q", name, pattern)
}
