package mesh

import (
	"context"
	"errors"
	"strconv"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go/jetstream"
)

// ConsumerReport is the durable consumer of due reports: of many replicas one takes
// each.
const ConsumerReport = "report"

// reportsKept is how many reports of a world are kept.
const reportsKept = 60

const reportTimer, reportDue = protocol.Prefix + "timer.report.", protocol.Prefix + "due.report."

// ScheduleReport keeps the schedule of a world's report, as ScheduleScan does for scans.
func (m *Mesh) ScheduleReport(ctx context.Context, world, pattern, zone string) error {
	return m.scheduleWorld(ctx, "report", world, pattern, zone)
}

// UnscheduleReport takes the schedule of a world away, if there is one.
func (m *Mesh) UnscheduleReport(ctx context.Context, world string) error {
	return m.unscheduleWorld(ctx, reportTimer, world)
}

// ScheduledReports are the worlds whose report is scheduled.
func (m *Mesh) ScheduledReports(ctx context.Context) ([]string, error) {
	return m.scheduledWorlds(ctx, reportTimer)
}

// OnReport registers the handler of reports that are due, as OnScan does for scans.
func (m *Mesh) OnReport(f func(ctx context.Context, world, id string) error) {
	m.onDue(ConsumerReport, reportDue, f)
}

// Reports are the weekly reports that a broker keeps.
type Reports struct{ conn *Conn }

// Reports are the reports that this broker keeps.
func (c *Conn) Reports() *Reports { return &Reports{c} }

// Reports are the reports of the broker that a client speaks to.
func (c *Client) Reports() *Reports { return c.conn.Reports() }

// Add publishes a report as JSON on its world's subject. id names the occasion: of one
// that was published before, the report that stands is returned, and nothing is published.
func (r *Reports) Add(ctx context.Context, world, id string, data []byte) (stands []byte, err error) {
	if err := schema.CheckToken("world", world); err != nil {
		return nil, err
	}
	last, err := r.conn.last(ctx, streamReports, protocol.SubjectReport(world))
	sequence := uint64(0)
	switch {
	case errors.Is(err, ErrNotFound):
	case err != nil:
		return nil, err
	case last.Header.Get(headerMsgID) == id:
		return last.Data, nil
	default:
		sequence = last.Sequence
	}
	_, err = r.conn.publish(ctx, message(protocol.SubjectReport(world), data, headerMsgID, id,
		headerExpected, strconv.FormatUint(sequence, 10)), readTimeout)
	return data, wrap(err, "publish the report of %s", world)
}

// Each gives the reports of a world, or of all where it is empty, in order.
func (r *Reports) Each(ctx context.Context, world string, f func(data []byte) error) error {
	var failed error
	err := r.conn.each(ctx, streamReports, protocol.SubjectReport(orDefault(world, "*")),
		func(msg *jetstream.RawStreamMsg) bool {
			failed = f(msg.Data)
			return failed == nil
		})
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil // a mesh that an older build set up
	}
	return errors.Join(err, wrap(failed, "report of %s", orDefault(world, "a world")))
}
