package admin

import (
	"testing"

	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var convoA = schema.ConversationID{World: "hollowmere", NPC: "mira", Player: "p1"}

// rig is a broker with a connection to it.
type rig struct {
	t      *testing.T
	server *embedded.Server
	conn   *transport.Conn
}

func newRig(t *testing.T) *rig {
	t.Helper()
	return newRigOn(t, embedded.Options{Dir: t.TempDir()})
}

func newRigOn(t *testing.T, o embedded.Options) *rig {
	t.Helper()
	server, err := embedded.Start(t.Context(), o)
	must(t, err)
	t.Cleanup(server.Stop)
	r := &rig{t: t, server: server}
	r.conn = r.connect()
	return r
}

func (r *rig) connect() *transport.Conn {
	r.t.Helper()
	c, err := transport.Connect(r.t.Context(), transport.Dial{InProcess: r.server, Name: r.t.Name()})
	must(r.t, err)
	r.t.Cleanup(c.Close)
	return c
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
