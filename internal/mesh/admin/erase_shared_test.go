package admin

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// An event from which a player was taken is stored anew, and is no news: nobody speaks first
// upon it.
func TestNobodySpeaksFirstUponAnEventThatAnErasureStored(t *testing.T) {
	r := newRig(t)
	must(t, r.conn.Setup(t.Context(), transport.Settings{}))
	sees := func(id string, witnesses ...string) {
		data, err := json.Marshal(schema.Occurrence{ID: id, World: "w", Text: "The bell rang.", Witnesses: witnesses})
		must(t, err)
		_, err = r.conn.Publish(t.Context(), transport.NewMessage(protocol.SubjectEvent("w"), data), transport.ReadTimeout)
		must(t, err)
	}
	sees("old", "mira", "gone", "p1")
	e := NewEraser(r.conn, "gone", nil, false)
	trail, err := e.Follow(t.Context())
	must(t, err)
	if n, err := e.Share(t.Context(), trail); n != 1 || err != nil {
		t.Fatalf("shared %d, %v", n, err)
	}
	sees("new", "mira", "p1")

	m := mesh.New(r.conn, mesh.Options{Report: func(mesh.Report) {}})
	m.OnBegin(func(o *schema.Occurrence) *schema.Request {
		return &schema.Request{TurnID: schema.BegunTurn(o.ID), World: "w", NPC: "mira", Player: o.ID,
			Begin: &schema.Begin{EventID: o.ID, Kind: o.Kind()}}
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- m.Run(ctx) }()
	readBy(t, r.conn, mesh.ConsumerBegin)
	stop()
	if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	var begun []string
	must(t, r.conn.Each(t.Context(), transport.StreamTurns, ">", func(msg *transport.Entry) bool {
		begun = append(begun, ofSubject(msg.Subject).Player)
		return true
	}))
	if !slices.Equal(begun, []string{"new"}) {
		t.Errorf("turns begin upon %v", begun)
	}
}

// readBy waits until a reader has done with all events.
func readBy(t *testing.T, conn *transport.Conn, consumer string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		stream, err := conn.Look(ctx, transport.StreamEvents)
		must(t, err)
		c, err := stream.Consumer(ctx, consumer)
		if err == nil && c.CachedInfo().AckFloor.Stream == stream.CachedInfo().State.LastSeq {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%s has not read all events: %v", consumer, err)
		case <-tick.C:
		}
	}
}
