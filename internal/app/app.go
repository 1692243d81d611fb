// Package app puts the parts together: worlds, indexes, verifier, services, mesh
// and, where asked, a NATS server in process. It is the one place where the
// composition stands; commands, evaluation, benches and tests all start here. It
// parses no flags and prints nothing.
package app

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"github.com/forsooth-npc/forsooth/internal/ablation"
	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/extractive"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/limits"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/memory/report"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/admin"
	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/moderation"
	"github.com/forsooth-npc/forsooth/internal/prompt"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/review"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/telemetry"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/retriever"
	"github.com/forsooth-npc/forsooth/services/reviewer"
)

// Services are the services that a process may run, in the order of a turn.
var Services = []string{"retriever", "monologue", "reviewer", "speaker", "actions", "memory", "consistency"}

// Options say what to compose.
type Options struct {
	Worlds   []*world.World
	Data     string // the data folder: NATS, unless NATS names a server, and the index
	Index    string // the index's file; default Data/index.db
	Qdrant   Qdrant // a server that keeps index and memories in place of the data folder
	NATS     string // an external server; empty starts one in process
	Login    transport.Login
	Streams  transport.Settings // their sizes
	Port     int                // of the server in process; 0: one that is free
	Services []string           // empty: all
	Name     string             // of this process, as the broker shows it
	Sync     bool               // the server in process writes every message through to the disk

	LLM    llm.Config   // the models to ask; without a URL no model speaks
	Hosts  limits.Hosts // that the sidecar and moderation may be at; those of models stand with them
	Asking model.Options

	Meaning   Meaning // when the worlds are embedded with the sentence encoder
	Verifying Verifying
	Grounding *grounding.Settings // nil: as grounding.DefaultSettings
	Judge     bool                // ask a language model about sentences that the model in process leaves open
	Claims    bool                // ask it about each claim of a long sentence as well
	JudgeAt   llm.Provider        // who that is; without a URL the model that speaks
	JudgeKind prompt.JudgeKind    // how that one is asked; empty: by the chat prompt
	// JudgeFirst has the first turn wait for the test of the judge, so that no turn is
	// luckier than another. Otherwise it is tested beside the turns.
	JudgeFirst bool
	Judged     func(*review.Skill) // told what a judge has shown, after each test; nil: nobody

	Limits     limits.Rates // of what players and worlds say; nothing is bounded otherwise
	RetryShare float64      // retries a turn of a pass; 0: the mesh's default

	Guards  *guards.Settings // of the three guards of memory; nil: guards.Default
	Metrics *report.Metrics  // what they do is counted there; nil: in App.Metrics only

	Refresh time.Duration // between two looks at the worlds' folders; 0: a change waits for the next start

	Workers int                 // of each pass; 0: the mesh's default
	Each    map[schema.Pass]int // workers of passes that have a number of their own
	// MemoryWorkers is how many replies are read into memories at once; 0: by the other
	// options, see memoryWorkers.
	MemoryWorkers int
	Report        func(mesh.Report)
	Log           zerolog.Logger // a line at the end of each turn; the zero value logs nothing
	Traces        telemetry.TraceSettings
	Alert         reviewer.Alert
	Models        func(llm.Event) // a model that failed, once each
	Progress      func(world string, done, total int)
	Notice        func(string) // what was mended by itself, such as a damaged index
	Now           func() time.Time

	// Wrap may stand between the mesh and a pass, and Session before the index of
	// memories: a bench measures there, or breaks it.
	Wrap    func(schema.Pass, mesh.Handler) mesh.Handler
	Session func(store.Session) store.Session

	// Without is what an experiment leaves out. Only evaluations set it: no setting does.
	Without ablation.Set

	echo *lore.Echoes // what the NPCs of these worlds have said in a model's words: Start makes it

	onLook func() // after each look at a world's folder; nil outside of tests
}

// App is a composed process, ready to run.
type App struct {
	Library *lore.Library
	Conn    *transport.Conn
	Mesh    *mesh.Mesh
	Client  *mesh.Client
	Server  *embedded.Server  // nil with an external server
	Model   *model.Model      // nil where no model is configured
	Metrics *report.Metrics   // what the guards of memory did
	Meters  *telemetry.Meters // what this process does, with Metrics

	watch *watch

	llm *llm.Models

	judging *model.Model // who judges speeches: the model that speaks, or one of its own
	judges  *llm.Models  // of the latter
	tiers   *Tiers
	checker *grounding.Checker // of texts that callers bring

	tally   *keeping
	reviews bool // this process runs the reviewer

	beside bool       // these are passes for one replay beside a running mesh
	asked  *exchanges // what models were asked in it

	deepening  *background   // nil where every world is embedded
	qualifying *background   // nil where no judge is tested
	tested     chan struct{} // closed when the judge has had its first test; nil: none is waited for
	motion     *motion
	hooks      *moderation.Hooks
	corpus     store.Corpus
	hearing    *hearing     // nil where nothing here judges evidence
	memory     *remembering // nil where nothing here reads or writes memories
	serving    string       // the file that says what is served, while it is
}

// Start opens everything, in the order in which it can fail fastest. What was
// opened is closed again when a later part fails.
func Start(ctx context.Context, o Options) (_ *App, err error) {
	o = o.ablated()
	a := &App{reviews: o.runs("reviewer")}
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
	if err := o.checkGuards(); err != nil {
		return nil, err
	}
	a.Metrics = o.metrics()
	if err := a.startWatch(ctx, o); err != nil {
		return nil, err
	}
	if err := a.connect(ctx, o); err != nil {
		return nil, err
	}
	static, err := embed.NewStatic()
	if err != nil {
		return nil, err
	}
	o.echo = echoOf(o)
	if a.Library, a.corpus, err = openLibrary(ctx, o, static); err != nil {
		return nil, err
	}
	if err := a.openMesh(ctx, o); err != nil {
		return nil, err
	}
	if err := a.hear(ctx, o); err != nil {
		return nil, err
	}
	if err := a.connectModels(o); err != nil {
		return nil, err
	}
	if a.hooks, err = moderation.NewHooks(o.Worlds, moderation.Options{Hosts: o.Hosts}); err != nil {
		return nil, err
	}
	if err := a.openVerifier(o); err != nil {
		return nil, err
	}
	if err := a.startDeepening(ctx, o); err != nil {
		return nil, err
	}
	a.startMotion(ctx, o, static)
	if err := a.openMemory(ctx, o, static); err != nil {
		return nil, err
	}
	if err := a.register(ctx, o, static); err != nil {
		return nil, err
	}
	a.watched()
	return a, a.announce(o)
}

// runs says whether this process runs a service.
func (o *Options) runs(name string) bool {
	return len(o.Services) == 0 || slices.Contains(o.Services, name)
}

func (o *Options) notice(line string) {
	if o.Notice != nil {
		o.Notice(line)
	}
}

// ablated are the options with what an experiment leaves out of the composition itself.
func (o Options) ablated() Options {
	if o.Without.Has(ablation.NLI) {
		o.Verifying.NoModel = true
	}
	if o.Without.Has(ablation.EvidenceFirst) {
		o.Asking.Quotes = true
	}
	return o
}

// FlagLLM is the switch for all models.
const FlagLLM = "llm"

// openMesh makes the streams, and the client over them.
func (a *App) openMesh(ctx context.Context, o Options) error {
	if a.Server != nil {
		o.Streams = o.Streams.Within(a.Server.StoreLimit())
	}
	a.tally = a.keepTally(o)
	a.Mesh = mesh.New(a.Conn, mesh.Options{Settings: o.Streams, Shared: a.Server == nil, Workers: o.Workers,
		RetryShare: o.RetryShare, Report: o.reported(a.Meters), Observer: a.watch, Now: o.Now})
	if err := a.Mesh.Setup(ctx); err != nil {
		return err
	}
	if a.Server == nil { // the server in process has this machine's clock
		if err := a.Conn.CheckClock(ctx, o.Now); err != nil {
			return err
		}
	}
	a.Client = mesh.NewClient(a.Conn)
	return nil
}

// Attach reaches a broker, or opens the data folder, and runs nothing: for
// reading what is kept.
func Attach(ctx context.Context, o Options) (_ *App, err error) {
	a := &App{}
	if err := a.connect(ctx, o); err != nil {
		a.Close()
		return nil, err
	}
	a.Client = mesh.NewClient(a.Conn)
	return a, nil
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
	dial := transport.Dial{URL: o.NATS, Name: o.Name, Login: o.Login}
	if o.NATS == "" {
		dial.Login = transport.Login{} // the server in process knows no users
		server, err := embedded.Start(ctx, embedded.Options{Dir: o.Data, Port: o.Port, Sync: o.Sync, Notice: o.notice})
		if err != nil {
			return err
		}
		a.Server, dial.InProcess = server, server
	}
	conn, err := transport.Connect(ctx, dial)
	a.Conn = conn
	return err
}

// Similarity compares sentences with a question by their vectors.
func Similarity(e embed.Embedder) extractive.Similarity {
	return func(question string, sentences []string) []float64 {
		out := make([]float64, len(sentences))
		vectors, err := e.Embed(context.Background(), append([]string{question}, sentences...))
		if err != nil { // a hint that is missing changes the choice, never the truth
			return out
		}
		for i := range sentences {
			out[i] = max(0, float64(embed.Dot(vectors[0], vectors[i+1])))
		}
		return out
	}
}

// reads is the trained reader for the sentences of an answer; nil where the model in process is missing.
func reads(o Options) extractive.Similarity {
	if o.Meaning == MeaningOff {
		return nil
	}
	model, err := NLI()
	if err != nil {
		return nil
	}
	return func(question string, sentences []string) []float64 {
		out, err := model.Answers(context.Background(), question, sentences)
		if err != nil { // a hint that is missing changes the choice, never the truth
			return make([]float64, len(sentences))
		}
		return out
	}
}

// asking are the passes that may wait for a model; modelWorkers is how many turns
// each of them has in hand at least.
var asking = []schema.Pass{schema.PassRetrieve, schema.PassThink, schema.PassDecide, schema.PassSpeak, schema.PassAct}

const modelWorkers = 128

// register hands the services' passes to the mesh.
func (a *App) register(ctx context.Context, o Options, static *embed.Static) error {
	handle := func(pass schema.Pass, h mesh.Handler) {
		if o.Wrap != nil {
			h = o.Wrap(pass, h)
		}
		own := o.Each[pass]
		switch {
		case a.Model != nil && slices.Contains(asking, pass):
			// A worker that waits for a model does nothing else: there are more of them,
			// and none holds back turns that another process could take.
			a.Mesh.Handle(pass, h, mesh.Workers(cmp.Or(own, max(o.Workers, modelWorkers))), mesh.Prefetch(1))
		case own > 0:
			a.Mesh.Handle(pass, h, mesh.Workers(own))
		default:
			a.Mesh.Handle(pass, h)
		}
	}
	handlers, ends, err := a.passes(ctx, o, static, onMesh{a.Mesh.Said(), a.Mesh})
	if err != nil {
		return err
	}
	for _, pass := range protocol.Passes {
		if o.runs(serviceOf[pass]) {
			handle(pass, handlers[pass])
		}
	}
	if o.runs("reviewer") {
		a.Mesh.ServeCheck(a.checker.Check)
	}
	if a.Server != nil {
		admin.ServeScrub(a.Mesh, a.ScrubStreams)
	}
	if o.runs("retriever") {
		a.Mesh.Intake(a.intake(o, ends.Author))
		a.Mesh.OnBegin(retriever.Begins(a.Library))
		a.Mesh.ServeWorlds(a.worldInfos)
		a.Mesh.ServeKnowledge(a.knowledge(o))
	}
	if o.runs("actions") {
		a.Mesh.Ends(mesh.Ends{Author: ends.Author, Apply: ends.Apply, Written: ends.Written,
			Settle: a.settling(o), Stage: a.stage()})
	}
	return nil
}

// Run works until the context ends, then drains.
func (a *App) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return a.Mesh.Run(ctx) })
	a.memory.run(ctx, g)
	g.Go(func() error { return a.tally.run(ctx) })
	g.Go(func() error { return a.hearing.run(ctx) })
	err := g.Wait()
	a.tally.end(ctx)
	return err
}

// Close ends what Start opened. Run must have returned.
func (a *App) Close() {
	if a.serving != "" {
		_ = os.Remove(a.serving)
	}
	a.motion.Close()
	a.deepening.Close()
	a.qualifying.Close()
	a.tiers.Close()
	a.hooks.Close()
	a.memory.close()
	if a.llm != nil {
		a.llm.Close()
	}
	if a.judges != nil {
		a.judges.Close()
	}
	a.watch.close()
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
