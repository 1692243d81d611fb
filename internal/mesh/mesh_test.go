package mesh

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// rig is a broker with a mesh whose passes are given by the test.
type rig struct {
	t      *testing.T
	server *embedded.Server
	conn   *transport.Conn
	client *Client
}

func newRig(t *testing.T) *rig {
	t.Helper()
	return newRigOn(t, embedded.Options{Dir: t.TempDir()})
}

func newRigOn(t *testing.T, o embedded.Options) *rig {
	t.Helper()
	server, err := embedded.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	r := &rig{t: t, server: server}
	r.conn = r.connect()
	r.client = NewClient(r.conn)
	return r
}

func (r *rig) connect() *transport.Conn {
	r.t.Helper()
	c, err := transport.Connect(r.t.Context(), transport.Dial{InProcess: r.server, Name: r.t.Name()})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(c.Close)
	return c
}

// start runs a mesh until the test ends or stop is called.
func (r *rig) start(opts Options, register func(*Mesh)) (m *Mesh, stop func()) {
	r.t.Helper()
	if opts.Report == nil {
		opts.Report = func(rep Report) { r.t.Logf("%+v", rep) }
	}
	m = New(r.conn, opts)
	if err := m.Setup(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	register(m)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- m.Run(ctx) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		select {
		case err := <-done:
			if err != nil {
				r.t.Errorf("Run: %v", err)
			}
		case <-time.After(20 * time.Second):
			r.t.Error("Run did not end")
		}
	}
	r.t.Cleanup(stop)
	return m, stop
}

// order is the plain way of a turn.
var order = map[schema.Pass]schema.Pass{
	schema.PassRetrieve: schema.PassThink, schema.PassThink: schema.PassReviewThought,
	schema.PassReviewThought: schema.PassDecide, schema.PassDecide: schema.PassSpeak,
	schema.PassSpeak: schema.PassReviewSpeech, schema.PassReviewSpeech: schema.PassAct, schema.PassAct: schema.PassDone,
}

// plain registers passes that release one sentence and answer.
func plain(m *Mesh) {
	for _, p := range protocol.Passes {
		m.Handle(p, plainPass(m, p))
	}
	m.Intake(Intake{})
	m.Ends(Ends{Apply: func(doc *schema.Conversation, r *schema.Reply) {
		doc.Turns++
		doc.Memory = append(doc.Memory, schema.Line{Speaker: "npc", Text: r.Text, TurnID: r.TurnID})
	}})
}

func plainPass(m *Mesh, p schema.Pass) Handler {
	return func(ctx context.Context, t *protocol.Turn) (schema.Pass, error) {
		switch p {
		case schema.PassReviewSpeech:
			if err := releaseOne(ctx, m, t, "So it is, "+t.TurnID+"."); err != nil {
				return "", err
			}
		case schema.PassAct:
			t.Reply = &schema.Reply{Status: schema.StatusAnswered, Sentences: t.Released}
			if t.Abort != nil {
				t.Reply.Status, t.Reply.Reason, t.Reply.Detail = schema.StatusAborted, t.Abort.Reason, t.Abort.Detail
			}
		}
		return order[p], nil
	}
}

func releaseOne(ctx context.Context, m *Mesh, t *protocol.Turn, text string) error {
	state, err := m.Said().Load(ctx, t)
	if err != nil {
		return err
	}
	if state.Closed || len(state.Sentences) > 0 {
		return nil
	}
	s := schema.Sentence{Seq: 1, Text: text, Evidence: []schema.EvidenceRef{}, Hash: protocol.HashText(text)}
	return m.Said().Release(ctx, t, protocol.ReviewRecord{TurnID: t.TurnID, Seq: 1, Hash: s.Hash}, s)
}

var convoA = schema.ConversationID{World: "hollowmere", NPC: "mira", Player: "p1"}

func request(convo schema.ConversationID, turn string) *schema.Request {
	return &schema.Request{TurnID: turn, World: convo.World, NPC: convo.NPC, Player: convo.Player,
		Message: "Who burned the mill?"}
}

func (r *rig) publish(req *schema.Request) {
	r.t.Helper()
	if _, err := r.client.Publish(r.t.Context(), req); err != nil {
		r.t.Fatal(err)
	}
}

// watch collects the whole of a turn.
func (r *rig) watch(convo schema.ConversationID, turn string) (events []string, reply *schema.Reply) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 20*time.Second)
	defer cancel()
	ch, err := r.client.Watch(ctx, convo, turn)
	if err != nil {
		r.t.Fatal(err)
	}
	for e := range ch {
		switch {
		case e.Reply != nil:
			reply = e.Reply
			events = append(events, "reply")
		case e.Said.Sentence != nil:
			events = append(events, fmt.Sprintf("sentence %d", e.Said.Sentence.Seq))
		default:
			events = append(events, string(e.Said.Kind))
		}
	}
	if ctx.Err() != nil {
		r.t.Fatalf("turn %s did not end; seen: %v", turn, events)
	}
	return events, reply
}

// traces reads those of a turn that is done once all are stored: a reply does not wait for them.
func (r *rig) traces(turn string) (traces []protocol.Trace) {
	r.t.Helper()
	eventually(r.t, 10*time.Second, func() (err error) {
		traces, err = r.client.Trace(r.t.Context(), turn)
		if n := len(traces); err == nil && (n == 0 || traces[n-1].Next != schema.PassDone) {
			err = fmt.Errorf("%d traces, the last is not the turn's end", n)
		}
		return err
	})
	return traces
}

func TestTurnRunsFromRequestToApplied(t *testing.T) {
	r := newRig(t)
	r.start(Options{}, plain)
	start := time.Now()
	r.publish(request(convoA, "t1"))
	events, reply := r.watch(convoA, "t1")
	t.Logf("%v in %s", events, time.Since(start))
	if want := "[accepted thinking sentence 1 closed reply done]"; fmt.Sprint(events) != want {
		t.Errorf("events %v, want %s", events, want)
	}
	if reply.Text != "So it is, t1." || reply.Status != schema.StatusAnswered || len(reply.Passes) != 7 {
		t.Errorf("reply %+v", reply)
	}
	doc, _, err := r.client.Conversation(t.Context(), convoA)
	if err != nil || doc.Turns != 1 || len(doc.Applied) != 1 {
		t.Errorf("document %+v, %v", doc, err)
	}
	if traces := r.traces("t1"); len(traces) != 7 || traces[6].Turn.Reply == nil {
		t.Errorf("%d traces", len(traces))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
