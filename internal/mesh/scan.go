package mesh

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// ConsumerScan is the durable consumer of due scans: of many replicas one takes
// each.
const ConsumerScan = "scan"

// scanLimit bounds one scan; the broker brings one that took longer again.
const scanLimit = 30 * time.Minute

const scanTimer, scanDue = protocol.Prefix + "timer.scan.", protocol.Prefix + "due.scan."

// ScheduleScan keeps the schedule of a world's scan. Several processes may: the
// same one is stored once.
func (m *Mesh) ScheduleScan(ctx context.Context, world, pattern, zone string) error {
	return m.scheduleWorld(ctx, "scan", world, pattern, zone)
}

// UnscheduleScan takes the schedule of a world away, if there is one.
func (m *Mesh) UnscheduleScan(ctx context.Context, world string) error {
	return m.unscheduleWorld(ctx, scanTimer, world)
}

// ScheduledScans are the worlds whose scan is scheduled.
func (m *Mesh) ScheduledScans(ctx context.Context) ([]string, error) {
	return m.scheduledWorlds(ctx, scanTimer)
}

// OnScan registers the handler of scans that are due. id names the occasion: the
// same scan given again has the same one. An error has it tried again, as OnReply does.
func (m *Mesh) OnScan(f func(ctx context.Context, world, id string) error) {
	m.onDue(ConsumerScan, scanDue, f)
}

// Nightly spreads a schedule of five cron fields over the ten minutes behind it, so
// that many worlds do not begin at once: each by its name, always at the same
// second. A minute that is no plain number, or would leave its hour, is moved by
// less.
func Nightly(schedule, world string) (string, error) {
	fields := strings.Fields(schedule)
	if len(fields) != 5 {
		return "", fmt.Errorf("schedule %q has %d fields; write five, such as 0 3 * * *", schedule, len(fields))
	}
	at := spread(world)
	if minute, err := strconv.Atoi(fields[0]); err == nil {
		fields[0] = strconv.Itoa(min(minute+at/60, max(minute, 59)))
	}
	return strconv.Itoa(at%60) + " " + strings.Join(fields, " "), nil
}

// spreadOver is how many seconds the scans of all worlds are spread over.
const spreadOver = 600

func spread(name string) int {
	hash := uint32(2166136261)
	for i := range len(name) {
		hash = (hash ^ uint32(name[i])) * 16777619
	}
	return int(hash % spreadOver)
}

// Since is from when on the replies to turns, and the events that backends saw, are
// all kept: zero where there are none.
func (c *Client) Since(ctx context.Context) (turns, events time.Time, err error) {
	for _, x := range []struct {
		stream string
		since  *time.Time
	}{{transport.StreamReplies, &turns}, {transport.StreamEvents, &events}} {
		s, err := c.conn.Look(ctx, x.stream)
		if err != nil {
			return turns, events, fmt.Errorf("stream %s: %w", x.stream, err)
		}
		*x.since = s.CachedInfo().State.FirstTime
	}
	return turns, events, nil
}

// Witnessed gives the events of a world that are kept, in order.
func (c *Client) Witnessed(ctx context.Context, world string, f func(*schema.Occurrence)) error {
	return c.conn.Each(ctx, transport.StreamEvents, protocol.SubjectEvent(world), func(msg *transport.Entry) bool {
		var o schema.Occurrence
		if json.Unmarshal(msg.Data, &o) == nil {
			f(&o)
		}
		return true
	})
}
