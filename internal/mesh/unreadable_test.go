package mesh

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// unreadables are bodies that are no deadline and no reply, some of them good JSON.
var unreadables = []string{"", "{", "null", "[]", "{}", `{"turn_id":5}`, "\x00\xff\xfe", `{"schema_version":"9.0"` +
	`,"turn_id":"x"}`,
	`{"world":"hollowmere","npc":"mira","player":"p2","turn_id":"of-another"}`}

func (r *rig) dead(where schema.Pass, turn, body string) {
	r.t.Helper()
	eventually(r.t, 10*time.Second, func() error {
		_, err := r.conn.Last(r.t.Context(), transport.StreamDead, protocol.SubjectDead(where, convoA, turn))
		if err != nil {
			return fmt.Errorf("%s of %q: %w", where, body, err)
		}
		return nil
	})
}

// drained waits until a consumer has nothing to do and nothing in hand.
func (r *rig) drained(stream, consumer string) {
	r.t.Helper()
	eventually(r.t, 10*time.Second, func() error {
		c, err := r.conn.JetStream().Consumer(r.t.Context(), stream, consumer)
		if err != nil {
			return err
		}
		if i := c.CachedInfo(); i.NumPending > 0 || i.NumAckPending > 0 {
			return fmt.Errorf("%s has %d to do and %d in hand", consumer, i.NumPending, i.NumAckPending)
		}
		return nil
	})
}

func TestUnreadableDeadlinesAreBuriedAndGone(t *testing.T) {
	r := newRig(t)
	r.start(Options{}, plain)
	for i, body := range unreadables {
		turn := fmt.Sprint("poison", i)
		if _, err := r.conn.Publish(t.Context(), transport.NewMessage(protocol.SubjectDue(convoA, turn), []byte(body)),
			time.Second); err != nil {
			t.Fatal(err)
		}
	}
	for i, body := range unreadables {
		r.dead("deadline", fmt.Sprint("poison", i), body)
	}
	r.drained(transport.StreamTimers, "deadline")
	s, err := r.conn.JetStream().Stream(t.Context(), transport.StreamTimers)
	if err != nil {
		t.Fatal(err)
	}
	if n := s.CachedInfo().State.Msgs; n > 0 {
		t.Errorf("%d messages stand in TIMERS", n)
	}
}

func TestUnreadableRepliesLeaveTheirConversationFree(t *testing.T) {
	r := newRig(t)
	r.start(Options{}, func(m *Mesh) {
		plain(m)
		m.OnReply(ConsumerMemory, func(_ context.Context, reply *schema.Reply, _ uint64) error {
			if reply.TurnID != "good" {
				t.Errorf("%+v is remembered", reply)
			}
			return nil
		})
	})
	for i, body := range unreadables {
		turn := fmt.Sprint("poison", i)
		if _, err := r.conn.Publish(t.Context(), transport.NewMessage(protocol.SubjectReply(convoA, turn), []byte(body)),
			time.Second); err != nil {
			t.Fatal(err)
		}
	}
	for i, body := range unreadables {
		r.dead("finisher", fmt.Sprint("poison", i), body)
	}
	r.drained(transport.StreamReplies, "finisher")
	r.drained(transport.StreamReplies, ConsumerMemory)
	r.publish(request(convoA, "good"))
	if _, reply := r.watch(convoA, "good"); reply.Status != schema.StatusAnswered {
		t.Errorf("reply %+v", reply)
	}
}

// What is no request, and has the id of what has been answered, has no reply of its own,
// and nobody else comes to clear it away.
func TestUnreadableTurnOfAnIdThatWasAnswered(t *testing.T) {
	r := newRig(t)
	r.start(Options{}, plain)
	for range 3 {
		if _, err := r.conn.Publish(t.Context(),
			transport.NewMessage(protocol.SubjectTurn(convoA), []byte(`{"schema_version":"9.0"`+
				`,"turn_id":"x"}`)), time.Second); err != nil {
			t.Fatal(err)
		}
		_, reply := r.watch(convoA, "x")
		if reply.Status != schema.StatusAborted || reply.Reason != schema.ReasonInvalid ||
			!strings.Contains(reply.Detail, "schema_version") {
			t.Fatalf("reply %+v", reply)
		}
		r.queueIsEmpty()
	}
}
