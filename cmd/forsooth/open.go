package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/config"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/telemetry"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/services/reviewer"
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
		Worlds: ws, Data: e.settings.Data, NATS: e.settings.NATS.URL, Login: e.login(), Streams: e.streams(),
		Port: e.settings.Port, Sync: e.settings.Sync, Workers: e.settings.Workers.Default(), Each: e.settings.Workers.Of(),
		MemoryWorkers: e.settings.Workers.Memory(),
		Qdrant:        e.qdrant(),
		Refresh:       time.Duration(e.settings.Lore.RefreshMS) * time.Millisecond,
		Verifying:     e.verifying(), Hosts: e.settings.Outbound.Hosts(),
		Grounding: e.grounding(), Judge: e.settings.Grounding.Judge.On,
		Claims: e.settings.Grounding.Judge.Claims, Guards: &e.settings.Guards,
		Services: services, Name: "forsooth", Report: e.report, Log: e.log, Traces: e.traces(), Alert: e.alert,
		Progress: e.progress(),
		Notice:   func(note string) { e.log.Warn().Msg(note) },
	}
}

// login is who this process is to the NATS server of the settings; to one that the
// data folder names it is nobody.
func (e *env) login() transport.Login {
	n := e.settings.NATS
	if n.URL == "" {
		return transport.Login{}
	}
	reveal := func(read func() (config.Secret, error)) func() (string, error) {
		return func() (string, error) {
			secret, err := read()
			return secret.Reveal(), err
		}
	}
	return transport.Login{Creds: n.Creds, User: n.User, Password: reveal(n.Password), Token: reveal(n.Token),
		CA: n.TLS.CA, Cert: n.TLS.Cert, Key: n.TLS.Key, Inbox: n.Inbox}
}

// streams are their sizes.
func (e *env) streams() transport.Settings {
	out := transport.Settings{MaxInFlight: e.settings.Overload.MaxInFlight}
	if e.settings.NATS.URL != "" {
		out.Replicas = e.settings.NATS.Replicas
	}
	return out
}

// qdrant is the server that the settings name, if any. They are checked when they
// are read, and the key when it is used: the server says what it lacks.
func (e *env) qdrant() app.Qdrant {
	q := e.settings.Qdrant
	if q.URL == "" {
		return app.Qdrant{}
	}
	addr, tls, err := q.Address()
	key, keyErr := q.Key()
	if err := errors.Join(err, keyErr); err != nil {
		e.log.Warn().Msg(err.Error())
	}
	return app.Qdrant{Addr: addr, TLS: tls, Key: key.Reveal(), Prefix: q.Prefix, Nodes: q.Nodes}
}

// verifying are the tiers that the settings name.
func (e *env) verifying() app.Verifying {
	n := e.settings.Grounding.NLI
	return app.Verifying{Sidecar: n.URL, Hosts: e.settings.Outbound.Hosts(),
		Timeout: time.Duration(n.TimeoutMS) * time.Millisecond}
}

// grounding are the settings of the section of that name.
func (e *env) grounding() *grounding.Settings { return e.settings.Grounding.Review() }

// traces say where they go.
func (e *env) traces() telemetry.TraceSettings {
	return telemetry.TraceSettings{URL: e.settings.Traces.URL, Share: e.settings.Traces.Share,
		Failed: func(err error) { e.log.Warn().Err(err).Msg("traces are not taken; see traces.url") }}
}

// report logs what the mesh put right, or could not: a line for each retry and each
// dead letter. Whose turn it was stands in the trace, not here.
func (e *env) report(r mesh.Report) {
	level := e.log.Debug()
	switch r.Outcome {
	case "reject", "lost":
		level = e.log.Warn()
	case "retry", "drop":
		level = e.log.Info()
	}
	level.Str("pass", mesh.ConsumerOf(r.Where)).Str("turn", r.Turn).Int("attempt", r.Attempt).Str("outcome",
		r.Outcome).Err(r.Err).Msg("mesh")
}

// alert logs what an operator must see. What a model wrote stands at debug alone.
func (e *env) alert(kind, turn, detail string) {
	level := e.log.Info()
	switch kind {
	case reviewer.AlertNonCorpus, reviewer.AlertNoModel:
		level = e.log.Error()
	case reviewer.AlertStripped:
		issue, text, _ := strings.Cut(detail, ": ")
		e.log.Debug().Str("alert", kind).Str("turn", turn).Str("text", text).Msg(issue)
		detail = issue
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
	conn   *transport.Conn
	app    *app.App // nil where another process holds the folder
	joined string   // the address of the mesh that ran already
	close  func() error
}

// open joins the mesh of --nats or of the data folder, or starts one. Where it
// joins and no world is named, the worlds are those that the mesh serves.
func (e *env) open() (*talk, error) {
	address, err := e.running()
	if err != nil {
		return nil, err
	}
	if address != "" && e.settings.NATS.URL == "" && len(e.settings.World) == 0 {
		e.settings.World = app.Serving(e.settings.Data)
	}
	ws, err := e.worlds()
	if err != nil {
		return nil, err
	}
	if address != "" {
		if e.llmFlags {
			e.log.Warn().Msgf("the mesh at %s runs, with its own models: --llm-url and --llm-model are not used here; give "+
				"them to forsooth up, or name another data folder with --data", address)
		}
		return e.dial(address, ws)
	}
	o, err := e.withModels(e.options(ws, nil))
	if err != nil {
		return nil, err
	}
	a, err := app.Start(e.ctx, o)
	if err != nil {
		return nil, dependency(err)
	}
	// The mesh outlives Ctrl-C until close, so that the turn under way can end.
	ctx, stop := context.WithCancel(context.WithoutCancel(e.ctx))
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	return &talk{worlds: ws, client: a.Client, conn: a.Conn, app: a, close: func() error {
		stop()
		err := <-done
		a.Close()
		return dependency(err)
	}}, nil
}

// join is open for reading what is kept: it runs no passes, and it makes no data
// folder where there is none.
func (e *env) join() (*talk, error) {
	address, err := e.running()
	if err != nil {
		return nil, err
	}
	if address != "" {
		return e.dial(address, nil)
	}
	if !app.IsFolder(natsFolder(e.settings.Data)) {
		return nil, failed(fmt.Errorf("no turn has been kept in the data folder %s; name the one that was used with "+
			"--data, or a mesh with --nats", e.settings.Data))
	}
	a, err := app.Attach(e.ctx, e.options(nil, nil))
	if err != nil {
		return nil, dependency(err)
	}
	return &talk{client: a.Client, conn: a.Conn, app: a, close: func() error { a.Close(); return nil }}, nil
}

// joining does something in the mesh or data folder that join reaches, and leaves it.
func (e *env) joining(f func(*talk) error) (err error) {
	t, err := e.join()
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := t.close(); err == nil {
			err = closeErr
		}
	}()
	return f(t)
}

// natsFolder is where a data folder keeps its streams.
func natsFolder(data string) string { return filepath.Join(data, "nats") }

func (e *env) dial(address string, ws []*world.World) (*talk, error) {
	conn, err := transport.Connect(e.ctx, transport.Dial{URL: address, Name: "forsooth", Login: e.login()})
	if err != nil {
		return nil, dependency(err)
	}
	return &talk{worlds: ws, client: mesh.NewClient(conn), conn: conn, joined: address, close: func() error {
		conn.Close()
		return nil
	}}, nil
}

// startLimit is how long a holder of the data folder may take to say where it
// listens.
const startLimit = 10 * time.Second

// running is the address of the mesh of --nats or of the data folder; empty when
// nobody holds the folder.
func (e *env) running() (string, error) {
	if e.settings.NATS.URL != "" {
		return e.settings.NATS.URL, nil
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for until := time.Now().Add(startLimit); ; {
		address, held := embedded.Holder(e.settings.Data)
		if !held || address != "" {
			return address, nil
		}
		if time.Now().After(until) {
			return "", dependency(fmt.Errorf("data folder %s is held by a process that does not say where it listens; stop "+
				"it, or give another --data", e.settings.Data))
		}
		select {
		case <-e.ctx.Done():
			return "", failed(errors.New("stopped"))
		case <-tick.C:
		}
	}
}

// world is the one that a command is about: the first.
func (t *talk) world() *world.World { return t.worlds[0] }

// maxNamed is how many NPCs an error lists.
const maxNamed = 20

// findNPC finds an NPC by handle, or the world's default.
func findNPC(w *world.World, handle string) (*world.NPC, error) {
	handles := w.Handles()
	if handle == "" {
		handle = w.DefaultNPC
	}
	if handle == "" && len(handles) > 0 {
		handle = handles[0]
	}
	if npc := w.NPCs[handle]; npc != nil {
		return npc, nil
	}
	if len(handles) == 0 {
		return nil, usage(fmt.Errorf("world %s has no NPC; forsooth lore lint says why", w.Name))
	}
	hint := ""
	for _, h := range handles {
		if strings.Contains(h, strings.ToLower(handle)) {
			hint = fmt.Sprintf("; did you mean %s?", h)
			break
		}
	}
	listed := strings.Join(handles[:min(maxNamed, len(handles))], ", ")
	if len(handles) > maxNamed {
		listed = fmt.Sprintf("%s and %d more", listed, len(handles)-maxNamed)
	}
	return nil, usage(fmt.Errorf("%s has no NPC %q%s; it has %s", w.Name, handle, hint, listed))
}
