package meters

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
)

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
