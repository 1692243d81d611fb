package retrieval_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/retrieval"
	"github.com/forsooth-npc/forsooth/internal/store/sqlite"
)

// many is a world of many small files.
func many(n int) map[string]string {
	out := map[string]string{
		"world.yaml":         "name: many\n",
		"npcs/ann/npc.yaml":  "handle: ann\nname: Ann\nbackstory: Ann keeps the ledger.\npersonality: dry\n",
		"npcs/bert/npc.yaml": "handle: bert\nname: Bert\nbackstory: Bert carries water.\npersonality: slow\n",
	}
	for i := range n {
		note(out, fmt.Sprintf("lore/page-%03d.txt", i),
			fmt.Sprintf("Page %d tells of the well. The rope is %d ells long.", i, i), "")
	}
	return out
}

func note(files map[string]string, path, body, more string) {
	files[path] = body
	files[path+".meta.yaml"] = "created_at: 946684800\nauthor: Ann\ntype: note\nsummary: a page\nkeywords: [page]\n" + more
}

func TestOnlyChangedFilesAreEmbeddedAgain(t *testing.T) {
	dir := files(t, many(20))
	c := corpus(t, filepath.Join(t.TempDir(), "index.db"))
	steps := []struct {
		name   string
		change func()
		want   int
	}{
		{"all of them at first", func() {}, 22}, // with two backstories
		{"none when nothing changed", func() {}, 0},
		{"the one whose text changed", func() { write(t, dir, "lore/page-003.txt", "The well is dry.") }, 1},
		{"the one whose metadata changed", func() {
			write(t, dir, "lore/page-004.txt.meta.yaml", "created_at: 946684800\nauthor: Ann\ntype: note\nsummary: "+
				"another\nkeywords: [rope]\n")
		}, 1},
		{"none for one that went", func() {
			for _, name := range []string{"lore/page-005.txt", "lore/page-005.txt.meta.yaml"} {
				if err := os.Remove(filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			}
		}, 0},
	}
	for _, s := range steps {
		t.Run(s.name, func(t *testing.T) {
			s.change()
			e := &wordHash{}
			w := load(t, dir)
			x, err := retrieval.Open(context.Background(), c, e, w, retrieval.Options{Now: func() time.Time { return wall }})
			if err != nil {
				t.Fatal(err)
			}
			if x.Embedded != s.want || (e.texts > 0) != (s.want > 0) {
				t.Errorf("%d files embedded in %d texts, want %d files", x.Embedded, e.texts, s.want)
			}
		})
	}
	x := open(t, c, &wordHash{}, load(t, dir))
	if got := x.Document("lore/page-003.txt"); len(got) != 1 || got[0].Text != "The well is dry." ||
		!got[0].IndexedAt.Equal(wall) {
		t.Errorf("page 3 = %+v", got)
	}
	if got := x.Document("lore/page-005.txt"); got != nil {
		t.Errorf("page 5 is still there: %+v", got)
	}
}

// childDir tells a child process of this test where to index.
const childDir = "FORSOOTH_TEST_INDEX_CHILD"

// slowHash announces each batch and waits for a line before it goes on, so that
// the parent chooses where the kill strikes.
type slowHash struct{ wordHash }

func (e *slowHash) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	fmt.Println("embedding", len(texts))
	return e.wordHash.Embed(ctx, texts)
}

func TestIndexSurvivesAKill(t *testing.T) {
	if dir := os.Getenv(childDir); dir != "" {
		indexUntilKilled(t, dir)
		return
	}
	dir := files(t, many(300))
	for _, batch := range []int{1, 2, 4} {
		t.Run(fmt.Sprintf("in batch %d", batch), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "index.db")
			killInBatch(t, dir, path, batch)
			c := corpus(t, path)
			e := &wordHash{}
			w := load(t, dir)
			before, err := c.Documents(context.Background(), w.Name, e.ID())
			if err != nil {
				t.Fatalf("what the kill left cannot be read: %v", err)
			}
			x := open(t, c, e, w)
			if x.Embedded+len(before) != 302 {
				t.Errorf("%d files were kept and %d embedded again, want 302 together", len(before), x.Embedded)
			}
			whole := open(t, corpus(t, filepath.Join(t.TempDir(), "whole.db")), e, w)
			for _, q := range []string{"How long is the rope on page 17?", "page 201", "who carries water"} {
				query := retrieval.Query{NPC: w.NPCs["ann"], Message: q}
				got, err := x.CitationQuery(context.Background(), query)
				if err != nil {
					t.Fatal(err)
				}
				want, err := whole.CitationQuery(context.Background(), query)
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s: the mended index answers otherwise than a fresh one", q)
				}
			}
		})
	}
}

// killInBatch starts a child that indexes and kills it while it works on a batch.
func killInBatch(t *testing.T, dir, path string, batch int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestIndexSurvivesAKill$")
	cmd.Env = append(os.Environ(), childDir+"="+dir+"|"+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for sc := bufio.NewScanner(out); sc.Scan(); {
		if strings.HasPrefix(sc.Text(), "embedding") {
			if seen++; seen == batch {
				break
			}
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) {
		t.Fatalf("the child ended by itself: %v", err)
	}
	if seen != batch {
		t.Fatalf("the child stopped after %d batches", seen)
	}
}

// indexUntilKilled is the child.
func indexUntilKilled(t *testing.T, where string) {
	dir, path, _ := strings.Cut(where, "|")
	c, err := sqlite.OpenCorpus(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	open(t, c, &slowHash{}, load(t, dir))
	select {} // the parent kills
}
