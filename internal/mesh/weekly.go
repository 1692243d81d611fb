package mesh

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
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

// StoredReply is a reply where it stands.
type StoredReply struct {
	Conversation schema.ConversationID // of its subject
	Turn         string                // of its subject
	At           time.Time             // when it was stored, by the broker's clock
	Reply        *schema.Reply         // nil where Bad is set
	Bad          error                 // the message is no reply of its subject
}

// StoredReplies gives the replies of a world that are kept, seven days of them, in order. An
// empty world is all of them. Markers of expired and erased replies are passed over.
func (c *Client) StoredReplies(ctx context.Context, world string, f func(StoredReply)) error {
	return c.conn.Each(ctx, transport.StreamReplies, protocol.Prefix+"reply."+cmp.Or(world, "*")+".*.*.*",
		func(msg *transport.Entry) bool {
			if !transport.IsMarker(msg.Header) {
				f(storedAs(msg))
			}
			return true
		})
}

func storedAs(msg *transport.Entry) StoredReply {
	s, err := protocol.ParseSubject(msg.Subject)
	out := StoredReply{Conversation: s.Conversation, Turn: s.Turn, At: msg.Time.UTC()}
	var r schema.Reply
	if err == nil {
		err = json.Unmarshal(msg.Data, &r)
	}
	if err == nil && protocol.SubjectReply(r.Conversation(), r.TurnID) != msg.Subject {
		err = fmt.Errorf("it names turn %q of %s.%s.%s", r.TurnID, r.World, r.NPC, r.Player)
	}
	if err != nil {
		out.Bad = fmt.Errorf("the reply on %s: %w", msg.Subject, err)
		return out
	}
	out.Reply = &r
	return out
}

// Week gives the replies of a world that are kept and can be read, in order, with when
// each was stored.
func (c *Client) Week(ctx context.Context, world string, f func(r *schema.Reply, at time.Time)) error {
	return c.StoredReplies(ctx, world, func(s StoredReply) {
		if s.Reply != nil {
			f(s.Reply, s.At)
		}
	})
}
