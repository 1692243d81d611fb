package sqlite_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/store/sqlite"
	"golang.org/x/sync/errgroup"
)

// Processes that start at once on a new folder all make the same file. None of them is told to try again.
func TestOneNewFileForManyAtOnce(t *testing.T) {
	for round := range 200 {
		path := filepath.Join(t.TempDir(), fmt.Sprintf("index-%d.db", round))
		var g errgroup.Group
		for range 4 {
			g.Go(func() error {
				c, err := sqlite.OpenCorpus(t.Context(), path)
				if err != nil {
					return err
				}
				return c.Close()
			})
		}
		if err := g.Wait(); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
	}
}
