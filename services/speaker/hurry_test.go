package speaker_test

import (
	"context"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// A turn that comes to the passes with less than a second and a half is answered from
// its evidence, and the model is not asked.
func TestATurnWithoutTimeAsksNoModel(t *testing.T) {
	for _, c := range []struct {
		name   string
		left   time.Duration
		status schema.Status
		reason string
		asked  bool
	}{
		{"enough", time.Minute, schema.StatusAnswered, "", true},
		{"too little", 1400 * time.Millisecond, schema.StatusExtractive, schema.ReasonOverload, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			server, err := llmtest.Start(llmtest.Options{Persona: "quote", Seed: 3})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = server.Close() })
			b := servicetest.NewWithModel(t, servicetest.Village(), server.URL())
			ctx, cancel := context.WithTimeout(t.Context(), c.left)
			defer cancel()
			r := b.WalkWithin(ctx, t, b.Turn("mira", "who owns the ferry?"), schema.PassRetrieve)
			if r.Status != c.status || r.Reason != c.reason || r.Text == "" {
				t.Errorf("%s, %s: %q; notes %q", r.Status, r.Reason, r.Text, notes(r))
			}
			if asked := server.Stats().Calls > 0; asked != c.asked {
				t.Errorf("the model was asked %d times", server.Stats().Calls)
			}
		})
	}
}
