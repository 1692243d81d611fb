// Package telemetry counts what a process does, for Prometheus, and makes one trace of
// each turn, for OpenTelemetry. It judges no figure: k8s/monitoring has the rules that
// do. What the guards of memory do is counted in internal/memory/report, which is a
// collector of the same registry.
//
// A label of a metric has values that the code knows, never what a player or a model
// wrote: no turn makes a new series. What belongs to one turn, its id and its trace,
// stands in exemplars. A span holds ids, counts and times, and nothing that was said.
//
// docs/metrics.md is made of the help texts.
//
//go:generate go test -run TestThePageOfMetricsIsCurrent ../../k8s/monitoring -update
package telemetry

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/forsooth-npc/forsooth/internal/mesh"
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

// NewMeters makes the metrics of a process of a version, with what others count.
func NewMeters(version string, others ...prometheus.Collector) *Meters {
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

// doors are the metrics of a gateway.
type doors struct {
	answered *prometheus.CounterVec
	asked    prometheus.Gauge
	sockets  prometheus.Gauge
}

func newDoors() doors {
	d := doors{
		answered: counter("forsooth_http_answers_total", "Answers of the gateway's API by their status. A socket counts "+
			"as 101; a caller who left before an answer began counts nowhere.", "code"),
		asked: prometheus.NewGauge(prometheus.GaugeOpts{Name: "forsooth_http_requests_open",
			Help: "Requests that the gateway is answering, streams included and sockets not."}),
		sockets: prometheus.NewGauge(prometheus.GaugeOpts{Name: "forsooth_http_sockets_open",
			Help: "Sockets that are open at the gateway."}),
	}
	for _, code := range []int{200, 429, 500, 503} { // those that an alert would watch
		d.answered.WithLabelValues(strconv.Itoa(code))
	}
	return d
}

func (d *doors) all() []prometheus.Collector {
	return []prometheus.Collector{d.answered, d.asked, d.sockets}
}

// Requested counts a request of the gateway as open, until answered is called with the status
// of its answer; zero: none was begun.
func (m *Meters) Requested() (answered func(status int)) {
	if m == nil {
		return func(int) {}
	}
	m.door.asked.Inc()
	return func(status int) {
		m.door.asked.Dec()
		if status == 0 {
			return
		}
		m.door.answered.WithLabelValues(strconv.Itoa(status)).Inc()
	}
}

// SocketOpened counts a socket as open until closed is called.
func (m *Meters) SocketOpened() (closed func()) {
	if m == nil {
		return func() {}
	}
	m.door.sockets.Inc()
	return m.door.sockets.Dec
}

// Watched is what is asked when somebody looks, and not counted meanwhile.
type Watched struct {
	Lags     func(context.Context) []mesh.Lag
	Breakers func() map[string]bool // by provider: whether it rests after failures
	LLMOff   func() bool            // the switch for all models
}

// Watch says where the state of this process is asked, and which consumers it has:
// theirs is written from now on, at nothing.
func (m *Meters) Watch(w Watched, consumers ...string) {
	for _, c := range consumers {
		m.of(c)
	}
	m.state.mu.Lock()
	defer m.state.mu.Unlock()
	m.state.watched = w
}

// How long the broker is asked for the lag at most, and how long an answer is shown
// again: several who scrape at once do not multiply the question.
const (
	lagTimeout = 2 * time.Second
	lagLasts   = 3 * time.Second
)

// state collects what is asked.
type state struct {
	mu      sync.Mutex
	watched Watched
	lags    []mesh.Lag
	asked   time.Time
}

var (
	lagDesc = prometheus.NewDesc("forsooth_pass_lag", "Messages that wait for a worker, of all processes that "+
		"run the pass.", []string{"pass"}, nil)
	takenDesc = prometheus.NewDesc("forsooth_pass_taken", "Messages in workers' hands or put back, of all "+
		"processes that run the pass.", []string{"pass"}, nil)
	breakerDesc = prometheus.NewDesc("forsooth_llm_breaker_open",
		"1 while a provider of language models rests after failures.", []string{"provider"}, nil)
	offDesc = prometheus.NewDesc("forsooth_llm_off", "1 while all language models are switched off.", nil, nil)
)

// Describe tells the registry what there may be.
func (s *state) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{lagDesc, takenDesc, breakerDesc, offDesc} {
		to <- d
	}
}

// Collect asks.
func (s *state) Collect(to chan<- prometheus.Metric) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.lagsNow() {
		to <- prometheus.MustNewConstMetric(lagDesc, prometheus.GaugeValue, float64(l.Waiting), l.Consumer)
		to <- prometheus.MustNewConstMetric(takenDesc, prometheus.GaugeValue, float64(l.Taken), l.Consumer)
	}
	if s.watched.Breakers != nil {
		for name, open := range s.watched.Breakers() {
			to <- prometheus.MustNewConstMetric(breakerDesc, prometheus.GaugeValue, oneIf(open), name)
		}
	}
	if s.watched.LLMOff != nil {
		to <- prometheus.MustNewConstMetric(offDesc, prometheus.GaugeValue, oneIf(s.watched.LLMOff()))
	}
}

func (s *state) lagsNow() []mesh.Lag {
	if s.watched.Lags == nil || time.Since(s.asked) < lagLasts {
		return s.lags
	}
	ctx, cancel := context.WithTimeout(context.Background(), lagTimeout)
	defer cancel()
	s.lags, s.asked = s.watched.Lags(ctx), time.Now()
	return s.lags
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
