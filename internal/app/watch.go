package app

import (
	"context"
	"time"

	"github.com/rs/zerolog"

	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/memory/metrics"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/meters"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/reviewer"
)

// watch is what the mesh and the models of a process tell those who watch it.
type watch struct {
	meters *meters.Meters
	log    zerolog.Logger
	now    func() time.Time
}

// Begin is told of a message in a worker's hands.
func (w *watch) Begin(ctx context.Context, d mesh.Delivered) (context.Context, func(mesh.Outcome)) {
	return ctx, w.meters.Begin(d, "", w.now)
}

// Turn is told of what is done for a turn by whoever is at hand.
func (w *watch) Turn(ctx context.Context, _ string, _ time.Time, _ func(string) string) context.Context {
	return ctx
}

// Carry adds to the headers of a message.
func (w *watch) Carry(context.Context, func(key, value string)) {}

// Buried is told of a dead letter.
func (w *watch) Buried(consumer string) { w.meters.Buried(consumer) }

// Ended counts a turn, and leaves its one line in the log. The line names no player
// and holds nothing that was said: logs are kept by others, and outlive an erasure.
func (w *watch) Ended(_ context.Context, r *schema.Reply, at time.Time) {
	w.meters.Ended(r, at, "")
	sum := meters.SumOf(r)
	line := w.log.Info().Str("turn", r.TurnID).Str("world", r.World).Str("npc", r.NPC).Str("status", string(r.Status))
	if r.Reason != "" {
		line.Str("reason", r.Reason)
	}
	line.Int64("ms", at.Sub(r.AcceptedAt).Milliseconds()).Int64("first_sentence_ms", sum.First.Milliseconds()).
		Int("sentences", len(r.Sentences)).Int("stripped", len(r.Stripped)).Int("passes", len(r.Passes)).
		Int("llm_calls", sum.Calls).Int("tokens", sum.Tokens).Msg("turn")
}

// Ask is told of a request to a language model.
func (w *watch) Ask(ctx context.Context, a llm.Asking) (context.Context, func(llm.Told)) {
	began := w.now()
	return ctx, func(t llm.Told) {
		w.meters.Asked(meters.Asked{Provider: a.Provider, Call: a.Call, Outcome: t.Outcome, Took: w.now().Sub(began), In: t.In, Out: t.Out, Cost: t.Cost}, meters.Example{Turn: a.Turn})
	}
}

// reviewed counts what the reviewer finds: Guard 3's with the guards of memory, the
// rest with the turns.
type reviewed struct {
	*metrics.Metrics
	meters *meters.Meters
}

func (r reviewed) Claimed(kind schema.ClaimKind, verdict schema.Label) {
	r.meters.Claimed(kind, verdict)
}

func (r reviewed) Cited(source schema.Origin, kind schema.ClaimKind) { r.meters.Cited(source, kind) }

// reviewed is where the reviewer counts; off the mesh nobody watches what it reviews.
func (a *App) reviewed() reviewer.Meter {
	if a.Meters == nil {
		return reviewed{a.Metrics, meters.New(schema.Version)}
	}
	return reviewed{a.Metrics, a.Meters}
}

// startWatch makes what counts, over what is counted elsewhere.
func (a *App) startWatch(o Options) *watch {
	a.Meters = meters.New(schema.Version, a.Metrics)
	return &watch{meters: a.Meters, log: o.Log, now: o.Now}
}

// reported counts what the mesh reports, and passes it on.
func (o *Options) reported(m *meters.Meters) func(mesh.Report) {
	return func(r mesh.Report) {
		m.Reported(r)
		if o.Report != nil {
			o.Report(r)
		}
	}
}

// watched says where the state of this process is asked.
func (a *App) watched() {
	w := meters.Watched{Lags: a.Mesh.Lags}
	if a.llm != nil {
		w.Breakers, w.LLMOff = a.llm.Resting, func() bool { return !a.Mesh.Flags().On(FlagLLM) }
	}
	a.Meters.Watch(w, a.Mesh.Consumers()...)
}
