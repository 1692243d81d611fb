package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/protocol"
)

// hops are the metrics of messages, by the pass or other consumer that takes them.
type hops struct {
	inFlight              *prometheus.GaugeVec
	took, waited          *prometheus.HistogramVec
	redelivered, outcomes *prometheus.CounterVec
	retries, dropped      *prometheus.CounterVec
	dead, lost            *prometheus.CounterVec
}

func newHops() hops {
	return hops{
		inFlight: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "forsooth_pass_in_flight",
			Help: "Messages in the hands of this process's workers."}, []string{"pass"}),
		took: times("forsooth_pass_seconds", "Time from taking a message to having done with it.", hopBounds,
			"pass"),
		waited: times("forsooth_pass_wait_seconds", "Time that a message waited in its stream before a worker "+
			"first took it.", hopBounds, "pass"),
		redelivered: counter("forsooth_pass_redeliveries_total", "Messages that had been delivered before.", "pass"),
		outcomes: counter("forsooth_pass_messages_total", "Messages by outcome: done, again (put back), dead, lost.",
			"pass", "outcome"),
		retries: counter("forsooth_pass_retries_total", "Messages put back because of an error.", "pass"),
		dropped: counter("forsooth_pass_dropped_total", "Turns that reached a pass after their time; the "+
			"deadline answers them.", "pass"),
		dead: counter("forsooth_dead_letters_total",
			"Messages that could not be handled, kept in the stream DEAD.", "pass"),
		lost: counter("forsooth_mesh_lost_total", "Traces, acknowledgements and cancels that could not be sent.",
			"where"),
	}
}

func (h *hops) all() []prometheus.Collector {
	return []prometheus.Collector{h.inFlight, h.took, h.waited, h.redelivered, h.outcomes, h.retries, h.dropped, h.dead,
		h.lost}
}

// pass are the metrics of one consumer, found once.
type pass struct {
	inFlight     prometheus.Gauge
	took, waited prometheus.Observer
	redelivered  prometheus.Counter
	outcomes     map[mesh.Outcome]prometheus.Counter
	retries      prometheus.Counter
	dropped      prometheus.Counter
	dead         prometheus.Counter
}

var outcomes = []mesh.Outcome{mesh.OutcomeDone, mesh.OutcomeAgain, mesh.OutcomeDead, mesh.OutcomeLost}

// of are the metrics of a consumer. Asked for once, all of them are written, at
// nothing.
func (m *Meters) of(consumer string) *pass {
	if p, ok := m.passes.Load(consumer); ok {
		return p.(*pass) //nolint:forcetypeassert // nothing else is put there
	}
	h := &m.hop
	p := &pass{inFlight: h.inFlight.WithLabelValues(consumer), took: h.took.WithLabelValues(consumer),
		waited:      h.waited.WithLabelValues(consumer),
		redelivered: h.redelivered.WithLabelValues(consumer), retries: h.retries.WithLabelValues(consumer),
		dropped: h.dropped.WithLabelValues(consumer), dead: h.dead.WithLabelValues(consumer),
		outcomes: map[mesh.Outcome]prometheus.Counter{}}
	for _, o := range outcomes {
		p.outcomes[o] = h.outcomes.WithLabelValues(consumer, string(o))
	}
	kept, _ := m.passes.LoadOrStore(consumer, p)
	return kept.(*pass) //nolint:forcetypeassert // nothing else is put there
}

// Begin counts a message that a worker takes in hand. now is the clock of times; what
// it gives counts the end.
func (m *Meters) Begin(d mesh.Delivered, trace string, now func() time.Time) (end func(mesh.Outcome)) {
	p, began := m.of(d.Consumer), now()
	p.inFlight.Inc()
	if d.Attempt > 1 {
		p.redelivered.Inc()
	} else {
		noted(p.waited, began.Sub(d.Stored), d.Subject, trace)
	}
	return func(o mesh.Outcome) {
		p.inFlight.Dec()
		noted(p.took, now().Sub(began), d.Subject, trace)
		p.outcomes[o].Inc()
	}
}

// notable is the time from which a message may be an exemplar. Most take less, and to
// name them would cost more than to count them.
const notable = 25 * time.Millisecond

func noted(o prometheus.Observer, took time.Duration, subject, trace string) {
	var e Example
	if took >= notable {
		e = Example{Turn: turnOf(subject), Trace: trace}
	}
	observe(o, took, e)
}

// turnOf is the turn of a message, where its subject names one.
func turnOf(subject string) string {
	s, err := protocol.ParseSubject(subject)
	if err != nil {
		return ""
	}
	return s.Turn
}

// Buried counts a dead letter.
func (m *Meters) Buried(consumer string) { m.of(consumer).dead.Inc() }

// Reported counts what the mesh put right, or could not.
func (m *Meters) Reported(r mesh.Report) {
	consumer := mesh.ConsumerOf(r.Where)
	switch r.Outcome {
	case "retry":
		m.of(consumer).retries.Inc()
	case "drop":
		m.of(consumer).dropped.Inc()
	case "unbegun":
		m.turn.unbegun.WithLabelValues(code(r.Reason)).Inc()
	case "lost":
		m.hop.lost.WithLabelValues(consumer).Inc()
	}
}
