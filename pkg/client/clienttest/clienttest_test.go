package clienttest_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/client"
	"github.com/forsooth-npc/forsooth/pkg/client/clienttest"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// A backend's own test: a mesh with the sample worlds, a question, and the reply with
// its evidence.
func TestABackendTestsAgainstTheSampleWorlds(t *testing.T) {
	m := clienttest.Start(t)
	c, err := client.Connect(t.Context(), m.URL, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Health(t.Context()); err != nil {
		t.Fatal(err)
	}
	turn, err := c.Say(t.Context(),
		schema.Request{World: "hollowmere", NPC: "mira", Player: "p1", Message: "Who burned the mill?"})
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for s, err := range turn.Sentences(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		said = append(said, s.Text)
	}
	if _, err := turn.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("behind the last event: %v", err)
	}
	reply, err := turn.Reply(t.Context())
	if err != nil || reply.Text != strings.Join(said, " ") || reply.Text == "" {
		t.Errorf("said %q, reply %+v, %v", said, reply, err)
	}
}

// A wait that ends early loses nothing: the next one goes on where it was.
func TestAWaitThatEndsLosesNothing(t *testing.T) {
	m := clienttest.Start(t, village(t, "name: village\n"))
	c, err := client.Connect(t.Context(), m.URL, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	turn, err := c.Say(t.Context(),
		schema.Request{World: "village", NPC: "ada", Player: "p1", Message: "Who owns the ferry?"})
	if err != nil {
		t.Fatal(err)
	}
	over, stop := context.WithCancel(t.Context())
	stop()
	if _, err := turn.Next(over); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("a wait that is over: %v", err)
	}
	if reply, err := turn.Reply(t.Context()); err != nil || reply.Text == "" {
		t.Errorf("reply %+v, %v", reply, err)
	}
}

// Whoever asked is told of a connection that breaks, is mended and is closed.
func TestTheStateOfAConnectionIsTold(t *testing.T) {
	m := clienttest.Start(t, village(t, "name: village\n"))
	var mu sync.Mutex
	var told []error
	c, err := client.Connect(t.Context(), m.URL, client.Options{OnState: func(connected bool, why error) {
		mu.Lock()
		defer mu.Unlock()
		if told = append(told, why); connected {
			t.Error("told of a connection that never broke")
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	mu.Lock()
	defer mu.Unlock()
	if len(told) != 1 || !errors.Is(told[0], client.ErrDisconnected) {
		t.Errorf("told %v", told)
	}
}

// village is a world of one NPC, with this world.yaml.
func village(t *testing.T, frame string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"world.yaml": frame,
		"npcs/ada/npc.yaml": "handle: ada\nname: Ada\npersonality: plain-spoken\nbackstory: |\n  Ada keeps the ferry " +
			"house. Teague owns the ferry.\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
