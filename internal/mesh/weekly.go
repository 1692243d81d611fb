package mesh

import (
	"context"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
)

// ConsumerReport is the durable consumer of due reports: of many replicas one takes
// each.
const ConsumerReport = "report"

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

// Reports are the reports of the broker that a client speaks to.
func (c *Client) Reports() *transport.Reports { return c.conn.Reports() }
