package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// w3c is how traces travel.
var w3c propagation.TraceContext

// stateKey is our entry of tracestate: the backend's span above the whole turn's. The
// end of a turn, which is far from its beginning, reads it there.
const stateKey = "forsooth"

// headers of a message, to be read or to be set.
type headers struct {
	get func(string) string
	set func(key, value string)
}

func (h headers) Get(key string) string { return h.get(key) }
func (h headers) Set(key, value string) { h.set(key, value) }
func (h headers) Keys() []string        { return nil }

// Turn gives the context of what is done for a turn: below the span of the whole
// turn, which is made when it ends. A context that belongs to the turn stays.
func (t *Tracer) Turn(
	ctx context.Context, turn string, acceptedAt time.Time, header func(string) string,
) context.Context {
	if t == nil {
		return ctx
	}
	whole := t.whole(turn, acceptedAt, header)
	if trace.SpanContextFromContext(ctx).TraceID() == whole.TraceID() {
		return ctx
	}
	return trace.ContextWithRemoteSpanContext(ctx, whole)
}

// whole is the span over all of a turn, whose request carries headers.
func (t *Tracer) whole(turn string, acceptedAt time.Time, header func(string) string) trace.SpanContext {
	backend := trace.SpanContextFromContext(w3c.Extract(context.Background(), headers{get: header}))
	if !backend.IsValid() {
		// Begun only to learn whether it is kept: the same span ends with the turn.
		_, span := t.begin(context.Background(), wanted{traceOf(turn), spanOf(turn)}, "turn", trace.WithTimestamp(acceptedAt))
		return span.SpanContext().WithRemote(true)
	}
	state, err := backend.TraceState().Insert(stateKey, backend.SpanID().String())
	if err != nil { // what we insert fits; what the backend wrote was read
		state = backend.TraceState()
	}
	return backend.WithSpanID(spanOf(turn)).WithTraceState(state)
}

func (t *Tracer) begin(
	ctx context.Context, ids wanted, name string, o ...trace.SpanStartOption,
) (context.Context, trace.Span) {
	return t.tracer.Start(context.WithValue(ctx, wantedKey{}, ids), name, o...)
}

// Begin makes the span of a message in a worker's hands, below that of the pass that
// sent it. A delivery that is not the first links to the one before.
func (t *Tracer) Begin(ctx context.Context, d mesh.Delivered) (context.Context, func(mesh.Outcome)) {
	if t == nil {
		return ctx, func(mesh.Outcome) {}
	}
	subject, _ := protocol.ParseSubject(d.Subject) // what names no turn has none
	turn := subject.Turn
	from := w3c.Extract(ctx, headers{get: d.Header})
	sender := trace.SpanContextFromContext(from)
	switch {
	case d.Consumer == "intake": // a request: what it carries is the backend's
		turn = d.Header("Nats-Msg-Id")
		from = t.Turn(ctx, turn, d.Stored, d.Header)
	case !sender.IsValid() && turn != "":
		from = t.Turn(ctx, turn, d.Stored, d.Header)
	}
	parent := trace.SpanContextFromContext(from)
	options := []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindConsumer), trace.WithAttributes(
		attribute.String("messaging.system", "nats"), attribute.String("forsooth.pass", d.Consumer),
		attribute.Int("forsooth.attempt", d.Attempt))}
	if turn != "" {
		options = append(options, trace.WithAttributes(attribute.String("forsooth.turn", turn),
			attribute.String("forsooth.world", subject.Conversation.World),
			attribute.String("forsooth.npc", subject.Conversation.NPC)))
	}
	id := wanted{span: hashed[trace.SpanID](random())}
	if parent.IsValid() {
		id.span = deliveryOf(parent.TraceID(), d.Consumer, d.Sequence, d.Attempt)
		if d.Attempt > 1 {
			before := deliveryOf(parent.TraceID(), d.Consumer, d.Sequence, d.Attempt-1)
			options = append(options, trace.WithLinks(trace.Link{SpanContext: parent.WithSpanID(before),
				Attributes: []attribute.KeyValue{attribute.String("forsooth.link", "the delivery before")}}))
		}
	}
	ctx, span := t.begin(from, id, d.Consumer, options...)
	return ctx, func(o mesh.Outcome) {
		span.SetAttributes(attribute.String("forsooth.outcome", string(o)))
		if o == mesh.OutcomeDead || o == mesh.OutcomeLost {
			span.SetStatus(codes.Error, string(o))
		}
		span.End()
	}
}

// Carry sets the headers by which the trace of a context goes on with a message.
func (t *Tracer) Carry(ctx context.Context, set func(key, value string)) {
	if t != nil {
		w3c.Inject(ctx, headers{set: set})
	}
}

// Ended makes the span of the whole turn, in the context of whoever applied its reply.
func (t *Tracer) Ended(ctx context.Context, r *schema.Reply, at time.Time) {
	here := trace.SpanContextFromContext(ctx)
	if t == nil || !here.IsSampled() {
		return
	}
	above := context.Background()
	if backend, err := trace.SpanIDFromHex(here.TraceState().Get(stateKey)); err == nil {
		above = trace.ContextWithRemoteSpanContext(above, here.WithSpanID(backend))
	}
	sum := SumOf(r)
	_, span := t.begin(above, wanted{here.TraceID(), spanOf(r.TurnID)}, "turn", trace.WithTimestamp(r.AcceptedAt),
		trace.WithAttributes(
			attribute.String("forsooth.turn", r.TurnID), attribute.String("forsooth.world", r.World),
			attribute.String("forsooth.npc", r.NPC),
			attribute.String("forsooth.status", string(r.Status)), attribute.String("forsooth.reason", r.Reason),
			attribute.Int("forsooth.sentences", len(r.Sentences)), attribute.Int("forsooth.stripped", len(r.Stripped)),
			attribute.Int64("forsooth.first_sentence_ms", sum.First.Milliseconds()),
			attribute.Int("forsooth.llm_calls", sum.Calls), attribute.Int("forsooth.tokens", sum.Tokens),
			attribute.Float64("forsooth.cost", sum.Cost)))
	if r.Status == schema.StatusAborted {
		span.SetStatus(codes.Error, r.Reason)
	}
	span.End(trace.WithTimestamp(at))
}
