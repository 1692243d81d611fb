package mesh

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Intake is the doorbell of TURNS.
type Intake struct {
	// Check says whether the world and the NPC exist. An error that is
	// schema.ErrInvalid ends the turn as aborted, reason INVALID, with the error
	// as detail; any other error is tried again. May be nil.
	Check func(*schema.Request) error
	// Admission bounds what players and worlds say; nil: nothing does.
	Admission Admission
	// Author is that of Ends, where the intake itself ends a turn and Ends is run by
	// another process.
	Author Author
	// Stage is what this process knows of scenes.
	Stage Stage
}

// Intake registers the doorbell to be run by Run.
func (m *Mesh) Intake(in Intake) {
	i := &intake{m: m, Intake: in}
	if m.ends.Author == nil {
		m.ends.Author = in.Author
	}
	if m.stage.Cast == nil {
		m.stage = in.Stage
	}
	if in.Admission != nil && m.opts.Shared {
		m.subs = append(m.subs, subscription{subject: protocol.SubjectTaken, handle: i.hearTaken})
	}
	m.addRunner(urgent(&transport.Runner{Name: "intake", Stream: transport.StreamTurns, Handle: i.ring, Bury: i.refuse,
		AckWait: bellAckWait}))
}

type intake struct {
	m *Mesh
	Intake
}

// where names the intake in dead letters.
const where = schema.Pass("intake")

// urgent are the consumers on which the ends of turns rest: the intake, the deadline and the
// finisher. What fails them is the broker, and a turn may hang on any of their messages.
// So an error is tried until it succeeds, and soon: once broker and services are back, a
// turn is ended within two seconds.
func urgent(r *transport.Runner) *transport.Runner {
	handle, bury := r.Handle, r.Bury
	r.Handle = func(ctx context.Context, d *transport.Delivery) error {
		return handle(transport.WithUrgentRetry(ctx), d)
	}
	r.Bury = func(ctx context.Context, d *transport.Delivery, cause error) error {
		return bury(transport.WithUrgentRetry(ctx), d, cause)
	}
	r.Patient, r.Limit, r.Slowest = true, messageTimeout, soonest
	return r
}

// soonest is the mean wait for the next try of what is urgent; half as much again may come
// on top.
const soonest = 330 * time.Millisecond

// ring schedules the deadline, starts the conversation if it rests, and tells
// an older turn that it is superseded.
func (i *intake) ring(ctx context.Context, d *transport.Delivery) error {
	m := i.m
	subject, err := protocol.ParseSubject(d.Subject)
	if err != nil {
		return err
	}
	convo := subject.Conversation
	d.Of = turnIn(d.Data, d.Sequence)
	req, err := i.read(convo, d)
	if errors.Is(err, schema.ErrInvalid) {
		return Reject(err)
	}
	if err != nil {
		return err
	}
	if err := m.step("intake.read"); err != nil {
		return err
	}
	if why, wait := i.admit(req, d); wait > 0 {
		return i.sendAway(ctx, d, convo, req, why, wait)
	}
	accepted, err := i.begin(ctx, d, convo, req)
	if err != nil {
		return err
	}
	if accepted.turn == "" { // it has an event: the bell rings again
		if done, err := i.sentBefore(ctx, d, convo, req); done || err != nil {
			return err
		}
	}
	if req.Supersedes != "" {
		if err := sendCancel(m.conn, convo, req.Supersedes, schema.ReasonSuperseded); err != nil {
			return err
		}
	}
	return m.advance(ctx, convo, accepted)
}

// begin stores the deadline and the first event. Neither waits for the other:
// the doorbell is acked after both, and rings again until then.
func (i *intake) begin(
	ctx context.Context, d *transport.Delivery, convo schema.ConversationID, req *schema.Request,
) (said, error) {
	var scheduled error
	var wait sync.WaitGroup
	wait.Go(func() {
		at := d.Stored.Add(req.Deadline() - margin(req.Deadline()))
		if scheduled = i.m.schedule(ctx, convo, req.TurnID, d.Sequence, at); scheduled == nil {
			scheduled = i.m.step("intake.scheduled")
		}
	})
	accepted, err := i.accept(ctx, convo, req)
	wait.Wait()
	return accepted, cmp.Or(scheduled, err)
}

func (i *intake) read(convo schema.ConversationID, d *transport.Delivery) (*schema.Request, error) {
	req, err := readRequest(convo, d.Data)
	if err != nil || i.Check == nil {
		return req, err
	}
	return req, i.Check(req)
}

// said is the place of an event that the turn's first pass should know of.
type said struct {
	turn     string
	sequence uint64
}

// accept is the first event of a turn.
func (i *intake) accept(ctx context.Context, convo schema.ConversationID, req *schema.Request) (said, error) {
	event := schema.Said{Kind: schema.SaidAccepted, TurnID: req.TurnID}
	sequence, err := i.m.said.append(ctx, protocol.SubjectSaid(convo, req.TurnID), event, 0)
	if transport.IsConflict(err) {
		return said{}, nil
	}
	if err == nil {
		err = i.m.step("intake.accepted")
	}
	return said{turn: req.TurnID, sequence: sequence}, err
}

// refuse answers what is no request, or what the intake cannot take: a dead letter and the
// one reply.
func (i *intake) refuse(ctx context.Context, d *transport.Delivery, cause error) error {
	subject, err := protocol.ParseSubject(d.Subject)
	if err != nil {
		return err
	}
	convo, turn := subject.Conversation, turnIn(d.Data, d.Sequence)
	if err := i.m.bury(ctx, where, transport.StreamTurns, d, convo, turn, cause, d.Data); err != nil {
		return err
	}
	if err := i.m.step("intake.buried"); err != nil {
		return err
	}
	if !errors.Is(cause, schema.ErrInvalid) {
		return i.m.end(ctx, ending{convo: convo, turn: turn, sequence: d.Sequence, reason: schema.ReasonPoison})
	}
	if err := i.m.publishReply(ctx, invalidReply(convo, turn, d.Sequence, d.Stored, cause)); err != nil {
		return err
	}
	// Where its turn id has had a reply before, no finisher comes to clear it away.
	return i.m.advance(ctx, convo, said{})
}

// invalidReply is the end of what was never a turn.
func invalidReply(convo schema.ConversationID, turn string, sequence uint64, at time.Time, cause error) *schema.Reply {
	return of(&schema.Reply{
		SchemaVersion: schema.Version, TurnID: turn, Status: schema.StatusAborted, Reason: schema.ReasonInvalid,
		Detail: cause.Error(), Sentences: []schema.Sentence{}, SourceCounts: map[schema.Origin]int{},
		Passes:   []schema.PassRecord{},
		Sequence: sequence, AcceptedAt: at.UTC(),
	}, convo)
}

// TurnOf is the turn id of a message on TURNS, whatever its body is worth.
func TurnOf(msg *transport.Entry) string { return turnIn(msg.Data, msg.Sequence) }

// turnIn reads the turn id from a body that may be no request, or makes one of
// its sequence.
func turnIn(data []byte, sequence uint64) string {
	var id struct {
		TurnID string `json:"turn_id"`
	}
	if err := json.Unmarshal(data, &id); err == nil && schema.CheckToken("turn_id", id.TurnID) == nil {
		return id.TurnID
	}
	return "seq-" + strconv.FormatUint(sequence, 10)
}
