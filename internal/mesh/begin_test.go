package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// begins lets Mira speak first of every event that her player has witnessed.
func begins(o *schema.Occurrence) *schema.Request {
	return &schema.Request{TurnID: schema.BegunTurn(o.ID), World: convoA.World, NPC: convoA.NPC, Player: convoA.Player,
		Begin: &schema.Begin{EventID: o.ID, Kind: o.Kind()}}
}

func beginning(m *Mesh) {
	plain(m)
	m.OnBegin(begins)
}

// sees publishes an event of the game; several messages may carry one event.
func (r *rig) sees(event, message string) {
	r.t.Helper()
	data, err := json.Marshal(schema.Occurrence{ID: event, World: convoA.World, Text: "Ansel gave Mira a sword.",
		Witnesses: []string{"mira", "p1"}})
	must(r.t, err)
	_, err = r.conn.Publish(r.t.Context(), transport.NewMessage(protocol.SubjectEvent(convoA.World), data,
		transport.HeaderID, message), time.Second)
	must(r.t, err)
}

// replies are the turns of a conversation that have one, in order.
func (r *rig) replies() (turns []string) {
	r.t.Helper()
	must(r.t, r.conn.Each(r.t.Context(), transport.StreamReplies, protocol.SubjectReply(convoA, "*"),
		func(msg *transport.Entry) bool {
			var reply schema.Reply
			must(r.t, json.Unmarshal(msg.Data, &reply))
			turns = append(turns, reply.TurnID)
			return true
		}))
	return turns
}

// However often an event is told, it begins one turn, which no player is said to have asked for.
func TestAnEventBeginsOneTurn(t *testing.T) {
	r := newRig(t)
	r.start(Options{}, beginning)
	for _, message := range []string{"e1", "e1", "e1-again"} {
		r.sees("e1", message)
	}
	turn := schema.BegunTurn("e1")
	events, reply := r.watch(convoA, turn)
	if want := "[accepted thinking sentence 1 closed reply done]"; fmt.Sprint(events) != want {
		t.Errorf("events %v, want %s", events, want)
	}
	if reply.Begin == nil || reply.Begin.EventID != "e1" || reply.Begin.Kind != schema.KindHappened ||
		reply.Message != "" {
		t.Errorf("reply %+v", reply)
	}
	r.sees("e1", "e1-later")
	r.sees("e2", "e2")
	r.watch(convoA, schema.BegunTurn("e2"))
	if got, want := r.replies(), []string{turn, schema.BegunTurn("e2")}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("replies %v, want %v", got, want)
	}
}

// queued is a begun turn in its queue with the player's turn t1 behind it, and a mesh, stopped
// by now, that starts none.
func (r *rig) queued() (m *Mesh, turn string) {
	r.t.Helper()
	m, stop := r.start(Options{}, func(m *Mesh) { m.OnBegin(begins) })
	r.sees("e1", "e1")
	turn = schema.BegunTurn("e1")
	eventually(r.t, 10*time.Second, func() error {
		_, err := QueuedTurn(r.t.Context(), r.conn, convoA, turn)
		return err
	})
	r.publish(request(convoA, "t1"))
	stop()
	return m, turn
}

// An NPC that has not begun to speak when a player speaks keeps silent, and the player is answered.
func TestABegunTurnYieldsToThePlayer(t *testing.T) {
	r := newRig(t)
	_, turn := r.queued()
	r.start(Options{}, beginning)
	if _, reply := r.watch(convoA, turn); reply.Status != schema.StatusAborted || reply.Reason != schema.ReasonYielded ||
		len(reply.Sentences) > 0 || !reply.Unheard() {
		t.Errorf("the begun turn: %+v", reply)
	}
	if _, reply := r.watch(convoA, "t1"); reply.Status != schema.StatusAnswered {
		t.Errorf("the player's turn: %+v", reply)
	}
	doc, _, err := r.client.Conversation(t.Context(), convoA)
	if err != nil || doc.Turns != 1 {
		t.Errorf("document %+v, %v", doc, err)
	}
}

// The doorbell of the player's turn may be heard before that of the begun one.
func TestABegunTurnThatNobodyAcceptedYields(t *testing.T) {
	r := newRig(t)
	m, turn := r.queued()
	must(t, m.advance(t.Context(), convoA, said{}))
	reply, err := r.conn.Reply(t.Context(), convoA, turn)
	if err != nil || reply.Reply.Reason != schema.ReasonYielded {
		t.Fatalf("reply %+v, %v", reply, err)
	}
	r.start(Options{}, beginning)
	if events, reply := r.watch(convoA, "t1"); reply.Status != schema.StatusAnswered {
		t.Errorf("events %v, reply %+v", events, reply)
	}
}

// An event waits for the player's turns, and begins its own behind them.
func TestABegunTurnWaitsForTheQueue(t *testing.T) {
	r := newRig(t)
	_, stop := r.start(Options{}, func(m *Mesh) { m.OnBegin(begins) })
	r.publish(request(convoA, "t1"))
	r.sees("e1", "e1")
	turn := schema.BegunTurn("e1")
	eventually(t, 10*time.Second, func() error { // it was put back at least once
		consumer, err := r.conn.JetStream().Consumer(t.Context(), transport.StreamEvents, ConsumerBegin)
		if err == nil && consumer.CachedInfo().Delivered.Consumer < 2 {
			err = errors.New("the event was not looked at twice")
		}
		return err
	})
	if _, err := QueuedTurn(t.Context(), r.conn, convoA, turn); err == nil {
		t.Error("the begun turn stands behind the player's")
	}
	stop()
	r.start(Options{}, beginning)
	r.watch(convoA, "t1")
	r.watch(convoA, turn)
	if got, want := r.replies(), []string{"t1", turn}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("replies %v, want %v", got, want)
	}
}

// What cannot begin in time is dropped, and told of with its reason.
func TestAnEventThatIsOverBeginsNothing(t *testing.T) {
	for _, c := range []struct {
		name   string
		queued bool
		want   string
	}{{"its time is over", false, schema.ReasonLate}, {"the queue was never empty", true, schema.ReasonBusy}} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			dropped := make(chan string, 8)
			later := func() time.Time { return time.Now().Add(2 * freshness) }
			if c.queued {
				must(t, r.conn.Setup(t.Context(), transport.Settings{}))
				r.publish(request(convoA, "t1"))
			}
			r.start(Options{Now: later, Report: func(rep Report) {
				if rep.Outcome == "unbegun" {
					dropped <- rep.Reason
				}
			}}, func(m *Mesh) { m.OnBegin(begins) })
			r.sees("e1", "e1")
			if got := <-dropped; got != c.want {
				t.Errorf("dropped for %s, want %s", got, c.want)
			}
			if _, err := QueuedTurn(t.Context(), r.conn, convoA, schema.BegunTurn("e1")); err == nil {
				t.Error("the begun turn stands in the queue")
			}
		})
	}
}

// A turn in which the NPC was to speak is nobody's to publish.
func TestNobodyPublishesABegunTurn(t *testing.T) {
	r := newRig(t)
	must(t, r.conn.Setup(t.Context(), transport.Settings{}))
	req := request(convoA, "t1")
	req.Begin = &schema.Begin{EventID: "e1", Kind: "brought"}
	if _, err := r.client.Publish(t.Context(), req); err == nil {
		t.Error("it was taken")
	}
}

// An NPC that has looked and has nothing to say is noted, so that its cooldown runs. One that
// gave way to a player did not look, and one that was not to speak yet is not put off further.
func TestWhoHasNothingToSayIsNoted(t *testing.T) {
	for reason, noted := range map[string]bool{schema.ReasonNothing: true, schema.ReasonCooldown: false,
		schema.ReasonCondition: false, schema.ReasonEnough: false, schema.ReasonYielded: false} {
		t.Run(reason, func(t *testing.T) {
			r := newRig(t)
			r.start(Options{}, func(m *Mesh) {
				m.Intake(Intake{})
				m.Ends(Ends{Apply: func(doc *schema.Conversation, of *schema.Reply) { doc.NoteBegun(*of.Begin, of.AcceptedAt) }})
				m.Handle(schema.PassRetrieve, func(_ context.Context, t *protocol.Turn) (schema.Pass, error) {
					t.Abort = &protocol.Abort{Reason: reason}
					return schema.PassAct, nil
				})
				m.Handle(schema.PassAct, plainPass(m, schema.PassAct))
				m.OnBegin(begins)
			})
			r.sees("e1", "e1")
			if _, reply := r.watch(convoA, schema.BegunTurn("e1")); reply.Reason != reason {
				t.Fatalf("reply %+v", reply)
			}
			doc, _, err := r.client.Conversation(t.Context(), convoA)
			if err != nil && !errors.Is(err, transport.ErrNotFound) {
				t.Fatal(err)
			}
			if is := doc != nil && len(doc.Begun) > 0; is != noted {
				t.Errorf("noted: %v, %+v", is, doc)
			}
		})
	}
}
