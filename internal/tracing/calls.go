package tracing

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/forsooth-npc/forsooth/internal/llm"
)

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
