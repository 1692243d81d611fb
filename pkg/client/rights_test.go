package client

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/internal/mesh/natstest"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// A game server's user has no right to what an operator does. Each such call says so by
// RightError, with the subject, and in one line.
func TestWhatAGameServerMayNotDoIsNamed(t *testing.T) {
	worlds := []string{"village", "elsewhere"}
	roles, err := access.Roles(worlds)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range roles {
		t.Setenv(r.Variable(), "pass-"+r.Name)
	}
	config, err := access.BrokerConfig(worlds)
	if err != nil {
		t.Fatal(err)
	}
	url := natstest.Start(t, config+natstest.JetStream(t)).URL
	login := func(user string) Login {
		return Login{User: user, Password: func() (string, error) { return "pass-" + user, nil }}
	}
	operator, err := transport.Connect(t.Context(), transport.Dial{URL: url, Name: "operator",
		Login: transport.Login(login("operator"))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(operator.Close)
	if err := operator.Setup(t.Context(), transport.Settings{}); err != nil {
		t.Fatal(err)
	}
	c, err := Connect(t.Context(), url, Options{Login: login("backend-village")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	here := schema.ConversationID{World: "village", NPC: "mira", Player: "p1"}
	for name, call := range map[string]func(context.Context) error{
		"Worlds": func(ctx context.Context) error { _, err := c.Worlds(ctx); return err },
		"World":  func(ctx context.Context) error { _, err := c.World(ctx, "elsewhere"); return err },
		"Trace":  func(ctx context.Context) error { _, err := c.Trace(ctx, here, "t1"); return err },
		"Outcomes": func(ctx context.Context) error {
			return c.Outcomes(ctx, "village", schema.OutcomesQuery{}, func(*schema.StoredOutcome) bool { return false })
		},
		"Letters": func(ctx context.Context) error {
			_, err := c.Letters(ctx, "village", schema.LettersQuery{})
			return err
		},
		"Retry": func(ctx context.Context) error { return c.Retry(ctx, "village", 1) },
		"Resolve": func(ctx context.Context) error {
			_, err := c.Resolve(ctx, "village", schema.ResolveQuery{Memory: "m1", Keep: "m1", By: "game"})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
			defer stop()
			err := call(ctx)
			var right *RightError
			if !errors.As(err, &right) || right.Subject == "" || right.What == "" || strings.Contains(err.Error(), "\n") {
				t.Errorf("it is told %v", err)
			}
		})
	}
}
