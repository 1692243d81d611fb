package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/forsooth-npc/forsooth/internal/memory/metrics"
)

// serveMetrics serves /metrics at an address until stop is called. Without an
// address there is nothing to stop.
func (e *env) serveMetrics(address string, m *metrics.Metrics) (url string, stop func(), err error) {
	if address == "" {
		return "", func() {}, nil
	}
	listener, err := (&net.ListenConfig{}).Listen(e.ctx, "tcp", address)
	if err != nil {
		return "", nil, usage(fmt.Errorf("metrics cannot be served at %s: %w; give --metrics another address", address, err))
	}
	server := &http.Server{Handler: metricsPage(m), ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 10 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			e.log.Error().Err(err).Msg("metrics are no longer served")
		}
	}()
	return "http://" + listener.Addr().String() + "/metrics", func() {
		_ = server.Close()
		<-done
	}, nil
}

func metricsPage(m *metrics.Metrics) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", metrics.ContentType)
		_, _ = m.WriteTo(w) // who scrapes has gone
	})
	return mux
}
