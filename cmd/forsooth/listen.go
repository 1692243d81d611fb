package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/telemetry"
)

// watchPage is what a process serves to those who watch it: /healthz while it lives,
// /readyz while it can do its work, /metrics. It listens before the process has
// started what it runs, and says so.
type watchPage struct {
	url  string
	of   atomic.Pointer[monitored] // nil: it is starting
	stop func()
}

// monitored is what there is to watch.
type monitored struct {
	meters *telemetry.Meters
	ready  func(context.Context) []app.Check
}

// listen serves the page at an address until stop is called. Without an address
// there is nothing to stop.
func (e *env) listen(address string) (*watchPage, error) {
	p := &watchPage{stop: func() {}}
	if address == "" {
		return p, nil
	}
	listener, err := (&net.ListenConfig{}).Listen(e.ctx, "tcp", address)
	if err != nil {
		return nil, usage(fmt.Errorf("health and metrics cannot be served at %s: %w; give --listen another address",
			address, err))
	}
	server := &http.Server{Handler: p.routes(), ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 10 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			e.log.Error().Err(err).Msg("health and metrics are no longer served")
		}
	}()
	p.url = "http://" + listener.Addr().String()
	p.stop = func() {
		_ = server.Close()
		<-done
	}
	return p, nil
}

func (p *watchPage) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", p.readiness)
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		of := p.of.Load()
		if of == nil {
			http.Error(w, "the process is starting", http.StatusServiceUnavailable)
			return
		}
		of.meters.Handler().ServeHTTP(w, r)
	})
	return mux
}

// Readiness is what /readyz answers.
type Readiness struct {
	Ready  bool        `json:"ready"`
	Checks []app.Check `json:"checks"`
}

func (p *watchPage) readiness(w http.ResponseWriter, r *http.Request) {
	out := Readiness{Ready: true,
		Checks: []app.Check{{Name: "start", Detail: "worlds, models and streams are being opened"}}}
	if of := p.of.Load(); of != nil {
		out.Checks = of.ready(r.Context())
	}
	for _, c := range out.Checks {
		out.Ready = out.Ready && c.Fit
	}
	w.Header().Set("Content-Type", "application/json")
	if !out.Ready {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(out) // who asks has gone
}
