package mesh

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go/jetstream"
)

// A reply that has expired leaves a marker on its subject, which keeps the turn
// from being answered a second time, and is no reply to anyone.
func TestExpiredReplyLeavesTheTurnEnded(t *testing.T) {
	r := newRig(t)
	reports := make(chan Report, 16)
	r.start(Options{Report: func(rep Report) { reports <- rep }}, plain)
	reply, err := json.Marshal(schema.Reply{TurnID: "old", World: convoA.World, NPC: convoA.NPC, Player: convoA.Player,
		Status: schema.StatusAnswered})
	if err != nil {
		t.Fatal(err)
	}
	subject := protocol.SubjectReply(convoA, "old")
	if _, err := r.conn.Publish(t.Context(), transport.NewMessage(subject, reply, jetstream.MsgTTLHeader, "1s"),
		time.Second); err != nil {
		t.Fatal(err)
	}
	eventually(t, 10*time.Second, func() error {
		stored, err := r.conn.Reply(t.Context(), convoA, "old")
		if err == nil && stored.Reply != nil {
			err = errors.New("the reply has not expired")
		}
		return err
	})
	if _, err := r.client.Reply(t.Context(), convoA, "old"); !errors.Is(err, transport.ErrNotFound) {
		t.Errorf("an expired reply: %v", err)
	}
	// The turn is published again, long after; the one after it is answered.
	r.publish(request(convoA, "old"))
	r.publish(request(convoA, "new"))
	if _, reply := r.watch(convoA, "new"); reply.Status != schema.StatusAnswered {
		t.Errorf("reply %+v", reply)
	}
	r.queueIsEmpty()
	if _, err := r.client.Reply(t.Context(), convoA, "old"); !errors.Is(err, transport.ErrNotFound) {
		t.Errorf("an old turn was answered again: %v", err)
	}
	select {
	case rep := <-reports:
		t.Errorf("the marker was taken for a reply: %+v", rep)
	default:
	}
}
