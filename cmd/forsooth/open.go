package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// worlds loads the worlds of the settings and logs what lint would say of them.
func (e *env) worlds() ([]*world.World, error) {
	ws, problems, err := app.LoadWorlds(e.settings.World)
	for _, p := range world.Errors(problems) {
		e.log.Warn().Str("file", p.File).Int("line", p.Line).Msg(p.Message)
	}
	return ws, usage(err)
}

// options are the app's options as the settings say.
func (e *env) options(ws []*world.World, services []string) app.Options {
	return app.Options{
		Worlds: ws, Data: e.settings.Data, NATS: e.settings.NATS, Port: e.settings.Port, Workers: e.settings.Workers,
		Services: services, Name: "forsooth", Report: e.report, Alert: e.alert, Progress: e.progress(),
	}
}

// report logs what the mesh put right, or could not.
func (e *env) report(r mesh.Report) {
	level := e.log.Debug()
	if r.Outcome == "reject" || r.Outcome == "lost" {
		level = e.log.Warn()
	}
	level.Str("where", r.Where).Str("turn", r.Turn).Int("attempt", r.Attempt).Str("outcome", r.Outcome).Err(r.Err).Msg("mesh")
}

func (e *env) alert(kind, turn, detail string) {
	level := e.log.Info()
	if kind == "NonCorpusEvidence" {
		level = e.log.Error()
	}
	level.Str("alert", kind).Str("turn", turn).Msg(detail)
}

// progress shows how far the index is, on a terminal only.
func (e *env) progress() func(string, int, int) {
	f, ok := e.err.(*os.File)
	if !ok || !isTerminal(f) {
		return nil
	}
	return func(name string, done, total int) {
		fmt.Fprintf(f, "\rindexing %s: %d of %d documents", name, done, total)
		if done >= total {
			fmt.Fprint(f, "\r\x1b[K")
		}
	}
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&fs.ModeCharDevice != 0
}

// talk is a mesh to talk to: one that runs, or one that this process runs until
// close is called.
type talk struct {
	worlds []*world.World
	client *mesh.Client
	joined string // the address of the mesh that ran already
	close  func() error
}

// open joins the mesh of the data folder or of --nats, or starts one.
func (e *env) open() (*talk, error) {
	ws, err := e.worlds()
	if err != nil {
		return nil, err
	}
	address := e.settings.NATS
	if address == "" {
		if held, ok := embedded.Holder(e.settings.Data); ok {
			address = held
		}
	}
	if address != "" {
		conn, err := mesh.Connect(e.ctx, mesh.Dial{URL: address, Name: "forsooth chat"})
		if err != nil {
			return nil, dependency(err)
		}
		return &talk{worlds: ws, client: mesh.NewClient(conn), joined: address, close: func() error { conn.Close(); return nil }}, nil
	}
	a, err := app.Start(e.ctx, e.options(ws, nil))
	if err != nil {
		return nil, dependency(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(e.ctx))
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	return &talk{worlds: ws, client: a.Client, close: func() error {
		stop()
		err := <-done
		a.Close()
		return err
	}}, nil
}

// world is the one that a command is about: the first.
func (t *talk) world() *world.World { return t.worlds[0] }

// npc finds an NPC by handle, or the world's default.
func (t *talk) npc(handle string) (*world.NPC, error) {
	w := t.world()
	if handle == "" {
		handle = w.DefaultNPC
	}
	if handle == "" && len(w.Handles()) > 0 {
		handle = w.Handles()[0]
	}
	if npc := w.NPCs[handle]; npc != nil {
		return npc, nil
	}
	names := w.Handles()
	if len(names) > 20 {
		names = append(names[:20], "…")
	}
	return nil, usage(fmt.Errorf("%s has no NPC %q; it has %s", w.Name, handle, strings.Join(names, ", ")))
}

// turnTimeout bounds a wait for a reply: the mesh answers by the deadline, so
// more than this means that nothing runs.
const turnTimeout = 15 * time.Second
