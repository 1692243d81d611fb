package mesh

import (
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
)

// Consumer is a durable consumer of the mesh, as the process that works it makes it.
type Consumer struct {
	Name, Stream, Filter string
	Workers              int
	AckWait              time.Duration
}

// AllConsumers are the consumers of all services. Nothing of them is run.
func AllConsumers(conn *transport.Conn, s transport.Settings) []Consumer {
	m := New(conn, Options{Settings: s})
	for _, p := range protocol.Passes {
		m.Handle(p, nil)
	}
	m.Intake(Intake{})
	m.Ends(Ends{})
	m.OnReply(ConsumerMemory, nil)
	m.OnOccurrence(ConsumerEvents, nil)
	m.OnResult(ConsumerResults, nil)
	m.OnBegin(nil)
	m.OnScan(nil)
	m.OnReport(nil)
	out := make([]Consumer, 0, len(m.runners))
	for _, r := range m.runners {
		out = append(out, Consumer{Name: r.name, Stream: r.stream, Filter: r.filter, Workers: r.workers, AckWait: r.ackWait})
	}
	return out
}
