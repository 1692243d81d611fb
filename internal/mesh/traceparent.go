package mesh

import (
	"context"
	"regexp"

	"github.com/nats-io/nats.go"
)

// The headers of W3C's Trace Context, which a request carries from a backend.
const (
	headerTraceparent = "traceparent"
	headerTracestate  = "tracestate"
)

// traceKey is where a context keeps them.
type traceKey struct{}

type traceHeaders struct{ parent, state string }

// traceparent is version 00 of the header.
var traceparent = regexp.MustCompile(`^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)

// maxTracestate is how much of a vendor's state travels.
const maxTracestate = 512

// WithTrace gives a context in which Publish makes the turn a part of a trace. What is
// no header of W3C's Trace Context is left out: nobody's turn fails for its trace.
func WithTrace(ctx context.Context, parent, state string) context.Context {
	if !traceparent.MatchString(parent) {
		return ctx
	}
	if len(state) > maxTracestate {
		state = ""
	}
	return context.WithValue(ctx, traceKey{}, traceHeaders{parent, state})
}

// traceOf sets the headers that a context carries.
func traceOf(ctx context.Context, msg *nats.Msg) *nats.Msg {
	h, ok := ctx.Value(traceKey{}).(traceHeaders)
	if !ok {
		return msg
	}
	msg.Header[headerTraceparent] = []string{h.parent}
	if h.state != "" {
		msg.Header[headerTracestate] = []string{h.state}
	}
	return msg
}
