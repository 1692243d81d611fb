package metrics

import (
	"fmt"
	"io"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
)

// WriteTo writes the metrics of the guards alone in Prometheus's text format, for
// those who read them without a server.
func (m *Metrics) WriteTo(to io.Writer) (int64, error) {
	alone := prometheus.NewRegistry()
	if err := alone.Register(m); err != nil {
		return 0, fmt.Errorf("metrics of memory: %w", err)
	}
	families, err := alone.Gather()
	if err != nil {
		return 0, fmt.Errorf("metrics of memory: %w", err)
	}
	var written int64
	for _, f := range families {
		n, err := expfmt.MetricFamilyToText(to, f)
		written += int64(n)
		if err != nil {
			return written, fmt.Errorf("metrics of memory: %w", err)
		}
	}
	return written, nil
}
