package meters

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/forsooth-npc/forsooth/internal/mesh"
)

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
