package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/admin"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/telemetry"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/client"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/gateway"
)

const (
	serviceGateway = "gateway"
	defaultHTTP    = "127.0.0.1:8080"
)

// doors are those for HTTP. Without an address there are none.
type doors struct {
	url      string
	listener net.Listener
	client   *client.Client
	worlds   []*world.World // whose files this process has
	gateway  *gateway.Gateway
	eraser   gateway.Eraser // nil: this process cannot erase
	inside   gateway.Inside // nil: this process runs no mesh
	meters   *telemetry.Meters
	stop     context.CancelFunc
	ended    chan error // has the end of the gateway, where there is one
	done     chan struct{}
}

// listenDoors takes the address, so that one that is taken is told before anything
// starts.
func (e *env) listenDoors(address string) (*doors, error) {
	d := &doors{}
	if address == "" {
		return d, nil
	}
	listener, err := (&net.ListenConfig{}).Listen(e.ctx, "tcp", address)
	if err != nil {
		return nil, usage(fmt.Errorf("HTTP cannot be served at %s: %w; give --http another address", address, err))
	}
	d.listener, d.url = listener, "http://"+listener.Addr().String()
	return d, nil
}

// open serves over the mesh at a broker until close.
func (d *doors) open(ctx context.Context, e *env, broker string) (err error) {
	if d.listener == nil {
		return nil
	}
	ring, err := e.ring()
	if err != nil {
		return usage(err)
	}
	if d.client, err = client.Connect(ctx, broker, client.Options{Name: "forsooth gateway",
		Login: client.Login(e.login())}); err != nil {
		return dependency(err)
	}
	d.gateway, err = gateway.New(gateway.Options{Client: d.client, Keys: ring, Origins: e.settings.HTTP.Origins,
		Folders: folders(d.worlds), Eraser: d.eraser, Inside: d.inside, Meters: d.meters,
		Results: cmp.Or(e.settings.HTTP.Results, filepath.Join(e.settings.Data, "evals")),
		Report:  func(err error) { e.log.Warn().Err(err).Msg("gateway") }})
	if err != nil {
		return usage(err)
	}
	if err := d.gateway.MayListen(d.listener.Addr()); err != nil {
		return usage(err)
	}
	ctx, d.stop = context.WithCancel(ctx)
	d.ended, d.done = make(chan error, 1), make(chan struct{})
	go func() {
		defer close(d.done)
		if err := d.gateway.Serve(ctx, d.listener); ctx.Err() == nil {
			d.ended <- fmt.Errorf("HTTP is no longer served: %w", err)
		}
	}()
	return nil
}

func (d *doors) close() {
	if d.stop != nil {
		d.stop()
		<-d.done
	}
	if d.gateway != nil {
		d.gateway.Close()
	}
	if d.client != nil {
		d.client.Close()
	}
	if d.listener != nil {
		_ = d.listener.Close() // served, it is closed already
	}
}

// serveDoors runs the gateway alone: no world, no store and no model. listenAt is the address of its
// health and metrics; empty, that of the settings.
func (e *env) serveDoors(listenAt, address string) error {
	began := time.Now()
	if os.Getenv("GOGC") == "" {
		// What lives here is sockets, silent for the most part: as much again in waste would be
		// most of what a gateway takes.
		debug.SetGCPercent(40)
	}
	d, err := e.listenDoors(address)
	if err != nil {
		return err
	}
	defer d.close()
	watched, err := e.listen(cmp.Or(listenAt, e.settings.Listen))
	if err != nil {
		return err
	}
	defer watched.stop()
	d.meters = telemetry.NewMeters(schema.Version)
	if err := d.open(e.ctx, e, e.settings.NATS.URL); err != nil {
		return err
	}
	watched.of.Store(&monitored{d.meters, d.ready})
	if err := e.printReady(&Ready{NATS: e.settings.NATS.URL, Worlds: []string{},
		Services: []string{serviceGateway}, HTTP: d.url}, watched.url, time.Since(began)); err != nil {
		return err
	}
	select {
	case <-e.ctx.Done():
		return nil
	case err := <-d.ended:
		return dependency(err)
	}
}

// ready says whether the gateway can take turns.
func (d *doors) ready(ctx context.Context) []app.Check {
	ready, detail := d.gateway.Ready(ctx)
	return []app.Check{{Name: "mesh", Fit: ready, Detail: detail}}
}

// ring are the keys of the settings.
func (e *env) ring() (*access.Ring, error) {
	return access.OpenRing(cmp.Or(e.settings.HTTP.Keys, filepath.Join(e.settings.Data, "keys.json")), time.Now)
}

// eraser erases for the doors as `forsooth memory erase` does beside a running mesh: over
// the broker, and in the data folder of this process.
type eraser struct {
	e      *env
	conn   *transport.Conn
	worlds []*world.World
}

// Look says what an erasure would take away.
func (x *eraser) Look(ctx context.Context, world, player string) (plan admin.Plan, err error) {
	err = x.in(ctx, world, func(o admin.Erasure) error {
		plan, err = admin.PlanErasure(ctx, player, o)
		return err
	})
	return plan, err
}

// Erase takes a player out of a world.
func (x *eraser) Erase(ctx context.Context, world, player string) (receipt admin.Receipt, err error) {
	err = x.in(ctx, world, func(o admin.Erasure) error {
		receipt, err = admin.ErasePlayer(ctx, player, o)
		return err
	})
	return receipt, err
}

func (x *eraser) in(ctx context.Context, world string, do func(admin.Erasure) error) error {
	here, settings := *x.e, *x.e.settings
	settings.World = nil
	for _, w := range x.worlds {
		settings.World = append(settings.World, w.Dir)
	}
	here.ctx, here.settings = ctx, &settings
	o, done, err := here.erasure(&talk{client: mesh.NewClient(x.conn), conn: x.conn})
	if err != nil {
		return err
	}
	defer done()
	o.Worlds, o.Progress = []string{world}, nil
	return do(o)
}

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
