package client

import (
	"context"

	"github.com/forsooth-npc/forsooth/internal/mesh"
)

// WithTrace gives a context in which Say makes the turn a part of the backend's trace:
// traceparent and tracestate as W3C's Trace Context has them, as strings, so that a
// backend needs no tracing library of ours and may use its own. An empty or malformed
// traceparent changes nothing. Whether the turn is kept is what its flag says.
func WithTrace(ctx context.Context, traceparent, tracestate string) context.Context {
	return mesh.WithTrace(ctx, traceparent, tracestate)
}
