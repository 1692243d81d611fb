package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/heap"
	"github.com/forsooth-npc/forsooth/internal/world"
)

type upCmd struct {
	Port   int    `help:"Port of the NATS server in process, on 127.0.0.1; one that is free otherwise."`
	Listen string `help:"Address at which /healthz, /readyz and /metrics are served, such as 127.0.0.1:9464." aliases:"metrics" placeholder:"ADDR"`
}

// Run runs the whole mesh until it is told to stop.
func (c *upCmd) Run(e *env) error {
	if c.Port != 0 {
		e.settings.Port = c.Port
	}
	return e.serve(nil, c.Listen)
}

type serveCmd struct {
	Listen   string   `help:"Address at which /healthz, /readyz and /metrics are served, such as 127.0.0.1:9464." aliases:"metrics" placeholder:"ADDR"`
	Services []string `arg:"" help:"Services: retriever, monologue, reviewer, speaker, actions, memory, consistency."`
}

// Run runs chosen services against the server of --nats.
func (c *serveCmd) Run(e *env) error {
	if e.settings.NATS.URL == "" {
		return usage(fmt.Errorf("serve needs a NATS server: give --nats nats://127.0.0.1:4222, or use forsooth up"))
	}
	for _, name := range c.Services {
		if err := app.CheckServices([]string{name}); err != nil {
			return usage(err)
		}
	}
	return e.serve(c.Services, c.Listen)
}

// serve starts, says that it is ready, and runs until the context ends.
func (e *env) serve(services []string, listenAt string) error {
	began := time.Now()
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
	watched.app.Store(a)
	ctx, stop := context.WithCancel(e.ctx)
	defer stop()
	if a.Server != nil {
		var held sync.WaitGroup
		defer held.Wait()
		defer stop()
		held.Go(func() { heap.Hold(ctx) })
	}
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	select {
	case err = <-ended:
		return dependency(err)
	case <-a.Mesh.Bound():
	}
	if err = e.ready(a, ws, services, watched.url, time.Since(began)); err != nil {
		stop()
		return errors.Join(err, <-ended)
	}
	return dependency(<-ended)
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
	ReadyMS  float64  `json:"ready_ms"`
}

func (e *env) ready(a *app.App, ws []*world.World, services []string, url string, took time.Duration) error {
	if len(services) == 0 {
		services = app.Services
	}
	address := e.settings.NATS.URL
	if a.Server != nil {
		address = a.Server.URL()
	}
	var names []string
	for _, w := range ws {
		names = append(names, w.Name)
	}
	metrics, health := "", ""
	if url != "" {
		metrics, health = url+"/metrics", url+"/readyz"
	}
	if e.json {
		return e.printJSON(Ready{Ready: true, NATS: address, Data: e.settings.Data, Worlds: names, Services: services, Metrics: metrics, Health: health, ReadyMS: float64(took.Microseconds()) / 1000})
	}
	line := fmt.Sprintf("ready in %s: %s on %s, worlds %s, data in %s", took.Round(time.Millisecond),
		strings.Join(services, ", "), address, strings.Join(names, ", "), e.settings.Data)
	if metrics != "" {
		line += ", health at " + health + ", metrics at " + metrics
	}
	_, err := fmt.Fprintln(e.out, line)
	return err
}
