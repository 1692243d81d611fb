package mesh

import (
	"cmp"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
)

// Consumer is a durable consumer of the mesh, as the process that works it makes it.
type Consumer struct {
	Name, Stream, Filter string
	Workers              int
	AckWait              time.Duration
}

// AllConsumers are the consumers of all services. Nothing of them is run.
func AllConsumers(conn *transport.Conn, s transport.Settings) []Consumer {
	m := New(conn, Options{Settings: s})
	for _, p := range protocol.Passes {
		m.Handle(p, nil)
	}
	m.Intake(Intake{})
	m.Ends(Ends{})
	m.OnReply(ConsumerMemory, nil)
	m.OnOccurrence(ConsumerEvents, nil)
	m.OnResult(ConsumerResults, nil)
	m.OnBegin(nil)
	m.OnScan(nil)
	m.OnReport(nil)
	out := make([]Consumer, 0, len(m.runners))
	for _, r := range m.runners {
		out = append(out, Consumer{Name: r.Name, Stream: r.Stream, Filter: r.Filter, Workers: r.Workers, AckWait: r.AckWait})
	}
	return out
}

// addRunner has Run work a consumer. What is not set of it follows the options.
func (m *Mesh) addRunner(r *transport.Runner) {
	o := m.opts
	r.Workers = cmp.Or(r.Workers, o.Workers)
	r.AckWait = min(cmp.Or(r.AckWait, o.AckWait), o.AckWait)
	r.MaxAttempts, r.Drain, r.Shared, r.Now = o.MaxAttempts, o.DrainTimeout, o.Shared, o.Now
	r.Watch, r.Bound = m.watched(r.Name), m.noteBound
	r.Report = func(d *transport.Delivery, outcome string, err error) { m.report(r.Name, d, outcome, err) }
	m.runners = append(m.runners, r.On(m.conn))
}

// report tells what went wrong with a message of a consumer, or with the consumer where d is nil.
func (m *Mesh) report(consumer string, d *transport.Delivery, outcome string, err error) {
	out := Report{Where: consumer, Outcome: outcome, Err: err}
	if d != nil {
		out.Subject, out.Turn, out.Attempt = d.Subject, d.Of, d.Attempt
		if out.Turn == "" { // it was not read
			subject, _ := protocol.ParseSubject(d.Subject)
			out.Turn = subject.Turn
		}
	}
	m.opts.Report(out)
}

// Unbound are the consumers of this process that ask for no messages: before Run,
// and after it.
func (m *Mesh) Unbound() []string {
	var out []string
	for _, r := range m.runners {
		if !r.Asks() {
			out = append(out, r.Name)
		}
	}
	return out
}
