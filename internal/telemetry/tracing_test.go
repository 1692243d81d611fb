package telemetry_test

import (
	"context"
	"maps"
	"testing"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/telemetry"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// process is one of a fleet, with the spans that left it.
type process struct {
	*telemetry.Tracer
	spans *tracetest.InMemoryExporter
}

func start(t *testing.T, share float64) process {
	t.Helper()
	spans := tracetest.NewInMemoryExporter()
	tracer, err := telemetry.TracerWith(t.Context(), telemetry.TraceSettings{Share: share, Service: "test"},
		sdk.WithSyncer(spans))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tracer.Close)
	return process{tracer, spans}
}

// headers are those of a message.
type headers map[string]string

func (h headers) get(key string) string { return h[key] }

// sent is what a process sends in a context.
func (p process) sent(ctx context.Context) headers {
	out := headers{}
	p.Carry(ctx, func(key, value string) { out[key] = value })
	return out
}

func delivered(consumer string, attempt int, h headers) mesh.Delivered {
	subject := protocol.SubjectPass(schema.PassThink, schema.ConversationID{World: "w", NPC: "mira", Player: "p"}, "T1")
	return mesh.Delivered{Consumer: consumer, Sequence: 7, Subject: subject, Attempt: attempt, Stored: time.Unix(100, 0),
		Header: h.get}
}

// turn drives a turn through two processes: accepted and thought about in one, where
// the first delivery is lost with its worker and a model fails once, and ended in the
// other.
func turn(a, b process, request headers) {
	at := time.Unix(100, 0)
	request = maps.Clone(request)
	request["Nats-Msg-Id"] = "T1"
	intake := delivered("intake", 1, request)
	intake.Subject = protocol.SubjectTurn(schema.ConversationID{World: "w", NPC: "mira", Player: "p"})
	ctx, done := a.Begin(context.Background(), intake)
	hop := a.sent(a.Turn(ctx, "T1", at, request.get))
	done(mesh.OutcomeDone)

	_, _ = a.Begin(context.Background(), delivered("think", 1, hop)) // its worker dies: nothing of it leaves the process
	ctx, done = b.Begin(context.Background(), delivered("think", 2, hop))
	_, told := b.Ask(ctx, llm.Asking{Provider: "primary", Call: "monologue", Attempt: 1})
	mark := told(llm.Told{Outcome: "failed"})
	_, told = b.Ask(ctx, llm.Asking{Provider: "primary", Call: "monologue", Attempt: 2, Before: mark})
	told(llm.Told{Outcome: "ok", In: 10, Out: 5})
	reply := b.sent(ctx)
	done(mesh.OutcomeDone)

	ctx, done = b.Begin(context.Background(), delivered("finisher", 1, reply))
	b.Ended(ctx, &schema.Reply{TurnID: "T1", World: "w", NPC: "mira", Status: schema.StatusAnswered, AcceptedAt: at,
		Message: "who burned the mill?", Text: "the miller"}, at.Add(time.Second))
	done(mesh.OutcomeDone)
}

func gathered(ps ...process) map[string]tracetest.SpanStub {
	out := map[string]tracetest.SpanStub{}
	for _, p := range ps {
		for _, s := range p.spans.GetSpans() {
			name := s.Name
			if _, twice := out[name]; twice {
				name += " again"
			}
			out[name] = s
		}
	}
	return out
}

// One turn is one trace, whichever processes it went through, with a span for each run
// of a pass below the one that sent it, and a link where something is done again.
func TestOneTurnIsOneTrace(t *testing.T) {
	const backend = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for _, c := range []struct {
		name    string
		request headers
		trace   string
		above   string
	}{
		{"of the mesh alone", headers{}, "", "0000000000000000"},
		{"of a backend that traces", headers{"traceparent": backend, "tracestate": "game=7"},
			"0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"},
		{"of a backend with a header that is none", headers{"traceparent": "nonsense"}, "", "0000000000000000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := start(t, 1), start(t, 1)
			turn(a, b, c.request)
			spans := gathered(a, b)
			whole := spans["turn"]
			below := map[string]string{"intake": "turn", "think": "intake", "llm monologue": "think",
				"llm monologue again": "think", "finisher": "think"}
			if len(spans) != len(below)+1 {
				t.Fatalf("%d spans, want %d: %v", len(spans), len(below)+1, spans)
			}
			for name, parent := range below {
				if spans[name].Parent.SpanID() != spans[parent].SpanContext.SpanID() {
					t.Errorf("%s is not below %s", name, parent)
				}
				if spans[name].SpanContext.TraceID() != whole.SpanContext.TraceID() {
					t.Errorf("%s is of another trace", name)
				}
			}
			if got := whole.SpanContext.TraceID().String(); c.trace != "" && got != c.trace {
				t.Errorf("trace %s, want %s", got, c.trace)
			}
			if got := whole.Parent.SpanID().String(); got != c.above {
				t.Errorf("the turn is below %s, want %s", got, c.above)
			}
			if whole.EndTime.Sub(whole.StartTime) != time.Second {
				t.Errorf("the turn took %s", whole.EndTime.Sub(whole.StartTime))
			}
			for _, again := range []string{"think", "llm monologue again"} {
				if links := spans[again].Links; len(links) != 1 ||
					links[0].SpanContext.SpanID() == spans[again].SpanContext.SpanID() ||
					links[0].SpanContext.TraceID() != whole.SpanContext.TraceID() {
					t.Errorf("%s links to %v", again, links)
				}
			}
			if spans["llm monologue again"].Links[0].SpanContext.SpanID() != spans["llm monologue"].SpanContext.SpanID() {
				t.Error("the second request does not link to the first")
			}
			for name, s := range spans {
				for _, attribute := range s.Attributes {
					if v := attribute.Value.String(); v == "who burned the mill?" || v == "the miller" {
						t.Errorf("%s holds what was said: %s", name, attribute.Key)
					}
				}
			}
		})
	}
}

// What died links to what takes over by an id that both know without asking.
func TestARunLinksToTheOneThatDied(t *testing.T) {
	a, b := start(t, 1), start(t, 1)
	h := a.sent(a.Turn(t.Context(), "T1", time.Unix(100, 0), headers{}.get))
	_, died := a.Begin(t.Context(), delivered("think", 1, h))
	_, done := b.Begin(t.Context(), delivered("think", 2, h))
	died(mesh.OutcomeLost) // what nobody would have heard of
	done(mesh.OutcomeDone)
	first, second := a.spans.GetSpans()[0], b.spans.GetSpans()[0]
	if len(second.Links) != 1 || second.Links[0].SpanContext.SpanID() != first.SpanContext.SpanID() {
		t.Errorf("the second delivery links to %v, the first is %s", second.Links, first.SpanContext.SpanID())
	}
}

// A turn is kept whole or not at all.
func TestATurnIsKeptWholeOrNotAtAll(t *testing.T) {
	for _, c := range []struct {
		name    string
		share   float64
		request headers
		spans   int
	}{
		{"none", 0, headers{}, 0},
		{"none but the backend's", 0, headers{"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}, 6},
		{"all but the backend's", 1, headers{"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := start(t, c.share), start(t, c.share)
			turn(a, b, c.request)
			if got := gathered(a, b); len(got) != c.spans {
				t.Errorf("%d spans, want %d", len(got), c.spans)
			}
		})
	}
}

// Off is nothing: no tracer, no header, no context.
func TestWithoutAnAddressNothingIsTraced(t *testing.T) {
	for _, name := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"} {
		t.Setenv(name, "")
	}
	tracer, err := telemetry.OpenTracer(t.Context(), telemetry.TraceSettings{Share: 1})
	if err != nil || tracer != nil {
		t.Fatalf("%v, %v", tracer, err)
	}
	ctx, done := tracer.Begin(t.Context(), delivered("think", 1, headers{}))
	done(mesh.OutcomeDone)
	if ctx != t.Context() || len(process{Tracer: tracer}.sent(ctx)) != 0 ||
		tracer.Turn(ctx, "T1", time.Now(), headers{}.get) != ctx {
		t.Error("something travels")
	}
	tracer.Ended(ctx, &schema.Reply{}, time.Now())
	tracer.Close()
}

// What a message costs to be traced: off, not kept, and kept.
func BenchmarkBeginTrace(b *testing.B) {
	for _, c := range []struct {
		name  string
		share float64
	}{{"off", -1}, {"not kept", 0}, {"kept", 1}} {
		b.Run(c.name, func(b *testing.B) {
			var tracer *telemetry.Tracer
			if c.share >= 0 {
				var err error
				if tracer, err = telemetry.TracerWith(b.Context(), telemetry.TraceSettings{Share: c.share}); err != nil {
					b.Fatal(err)
				}
			}
			request := headers{"Nats-Msg-Id": "T1"}
			h := process{Tracer: tracer}.sent(tracer.Turn(b.Context(), "T1", time.Now(), request.get))
			for b.Loop() {
				ctx, done := tracer.Begin(context.Background(), delivered("think", 1, h))
				tracer.Carry(ctx, func(string, string) {})
				done(mesh.OutcomeDone)
			}
		})
	}
}
