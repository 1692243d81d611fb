package app

import (
	"context"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/memory/report"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/telemetry"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/reviewer"
)

// watch is what the mesh and the models of a process tell those who watch it: what
// is counted, what is traced, and a line in the log for each turn.
type watch struct {
	meters *telemetry.Meters
	tracer *telemetry.Tracer // nil: nothing is traced
	log    zerolog.Logger
	now    func() time.Time
}

// Begin is told of a message in a worker's hands.
func (w *watch) Begin(ctx context.Context, d mesh.Delivered) (context.Context, func(mesh.Outcome)) {
	ctx, traced := w.tracer.Begin(ctx, d)
	counted := w.meters.Begin(d, telemetry.TraceID(ctx), w.now)
	return ctx, func(o mesh.Outcome) {
		counted(o)
		traced(o)
	}
}

// Turn is told of what is done for a turn by whoever is at hand.
func (w *watch) Turn(
	ctx context.Context, turn string, acceptedAt time.Time, header func(string) string,
) context.Context {
	return w.tracer.Turn(ctx, turn, acceptedAt, header)
}

// Carry adds to the headers of a message.
func (w *watch) Carry(ctx context.Context, set func(key, value string)) { w.tracer.Carry(ctx, set) }

// Buried is told of a dead letter.
func (w *watch) Buried(consumer string) { w.meters.Buried(consumer) }

// Ended counts a turn, ends its trace, and leaves its one line in the log. The line
// names no player and holds nothing that was said: logs are kept by others, and
// outlive an erasure.
func (w *watch) Ended(ctx context.Context, r *schema.Reply, at time.Time) {
	w.tracer.Ended(ctx, r, at)
	id := telemetry.TraceID(ctx)
	w.meters.Ended(r, at, id)
	sum := telemetry.SumOf(r)
	line := w.log.Info().Str("turn", r.TurnID).Str("world", r.World).Str("npc", r.NPC).Str("status", string(r.Status))
	if r.Reason != "" {
		line.Str("reason", r.Reason)
	}
	if id != "" {
		line.Str("trace", id)
	}
	line.Int64("ms", at.Sub(r.AcceptedAt).Milliseconds()).Int64("first_sentence_ms", sum.First.Milliseconds()).
		Int("sentences", len(r.Sentences)).Int("stripped", len(r.Stripped)).Int("passes", len(r.Passes)).
		Int("llm_calls", sum.Calls).Int("tokens", sum.Tokens).Msg("turn")
}

// Ask is told of a request to a language model.
func (w *watch) Ask(ctx context.Context, a llm.Asking) (context.Context, func(llm.Told) string) {
	began := w.now()
	ctx, traced := w.tracer.Ask(ctx, a)
	return ctx, func(t llm.Told) string {
		w.meters.Asked(telemetry.Asked{Provider: a.Provider, Call: a.Call, Outcome: t.Outcome, Took: w.now().Sub(began),
			In: t.In, Out: t.Out, Cost: t.Cost},
			telemetry.Example{Turn: a.Turn, Trace: telemetry.TraceID(ctx)})
		return traced(t)
	}
}

// reviewed counts what the reviewer finds: Guard 3's with the guards of memory, the
// rest with the turns.
type reviewed struct {
	*report.Metrics
	meters *telemetry.Meters
}

func (r reviewed) Claimed(kind schema.ClaimKind, verdict schema.Label) {
	r.meters.Claimed(kind, verdict)
}

func (r reviewed) Split(by schema.SplitBy, verdict schema.Label) { r.meters.Split(by, verdict) }

func (r reviewed) Cited(source schema.Origin, kind schema.ClaimKind) { r.meters.Cited(source, kind) }
func (r reviewed) Skilled(sensitivity, specificity float64, believed bool) {
	r.meters.Skilled(sensitivity, specificity, believed)
}

// reviewed is where the reviewer counts; off the mesh nobody watches what it reviews.
func (a *App) reviewed() reviewer.Meter {
	if a.Meters == nil {
		return reviewed{a.Metrics, telemetry.NewMeters(schema.Version)}
	}
	return reviewed{a.Metrics, a.Meters}
}

// startWatch makes what counts, over what is counted elsewhere, and what traces.
func (a *App) startWatch(ctx context.Context, o Options) (err error) {
	a.Meters = telemetry.NewMeters(schema.Version, a.Metrics)
	a.watch = &watch{meters: a.Meters, log: o.Log, now: o.Now}
	s := o.Traces
	s.Service, s.Version = "forsooth", schema.Version
	if len(o.Services) > 0 {
		s.Service += "-" + strings.Join(o.Services, "-")
	}
	a.watch.tracer, err = telemetry.OpenTracer(ctx, s)
	return err
}

// close sends the last traces.
func (w *watch) close() {
	if w != nil {
		w.tracer.Close()
	}
}

// reported counts what the mesh reports, and passes it on.
func (o *Options) reported(m *telemetry.Meters) func(mesh.Report) {
	return func(r mesh.Report) {
		m.Reported(r)
		if o.Report != nil {
			o.Report(r)
		}
	}
}

// watched says where the state of this process is asked.
func (a *App) watched() {
	w := telemetry.Watched{Lags: a.Mesh.Lags}
	if a.llm != nil {
		w.Breakers, w.LLMOff = a.llm.Resting, func() bool { return !a.Mesh.Flags().On(FlagLLM) }
	}
	a.Meters.Watch(w, a.Mesh.Consumers()...)
}

// traced is a store of memories whose queries of a turn have spans. What is done
// beside turns passes through.
type traced struct {
	store.Session
	tracer *telemetry.Tracer
}

// traced gives a session that the process's traces know of.
func (w *watch) traced(s store.Session) store.Session {
	if w == nil || w.tracer == nil {
		return s
	}
	return traced{s, w.tracer}
}

func (t traced) Nearest(
	ctx context.Context, f store.MemoryFilter, model string, v []float32, k int,
) (out []store.Scored, err error) {
	ctx, end := t.tracer.Query(ctx, "memories nearest")
	defer func() { end(err) }()
	return t.Session.Nearest(ctx, f, model, v, k)
}

func (t traced) Scroll(
	ctx context.Context, f store.MemoryFilter, after string, limit int,
) (out []store.MemoryPoint, err error) {
	ctx, end := t.tracer.Query(ctx, "memories scroll")
	defer func() { end(err) }()
	return t.Session.Scroll(ctx, f, after, limit)
}

func (t traced) Touch(ctx context.Context, world string, ids []string, at time.Time) (err error) {
	ctx, end := t.tracer.Query(ctx, "memories touch")
	defer func() { end(err) }()
	return t.Session.Touch(ctx, world, ids, at)
}
