package embedded

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/faults"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Led is what fault runs take for the end of an outage, so it must not say so too
// early: a node that is cut off still believes that it leads, and one that comes back
// has the others elect anew.
func TestAClusterIsLedOnlyWhereAWriteIsTaken(t *testing.T) {
	routes := map[[2]int]*faults.Proxy{}
	c, err := StartBreakable(t.Context(), t.TempDir(), 3, func(from, to int, address string) (string, error) {
		p, err := faults.Listen(address)
		if err != nil {
			return "", err
		}
		t.Cleanup(p.Close)
		routes[[2]int{from, to}] = p
		return p.Addr(), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Stop)
	of := func(node int) jetstream.JetStream {
		nc, err := nats.Connect("nats://" + c.Address(node))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(nc.Close)
		js, err := jetstream.New(nc)
		if err != nil {
			t.Fatal(err)
		}
		return js
	}
	writers := []jetstream.JetStream{of(0), of(1), of(2)}
	if _, err := writers[0].CreateStream(t.Context(),
		jetstream.StreamConfig{Name: "KEPT", Subjects: []string{"kept"}, Replicas: 3}); err != nil {
		t.Fatal(err)
	}
	kept := map[string]string{"KEPT": ""}
	await := func(what string, is func() bool) {
		t.Helper()
		for end := time.Now().Add(30 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("not in 30 s: ", what)
			}
		}
	}
	await("a leader", func() bool { return c.Led(kept) })

	cut := c.Leader("KEPT")
	sever := func(apart bool) {
		for pair, p := range routes {
			if pair[0] == cut || pair[1] == cut {
				if apart {
					p.Down()
				} else {
					p.Up()
				}
			}
		}
	}
	sever(true)
	await("the node is cut off", func() bool { return !c.Led(kept) })
	if c.Leader("KEPT") != cut {
		t.Error("the node that was cut off knows at once that it leads nobody")
	}
	await("the two others elect one of them", func() bool {
		for i, ns := range c.nodes {
			if i != cut && ns.JetStreamIsStreamLeader("$G", "KEPT") {
				return true
			}
		}
		return false
	})
	if c.Led(kept) {
		t.Error("led, by a node on each side of the cut")
	}
	sever(false)
	await("all agree again", func() bool { return c.Led(kept) })
	for i, js := range writers {
		await(fmt.Sprint("a write over node ", i), func() bool {
			if !c.Led(kept) { // an election came between
				return false
			}
			ctx, stop := context.WithTimeout(t.Context(), 2*time.Second)
			defer stop()
			_, err := js.Publish(ctx, "kept", []byte("x"))
			if err != nil && c.Led(kept) {
				t.Errorf("it is led, and takes no write over node %d: %v", i, err)
			}
			return err == nil
		})
	}
}
