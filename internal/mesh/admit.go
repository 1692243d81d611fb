package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Admission bounds what players and worlds say. Times are the broker's.
//
// The buckets lie in the memory of each process that runs the intake. Each tells the
// others what it has taken, and they take that from theirs: together they let through
// what one would, and besides only what was taken while the word was on its way. The
// word is not kept. Where it is lost, or a process has just begun with full buckets, a
// player gets so much more; never less than its share, and no turn waits for it.
type Admission interface {
	// Take takes a turn, or says how long such a one must wait.
	Take(world, player string, at time.Time) (wait time.Duration)
	// Spend counts a turn that another process has taken.
	Spend(world, player string, at time.Time)
}

// admit says how long a turn should have waited, and why; 0 takes it. A doorbell that
// rings again rings for a turn that may have begun, and is not asked twice. What an NPC
// says unasked is bounded by its own rules, and costs the player nothing.
func (i *intake) admit(
	req *schema.Request, d *transport.Delivery,
) (reason string, wait time.Duration) {
	if i.crowded(d, req.Deadline()) {
		return schema.ReasonOverload, retryAfterFull
	}
	if i.Admission == nil || d.Attempt > 1 || req.Unasked() || req.Scene.Moves() {
		return "", 0
	}
	if wait = i.Admission.Take(req.World, req.Player, d.Stored); wait > 0 {
		return schema.ReasonRateLimited, wait
	}
	if i.m.opts.Shared {
		i.m.tellTaken(req, d.Stored)
	}
	return "", 0
}

// sendAway answers a turn at once. It takes no pass, and leaves nothing in the
// conversation, so it need not wait for those before it.
func (i *intake) sendAway(
	ctx context.Context, d *transport.Delivery, convo schema.ConversationID, req *schema.Request,
	reason string, wait time.Duration,
) error {
	why := errOverLimit
	if reason == schema.ReasonOverload {
		why = errTooMany
	}
	i.m.opts.Report(Report{Where: "intake", Subject: d.Subject, Turn: req.TurnID, Attempt: d.Attempt, Outcome: "shed",
		Err: why})
	return i.m.conclude(ctx, ending{convo: convo, turn: req.TurnID, sequence: d.Sequence, reason: reason,
		retryAfter: wait}, req, d.Stored)
}

// sentBefore sends a turn away that was to be before, and says whether it was: its fence
// stands, and the reply may not.
func (i *intake) sentBefore(
	ctx context.Context, d *transport.Delivery, convo schema.ConversationID, req *schema.Request,
) (bool, error) {
	begun, err := i.m.said.begun(ctx, convo, req.TurnID)
	if err != nil || !begun.away.is() {
		return false, err
	}
	return true, i.sendAway(ctx, d, convo, req, begun.away.reason, begun.away.retryAfter)
}

var errOverLimit = errors.New("the player or its world says more than its limit")

// inMilliseconds rounds up, so that whoever waits as long has waited enough.
func inMilliseconds(d time.Duration) int { return int((d + time.Millisecond - 1) / time.Millisecond) }

// tellTaken tells the intakes of other processes of a turn that this one has taken.
func (m *Mesh) tellTaken(of *schema.Request, at time.Time) {
	data, err := json.Marshal(protocol.Taken{By: m.self, World: of.World, Player: of.Player, At: at})
	if err == nil {
		err = m.conn.Core().Publish(protocol.SubjectTaken, data)
	}
	if err != nil {
		m.opts.Report(Report{Where: "intake", Subject: protocol.SubjectTaken, Outcome: "lost", Err: err})
	}
}

// hearTaken counts what other processes have taken.
func (i *intake) hearTaken(_ context.Context, msg *transport.Message) {
	var t protocol.Taken
	if json.Unmarshal(msg.Data, &t) == nil && t.By != i.m.self {
		i.Admission.Spend(t.World, t.Player, t.At)
	}
}

// mostReported bounds the subjects whose refusal is reported; a subject may name a turn.
const mostReported = 256

// watchRefusals reports what the broker refuses this process, each subject once,
// until the context ends: of what is not a question nobody else hears.
func (m *Mesh) watchRefusals(ctx context.Context) {
	known := map[string]bool{}
	for {
		news, told := m.conn.Refusals()
		for _, e := range news {
			if len(known) < mostReported && !known[e.Subject] {
				known[e.Subject] = true
				m.opts.Report(Report{Where: "rights", Subject: e.Subject, Outcome: "lost", Err: e})
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-told:
		}
	}
}
