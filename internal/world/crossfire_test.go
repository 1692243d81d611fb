package world_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/world"
)

// The data folder's world is real text of an MMO, and loads without an error.
func TestLoadsTheSharedWorld(t *testing.T) {
	data := os.Getenv("FORSOOTH_TEST_DATA")
	if data == "" {
		t.Skip("FORSOOTH_TEST_DATA is not set: the shared world is not here")
	}
	started := time.Now()
	w, problems, err := world.LoadDir(filepath.Join(data, "worlds", "crossfire"))
	if err != nil {
		t.Fatal(err)
	}
	chunks := w.Chunks()
	t.Logf("%d NPCs, %d documents, %d chunks, %d problems in %v", len(w.NPCs), len(w.Documents), len(chunks),
		len(problems), time.Since(started))
	if len(w.NPCs) != 141 || len(w.Documents) != 141+141+450+359 {
		t.Errorf("%d NPCs and %d documents, want 141 and 1091", len(w.NPCs), len(w.Documents))
	}
	for _, p := range world.Errors(problems) {
		t.Error(p)
	}
	started = time.Now()
	t.Logf("%d warnings of lint in %v", len(world.Lint(w, problems, nil)), time.Since(started))
	nirla := w.NPCs["nirla"]
	for _, c := range chunks {
		if c.NPC != "" && c.NPC != "nirla" && world.ScopeOf(c, nirla) {
			t.Errorf("nirla may know %s", c.ID)
		}
	}
}
