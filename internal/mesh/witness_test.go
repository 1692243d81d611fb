package mesh

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func TestWhatTheGameSawIsGivenToAReader(t *testing.T) {
	r := newRig(t)
	seen := make(chan string, 8)
	r.start(Options{}, func(m *Mesh) {
		m.OnOccurrence("memory-events", func(_ context.Context, o *schema.Occurrence, _ uint64) error {
			seen <- o.ID
			return nil
		}, Workers(1))
	})
	o := &schema.Occurrence{ID: "ev1", World: "w", Text: "Ansel gave Mira a sword.", Witnesses: []string{"mira"}}
	for range 2 {
		if err := r.client.Witness(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.conn.Publish(t.Context(), transport.NewMessage(protocol.SubjectEvent("w"), []byte("{")),
		time.Second); err != nil {
		t.Fatal(err)
	}
	if id := <-seen; id != "ev1" {
		t.Errorf("seen %s", id)
	}
	eventually(t, 5*time.Second, func() error {
		_, err := r.conn.Last(t.Context(), transport.StreamDead, protocol.Prefix+"dead.memory-events.w.unknown.unknown.seq-2")
		return err
	})
	select {
	case id := <-seen:
		t.Errorf("%s is seen twice", id)
	default:
	}
	for name, bad := range map[string]schema.Occurrence{
		"text is empty": {ID: "e", World: "w", Witnesses: []string{"mira"}},
		"witnesses":     {ID: "e", World: "w", Text: "It rained."},
		"event_id":      {World: "w", Text: "It rained.", Witnesses: []string{"mira"}},
	} {
		if err := r.client.Witness(t.Context(), &bad); !errors.Is(err, schema.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
