package client_test

import (
	"errors"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/limits"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/pkg/client"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// A mesh that is full says so, and when to come again; the turn keeps its id.
func TestAFullMeshRefuses(t *testing.T) {
	server, err := llmtest.Start(llmtest.Options{Persona: "hang"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	m := meshFor(t, server.URL(), func(o *app.Options) { o.Streams.MaxInFlight = 2 })
	c := connect(t, m.url)
	for _, player := range []string{"p1", "p2"} {
		if _, err := c.Say(t.Context(), ask(player, "who owns the ferry?")); err != nil {
			t.Fatal(err)
		}
	}
	_, err = c.Say(t.Context(), ask("p3", "who owns the ferry?"))
	var unsaid *client.UnsaidError
	if !errors.Is(err, client.ErrFull) || client.RetryAfter(err) <= 0 || !errors.As(err, &unsaid) || unsaid.TurnID == "" {
		t.Errorf("%v, again after %s", err, client.RetryAfter(err))
	}
}

// A player who says more than its share has an authored line at once, the reason, and
// when to come again; another player is answered.
func TestAPlayerOverItsLimit(t *testing.T) {
	m := meshFor(t, "", func(o *app.Options) {
		o.Limits = limits.Rates{Player: limits.Rate{PerSecond: 0.01, Burst: 1}}
	})
	c := connect(t, m.url)
	for _, say := range []struct {
		player string
		reason string
	}{{"p1", ""}, {"p1", schema.ReasonRateLimited}, {"p2", ""}} {
		turn, err := c.Say(t.Context(), ask(say.player, "who owns the ferry?"))
		if err != nil {
			t.Fatal(err)
		}
		reply, err := turn.Reply(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		limited := say.reason != ""
		if reply.Reason != say.reason || reply.Text == "" || (reply.RetryAfter() > time.Second) != limited ||
			(reply.Status == schema.StatusAuthored) != limited {
			t.Errorf("%s: %s %s %q, again after %s", say.player, reply.Status, reply.Reason, reply.Text, reply.RetryAfter())
		}
	}
}
