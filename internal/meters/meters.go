// Package meters counts what a process does, for Prometheus: messages in workers'
// hands, turns and their ends, what was released and what it rests on, and what was
// asked of language models. It judges no figure: k8s/monitoring has the rules that
// do. What the guards of memory do is counted in internal/memory/report, which is a
// collector of the same registry.
//
// A label has values that the code knows, never what a player or a model wrote: no
// turn makes a new series. What belongs to one turn, its id and its trace, stands in
// exemplars.
//
// docs/metrics.md is made of the help texts.
//
//go:generate go test -run TestThePageOfMetricsIsCurrent ../../k8s/monitoring -update
package meters

import (
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Meters are the metrics of one process. They are safe to share. A nil *Meters counts
// nothing.
type Meters struct {
	registry *prometheus.Registry
	handler  http.Handler

	passes sync.Map // *pass by consumer
	hop    hops
	turn   turns
	review reviews
	model  models
	door   doors
	state  state
}

// New makes the metrics of a process of a version, with what others count.
func New(version string, others ...prometheus.Collector) *Meters {
	m := &Meters{registry: prometheus.NewRegistry(), hop: newHops(), turn: newTurns(), review: newReviews(),
		model: newModels(), door: newDoors()}
	build := prometheus.NewGauge(prometheus.GaugeOpts{Name: "forsooth_build_info",
		Help: "1, with the version of this process.", ConstLabels: prometheus.Labels{"version": version}})
	build.Set(1)
	all := []prometheus.Collector{build, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), &m.state}
	for _, more := range [][]prometheus.Collector{m.hop.all(), m.turn.all(), m.review.all(), m.model.all(),
		m.door.all(), others} {
		all = append(all, more...)
	}
	for _, c := range all {
		m.registry.MustRegister(c) // a name that stands twice is a mistake of the code
	}
	m.handler = promhttp.HandlerFor(m.registry,
		promhttp.HandlerOpts{EnableOpenMetrics: true, ErrorHandling: promhttp.ContinueOnError})
	return m
}

// Handler serves them, in Prometheus's text format or, to those who ask for it, in
// OpenMetrics', which has the exemplars.
func (m *Meters) Handler() http.Handler { return m.handler }

// counter makes a counter with labels.
func counter(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

// times makes a histogram of times with labels.
func times(name, help string, bounds []float64, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: bounds}, labels)
}

// The upper bounds of times, in seconds. Those of which an alert or a measure speaks
// stand among them.
var (
	hopBounds  = []float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60}
	turnBounds = []float64{0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 5, 6, 7, 8, 10, 15, 30, 60}
)

// Example is what an exemplar says of the one case it shows.
type Example struct{ Turn, Trace string }

// observe counts a time, with its case where there is one to name.
func observe(o prometheus.Observer, took time.Duration, e Example) {
	seconds := max(0, took.Seconds())
	with, can := o.(prometheus.ExemplarObserver)
	switch {
	case !can || e.Turn == "":
		o.Observe(seconds)
	case e.Trace == "":
		with.ObserveWithExemplar(seconds, prometheus.Labels{"turn_id": e.Turn})
	default:
		with.ObserveWithExemplar(seconds, prometheus.Labels{"turn_id": e.Turn, "trace_id": e.Trace})
	}
}
