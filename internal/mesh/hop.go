package mesh

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// PassOption changes how a pass is consumed.
type PassOption func(*transport.Runner)

// Workers is how many turns of this pass are worked on at once in this process.
func Workers(n int) PassOption { return func(r *transport.Runner) { r.Workers = n } }

// Prefetch is how many turns beyond those in work are taken from the broker;
// default as many as workers. A pass that waits for a model should take one.
func Prefetch(n int) PassOption { return func(r *transport.Runner) { r.Prefetch = n } }

// Handle registers a pass to be run by Run.
func (m *Mesh) Handle(pass schema.Pass, h Handler, opts ...PassOption) {
	p := newPassRunner(m, pass, h)
	r := &transport.Runner{
		Name:   "pass-" + string(pass),
		Stream: transport.StreamPasses,
		Filter: protocol.Prefix + "pass." + string(pass) + ".>",
		Handle: p.handle,
		Bury:   p.bury,

		Costly: true,
	}
	for _, o := range opts {
		o(r)
	}
	m.addRunner(r)
}

type passRunner struct {
	m       *Mesh
	pass    schema.Pass
	handler Handler
	parking *parking
}

func newPassRunner(m *Mesh, pass schema.Pass, h Handler) *passRunner {
	return &passRunner{m: m, pass: pass, handler: h, parking: newParking(m.opts.RetryShare)}
}

// handle is the hop: decode, handle, publish, ack.
func (p *passRunner) handle(ctx context.Context, d *transport.Delivery) error {
	t, err := p.decode(d)
	if err != nil {
		return Reject(err)
	}
	d.Of = t.TurnID
	ends := endsAt(t)
	if !p.m.opts.Now().Before(ends) {
		p.report(d, t, "drop", context.DeadlineExceeded)
		return nil
	}
	ctx, cancel := context.WithDeadline(ctx, ends)
	defer cancel()
	if d.Attempt == 1 {
		p.parking.retries.Earn()
	}
	if shed, err := p.shed(ctx, d, t); shed || err != nil {
		return err
	}
	wait, lent := p.comesBack(d, t)
	if wait > 0 {
		return transport.Aside(wait)
	}
	if err := p.run(ctx, d, t); err != nil {
		return p.after(ctx, d, t, err)
	}
	if lent {
		p.parking.retries.GiveBack()
	}
	return nil
}

func (p *passRunner) decode(d *transport.Delivery) (*protocol.Turn, error) {
	t, err := protocol.DecodeTurn(d.Data)
	if err != nil {
		return nil, err
	}
	subject, err := protocol.ParseSubject(d.Subject)
	switch {
	case err != nil:
		return nil, err
	case subject.Turn != t.TurnID || subject.Conversation != t.Conversation() || subject.Pass != p.pass:
		return nil, fmt.Errorf("subject %s carries turn %s of %s for pass %s", d.Subject, t.TurnID, t.Conversation(), t.Pass)
	}
	return t, nil
}

// run does one pass of a turn and hands the turn on.
func (p *passRunner) run(ctx context.Context, d *transport.Delivery, t *protocol.Turn) error {
	m := p.m
	if err := m.step("hop.decoded"); err != nil {
		return err
	}
	if err := p.before(ctx, d, t); err != nil {
		return err
	}
	came := t.Lists()
	hop, start := t.Hop, m.opts.Now()
	t.Passes = append(t.Passes, schema.PassRecord{
		Pass: p.pass, Hop: hop, Attempt: d.Attempt, StartMS: milliseconds(start.Sub(t.AcceptedAt)),
	})
	record := len(t.Passes) - 1
	next, err := p.call(ctx, t)
	if err != nil {
		return err
	}
	if record >= len(t.Passes) {
		return Reject(errors.New("the pass dropped its own record"))
	}
	t.Passes[record].TookMS = milliseconds(m.opts.Now().Sub(start))
	if err := m.step("hop.handled"); err != nil {
		return err
	}
	if mutant == mutantAckEarly {
		_ = d.Msg.DoubleAck(ctx) // it is with the broker before anything is published
	}
	if t.Part > 0 && next == "" {
		return nil // a sentence of a speech under way: the turn itself comes behind it
	}
	if next == schema.PassDone {
		return p.done(ctx, t, t.Passes[record], came)
	}
	return p.onward(ctx, t, t.Passes[record], next, came)
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// before is what the mesh does on entering a pass. The last one puts up the fence
// itself, and ends the turn without spending anything that matters.
func (p *passRunner) before(ctx context.Context, d *transport.Delivery, t *protocol.Turn) error {
	if p.pass != schema.PassAct {
		if err := p.m.stillWanted(ctx, t); err != nil {
			return err
		}
	}
	switch p.pass {
	case schema.PassThink:
		if t.ThoughtReview == nil && d.Attempt == 1 {
			return p.m.said.announce(ctx, t,
				&schema.Said{Kind: schema.SaidThinking, TurnID: t.TurnID, Pass: p.pass, NPC: inScene(t)})
		}
	case schema.PassAct:
		// From here nothing more is released, so that the reply holds exactly
		// what was said: a worker left behind in an earlier pass meets the fence.
		return p.m.said.close(ctx, t)
	}
	return nil
}

// call runs the handler.
func (p *passRunner) call(ctx context.Context, t *protocol.Turn) (next schema.Pass, err error) {
	ctx, done := p.m.inflight(ctx, t.TurnID)
	defer done()
	next, err = p.handler(ctx, t)
	if err != nil && errors.Is(context.Cause(ctx), errEnded) {
		return "", errEnded
	}
	return next, err
}

// onward publishes the turn to its next pass. Two workers that decide
// differently collide on one message id, and the first wins.
func (p *passRunner) onward(
	ctx context.Context, t *protocol.Turn, record schema.PassRecord, next schema.Pass, came protocol.Lists,
) error {
	if !knownPass(next) {
		return Reject(fmt.Errorf("pass %s names no next pass: %q", p.pass, next))
	}
	t.Hop++
	t.Pass = next
	data, err := protocol.EncodeTurn(t)
	if err != nil {
		return Reject(err)
	}
	p.m.trace(t, record, next, came)
	if err := p.m.send(ctx, t, data); err != nil {
		return err
	}
	return p.m.step("hop.published")
}

// send publishes an encoded turn to its pass.
func (m *Mesh) send(ctx context.Context, t *protocol.Turn, data []byte) error {
	msg := transport.NewMessage(protocol.SubjectPass(t.Pass, t.Conversation(), t.TurnID), data,
		transport.HeaderID, hopID(t))
	if mutant == mutantDedupe {
		msg.Header.Del(transport.HeaderID)
	}
	_, err := m.publish(ctx, msg)
	return err
}

func hopID(t *protocol.Turn) string { return t.TurnID + "/" + strconv.Itoa(t.Hop) }

func knownPass(pass schema.Pass) bool {
	for _, p := range protocol.Passes {
		if p == pass {
			return true
		}
	}
	return false
}

// done publishes the one reply of the turn.
func (p *passRunner) done(ctx context.Context, t *protocol.Turn, record schema.PassRecord, came protocol.Lists) error {
	if t.Reply == nil {
		return Reject(fmt.Errorf("pass %s ended the turn without a reply", p.pass))
	}
	if p.pass != schema.PassAct {
		if err := p.m.said.close(ctx, t); err != nil {
			return err
		}
	}
	p.m.complete(t.Reply, t)
	p.m.trace(t, record, schema.PassDone, came)
	if err := p.m.publishReply(ctx, t.Reply); err != nil {
		return err
	}
	return p.m.step("hop.replied")
}

// after has a failure tried again while the turn lives and the pass has a retry left.
func (p *passRunner) after(ctx context.Context, d *transport.Delivery, t *protocol.Turn, err error) error {
	switch {
	case errors.Is(err, errEnded):
		return nil
	case transport.IsFinal(err), errors.Is(context.Cause(ctx), transport.ErrDrained):
		return err
	}
	again, ok := p.retryIn(d, t)
	if !ok {
		p.report(d, t, "drop", err)
		return nil // the deadline answers; nothing here can any more
	}
	return transport.FailedFor(again, err)
}

func (p *passRunner) report(d *transport.Delivery, t *protocol.Turn, outcome string, err error) {
	p.m.opts.Report(Report{Where: "pass-" + string(p.pass), Subject: d.Subject, Turn: t.TurnID, Attempt: d.Attempt,
		Outcome: outcome, Err: err})
}
