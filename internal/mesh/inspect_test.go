package mesh

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func TestInspectSeesWhatIsMissingAndWhoWorks(t *testing.T) {
	r := newRig(t)
	streams, consumers, err := r.client.Inspect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range streams {
		if !s.Missing {
			t.Errorf("stream %s is there before anybody made it", s.Name)
		}
	}
	for _, c := range consumers {
		if !c.Missing {
			t.Errorf("consumer %s is there before anybody made it", c.Name)
		}
	}

	r.start(Options{}, plain)
	r.publish(request(convoA, "t1"))
	r.watch(convoA, "t1")
	streams, consumers, err = r.client.Inspect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range streams {
		if s.Missing || s.Unfit != "" {
			t.Errorf("stream %+v", s)
		}
		if s.Name == transport.StreamReplies && s.Messages != 1 {
			t.Errorf("%d replies are stored, want 1", s.Messages)
		}
	}
	for _, c := range consumers {
		if slices.Contains(elsewheres, c.Name) {
			continue // neither a memory service nor a scan runs here
		}
		if c.Missing || !c.Workers || c.Waiting > 0 {
			t.Errorf("consumer %+v", c)
		}
	}
}

// Who makes a pull late is not taken for somebody who is gone; who is gone is told of.
func TestWorkersThatAreLate(t *testing.T) {
	r := newRig(t)
	if err := New(r.conn, Options{}).Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, seen, err := r.client.Inspect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.start(Options{Shared: true}, plain) // seen by nobody yet
	if err := r.client.AwaitWorkers(t.Context(), seen); err != nil {
		t.Fatal(err)
	}
	for _, c := range seen {
		elsewhere := slices.Contains(elsewheres, c.Name)
		if c.Workers == elsewhere {
			t.Errorf("consumer %+v", c)
		}
	}
}

// A mesh is bound when every consumer of it is there for whoever looks, and not before.
func TestBoundIsWhenWorkersAreThere(t *testing.T) {
	r := newRig(t)
	m, _ := r.start(Options{}, func(m *Mesh) {
		plain(m)
		select {
		case <-m.Bound():
			t.Error("it is bound before it runs")
		default:
		}
	})
	select {
	case <-m.Bound():
	case <-time.After(10 * time.Second):
		t.Fatalf("not bound: %v", m.Unbound())
	}
	if missing := m.Unbound(); len(missing) > 0 {
		t.Errorf("bound without %v", missing)
	}
}

// The broker counts what waits for a consumer a moment after it took a message. What
// was published before anybody asked waits from the first.
func TestWhatWasJustPublishedWaits(t *testing.T) {
	r := newRig(t)
	var read atomic.Int64
	r.start(Options{}, func(m *Mesh) {
		m.OnReply(ConsumerMemory, func(context.Context, *schema.Reply, uint64) error { return nil })
		m.OnResult(ConsumerResults, func(context.Context, schema.ConversationID, string) error { return nil })
		m.OnOccurrence(ConsumerEvents, func(context.Context, *schema.Occurrence, uint64) error {
			read.Add(1)
			return nil
		})
	})
	for i := range int64(300) {
		if err := r.client.Witness(t.Context(),
			&schema.Occurrence{ID: fmt.Sprintf("e%d", i), World: convoA.World, Text: "It rained.",
				Witnesses: []string{"mira"}}); err != nil {
			t.Fatal(err)
		}
		for waiting := uint64(1); waiting > 0; {
			var err error
			if waiting, err = r.client.MemoryWaiting(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if n := read.Load(); n != i+1 {
			t.Fatalf("nothing waits, and %d of %d events are read", n, i+1)
		}
	}
}

// elsewheres are consumers that belong to other processes than those of the passes.
var elsewheres = []string{ConsumerMemory, ConsumerEvents, ConsumerResults, ConsumerScan, ConsumerReport}
