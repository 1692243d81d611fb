package client

import (
	"bytes"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// A backend that imports the SDK must not carry the mesh's weights: no server,
// no store, no model.
func TestDependenciesStayLight(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	if !bytes.Contains(out, []byte("github.com/nats-io/nats.go")) {
		t.Fatal("the list does not hold nats.go: it is no list of dependencies")
	}
	for dep := range strings.Lines(string(out)) {
		for _, heavy := range []string{"nats-server", "sqlite", "internal/embed", "internal/store", "internal/entail", "internal/llm", "forsooth/worlds"} {
			if strings.Contains(strings.TrimPrefix(dep, "github.com/forsooth-npc/"), heavy) {
				t.Errorf("pkg/client pulls in %s", strings.TrimSpace(dep))
			}
		}
	}
}

func TestIDsAreSortedAndUniqueWithinAMillisecond(t *testing.T) {
	now := time.UnixMilli(1_700_000_000_000)
	next := ids(Options{Now: func() time.Time { return now }, Rand: rand.NewChaCha8([32]byte{})})
	last := ""
	for range 100 {
		id := next()
		if id <= last || len(id) != 26 {
			t.Fatalf("%q does not follow %q", id, last)
		}
		last = id
	}
}
