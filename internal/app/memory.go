package app

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/memory/report"
	"github.com/forsooth-npc/forsooth/internal/memory/write"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/prompt"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/memory"
)

// SessionFile is where a data folder keeps what NPCs remember: an index of the
// memory log.
func SessionFile(data string) string { return filepath.Join(data, "session.db") }

// memoryModelWorkers is how many replies are read at once at least where a model is asked
// about them: 64 that wait for five seconds each are a dozen replies a second.
const memoryModelWorkers = 64

// memoryWorkers is how many replies are read into memories at once. Players do not wait for
// it, and what they wait for needs the processor: there are an eighth of a pass's workers,
// and two at least. One that waits for a model needs no processor, and none holds back
// replies that another process could take.
func (o *Options) memoryWorkers(m *model.Model) (n int, opts []mesh.PassOption) {
	judged := guards.Choose(o.guarded().Grounding.VerifierModel).Tier == guards.TierLLM && m != nil
	if m.Remembers() || judged {
		n = cmp.Or(o.MemoryWorkers, max(o.Workers, memoryModelWorkers))
		return n, []mesh.PassOption{mesh.Workers(n), mesh.Prefetch(1)}
	}
	n = cmp.Or(o.MemoryWorkers, max(o.Workers/8, 2))
	return n, []mesh.PassOption{mesh.Workers(n)}
}

// remembering is what of a process keeps memories.
type remembering struct {
	session store.Session
	index   *memory.Index
	service *memory.Service // nil where another process writes
	off     bool            // Guard 1 is: nothing is written
	nightly *nightly        // nil where another process scans
	weekly  *weekly         // nil there as well
	quiet   bool            // what is recalled is not counted
}

// openMemory opens the index where a service of this process reads or writes it.
// Without it turns are answered, from the conversation at hand alone.
func (a *App) openMemory(ctx context.Context, o Options, static *embed.Static) error {
	if !o.runs("memory") && !o.runs("retriever") && !o.runs("consistency") {
		return nil
	}
	session, err := keepSession(ctx, o)
	if err != nil {
		if !o.runs("memory") && !o.runs("consistency") {
			o.notice("nothing is remembered beyond the conversation at hand: " + err.Error())
			return nil
		}
		return err
	}
	if o.Session != nil {
		session = o.Session(session)
	}
	a.memory = &remembering{session: session}
	log := a.Conn.MemoryLog()
	books := memory.NewBooks(log, o.Now, o.notice)
	a.memory.index = memory.NewIndex(log, books, session, static, o.notice)
	guard, err := writeGuard(o, a.tiers, a.Model, a.Library)
	if err != nil {
		return err
	}
	if o.runs("consistency") {
		a.openNightly(o, books, static, guard)
		a.openWeekly(o)
	}
	if !o.runs("memory") {
		return nil
	}
	with := memory.Options{Library: a.Library, Turns: a.Client, Guard: guard, Now: o.Now, Notice: o.notice,
		Meter: a.Metrics}
	if a.Model.Remembers() {
		with.Ask = a.Model
	}
	a.memory.service = memory.New(books, with)
	reply, occurrence, result := a.memory.service.Reply, a.memory.service.Occurrence, a.memory.service.Result
	if a.memory.off = !o.guarded().Grounding.Enabled; a.memory.off {
		// What nothing grounds is not remembered, now or once the guard is on again.
		reply = func(context.Context, *schema.Reply, uint64) error { return nil }
		occurrence = func(context.Context, *schema.Occurrence, uint64) error { return nil }
		result = func(context.Context, schema.ConversationID, string) error { return nil }
	}
	workers, opts := o.memoryWorkers(a.Model)
	a.Mesh.OnReply(mesh.ConsumerMemory, reply, opts...)
	a.Mesh.OnOccurrence(mesh.ConsumerEvents, occurrence, opts...)
	a.Mesh.OnResult(mesh.ConsumerResults, result, opts...)
	a.Mesh.ServeMemories(memory.Finder(log))
	a.Mesh.ServeResolve(resolver(log, books, o.Now))
	if !a.memory.off {
		a.Mesh.ServeSettle(a.memory.settle, workers)
	}
	return nil
}

// settle remembers a reply and has the index hold it.
func (r *remembering) settle(ctx context.Context, reply *schema.Reply) error {
	if err := r.service.Settle(ctx, reply); err != nil {
		return err
	}
	if reply.Scene == nil {
		return r.index.Update(ctx, reply.Conversation())
	}
	if reply.Scene.Present == nil {
		return nil
	}
	for _, npc := range reply.Scene.Present.NPCs {
		own := schema.ConversationID{World: reply.World, NPC: npc, Player: reply.Player}
		if err := r.index.Update(ctx, own); err != nil {
			return err
		}
	}
	return nil
}

// settling is what the next turn of a conversation waits for where memories are
// written in step; nil: for nothing.
func (a *App) settling(o Options) mesh.Settle {
	g := o.guarded().Grounding
	switch {
	case g.Mode != guards.ModeSync || !g.Enabled:
		return nil
	case a.memory != nil && a.memory.service != nil:
		return a.memory.settle
	}
	return a.Mesh.AskSettle
}

// readMemory opens the index as it is, where there is one, for turns that leave
// nothing behind.
func (a *App) readMemory(ctx context.Context, o Options) {
	session, err := readSession(ctx, o)
	switch {
	case err != nil:
		o.notice("the turn is run without memories: " + err.Error())
		return
	case session == nil:
		return
	}
	a.memory = &remembering{session: session, quiet: true}
}

// run keeps the index in step, and tries what waits for a verdict again.
func (r *remembering) run(ctx context.Context, g *errgroup.Group) {
	if r == nil {
		return
	}
	if r.nightly != nil {
		g.Go(func() error { return r.nightly.schedule(ctx) })
		g.Go(func() error { return r.weekly.schedule(ctx) })
	}
	if r.service == nil {
		return
	}
	g.Go(func() error { return r.index.Run(ctx) })
	if !r.off {
		g.Go(func() error { return r.service.Run(ctx, r.index) })
	}
}

func (r *remembering) close() {
	if r == nil {
		return
	}
	if r.service != nil {
		r.service.Close()
	}
	_ = r.session.Close()
}

// recaller is what the retriever asks.
func (a *App) recaller(o Options, static *embed.Static) *memory.Recaller {
	if a.memory == nil {
		return nil
	}
	r := memory.NewRecaller(a.watch.traced(a.memory.session), static, a.Library.Predicates, o.Now)
	if a.memory.quiet {
		return r.Quiet()
	}
	return r
}

// MemoryIndex is the index of a data folder over a log, for commands. The caller
// closes the session.
func MemoryIndex(session store.Session, log *transport.MemoryLog, notice func(string)) (*memory.Index, error) {
	static, err := embed.NewStatic()
	if err != nil {
		return nil, err
	}
	return memory.NewIndex(log, memory.NewBooks(log, time.Now, notice), session, static, notice), nil
}

// Session is the index of memories of this process; nil where it has none.
func (a *App) Session() store.Session {
	if a.memory == nil {
		return nil
	}
	return a.memory.session
}

// RebuildMemory makes the index anew from the log.
func (a *App) RebuildMemory(ctx context.Context) (memory.Rebuilt, error) {
	return a.memory.index.Rebuild(ctx)
}

// Remember gives a reply to the memory service as the mesh does: whoever replays
// one sees that it adds nothing.
func (a *App) Remember(ctx context.Context, r *schema.Reply) error {
	return a.memory.service.Reply(ctx, r, 0)
}

// MemorySettled waits until the memory service of this process has read every
// reply, event and answer, and the index has all of the log.
func (a *App) MemorySettled(ctx context.Context) error {
	for {
		waiting, err := a.Client.MemoryWaiting(ctx)
		if err != nil {
			return err
		}
		if waiting == 0 {
			behind, err := a.memory.index.Behind(ctx)
			if err != nil || behind == 0 {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("memories are not settled: %w", context.Cause(ctx))
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Remembered counts what came of asking a model what is worth remembering.
func (a *App) Remembered() memory.Asked {
	if a.memory == nil || a.memory.service == nil {
		return memory.Asked{}
	}
	return a.memory.service.Asked()
}

// guarded are the settings of the guards of memory.
func (o *Options) guarded() guards.Settings {
	if o.Guards != nil {
		return *o.Guards
	}
	return guards.Default()
}

// metrics are the counters of a process, with the worlds that it serves.
func (o *Options) metrics() *report.Metrics {
	m := o.Metrics
	if m == nil {
		m = report.NewMetrics()
	}
	for _, w := range o.Worlds {
		m.World(w.Name)
	}
	return m
}

// spentOn are the calls of a model for memory, and the stage that the funnel counts
// them under.
var spentOn = map[string]string{prompt.Memories: "extract", prompt.Cluster: "judge", prompt.Judge: "ground"}

// WriteSettings are the settings of Guard 1's pure part. A newer value takes an
// older one's place as it is written by the rule that the nightly scan has.
func WriteSettings(s guards.Settings) write.Settings {
	g := s.Grounding
	out := write.DefaultSettings()
	out.Floor, out.OnFailure, out.RewritePartial, out.Shadow = g.Floor, write.OnFailure(g.OnUnknown), g.Rewrite, g.Shadow
	out.SkipForTypes = nil
	for _, kind := range g.Skip {
		out.SkipForTypes = append(out.SkipForTypes, schema.MemoryKind(kind))
	}
	out.Supersede, out.Gap = s.Consistency.Auto.Supersede, time.Duration(s.Consistency.Signals.DriftDays)*24*time.Hour
	return out
}

// checkGuards refuses settings that cannot be, and a world that asks for streaming
// where a policy holds each reply until it is scored.
func (o *Options) checkGuards() error {
	s := o.guarded()
	if err := s.Check(); err != nil {
		return err
	}
	if err := s.CheckReach(o.Verifying.Sidecar != "", o.LLM.Primary.URL != ""); err != nil {
		return err
	}
	if !s.Holds() {
		return nil
	}
	for _, w := range o.Worlds {
		where := path.Join(w.Dir, "world.yaml")
		if w.Streaming != nil && *w.Streaming {
			return streamsUnderGuard(where, s)
		}
		for _, handle := range w.Handles() {
			if npc := w.NPCs[handle]; npc.Streaming != nil && *npc.Streaming {
				return streamsUnderGuard(path.Join(w.Dir, npc.Path), s)
			}
		}
	}
	return nil
}

func streamsUnderGuard(where string, s guards.Settings) error {
	return fmt.Errorf("%s: streaming is true, but guards.faithfulness.on_hallucination is %s, which holds a reply "+
		"until it is scored; take streaming out there, or set the policy to %s",
		where, s.Faithfulness.Policy, guards.PolicyWarn)
}
