// Package tracing makes one trace of each turn, whichever processes its passes run
// in: a span for each run of a pass, for each request to a language model and for
// each query of the store of memories, and one over all of them from acceptance to
// the stored reply. Traces travel as W3C headers of messages and leave the process by
// OTLP over HTTP, where an address is set; without one nothing is made and nothing
// travels. A span holds ids, counts and times, and nothing that was said.
//
// The spans of a turn know each other without asking: the id of the whole turn's, and
// that of each delivery of a message, follow from the turn and from the message. So a
// worker that takes over links to the run that died, and whoever is at hand may end
// what another began.
package tracing

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Settings say where traces go.
type Settings struct {
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
func (s Settings) On() bool {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") || os.Getenv("OTEL_TRACES_EXPORTER") == "none" {
		return false
	}
	return s.URL != "" || os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" ||
		os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
}

// Open makes a tracer, or nil where traces go nowhere. It reaches nobody yet.
func Open(ctx context.Context, s Settings) (*Tracer, error) {
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
	return With(ctx, s, sdk.WithBatcher(exporter))
}

// tracesPath is where a collector takes traces.
const tracesPath = "/v1/traces"

// With makes a tracer that gives its spans to what the options name.
func With(ctx context.Context, s Settings, to ...sdk.TracerProviderOption) (*Tracer, error) {
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

// ID is the id of the trace that a context belongs to; empty where it is not kept.
func ID(ctx context.Context) string {
	if sc := trace.SpanContextFromContext(ctx); sc.IsSampled() {
		return sc.TraceID().String()
	}
	return ""
}
