package natstest

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func TestABrokerForgetsIdsAndKeepsItsWindows(t *testing.T) {
	server, err := embedded.Start(t.Context(), embedded.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	conn, err := transport.Connect(t.Context(), transport.Dial{InProcess: server})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	m := mesh.New(conn, mesh.Options{})
	if err := m.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	b, err := TamperWith(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	convo := schema.ConversationID{World: "w", NPC: "mira", Player: "p1"}
	again := func() bool {
		t.Helper()
		msg := nats.NewMsg(protocol.SubjectTurn(convo))
		msg.Header.Set(transport.HeaderID, "t1")
		ack, err := b.js.PublishMsg(t.Context(), msg)
		if err != nil {
			t.Fatal(err)
		}
		return ack.Duplicate
	}
	if again() || !again() {
		t.Fatal("the broker does not know an id that it was told a moment ago")
	}
	time.Sleep(2 * shortWindow) // what is younger than the shortest window stays known
	if err := b.Forget(t.Context()); err != nil {
		t.Fatal(err)
	}
	if again() {
		t.Error("the id is still known")
	}
	if !again() {
		t.Error("nothing is remembered any more")
	}
	if err := mesh.New(conn, mesh.Options{}).Setup(t.Context()); err != nil {
		t.Errorf("the next process does not take the streams: %v", err)
	}
}
