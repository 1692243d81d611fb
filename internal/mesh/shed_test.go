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

func TestAQueueStands(t *testing.T) {
	const deadline = 8 * time.Second // long is a second, and so is patience
	type came struct {
		at, waited float64
		over       bool // a queue stands
	}
	for _, c := range []struct {
		name string
		came []came
	}{
		{"a burst is served", []came{{0, 0.2, false}, {0.5, 1.4, false}, {1, 1.8, false}, {1.4, 1.2, false}, {2, 0.7, false},
			{3, 1.5, false}}},
		{"what piled up while nobody ran is served",
			[]came{{0, 0, false}, {60, 5, false}, {60.5, 3, false}, {60.9, 2, false}, {61, 0.9, false}}},
		{"a queue that stands is cut, until one comes in time",
			[]came{{0, 1.1, false}, {0.5, 1.5, false}, {1, 2, true}, {1.1, 1.9, true}, {1.2, 1, false}, {1.3, 1.3, false},
				{2.2, 1.3, false}, {2.3, 1.3, true}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := newQueues()
			at := func(x float64) time.Duration { return time.Duration(x * float64(time.Second)) }
			for i, d := range c.came {
				now := time.Unix(1000, 0).Add(at(d.at))
				q.came("retrieve", now, at(d.waited), deadline)
				if got := q.stand(now, deadline); got != d.over {
					t.Errorf("turn %d at %g s, after %g s: %v", i, d.at, d.waited, got)
				}
			}
			if q.stand(time.Unix(2000, 0), deadline) {
				t.Error("it stands long after the last turn")
			}
		})
	}
}

// A mesh that gets twice what it can serve answers what it takes in time, and the rest
// at once: nobody is left to the deadline. A client is told before it publishes; who
// publishes all the same is sent away.
func TestAQueueThatStandsIsCut(t *testing.T) {
	r := newRig(t)
	const each = 100 * time.Millisecond
	r.start(Options{Report: func(Report) {}}, func(m *Mesh) {
		for _, p := range protocol.Passes {
			h := plainPass(m, p)
			if p != schema.PassRetrieve {
				m.Handle(p, h)
				continue
			}
			m.Handle(p, func(ctx context.Context, t *protocol.Turn) (schema.Pass, error) {
				time.Sleep(each) // the work of a machine that has one core
				return h(ctx, t)
			}, Workers(1))
		}
		m.Intake(Intake{})
		m.Ends(Ends{Author: author})
	})
	// Every world hears that a queue stands: the word is the same whoever's turns wait.
	word := fmt.Sprintf(`{"for_ms":%d,"retry_after_ms":%d}`, crowdedFor.Milliseconds(), retryAfterFull.Milliseconds())
	if _, err := r.conn.Core().Subscribe(protocol.SubjectCrowded, func(msg *transport.Message) {
		if string(msg.Data) != word || len(msg.Header) > 0 || msg.Reply != "" {
			t.Errorf("every world is told %s %v %s", msg.Data, msg.Header, msg.Reply)
		}
	}); err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	var taken []schema.ConversationID
	for i := range 90 {
		req := request(schema.ConversationID{World: "hollowmere", NPC: "mira", Player: fmt.Sprint("p", i)}, "t")
		req.TurnID, req.DeadlineMS = fmt.Sprint("t", i), 4000
		_, err := r.client.Publish(t.Context(), req)
		var refused *RefusedError
		if errors.As(err, &refused) {
			if count["refused"]++; refused.RetryAfter != retryAfterFull || !errors.Is(err, ErrFull) {
				t.Errorf("%v, again after %s", err, refused.RetryAfter)
			}
			err = r.unheeding(req)
		}
		if err != nil {
			t.Fatal(err)
		}
		taken = append(taken, req.Conversation())
		time.Sleep(each / 2)
	}
	for i, convo := range taken {
		_, reply := r.watch(convo, fmt.Sprint("t", i))
		count[string(reply.Status)+" "+reply.Reason]++
		if reply.Reason == schema.ReasonOverload && (reply.RetryAfterMS < 500 || reply.Text != "Wait: OVERLOAD") {
			t.Errorf("again after %d ms, %q", reply.RetryAfterMS, reply.Text)
		}
	}
	if count["answered "] < len(taken)/4 || count["authored OVERLOAD"] == 0 || count["refused"] == 0 || len(count) != 3 {
		t.Errorf("%v", count)
	}
	t.Log(count)
	r.queueIsEmpty()
}

// unheeding publishes a turn as a backend does that is not this client.
func (r *rig) unheeding(req *schema.Request) error {
	data, err := json.Marshal(req)
	if err == nil {
		_, err = r.conn.Publish(r.t.Context(),
			transport.NewMessage(protocol.SubjectTurn(req.Conversation()), data, transport.HeaderID, req.TurnID), time.Second)
	}
	return err
}
