package mesh

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/internal/mesh/natstest"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// house is a broker that knows the users of a mesh with two worlds, its streams made
// by its operator.
type house struct {
	t   *testing.T
	url string
}

func newHouse(t *testing.T) *house {
	t.Helper()
	worlds := []string{"village", "elsewhere"}
	roles, err := access.Roles(worlds)
	must(t, err)
	for _, r := range roles {
		t.Setenv(r.Variable(), "pass-"+r.Name)
	}
	config, err := access.BrokerConfig(worlds)
	must(t, err)
	h := &house{t: t, url: natstest.Start(t, config+natstest.JetStream(t)).URL}
	operator := h.as("operator")
	must(t, operator.Setup(t.Context(), transport.Settings{}))
	for _, c := range AllConsumers(operator, transport.Settings{}) {
		_, err := operator.EnsureConsumer(t.Context(), c.Stream, c.Name, c.Filter, c.Workers, c.AckWait)
		must(t, err)
	}
	return h
}

// as is a connection of a user.
func (h *house) as(user string) *transport.Conn {
	h.t.Helper()
	conn, err := transport.Connect(h.t.Context(),
		transport.Dial{URL: h.url, Name: user, Backend: strings.HasPrefix(user, "backend-") ||
			user == "gateway", Login: transport.Login{User: user,
			Password: func() (string, error) { return "pass-" + user, nil }}})
	must(h.t, err)
	h.t.Cleanup(conn.Close)
	return conn
}

// Every consumer that migrate makes is worked by exactly one service.
func TestEachConsumerHasItsService(t *testing.T) {
	r := newRig(t)
	for _, run := range AllConsumers(r.conn, transport.Settings{}) {
		var works []string
		for _, role := range access.Services() {
			for _, g := range role.Publish {
				if g == "$JS.API.CONSUMER.MSG.NEXT."+run.Stream+"."+run.Name {
					works = append(works, role.Name)
				}
			}
		}
		if len(works) != 1 {
			t.Errorf("consumer %s of %s is worked by %v", run.Name, run.Stream, works)
		}
	}
}

// What a user may not do it is told, by an error that says so, and it is not done.
func TestWhatIsNotGrantedIsRefused(t *testing.T) {
	h := newHouse(t)
	there := schema.ConversationID{World: "elsewhere", NPC: "mira", Player: "p1"}
	ask := func(subject, body string) func(context.Context, *transport.Conn) error {
		return func(ctx context.Context, c *transport.Conn) error {
			_, err := c.Request(ctx, transport.NewMessage(subject, []byte(body)), 500*time.Millisecond)
			return err
		}
	}
	client := func(f func(context.Context, *Client) error) func(context.Context, *transport.Conn) error {
		return func(ctx context.Context, c *transport.Conn) error {
			b := NewBackend(c)
			b.attempt = 500 * time.Millisecond
			return f(ctx, b)
		}
	}
	run := func(register func(*Mesh)) func(context.Context, *transport.Conn) error {
		return func(ctx context.Context, c *transport.Conn) error {
			m := New(c, Options{Shared: true})
			register(m)
			return m.Run(ctx)
		}
	}
	for _, c := range []struct {
		user, name string
		try        func(context.Context, *transport.Conn) error
	}{
		{"speaker", "write a reply", ask(protocol.SubjectReply(there, "t1"), `{}`)},
		{"speaker", "write a memory", ask(protocol.SubjectMemory(there), `{}`)},
		{"speaker", "release a sentence", ask(protocol.SubjectSaid(there, "t1"), `{}`)},
		{"speaker", "read memories", ask("$JS.API.DIRECT.GET.MEMORY", `{"seq":1}`)},
		{"speaker", "pull for another", ask("$JS.API.CONSUMER.MSG.NEXT.PASSES.pass-think", `{"batch":1}`)},
		{"speaker", "make a consumer", ask("$JS.API.CONSUMER.CREATE.PASSES.mine", `{}`)},
		{"speaker", "delete a stream", ask("$JS.API.STREAM.DELETE.PASSES", ``)},
		{"speaker", "take a message away", ask("$JS.API.STREAM.MSG.DELETE.REPLIES", `{"seq":1}`)},
		{"speaker", "work as the monologue", run(func(m *Mesh) {
			m.Handle(schema.PassThink,
				plainPass(m, schema.PassThink))
		})},
		{"monologue", "end turns", run(func(m *Mesh) { m.Ends(Ends{}) })},
		{"reviewer", "write a memory", ask(protocol.SubjectMemory(there), `{}`)},
		{"memory", "write a reply", ask(protocol.SubjectReply(there, "t1"), `{}`)},
		{"retriever", "make a stream", func(ctx context.Context, c *transport.Conn) error {
			return c.CreateStream(ctx, transport.StreamTable(transport.Settings{}.WithDefaults(), transport.StreamScans))
		}},
		{"backend-village", "say elsewhere", client(func(ctx context.Context, c *Client) error {
			_, err := c.Publish(ctx, request(there, "t1"))
			return err
		})},
		{"backend-village", "watch elsewhere", client(func(ctx context.Context, c *Client) error {
			events, err := c.Watch(ctx, there, "t1")
			for e := range events {
				err = errors.Join(err, e.Err)
			}
			return err
		})},
		{"backend-village", "read a reply elsewhere", client(func(ctx context.Context, c *Client) error {
			_, err := c.Reply(ctx, there, "t1")
			return err
		})},
		{"backend-village", "ask for a turn elsewhere", client(func(ctx context.Context, c *Client) error {
			_, err := c.Outcome(ctx, there, "t1")
			return err
		})},
		{"backend-village", "cancel elsewhere", client(func(ctx context.Context,
			c *Client) error {
			return c.Cancel(ctx, there, "t1")
		})},
		{"backend-village", "hear actions elsewhere", client(func(ctx context.Context, c *Client) error {
			return c.Actions(ctx, there.World, time.Time{}, func(Proposal) {})
		})},
		{"backend-village", "answer an action elsewhere", client(func(ctx context.Context, c *Client) error {
			return c.Answer(ctx, there, "t1", 0, schema.ActionResult{Accepted: true})
		})},
		{"backend-village", "witness elsewhere", client(func(ctx context.Context, c *Client) error {
			return c.Witness(ctx, &schema.Occurrence{ID: "e1", World: there.World, Subject: "mira", Predicate: "saw",
				Object: "a horse", Text: "Mira saw a horse.", Witnesses: []string{"mira"}, GameTime: time.Unix(1, 0)})
		})},
		{"backend-village", "ask for any turn", ask(protocol.SubjectTurnOutcome, `{}`)},
		{"backend-village", "read a stream", ask("$JS.API.DIRECT.GET.REPLIES."+protocol.SubjectReply(there, "t1"), ``)},
		{"backend-village", "read its leader", ask("$JS.API.STREAM.MSG.GET.REPLIES", `{"seq":1}`)},
		{"backend-village", "make a consumer", ask("$JS.API.CONSUMER.CREATE.REPLIES.mine", `{}`)},
	} {
		t.Run(c.user+" may not "+c.name, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
			defer stop()
			err := c.try(ctx, h.as(c.user))
			var denied *transport.RightError
			if !errors.As(err, &denied) || !strings.Contains(err.Error(), "this NATS user may not") ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("it is told %v", err)
			}
		})
	}
	states, _, err := NewClient(h.as("operator")).Inspect(t.Context())
	must(t, err)
	for _, s := range states {
		if s.Messages > 0 {
			t.Errorf("%s holds %d messages", s.Name, s.Messages)
		}
	}
}

// A worker's ack of what another consumer has in hand changes nothing.
func TestAnAckForAnotherConsumerIsRefused(t *testing.T) {
	h := newHouse(t)
	retriever, speaker := h.as("retriever"), h.as("speaker")
	_, err := retriever.Publish(t.Context(),
		transport.NewMessage(protocol.SubjectPass(schema.PassThink, convoA, "t1"), []byte(`{}`)),
		time.Second)
	must(t, err)
	cons, err := h.as("monologue").LookAtConsumer(t.Context(), transport.StreamPasses, "pass-think")
	must(t, err)
	batch, err := cons.Fetch(1)
	must(t, err)
	msg := <-batch.Messages()
	must(t, speaker.Core().Publish(msg.Reply(), []byte("+ACK")))
	must(t, speaker.Core().Flush())
	eventually(t, 5*time.Second, func() error {
		if no, _ := speaker.RefusedSince(msg.Reply(), time.Time{}); !no {
			return errors.New("it is not refused")
		}
		return nil
	})
	info, err := cons.Info(t.Context())
	must(t, err)
	if info.NumAckPending != 1 {
		t.Errorf("%d in hand, want 1", info.NumAckPending)
	}
	must(t, msg.DoubleAck(t.Context()))
}

// Of another world a backend hears nothing, however it listens, and is told nothing,
// whatever it asks.
func TestABackendHearsNothingOfAnotherWorld(t *testing.T) {
	h := newHouse(t)
	backend := h.as("backend-village")
	heard := make(chan *transport.Message, 64)
	for _, subject := range []string{">", "*.*.>", transport.LivePrefix + ">", transport.LivePrefix + "reply.elsewhere.>",
		protocol.Prefix + "turn.>", "_INBOX_backend-elsewhere.>", "_INBOX.>", "$JS.>"} {
		_, err := backend.Core().ChanSubscribe(subject, heard)
		must(t, err)
	}
	must(t, backend.Core().Flush())
	ctx, stop := context.WithCancel(t.Context())
	ends, done := New(h.as("actions"), Options{Shared: true}), make(chan error, 1)
	ends.Ends(Ends{})
	go func() { done <- ends.Run(ctx) }()
	defer func() { stop(); must(t, <-done) }()

	there, own := schema.ConversationID{World: "elsewhere", NPC: "mira", Player: "p1"},
		NewBackend(h.as("backend-elsewhere"))
	_, err := own.Publish(t.Context(), within(30*time.Second, there, "t1"))
	must(t, err)
	retriever := New(h.as("retriever"), Options{})
	must(t, retriever.publishReply(t.Context(), &schema.Reply{TurnID: "t1", World: there.World, NPC: there.NPC,
		Player: there.Player, Status: schema.StatusAnswered, Text: "The ledger is under the anvil."}))
	var reply *schema.Reply
	eventually(t, 10*time.Second, func() (err error) {
		reply, err = own.Reply(t.Context(), there, "t1")
		return err
	})
	if !strings.Contains(reply.Text, "anvil") {
		t.Fatalf("its own backend reads %+v", reply)
	}
	query := fmt.Appendf(nil, `{"world":%q,"npc":%q,"player":%q,"turn_id":"t1"}`, there.World, there.NPC, there.Player)
	answer, err := backend.Request(t.Context(), transport.NewMessage(protocol.SubjectTurnOutcomeOf("village"), query),
		2*time.Second)
	if err != nil || strings.Contains(string(answer.Data), "anvil") ||
		!strings.Contains(string(answer.Data), "the query is for world") {
		t.Errorf("asked on its own subject it is told %v, %v", answer, err)
	}
	for len(heard) > 0 {
		if msg := <-heard; strings.Contains(msg.Subject, "elsewhere") || strings.Contains(string(msg.Data), "anvil") {
			t.Errorf("it hears %s: %s", msg.Subject, msg.Data)
		}
	}
}

// The gateway's user may ask about every world, a backend about its own alone; neither
// has a right to a stream.
func TestWhatIsAskedAboutWorlds(t *testing.T) {
	h := newHouse(t)
	ctx, stop := context.WithCancel(t.Context())
	worlds, ends := New(h.as("retriever"), Options{Shared: true}), New(h.as("actions"), Options{Shared: true})
	worlds.ServeWorlds(func() []schema.WorldInfo { return []schema.WorldInfo{{Name: "village"}, {Name: "elsewhere"}} })
	ends.Ends(Ends{})
	done := make(chan error, 2)
	go func() { done <- worlds.Run(ctx) }()
	go func() { done <- ends.Run(ctx) }()
	defer func() { stop(); must(t, errors.Join(<-done, <-done)) }()
	gateway, backend := NewBackend(h.as("gateway")), NewBackend(h.as("backend-village"))
	eventually(t, 10*time.Second, func() error {
		all, err := gateway.Worlds(t.Context())
		if err == nil && len(all) != 2 {
			err = fmt.Errorf("%d worlds", len(all))
		}
		return err
	})
	for _, world := range []string{"village", "elsewhere"} {
		talk := schema.ConversationID{World: world, NPC: "mira", Player: "p1"}
		if _, err := gateway.Talk(t.Context(), talk, true); err != nil {
			t.Errorf("the gateway in %s: %v", world, err)
		}
		if _, err := gateway.TurnTrace(t.Context(), talk, "t1"); !errors.Is(err, transport.ErrNotFound) {
			t.Errorf("the gateway's trace in %s: %v", world, err)
		}
		if _, err := gateway.Letters(t.Context(), world, schema.LettersQuery{}); err != nil {
			t.Errorf("the gateway's letters in %s: %v", world, err)
		}
		q := schema.OutcomesQuery{Since: time.Now()}
		if _, err := gateway.nextOutcomes(t.Context(), world, &q, nil); err != nil {
			t.Errorf("the gateway's outcomes in %s: %v", world, err)
		}
	}
	if _, err := backend.World(t.Context(), "village"); err != nil {
		t.Errorf("a backend's own world: %v", err)
	}
	var denied *transport.RightError
	for name, ask := range map[string]func(context.Context) error{
		"all worlds":    func(ctx context.Context) error { _, err := backend.Worlds(ctx); return err },
		"another world": func(ctx context.Context) error { _, err := backend.World(ctx, "elsewhere"); return err },
		"another's talk": func(ctx context.Context) error {
			_, err := backend.Talk(ctx, schema.ConversationID{World: "elsewhere", NPC: "mira", Player: "p1"}, false)
			return err
		},
		"another's mind": func(ctx context.Context) error {
			_, err := backend.Memories(ctx, "elsewhere", schema.MemoriesQuery{})
			return err
		},
		"another's trace": func(ctx context.Context) error {
			_, err := backend.TurnTrace(ctx, schema.ConversationID{World: "village", NPC: "mira", Player: "p1"}, "t1")
			return err
		},
		"another's letters": func(ctx context.Context) error {
			_, err := backend.Letters(ctx, "village", schema.LettersQuery{})
			return err
		},
		"a stream itself": func(ctx context.Context) error {
			_, err := NewClient(gateway.conn).Trace(ctx,
				"t1")
			return err
		},
	} {
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
		if err := ask(ctx); !errors.As(err, &denied) {
			t.Errorf("%s: %v", name, err)
		}
		stop()
	}
}

// A question whose answer would go to a subject of the mesh gets none: it would be
// written there by the service, which may.
func TestAnAnswerGoesToAnInboxAlone(t *testing.T) {
	h := newHouse(t)
	ctx, stop := context.WithCancel(t.Context())
	ends, done := New(h.as("actions"), Options{Shared: true}), make(chan error, 1)
	ends.Ends(Ends{})
	go func() { done <- ends.Run(ctx) }()
	defer func() { stop(); must(t, <-done) }()
	backend := NewBackend(h.as("backend-village"))
	there := schema.ConversationID{World: "elsewhere", NPC: "mira", Player: "p1"}
	here := schema.ConversationID{World: "village", NPC: "mira", Player: "p1"}
	eventually(t, 10*time.Second, func() error {
		_, err := backend.Outcome(t.Context(), here, "t1")
		return err
	})
	for _, subject := range []string{protocol.SubjectTurnOutcomeOf("village"), protocol.SubjectActions("village"),
		protocol.SubjectCancel(here, "t1")} {
		must(t, backend.conn.Core().PublishRequest(subject, protocol.SubjectReply(there, "t1"),
			[]byte(`{"world":"village","npc":"mira","player":"p1","turn_id":"t1"}`)))
	}
	if _, err := backend.Outcome(t.Context(), here, "t1"); err != nil { // by then they have been heard
		t.Fatal(err)
	}
	if _, err := NewClient(h.as("operator")).Reply(t.Context(), there, "t1"); !errors.Is(err, transport.ErrNotFound) {
		t.Errorf("a reply was written elsewhere: %v", err)
	}
}

// The broker writes its acknowledgement of a message wherever the message says: to
// whoever speaks from another account, not among the mesh's subjects.
func TestAnAcknowledgementReachesNoOtherWorld(t *testing.T) {
	h := newHouse(t)
	backend, operator := h.as("backend-village"), h.as("operator")
	there := schema.ConversationID{World: "elsewhere", NPC: "mira", Player: "p1"}
	here := schema.ConversationID{World: "village", NPC: "mira", Player: "p1"}
	for i, to := range []string{protocol.SubjectReply(there, "t1"), protocol.SubjectMemory(there),
		protocol.SubjectTurn(there), transport.ConversationPrefix + there.String()} {
		must(t, backend.Core().PublishRequest(protocol.SubjectTurn(here), to, fmt.Appendf(nil, "{\"turn_id\":\"t%d\"}", i)))
		must(t, backend.Core().PublishRequest(protocol.SubjectEvent("village"), to, []byte(`{}`)))
	}
	must(t, backend.Core().Flush())
	eventually(t, 5*time.Second, func() error {
		states, _, err := NewClient(operator).Inspect(t.Context())
		for _, s := range states {
			want := map[string]uint64{transport.StreamTurns: 4, transport.StreamEvents: 4}[s.Name]
			if s.Messages != want {
				err = errors.Join(err, fmt.Errorf("%s holds %d messages, want %d", s.Name, s.Messages, want))
			}
		}
		return err
	})
}
