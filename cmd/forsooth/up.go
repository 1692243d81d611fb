package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/services/gateway/studio"
)

type upCmd struct {
	HTTP   string `name:"http" help:"Address for HTTP and OpenAI's protocol, such as 127.0.0.1:8080." placeholder:"ADDR"`
	Port   int    `help:"Port of the NATS server in process, on 127.0.0.1; one that is free otherwise."`
	Listen string `help:"Address of /healthz, /readyz and /metrics." aliases:"metrics" placeholder:"ADDR"`
}

// Run runs the whole mesh until it is told to stop.
func (c *upCmd) Run(e *env) error {
	if c.Port != 0 {
		e.settings.Port = c.Port
	}
	return e.serve(nil, c.Listen, cmp.Or(c.HTTP, e.settings.HTTP.Listen))
}

type serveCmd struct {
	HTTP     string   `name:"http" help:"Address of the gateway for HTTP; 127.0.0.1:8080 otherwise." placeholder:"ADDR"`
	Listen   string   `help:"Address of /healthz, /readyz and /metrics." aliases:"metrics" placeholder:"ADDR"`
	Services []string `arg:"" help:"retriever, monologue, reviewer, speaker, actions, memory, consistency or gateway."`
}

// Run runs chosen services against the server of --nats.
func (c *serveCmd) Run(e *env) error {
	if e.settings.NATS.URL == "" {
		return usage(fmt.Errorf("serve needs a NATS server: give --nats nats://127.0.0.1:4222, or use forsooth up"))
	}
	services := slices.DeleteFunc(slices.Clone(c.Services), func(name string) bool { return name == serviceGateway })
	if err := app.CheckServices(services); err != nil {
		return usage(fmt.Errorf("%w, %s", err, serviceGateway))
	}
	doors := ""
	if len(services) < len(c.Services) {
		doors = cmp.Or(c.HTTP, e.settings.HTTP.Listen, defaultHTTP)
	}
	if len(services) == 0 {
		return e.serveDoors(c.Listen, doors)
	}
	return e.serve(services, c.Listen, doors)
}

// serve starts, says that it is ready, and runs until the context ends. doors is the
// address of those for HTTP; empty: there are none.
func (e *env) serve(services []string, listenAt, doors string) error {
	began := time.Now()
	d, err := e.listenDoors(doors)
	if err != nil {
		return err
	}
	defer d.close()
	watched, err := e.listen(cmp.Or(listenAt, e.settings.Listen))
	if err != nil {
		return err
	}
	defer watched.stop()
	ws, err := e.worlds()
	if err != nil {
		return err
	}
	o, err := e.withModels(e.options(ws, services))
	if err != nil {
		return err
	}
	o.Limits, o.RetryShare = e.settings.Overload.Limits(), e.settings.Overload.RetryShare
	a, err := app.Start(e.ctx, o)
	if err != nil {
		return dependency(err)
	}
	defer a.Close()
	watched.of.Store(&monitored{a.Meters, func(context.Context) []app.Check { return a.Ready() }})
	ctx, stop := context.WithCancel(e.ctx)
	defer stop()
	if a.Server != nil {
		defer holdHeap(ctx, stop)()
	}
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	select {
	case err = <-ended:
		return dependency(err)
	case <-a.Mesh.Bound():
	}
	d.worlds, d.meters = ws, a.Meters
	if a.Server != nil {
		d.eraser = &eraser{e: e, conn: a.Conn, worlds: ws}
		d.inside = a.Inside(o)
	}
	if err = d.open(ctx, e, e.address(a)); err == nil {
		err = e.ready(a, ws, services, watched.url, d.url, time.Since(began))
	}
	if err != nil {
		stop()
		return errors.Join(err, <-ended)
	}
	select {
	case err = <-ended:
	case err = <-d.ended:
		stop()
		err = errors.Join(err, <-ended)
	}
	return dependency(err)
}

// holdHeap keeps memory for the whole mesh until the function that it gives is called.
func holdHeap(ctx context.Context, stop context.CancelFunc) func() {
	var held sync.WaitGroup
	held.Go(func() { embedded.HoldMemory(ctx) })
	return func() { stop(); held.Wait() }
}

// address is that of the mesh's broker.
func (e *env) address(a *app.App) string {
	if a.Server != nil {
		return a.Server.URL()
	}
	return e.settings.NATS.URL
}

// Ready is what `up --json` prints once.
type Ready struct {
	Ready    bool     `json:"ready"`
	NATS     string   `json:"nats"`
	Data     string   `json:"data"`
	Worlds   []string `json:"worlds"`
	Services []string `json:"services"`
	Metrics  string   `json:"metrics,omitempty"` // URL, where they are served
	Health   string   `json:"health,omitempty"`  // URL of /readyz, where it is served
	HTTP     string   `json:"http,omitempty"`    // URL of the doors for HTTP, where there are any
	ReadyMS  float64  `json:"ready_ms"`
}

func (e *env) ready(a *app.App, ws []*world.World, services []string, url, doors string, took time.Duration) error {
	if len(services) == 0 {
		services = app.Services
	}
	r := &Ready{NATS: e.address(a), Data: e.settings.Data, Services: services, HTTP: doors}
	for _, w := range ws {
		r.Worlds = append(r.Worlds, w.Name)
	}
	return e.printReady(r, url, took)
}

// printReady says that a process is ready, with the URL of its health and metrics where they
// are served.
func (e *env) printReady(r *Ready, url string, took time.Duration) error {
	r.Ready, r.ReadyMS = true, float64(took.Microseconds())/1000
	if url != "" {
		r.Metrics, r.Health = url+"/metrics", url+"/readyz"
	}
	if e.json {
		return e.printJSON(r)
	}
	line := fmt.Sprintf("ready in %s: %s on %s", took.Round(time.Millisecond), strings.Join(r.Services, ", "), r.NATS)
	if len(r.Worlds) > 0 {
		line += ", worlds " + strings.Join(r.Worlds, ", ") + ", data in " + r.Data
	}
	if url != "" {
		line += ", health at " + r.Health + ", metrics at " + r.Metrics
	}
	if r.HTTP != "" {
		line += ", HTTP at " + r.HTTP + "/v1, OpenAI's protocol at " + r.HTTP + "/openai/v1, the inspector at " +
			r.HTTP + studio.Path
	}
	_, err := fmt.Fprintln(e.out, line)
	return err
}
