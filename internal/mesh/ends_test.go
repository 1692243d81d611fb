package mesh

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// blocked registers the plain passes, but speak waits until its context ends
// for the turns named, and says so on entered.
func blocked(entered chan<- string, left chan<- error, turns ...string) func(*Mesh) {
	return func(m *Mesh) {
		for _, p := range protocol.Passes {
			next := plainPass(m, p)
			m.Handle(p, func(ctx context.Context, t *protocol.Turn) (schema.Pass, error) {
				for _, id := range turns {
					if p == schema.PassSpeak && t.TurnID == id {
						entered <- id
						<-ctx.Done()
						left <- context.Cause(ctx)
						return "", ctx.Err()
					}
				}
				return next(ctx, t)
			})
		}
		m.Intake(Intake{})
		m.Ends(Ends{})
	}
}

func TestCancelEndsATurnAndItsModelCall(t *testing.T) {
	r := newRig(t)
	entered, left := make(chan string, 1), make(chan error, 1)
	r.start(Options{}, blocked(entered, left, "long"))
	r.publish(within(30*time.Second, convoA, "long"))
	<-entered
	if err := r.client.Cancel(t.Context(), convoA, "long"); err != nil {
		t.Fatal(err)
	}
	if cause := <-left; !errors.Is(cause, errEnded) {
		t.Errorf("the handler ended by %v", cause)
	}
	events, reply := r.watch(convoA, "long")
	if reply.Status != schema.StatusAborted || reply.Reason != schema.ReasonCancelled ||
		events[len(events)-1] != "aborted" {
		t.Errorf("%v, reply %+v", events, reply)
	}
	r.queueIsEmpty()
	if err := r.client.Cancel(t.Context(), convoA, "long"); !errors.Is(err, transport.ErrNotFound) {
		t.Errorf("cancelled twice: %v", err)
	}
}

func TestSupersedesEndsTheOlderTurn(t *testing.T) {
	r := newRig(t)
	entered, left := make(chan string, 1), make(chan error, 1)
	r.start(Options{}, blocked(entered, left, "older"))
	r.publish(within(30*time.Second, convoA, "older"))
	<-entered
	newer := request(convoA, "newer")
	newer.Supersedes = "older"
	r.publish(newer)
	<-left
	if _, reply := r.watch(convoA, "older"); reply.Status != schema.StatusAborted ||
		reply.Reason != schema.ReasonSuperseded {
		t.Errorf("older: %+v", reply)
	}
	if _, reply := r.watch(convoA, "newer"); reply.Status != schema.StatusAnswered {
		t.Errorf("newer: %+v", reply)
	}
}

func TestBusyConversationAndFullMeshLeaveNothing(t *testing.T) {
	r := newRig(t)
	r.start(Options{Settings: transport.Settings{MaxInFlight: 12}}, func(*Mesh) {})
	for i := range transport.MaxQueued {
		r.publish(request(convoA, fmt.Sprintf("a%d", i)))
	}
	refused := func(convo schema.ConversationID, turn string, want, other error) {
		t.Helper()
		_, err := r.client.Publish(t.Context(), request(convo, turn))
		var why *RefusedError
		if !errors.Is(err, want) || errors.Is(err, other) || !errors.As(err, &why) || why.RetryAfter <= 0 {
			t.Errorf("%s: %v, want %v with a time to wait", turn, err, want)
		}
	}
	refused(convoA, "one-more", ErrBusy, ErrFull)
	b := convoA
	b.Player = "p2"
	for i := range 3 {
		r.publish(request(b, fmt.Sprintf("b%d", i)))
	}
	refused(b, "b3", ErrFull, ErrBusy)

	s, err := r.conn.JetStream().Stream(t.Context(), transport.StreamTurns)
	if err != nil {
		t.Fatal(err)
	}
	if n := s.CachedInfo().State.Msgs; n != 12 {
		t.Errorf("TURNS holds %d messages, want 12", n)
	}
	// The refused turn was not remembered: once there is room, the same id is taken.
	if err := r.conn.Remove(t.Context(), transport.StreamTurns, 1); err != nil {
		t.Fatal(err)
	}
	if got, err := r.client.Publish(t.Context(), request(convoA, "one-more")); err != nil || got.Again {
		t.Errorf("after there was room: %+v, %v", got, err)
	}
	if got, err := r.client.Publish(t.Context(), request(convoA, "one-more")); err != nil || !got.Again {
		t.Errorf("published again: %+v, %v", got, err)
	}
}

// The store at its limit refuses cleanly, and goes on when there is room again.
func TestStoreWithoutRoomIsAFullMesh(t *testing.T) {
	r := newRigOn(t, embedded.Options{Dir: t.TempDir(), MaxStore: 1 << 20})
	r.start(Options{Settings: transport.Settings{PassesBytes: 64 << 10, TracesBytes: 64 << 10}}, func(*Mesh) {})
	big := func(i int) *schema.Request {
		req := request(schema.ConversationID{World: "w", NPC: "n", Player: fmt.Sprint("p", i)}, fmt.Sprint("t", i))
		req.Message = strings.Repeat("x", 60<<10)
		return req
	}
	refused := 0
	for i := range 40 {
		if _, err := r.client.Publish(t.Context(), big(i)); err != nil {
			if !errors.Is(err, ErrFull) {
				t.Fatalf("turn %d: %v", i, err)
			}
			refused++
		}
	}
	if refused == 0 || refused == 40 {
		t.Errorf("%d of 40 refused", refused)
	}
	for seq := uint64(1); seq < 10; seq++ {
		if err := r.conn.Remove(t.Context(), transport.StreamTurns, seq); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, 10*time.Second, func() error {
		_, err := r.client.Publish(t.Context(), big(39))
		return err
	})
}

func TestPublishRefusesBadRequests(t *testing.T) {
	r := newRig(t)
	big := request(convoA, "big")
	big.State = map[string]any{"x": strings.Repeat("x", schema.MaxTurnBytes)}
	for name, req := range map[string]*schema.Request{
		"bad id": {TurnID: "t", World: "a.b", NPC: "n", Player: "p", Message: "x"},
		"empty":  {TurnID: "t", World: "w", NPC: "n", Player: "p"},
		"large":  big,
	} {
		if _, err := r.client.Publish(t.Context(), req); !errors.Is(err, schema.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// No stream yet: one clear line, in bounded time.
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := r.client.Publish(ctx, request(convoA, "t")); err == nil ||
		!strings.Contains(err.Error(), "no mesh takes turns") {
		t.Errorf("without a mesh: %v", err)
	}
}

func TestInvalidRequestsEndInOneReply(t *testing.T) {
	r := newRig(t)
	r.start(Options{}, func(m *Mesh) {
		plain(m)
		m.runners = m.runners[:len(m.runners)-3] // the plain intake and ends
		m.subs = nil
		m.Intake(Intake{Check: func(req *schema.Request) error {
			if req.NPC == "nobody" {
				return &schema.FieldError{Field: "npc", Reason: `"nobody" is nobody in hollowmere`}
			}
			return nil
		}})
		m.Ends(Ends{})
	})
	for _, c := range []struct {
		name, subject, body, turn, detail string
	}{
		{"not JSON", "hollowmere.mira.p1", `{"turn_id":`, "seq-1", "not the JSON"},
		{"no turn id", "hollowmere.mira.p1", `{"world":"hollowmere"}`, "seq-2", "turn_id: is missing"},
		{"bad turn id", "hollowmere.mira.p1", `{"turn_id":"a b","message":"x"}`, "seq-3", "turn_id: holds"},
		{"no message", "hollowmere.mira.p1", `{"turn_id":"t4","world":"hollowmere","npc":"mira","player":"p1"}`, "t4",
			"message: is empty"},
		{"another player", "hollowmere.mira.p1", `{"turn_id":"t5","world":"hollowmere","npc":"mira","player":"p2"` +
			`,"message":"x"}`, "t5", "player: is \"p2\" but the subject says \"p1\""},
		{"deadline", "hollowmere.mira.p1", `{"turn_id":"t6","world":"hollowmere","npc":"mira","player":"p1","message":"x"` +
			`,"deadline_ms":5}`, "t6", "deadline_ms: is 5"},
		{"unknown NPC", "hollowmere.nobody.p1", `{"turn_id":"t7","world":"hollowmere","npc":"nobody","player":"p1"` +
			`,"message":"x"}`, "t7", "nobody in hollowmere"},
		{"too large", "hollowmere.mira.p1", `{"turn_id":"t8","message":"` + strings.Repeat("x", schema.MaxTurnBytes) + `"}`,
			"t8", "at most"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := protocol.ParseSubject(protocol.Prefix + "turn." + c.subject)
			if err != nil {
				t.Fatal(err)
			}
			convo := s.Conversation
			if _, err := r.conn.Publish(t.Context(), transport.NewMessage(protocol.Prefix+"turn."+c.subject, []byte(c.body)),
				time.Second); err != nil {
				t.Fatal(err)
			}
			_, reply := r.watch(convo, c.turn)
			if reply.Status != schema.StatusAborted || reply.Reason != schema.ReasonInvalid ||
				!strings.Contains(reply.Detail, c.detail) {
				t.Errorf("reply %+v, want detail %q", reply, c.detail)
			}
			if dead, err := r.conn.Last(t.Context(), transport.StreamDead,
				protocol.SubjectDead(where, convo, c.turn)); err != nil {
				t.Errorf("no dead letter: %v %v", dead, err)
			}
		})
	}
	r.queueIsEmpty()
	r.publish(request(convoA, "good"))
	if _, reply := r.watch(convoA, "good"); reply.Status != schema.StatusAnswered {
		t.Errorf("the conversation is blocked: %+v", reply)
	}
	doc, _, err := r.client.Conversation(t.Context(), convoA)
	if err != nil || len(doc.Applied) != 1 {
		t.Errorf("what was no request was applied: %+v, %v", doc, err)
	}
}

func TestRequestTooLargeWithItsConversation(t *testing.T) {
	r := newRig(t)
	r.start(Options{}, plain)
	doc := &schema.Conversation{World: convoA.World, NPC: convoA.NPC, Player: convoA.Player,
		Memory: []schema.Line{{Text: strings.Repeat("m", schema.MaxTurnBytes/2)}}}
	if err := r.client.PutConversation(t.Context(), doc, 0); err != nil {
		t.Fatal(err)
	}
	big := request(convoA, "big")
	big.State = map[string]any{"x": strings.Repeat("x", schema.MaxTurnBytes/2)}
	r.publish(big)
	if _, reply := r.watch(convoA, "big"); reply.Reason != schema.ReasonInvalid {
		t.Errorf("reply %+v", reply)
	}
	r.queueIsEmpty()
}

// Where the service keeps a player's message back, the reply of an ended turn does not hold it.
func TestAMessageThatMayNotBeKeptEndsWithItsTurn(t *testing.T) {
	r := newRig(t)
	r.start(Options{}, func(m *Mesh) {
		m.Intake(Intake{})
		m.Ends(Ends{Author: func(_ context.Context, _ *schema.Request, _ Progress, _ string) (*schema.Reply, error) {
			return &schema.Reply{}, nil
		}})
	})
	req := request(convoA, "t1")
	req.DeadlineMS = schema.MinDeadlineMS
	r.publish(req)
	if _, reply := r.watch(convoA, "t1"); reply.Message != "" || reply.Reason != schema.ReasonDeadline {
		t.Errorf("reply %+v", reply)
	}
}
