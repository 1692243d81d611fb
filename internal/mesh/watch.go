package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Event is one thing that a watcher of a turn sees: an event of the turn, its
// reply, or why there is nothing more to see.
type Event struct {
	Said  *schema.Said
	Reply *schema.Reply
	Err   error     // ErrDisconnected, or ErrNotFound: the reply has expired; the last of its watch
	At    time.Time // when it was stored, by the broker's clock
}

// Watch shows a turn from its beginning, whenever it is called: what is stored,
// then what comes. The channel is closed after the turn is applied (its last
// event is done or aborted, after the reply; or the reply alone, where the events
// have expired), or when the context ends. What is stored is shown once and in
// order; what the streams refused is never shown.
func (c *Client) Watch(ctx context.Context, convo schema.ConversationID, turn string) (<-chan Event, error) {
	return c.watch(ctx, convo, turn, schema.DefaultDeadline*time.Millisecond)
}

// WatchRequest is Watch for whoever has the request, and so knows the deadline of its turn.
func (c *Client) WatchRequest(ctx context.Context, r *schema.Request) (<-chan Event, error) {
	return c.watch(ctx, r.Conversation(), r.TurnID, r.Deadline())
}

func (c *Client) watch(
	ctx context.Context, convo schema.ConversationID, turn string, deadline time.Duration,
) (<-chan Event, error) {
	if err := checkTurn(convo, turn); err != nil {
		return nil, err
	}
	began, live := time.Now(), make(chan *transport.Message, 64)
	var subs []*nats.Subscription
	stop := func() {
		for _, s := range subs {
			_ = s.Unsubscribe()
		}
	}
	for _, subject := range []string{protocol.SubjectSaid(convo, turn), protocol.SubjectReply(convo, turn)} {
		sub, err := c.conn.Core().ChanSubscribe(transport.LivePrefix+strings.TrimPrefix(subject, protocol.Prefix), live)
		if err != nil {
			stop()
			return nil, fmt.Errorf("watch turn %s: %w", turn, unanswered(err))
		}
		subs = append(subs, sub)
	}
	w := &watcher{c: c, convo: convo, turn: turn, out: make(chan Event, 16), live: live, subs: subs, began: began}
	w.patience = int((deadline + lateMargin) / lookEvery)
	go func() {
		w.broken = w.breaks()
		w.catchUp(ctx)
		// On a goroutine of its own: the stack of what read the streams is large, and would wait with it.
		go func() {
			defer close(w.out)
			defer stop()
			w.run(ctx)
		}()
	}()
	return w.out, nil
}

type watcher struct {
	c     *Client
	convo schema.ConversationID
	turn  string
	out   chan Event
	live  chan *transport.Message
	subs  []*nats.Subscription

	shown   uint64 // the last sequence of said that was shown
	replied bool
	ended   bool

	began    time.Time
	gap      bool   // something may have been missed: the streams are to be read
	broken   uint64 // how often the connection had been mended, and messages dropped
	waited   int    // ticks since the beginning, or since the streams were read for want of news
	patience int    // ticks without an end, until they are read all the same
	late     int    // its length behind the deadline
}

// What the broker repeats can be lost with a connection, and inside a cluster even without
// the client's knowledge. So a watcher reads the streams after a gap, and when the turn has
// not ended by its deadline: for an outage of hours less and less often.
const (
	lookEvery   = time.Second     // a tick, by which it notices a gap; it asks nobody
	lateMargin  = 2 * time.Second // behind a deadline
	mostPatient = 30              // ticks
)

func (w *watcher) run(ctx context.Context) {
	ticks, stop := w.c.ticks(lookEvery)
	defer stop()
	for !w.ended && ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-w.c.conn.Closed():
			w.end(ctx, transport.ErrDisconnected)
		case msg := <-w.live:
			w.hear(ctx, msg)
		case <-ticks:
			if w.missed() {
				w.catchUp(ctx)
			}
		}
	}
}

// missed says whether the streams must be read, because something may not have been heard.
func (w *watcher) missed() bool {
	if n := w.breaks(); n != w.broken || w.refused() {
		w.broken, w.gap = n, true
	}
	if w.waited++; w.waited >= w.patience {
		// The next look comes after the margin, and each one after that twice as late.
		w.waited, w.late = 0, min(max(int(lateMargin/lookEvery), 2*w.late), mostPatient)
		w.patience, w.gap = w.late, true
	}
	return w.gap
}

// refused says whether this user may not listen: then it hears nothing, and asks instead.
func (w *watcher) refused() bool {
	return slices.ContainsFunc(w.subs, func(s *nats.Subscription) bool {
		no, _ := w.c.conn.RefusedSince(s.Subject, w.began)
		return no
	})
}

// breaks counts what may have cost messages.
func (w *watcher) breaks() uint64 {
	n := w.c.conn.Core().Stats().Reconnects
	for _, s := range w.subs {
		if dropped, err := s.Dropped(); err == nil {
			n += uint64(max(dropped, 0)) //nolint:gosec // it is not negative
		}
	}
	return n
}

// hear takes what the broker repeats. A gap means that something was missed.
func (w *watcher) hear(ctx context.Context, msg *transport.Message) {
	if msg.Header.Get(jetstream.StreamHeader) == transport.StreamReplies {
		var r schema.Reply
		if json.Unmarshal(msg.Data, &r) == nil && !transport.IsMarker(msg.Header) {
			w.reply(ctx, &r, storedAt(msg.Header))
		}
		return
	}
	seq, _ := strconv.ParseUint(msg.Header.Get(jetstream.SequenceHeader), 10, 64)
	before, _ := strconv.ParseUint(msg.Header.Get(jetstream.LastSequenceHeader), 10, 64)
	if before > w.shown {
		w.catchUp(ctx)
		if w.gap { // what is missing comes first
			return
		}
	}
	var e schema.Said
	if json.Unmarshal(msg.Data, &e) == nil {
		w.event(ctx, seq, &e, storedAt(msg.Header), nil)
	}
}

// storedAt is the broker's time in what it repeats.
func storedAt(h nats.Header) time.Time {
	at, _ := time.Parse(time.RFC3339Nano, h.Get(jetstream.TimeStampHeaer)) // without one: nobody knows
	return at
}

// catchUp reads what is stored. Where it cannot, the gap stays until the next tick.
func (w *watcher) catchUp(ctx context.Context) {
	w.gap = true
	for more := true; more && !w.ended; {
		s, err := w.c.snapshot(ctx, w.convo, w.turn, w.shown)
		var denied *transport.RightError
		if errors.As(err, &denied) {
			w.end(ctx, err)
		}
		if err != nil {
			return
		}
		w.gap = false
		w.show(ctx, s)
		more = s.more
	}
}

// show shows what is stored and was not shown yet.
func (w *watcher) show(ctx context.Context, s snapshot) {
	for i := range s.events {
		if e := &s.events[i]; !w.ended {
			w.event(ctx, e.Sequence, &e.Event, e.At, s.reply)
		}
	}
	switch {
	case w.ended || s.more:
	case s.expired:
		w.end(ctx, fmt.Errorf("the reply of turn %s has expired: %w", w.turn, transport.ErrNotFound))
	case s.reply != nil:
		w.reply(ctx, s.reply.Reply, s.reply.At)
		w.ended = s.over
	}
}

// event shows an event. stored is the turn's reply where it is known.
func (w *watcher) event(ctx context.Context, seq uint64, e *schema.Said, at time.Time, stored *transport.StoredReply) {
	if seq <= w.shown || w.ended {
		return
	}
	w.shown = seq
	if e.Kind == schema.SaidDone || e.Kind == schema.SaidAborted {
		// The reply is stored before the turn is done, but travels by another road.
		if !w.replied && stored == nil {
			var err error
			if stored, err = w.c.storedReply(ctx, w.convo, w.turn); err != nil && !errors.Is(err, transport.ErrNotFound) {
				w.shown, w.gap = seq-1, true
				return
			}
		}
		if stored != nil {
			w.reply(ctx, stored.Reply, stored.At)
		}
		w.ended = true
	}
	w.send(ctx, Event{Said: e, At: at})
}

func (w *watcher) reply(ctx context.Context, r *schema.Reply, at time.Time) {
	if w.replied || r == nil {
		return
	}
	w.replied = true
	w.waited, w.patience = 0, int(lateMargin/lookEvery) // the last event follows at once
	w.send(ctx, Event{Reply: r, At: at})
}

// end says why nothing more is shown.
func (w *watcher) end(ctx context.Context, err error) {
	w.ended = true
	w.send(ctx, Event{Err: err})
}

func (w *watcher) send(ctx context.Context, e Event) {
	select {
	case w.out <- e:
	case <-ctx.Done():
	}
}
