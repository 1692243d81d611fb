package eval_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/eval"
)

// Of more results than are read, the newest count, whatever their names.
func TestTheNewestResultsAreRead(t *testing.T) {
	dir, start := t.TempDir(), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 202 {
		file := filepath.Join(dir, fmt.Sprintf("run-%03d.json", i))
		if err := os.WriteFile(file, []byte(`{"suite":"s","cases":1,"metrics":{"x":1}}`), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, start, start.Add(time.Duration(i)*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := eval.ReadRuns(dir)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(got.Runs); n != 200 || got.Runs[0].File != "run-201.json" || got.Runs[n-1].File != "run-002.json" {
		t.Errorf("%d results, from %s to %s", n, got.Runs[0].File, got.Runs[n-1].File)
	}
	if len(got.Faults) != 1 || got.Faults[0].File != "run-001.json" {
		t.Errorf("faults %v", got.Faults)
	}
}
