package telemetry

// This file makes one trace of each turn, whichever processes its passes run in: a span for
// each run of a pass, for each request to a language model and for each query of the store of
// memories, and one over all of them from acceptance to the stored reply. Traces travel as W3C
// headers of messages and leave the process by OTLP over HTTP, where an address is set. Without
// one nothing is made and nothing travels.
//
// The spans of a turn know each other without asking: the id of the whole turn's, and that of
// each delivery of a message, follow from the turn and from the message. So a worker that takes
// over links to the run that died, and whoever is at hand may end what another began.

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/forsooth-npc/forsooth/internal/llm"
)

// TraceSettings say where traces go.
type TraceSettings struct {
	URL string // of a collector that takes OTLP over HTTP; empty: as OTEL_EXPORTER_OTLP_ENDPOINT says, else nowhere
	// of turns that are traced, from 0 to 1, where the backend has not decided and OTEL_TRACES_SAMPLER says nothing
	Share   float64
	Service string // as OTEL_SERVICE_NAME unless that is set
	Version string
	Failed  func(error) // traces that could not be sent, at most once a minute; nil: nobody is told
}

// Tracer makes the spans of one process. A nil *Tracer makes none.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

// On says whether the settings or the environment name a place for traces.
func (s TraceSettings) On() bool {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") || os.Getenv("OTEL_TRACES_EXPORTER") == "none" {
		return false
	}
	return s.URL != "" || os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" ||
		os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
}

// OpenTracer makes a tracer, or nil where traces go nowhere. It reaches nobody yet.
func OpenTracer(ctx context.Context, s TraceSettings) (*Tracer, error) {
	if !s.On() {
		return nil, nil
	}
	var to []otlptracehttp.Option
	if s.URL != "" {
		u, err := url.Parse(s.URL)
		if err != nil || u.Host == "" {
			return nil, fmt.Errorf("traces.url is %q; write the address of a collector, such as http://localhost:4318", s.URL)
		}
		if !strings.HasSuffix(u.Path, tracesPath) { // the collector's address, as OTEL_EXPORTER_OTLP_ENDPOINT is
			u = u.JoinPath(tracesPath)
		}
		to = append(to, otlptracehttp.WithEndpointURL(u.String()))
	}
	exporter, err := otlptracehttp.New(ctx, to...)
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	return TracerWith(ctx, s, sdk.WithBatcher(exporter))
}

// tracesPath is where a collector takes traces.
const tracesPath = "/v1/traces"

// TracerWith makes a tracer that gives its spans to what the options name.
func TracerWith(ctx context.Context, s TraceSettings, to ...sdk.TracerProviderOption) (*Tracer, error) {
	about, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", s.Service), attribute.String("service.version", s.Version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, fmt.Errorf("traces: %w", err)
	}
	options := append([]sdk.TracerProviderOption{sdk.WithResource(about), sdk.WithIDGenerator(ids{})}, to...)
	if os.Getenv("OTEL_TRACES_SAMPLER") == "" {
		options = append(options, sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(s.Share))))
	}
	otel.SetErrorHandler(told(s.Failed))
	provider := sdk.NewTracerProvider(options...)
	return &Tracer{provider: provider, tracer: provider.Tracer("github.com/forsooth-npc/forsooth")}, nil
}

// sendLimit bounds how long the end of a process waits for its last traces.
const sendLimit = 3 * time.Second

// Close sends what is left.
func (t *Tracer) Close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), sendLimit)
	defer cancel()
	_ = t.provider.Shutdown(ctx) // it has told the handler of errors
}

// told passes an error on, at most once a minute: a collector that is away fails
// every batch.
func told(failed func(error)) otel.ErrorHandler {
	var last atomic.Int64
	return otel.ErrorHandlerFunc(func(err error) {
		now := time.Now().Unix()
		if before := last.Load(); failed != nil && now-before >= 60 && last.CompareAndSwap(before, now) {
			failed(err)
		}
	})
}

// TraceID is the id of the trace that a context belongs to; empty where it is not kept.
func TraceID(ctx context.Context) string {
	if sc := trace.SpanContextFromContext(ctx); sc.IsSampled() {
		return sc.TraceID().String()
	}
	return ""
}

// ids gives a span the id that its context asks for, else a random one.
type ids struct{}

// wanted are the ids that a context asks for.
type wanted struct {
	trace trace.TraceID
	span  trace.SpanID
}

type wantedKey struct{}

// NewIDs are those of a span without a parent.
func (ids) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	if w, ok := ctx.Value(wantedKey{}).(wanted); ok && w.trace.IsValid() {
		return w.trace, w.span
	}
	return hashed[trace.TraceID](random()), hashed[trace.SpanID](random())
}

// NewSpanID is that of a span below another.
func (ids) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	if w, ok := ctx.Value(wantedKey{}).(wanted); ok {
		return w.span
	}
	return hashed[trace.SpanID](random())
}

func random() string {
	return strconv.FormatUint(rand.Uint64(), 16) + strconv.FormatUint(rand.Uint64(), 16)
}

// hashed makes an id of a text.
func hashed[T trace.TraceID | trace.SpanID](text string) T {
	sum := sha256.Sum256([]byte(text))
	sum[0] |= 1 // an id is not all zeros
	var out T
	for i := range len(out) {
		out[i] = sum[i]
	}
	return out
}

// traceOf is the trace of a turn that came without one, spanOf the span over all of
// it, and deliveryOf the span of one delivery of a message.
func traceOf(turn string) trace.TraceID { return hashed[trace.TraceID]("trace " + turn) }

func spanOf(turn string) trace.SpanID { return hashed[trace.SpanID]("turn " + turn) }

func deliveryOf(in trace.TraceID, consumer string, sequence uint64, attempt int) trace.SpanID {
	return hashed[trace.SpanID](in.String() + " " + consumer + " " + strconv.FormatUint(sequence, 10) + " " +
		strconv.Itoa(attempt))
}

// Ask makes the span of a request to a language model, below that of the pass that
// makes it; one that is made again links to the one before. What it returns gives the
// id of the span.
func (t *Tracer) Ask(ctx context.Context, a llm.Asking) (context.Context, func(llm.Told) string) {
	here := trace.SpanContextFromContext(ctx)
	if t == nil || !here.IsValid() {
		return ctx, func(llm.Told) string { return "" }
	}
	options := []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("gen_ai.operation.name", "chat"), attribute.String("gen_ai.request.model", a.Model),
		attribute.String("forsooth.provider", a.Provider), attribute.String("forsooth.call", a.Call),
		attribute.Int("forsooth.attempt", a.Attempt))}
	if before, err := trace.SpanIDFromHex(a.Before); err == nil {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: here.WithSpanID(before),
			Attributes: []attribute.KeyValue{attribute.String("forsooth.link", "the request before")}}))
	}
	ctx, span := t.tracer.Start(without(ctx), "llm "+a.Call, options...)
	return ctx, func(told llm.Told) string {
		span.SetAttributes(attribute.String("forsooth.outcome", told.Outcome),
			attribute.Int("gen_ai.usage.input_tokens", told.In), attribute.Int("gen_ai.usage.output_tokens", told.Out),
			attribute.Float64("forsooth.cost", told.Cost))
		if told.Outcome != "ok" {
			span.SetStatus(codes.Error, told.Outcome)
		}
		span.End()
		return span.SpanContext().SpanID().String()
	}
}

// Query makes the span of a query of a store, below that of the pass that makes it.
func (t *Tracer) Query(ctx context.Context, name string) (context.Context, func(error)) {
	if t == nil || !trace.SpanContextFromContext(ctx).IsValid() {
		return ctx, func(error) {}
	}
	ctx, span := t.tracer.Start(without(ctx), name, trace.WithSpanKind(trace.SpanKindClient))
	return ctx, func(err error) {
		if err != nil {
			span.SetStatus(codes.Error, "failed") // its words may hold what was looked for
		}
		span.End()
	}
}

// without is a context whose next span has an id of its own.
func without(ctx context.Context) context.Context {
	return context.WithValue(ctx, wantedKey{}, wanted{span: hashed[trace.SpanID](random())})
}
