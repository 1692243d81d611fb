package tracing

import (
	"context"
	"crypto/sha256"
	"math/rand/v2"
	"strconv"

	"go.opentelemetry.io/otel/trace"
)

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
