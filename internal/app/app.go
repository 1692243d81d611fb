// Package app puts the parts together: worlds, indexes, verifier, services, mesh
// and, where asked, a NATS server in process. It is the one place where the
// composition stands; commands, evaluation, benches and tests all start here. It
// parses no flags and prints nothing.
package app

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
	"github.com/forsooth-npc/forsooth/internal/retrieval"
	"github.com/forsooth-npc/forsooth/internal/store/sqlite"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/actions"
	"github.com/forsooth-npc/forsooth/services/monologue"
	"github.com/forsooth-npc/forsooth/services/retriever"
	"github.com/forsooth-npc/forsooth/services/reviewer"
	"github.com/forsooth-npc/forsooth/services/speaker"
)

// Services are the services that a process may run, in the order of a turn.
var Services = []string{"retriever", "monologue", "reviewer", "speaker", "actions"}

// Options say what to compose.
type Options struct {
	Worlds   []*world.World
	Data     string   // the data folder: NATS, unless NATS names a server, and the index
	Index    string   // the index's file; default Data/index.db
	NATS     string   // an external server; empty starts one in process
	Port     int      // of the server in process; 0: one that is free
	Services []string // empty: all
	Name     string   // of this process, as the broker shows it

	Workers  int // of each pass; 0: the mesh's default
	Report   func(mesh.Report)
	Alert    reviewer.Alert
	Progress func(world string, done, total int)
	Now      func() time.Time

	// Wrap may stand between the mesh and a pass: a bench measures there.
	Wrap func(schema.Pass, mesh.Handler) mesh.Handler
}

// App is a composed process, ready to run.
type App struct {
	Library *lore.Library
	Conn    *mesh.Conn
	Mesh    *mesh.Mesh
	Client  *mesh.Client
	Server  *embedded.Server // nil with an external server
	corpus  *sqlite.Corpus
}

// Start opens everything, in the order in which it can fail fastest. What was
// opened is closed again when a later part fails.
func Start(ctx context.Context, o Options) (_ *App, err error) {
	a := &App{}
	defer func() {
		if err != nil {
			a.Close()
		}
	}()
	if o.Now == nil {
		o.Now = time.Now
	}
	if err := CheckServices(o.Services); err != nil {
		return nil, err
	}
	if err := a.connect(ctx, o); err != nil {
		return nil, err
	}
	if err := a.openLibrary(ctx, o); err != nil {
		return nil, err
	}
	a.Mesh = mesh.New(a.Conn, mesh.Options{Workers: o.Workers, Report: o.Report, Now: o.Now})
	if err := a.Mesh.Setup(ctx); err != nil {
		return nil, err
	}
	a.Client = mesh.NewClient(a.Conn)
	return a, a.register(o)
}

// CheckServices refuses a name that is no service.
func CheckServices(names []string) error {
	for _, name := range names {
		if !slices.Contains(Services, name) {
			return fmt.Errorf("%q is no service; these are: %s", name, strings.Join(Services, ", "))
		}
	}
	return nil
}

// connect starts a server in process, or reaches the one that is named.
func (a *App) connect(ctx context.Context, o Options) error {
	dial := mesh.Dial{URL: o.NATS, Name: o.Name}
	if o.NATS == "" {
		server, err := embedded.Start(ctx, embedded.Options{Dir: o.Data, Port: o.Port})
		if err != nil {
			return err
		}
		a.Server, dial.InProcess = server, server
	}
	conn, err := mesh.Connect(ctx, dial)
	a.Conn = conn
	return err
}

// openLibrary indexes the worlds.
func (a *App) openLibrary(ctx context.Context, o Options) error {
	static, err := embed.NewStatic()
	if err != nil {
		return err
	}
	path := o.Index
	if path == "" {
		path = filepath.Join(o.Data, "index.db")
	}
	if a.corpus, err = sqlite.OpenCorpus(ctx, path); err != nil {
		return err
	}
	var all []*lore.Lore
	for _, w := range o.Worlds {
		opts := retrieval.Options{Now: o.Now, Words: static, Rank: static.Rank}
		if o.Progress != nil {
			opts.Progress = func(done, total int) { o.Progress(w.Name, done, total) }
		}
		index, err := retrieval.Open(ctx, a.corpus, static, w, opts)
		if err != nil {
			return err
		}
		all = append(all, &lore.Lore{World: w, Index: index})
	}
	a.Library, err = lore.NewLibrary(all...)
	return err
}

// Verifier is the cascade that a process without a model has.
func Verifier() entail.Verifier {
	return entail.NewCascade(entail.NewRules(), entail.NewOverlap())
}

// register hands the services' passes to the mesh.
func (a *App) register(o Options) error {
	static, err := embed.NewStatic()
	if err != nil {
		return err
	}
	runs := func(name string) bool { return len(o.Services) == 0 || slices.Contains(o.Services, name) }
	handle := func(pass schema.Pass, h mesh.Handler) {
		if o.Wrap != nil {
			h = o.Wrap(pass, h)
		}
		a.Mesh.Handle(pass, h)
	}
	if runs("retriever") {
		a.Mesh.Intake(mesh.Intake{Check: a.Library.Check})
		handle(schema.PassRetrieve, retriever.New(a.Library).Retrieve)
	}
	if runs("monologue") {
		handle(schema.PassThink, monologue.New().Think)
	}
	if runs("reviewer") {
		r := reviewer.New(a.Library, Verifier(), a.Mesh.Said(), a.Mesh, o.Alert)
		handle(schema.PassReviewThought, r.ReviewThoughts)
		handle(schema.PassReviewSpeech, r.ReviewSpeech)
	}
	if runs("speaker") {
		s := speaker.New(a.Library, static.Similar)
		handle(schema.PassDecide, s.Decide)
		handle(schema.PassSpeak, s.Speak)
	}
	if runs("actions") {
		s := actions.New(a.Library)
		handle(schema.PassAct, s.Act)
		a.Mesh.Ends(mesh.Ends{Author: s.Author, Apply: s.Apply})
	}
	return nil
}

// Run works until the context ends, then drains.
func (a *App) Run(ctx context.Context) error { return a.Mesh.Run(ctx) }

// Close ends what Start opened. Run must have returned.
func (a *App) Close() {
	if a.Conn != nil {
		a.Conn.Close()
	}
	if a.Server != nil {
		a.Server.Stop()
	}
	if a.corpus != nil {
		_ = a.corpus.Close()
	}
}
