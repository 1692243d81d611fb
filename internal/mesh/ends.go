package mesh

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go"
)

// Author writes the reply of a turn that is ended.
type Author func(ctx context.Context, req *schema.Request, said Progress, reason string) (*schema.Reply, error)

// Ends is what a service adds to the ends of turns.
type Ends struct {
	// Author writes the reply of a turn that its deadline, a cancel or a newer
	// turn ends: what was said, and an authored line. It uses no model and no
	// store. The mesh fills in ids, and status and reason where they are empty. An
	// error or panic leaves a reply of what was said. May be nil.
	Author Author
	// Apply changes the conversation by a reply: working memory, trust, opinion.
	// It must depend on its arguments alone. May be nil.
	Apply func(doc *schema.Conversation, reply *schema.Reply)
	// Written are hashes of the sentences of a reply that a model wrote. May be nil.
	Written func(reply *schema.Reply) []uint64
	// Settle is called before Apply, and the conversation's next turn waits for both.
	// What it cannot do in two seconds comes later. May be nil.
	Settle Settle
	// Stage is what this process knows of scenes.
	Stage Stage
}

// bellAckWait is how long a silent worker keeps a turn whose deadline is to be set: two
// may die on it, one after the other, before the shortest deadline has come. Not less,
// for what waits in a busy process is given away as well.
const bellAckWait = time.Second

// dueAckWait is how long a silent worker keeps a deadline: much less than the margin of
// a second, so that one that dies on it leaves another the time to answer. Where there are
// other processes a deadline is offered to them even from one that lives: over a slow
// connection its six questions take longer than the margin, and whoever is first ends the
// turn.
const dueAckWait = 300 * time.Millisecond

// askers is how many questions for turns are answered at once.
const askers = 4

// Ends registers the deadline handler, the finisher and the answer to cancels
// to be run by Run.
func (m *Mesh) Ends(e Ends) {
	m.ends = e
	if e.Stage.Cast != nil {
		m.stage = e.Stage
	}
	m.addRunner(urgent(&transport.Runner{Name: "deadline", Stream: transport.StreamTimers,
		Filter: protocol.Prefix + "due.turn.>", Handle: m.expire, Bury: m.buryDue, AckWait: dueAckWait,
		Offered: m.opts.Shared}))
	m.addRunner(urgent(&transport.Runner{Name: "finisher", Stream: transport.StreamReplies, Handle: m.handleReply,
		Bury: m.buryReply}))
	m.subs = append(m.subs, subscription{subject: protocol.Prefix + "cancel.*.*.*.*", queue: "ends",
		handle: m.handleCancel},
		subscription{subject: protocol.SubjectActions("*"), queue: "ends", handle: m.handleActions})
	m.answer(protocol.SubjectConversation, "ends", m.answerConversation)
	m.answer(protocol.SubjectTraceOf, "ends", m.answerTrace)
	m.answer(protocol.SubjectOutcomes, "ends", m.answerOutcomes)
	m.answer(protocol.SubjectLetters, "ends", m.answerLetters)
	for range askers {
		m.subs = append(m.subs, subscription{subject: protocol.SubjectTurnOutcome, queue: "ends", handle: m.handleQuery},
			subscription{subject: protocol.SubjectTurnOutcomeOf("*"), queue: "ends", handle: m.handleQuery})
	}
}

// expire ends a turn whose deadline has come.
func (m *Mesh) expire(ctx context.Context, d *transport.Delivery) error {
	b, on, err := readDue(d)
	d.Of = on.Turn
	if err != nil {
		return Reject(err)
	}
	if err := m.end(ctx, ending{convo: on.Conversation, turn: on.Turn, sequence: b.Sequence,
		reason: schema.ReasonDeadline}); err != nil {
		return err
	}
	if err := m.step("deadline.ended"); err != nil {
		return err
	}
	return m.conn.Remove(ctx, transport.StreamTimers, d.Sequence)
}

// buryDue is the end of what is no deadline, or of one that cannot be carried out.
func (m *Mesh) buryDue(ctx context.Context, d *transport.Delivery, cause error) error {
	b, on, unreadable := readDue(d)
	if err := m.bury(ctx, "deadline", transport.StreamTimers, d, on.Conversation, on.Turn, cause, d.Data); err != nil {
		return err
	}
	if unreadable == nil {
		e := ending{convo: on.Conversation, turn: on.Turn, sequence: b.Sequence, reason: schema.ReasonPoison}
		if err := m.end(ctx, e); err != nil {
			return err
		}
	}
	return m.conn.Remove(ctx, transport.StreamTimers, d.Sequence)
}

// readDue reads a deadline and holds it against the subject it came on, which
// alone is sure to name a turn.
func readDue(d *transport.Delivery) (b protocol.Due, on protocol.Subject, err error) {
	on, err = protocol.ParseSubject(d.Subject)
	if err != nil {
		on.Conversation, on.Turn = schema.ConversationID{World: "unknown", NPC: "unknown", Player: "unknown"}, "unknown"
		return b, on, err
	}
	if err := json.Unmarshal(d.Data, &b); err != nil {
		return b, on, fmt.Errorf("the deadline is not JSON: %w", err)
	}
	if of := (schema.ConversationID{World: b.World, NPC: b.NPC, Player: b.Player}); of != on.Conversation ||
		b.TurnID != on.Turn {
		return b, on, fmt.Errorf("the deadline names turn %q of %q, and its subject %q of %q", b.TurnID, of, on.Turn,
			on.Conversation)
	}
	return b, on, nil
}

// ending is a turn that is to end now, and why.
type ending struct {
	convo    schema.ConversationID
	turn     string
	sequence uint64 // of the request in TURNS
	reason   string
	detail   string

	retryAfter time.Duration // where the turn was not gone into
}

// sentAway is why a turn was sent away unheard; empty: it was not. The fence of such a turn
// carries it in its headers, so that whoever has to end the turn does so for that reason:
// the worker that put up the fence may be gone, or its reply may be lost.
type sentAway struct {
	reason     string
	retryAfter time.Duration
}

// headerRetryAfter is in milliseconds.
const headerRetryAfter = "Forsooth-Retry-After"

func (a sentAway) is() bool { return a.reason != "" }

func (a sentAway) ending(convo schema.ConversationID, turn string, sequence uint64) ending {
	return ending{convo: convo, turn: turn, sequence: sequence, reason: a.reason, retryAfter: a.retryAfter}
}

func (a sentAway) headers() []string {
	if !a.is() {
		return nil
	}
	return []string{headerReason, a.reason, headerRetryAfter, strconv.Itoa(inMilliseconds(a.retryAfter))}
}

// awayBy reads the headers of the last event of a turn.
func awayBy(h nats.Header) sentAway {
	ms, _ := strconv.Atoi(h.Get(headerRetryAfter))
	return sentAway{reason: h.Get(headerReason), retryAfter: time.Duration(ms) * time.Millisecond}
}

// end gives a turn its reply unless it has one: first the fence, then what was
// said before it and an authored line.
func (m *Mesh) end(ctx context.Context, e ending) error {
	if _, err := m.conn.Reply(ctx, e.convo, e.turn); !errors.Is(err, transport.ErrNotFound) {
		return err
	}
	msg, err := m.conn.Get(ctx, transport.StreamTurns, e.sequence, "")
	if errors.Is(err, transport.ErrNotFound) {
		return nil // ended and applied meanwhile
	}
	if err != nil {
		return err
	}
	if msg.Subject != protocol.SubjectTurn(e.convo) || TurnOf(msg) != e.turn {
		return nil
	}
	req, err := readRequest(e.convo, msg.Data)
	if err != nil {
		return nil // its doorbell answers it
	}
	if err := m.step("end.read"); err != nil {
		return err
	}
	ctx = m.turn(ctx, req.TurnID, msg.Time.UTC(), msg.Header)
	return m.conclude(ctx, e, req, msg.Time)
}

// conclude puts up the fence and gives a turn the reply of what was said before it.
func (m *Mesh) conclude(ctx context.Context, e ending, req *schema.Request, accepted time.Time) error {
	var away sentAway
	if e.retryAfter > 0 {
		away = sentAway{e.reason, e.retryAfter}
	}
	log, err := m.said.fence(ctx, e.convo, e.turn, saidLog{}, away)
	if err != nil {
		return err
	}
	if log.away.is() {
		e.reason, e.retryAfter = log.away.reason, log.away.retryAfter
	}
	if req.Scene != nil {
		if err := m.castEnding(ctx, req, e); err != nil {
			return err
		}
	}
	said := Progress{State: log.State}
	if slices.ContainsFunc(log.Sentences, func(s schema.Sentence) bool { return s.Authored }) {
		// An authored sentence may promise an action: its review record tells which.
		if said.Records, _, err = reviewRecords(ctx, m.conn, e.convo, e.turn); err != nil {
			return err
		}
	}
	reply := m.author(ctx, req, said, e)
	t := &protocol.Turn{Request: *req, Sequence: e.sequence, AcceptedAt: accepted.UTC()}
	if m.ends.Author != nil {
		t.Message = reply.Message // only the service knows whether it may be kept
	}
	m.complete(reply, t)
	return m.publishReply(ctx, reply)
}

// author asks the service for the reply; a service that fails leaves the turn
// with what was said, because a turn without a reply would hold up its
// conversation for ever.
func (m *Mesh) author(ctx context.Context, req *schema.Request, said Progress, e ending) (reply *schema.Reply) {
	plain := &schema.Reply{Sentences: said.Sentences, Status: endStatus(req, e.reason, said.Sentences),
		Reason: e.reason, Detail: e.detail, RetryAfterMS: inMilliseconds(e.retryAfter)}
	if req.Scene != nil && req.NPC == "" { // nobody there was to speak
		plain.Status = schema.StatusAborted
		return plain
	}
	if m.ends.Author == nil {
		return plain
	}
	defer func() {
		if v := recover(); v != nil {
			m.opts.Report(Report{Where: "author", Turn: e.turn, Outcome: "reject", Err: fmt.Errorf("panic: %v", v)})
			reply = plain
		}
	}()
	written, err := m.ends.Author(ctx, req, said, e.reason)
	if err != nil || written == nil {
		m.opts.Report(Report{Where: "author", Turn: e.turn, Outcome: "reject", Err: err})
		return plain
	}
	written.Status = cmp.Or(written.Status, plain.Status)
	written.Reason = cmp.Or(written.Reason, plain.Reason)
	written.Detail = cmp.Or(written.Detail, plain.Detail)
	written.RetryAfterMS = plain.RetryAfterMS
	return written
}

func endStatus(req *schema.Request, reason string, said []schema.Sentence) schema.Status {
	switch {
	case !protocol.IsLate(reason):
		return schema.StatusAborted
	case len(said) > 0:
		return schema.StatusPartial
	case req.Unasked(): // nobody waits for a line
		return schema.StatusAborted
	default:
		return schema.StatusAuthored
	}
}

// complete fills in what the mesh knows better than a pass.
func (m *Mesh) complete(r *schema.Reply, t *protocol.Turn) {
	r.SchemaVersion = schema.Version
	r.TurnID, r.World, r.NPC, r.Player = t.TurnID, t.World, t.NPC, t.Player
	r.Message, r.PlayerName, r.Previous = t.Message, t.PlayerName, lastSaid(t.Convo)
	r.Scene = t.Scene
	if r.Begin = t.Begin; t.Unasked() {
		r.Message = "" // no player said it
	}
	r.Sequence, r.AcceptedAt = t.Sequence, t.AcceptedAt
	r.GameTime = cmp.Or(r.GameTime, t.GameTime)
	if r.Sentences == nil {
		r.Sentences = []schema.Sentence{}
	}
	if r.Text == "" {
		texts := make([]string, len(r.Sentences))
		for i, s := range r.Sentences {
			texts[i] = s.Text
		}
		r.Text = strings.Join(texts, " ")
	}
	if r.SourceCounts == nil {
		r.SourceCounts = map[schema.Origin]int{}
	}
	r.Passes = t.Passes
	if r.Passes == nil {
		r.Passes = []schema.PassRecord{}
	}
}

// lastSaid is what the player said before this turn.
func lastSaid(c *schema.Conversation) *schema.Line {
	if c == nil {
		return nil
	}
	for i := len(c.Memory) - 1; i >= 0; i-- {
		if c.Memory[i].Speaker == "player" {
			line := c.Memory[i]
			return &line
		}
	}
	return nil
}

// publishReply is the commit of a turn. The subject holds one message: a second
// reply is refused, and refused means that the turn has its reply.
func (m *Mesh) publishReply(ctx context.Context, r *schema.Reply) error {
	// An erased turn has had its reply, which is nowhere to collide with.
	if is, err := m.conn.IsErased(ctx, r.Conversation(), r.TurnID); is || err != nil {
		return err
	}
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("reply of turn %s: %w", r.TurnID, err)
	}
	subject := protocol.SubjectReply(r.Conversation(), r.TurnID)
	_, err = m.publish(ctx, transport.NewMessage(subject, data))
	return m.conn.StandsFirst(ctx, transport.StreamReplies, subject, err)
}

// subscription is a plain subject that a running mesh listens on.
type subscription struct {
	subject, queue string
	handle         func(context.Context, *transport.Message)
	sub            *nats.Subscription
}
