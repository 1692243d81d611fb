package retrieval_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/retrieval"
	"github.com/forsooth-npc/forsooth/internal/store/sqlite"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// dataFolder is the shared data, which only some checkouts have.
func dataFolder(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("FORSOOTH_TEST_DATA")
	if dir == "" {
		t.Skip("FORSOOTH_TEST_DATA does not name the shared data folder")
	}
	return dir
}

// realIndex is a world of the data folder with the embeddings of the binary.
func realIndex(t testing.TB, dir string) (*retrieval.Index, *world.World) {
	t.Helper()
	w, _, err := world.LoadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	static, err := embed.NewStatic()
	if err != nil {
		t.Fatal(err)
	}
	c, err := sqlite.OpenCorpus(context.Background(), filepath.Join(t.TempDir(), "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}()
	x, err := retrieval.Open(context.Background(), c, static, w,
		retrieval.Options{Now: func() time.Time { return wall }, Words: static})
	if err != nil {
		t.Fatal(err)
	}
	return x, w
}

// asked is a case of a suite, as far as retrieval can be held to it.
type asked struct {
	Name    string   `yaml:"name"`
	Kind    string   `yaml:"kind"`
	NPC     string   `yaml:"npc"`
	Message string   `yaml:"player_message"`
	Expect  []string `yaml:"expect_evidence"`
	Unsure  bool     `yaml:"expect_uncertain"`
	History []struct {
		Player string `yaml:"player"`
		NPC    string `yaml:"npc"`
	} `yaml:"history"`
}

func cases(t testing.TB, path string) []asked {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Cases []asked `yaml:"cases"`
	}
	if err := yaml.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	return s.Cases
}

func (a asked) query(w *world.World) retrieval.Query {
	at := w.Now
	if at.IsZero() {
		at = wall
	}
	q := retrieval.Query{NPC: w.NPCs[a.NPC], Message: a.Message, Check: check(w, a.NPC, at, world.Facts{})}
	for _, h := range a.History {
		q.Context = append(q.Context, h.Player, h.NPC)
	}
	return q
}

// The floors of what retrieval is asked to reach on text that it was not fitted
// on, at the one threshold of the gate.
func TestFloorsOnTheSharedSuites(t *testing.T) {
	dir := dataFolder(t)
	x, w := realIndex(t, filepath.Join(dir, "worlds/crossfire"))
	floors := []struct {
		suite   string
		known   float64 // right document among the first three, and past the gate
		refused map[string]float64
	}{
		{"worlds/crossfire/evals.yaml", 0.95, map[string]float64{"unknown": 0.98}},
		{"npc/questions.yaml", 0.40, map[string]float64{"fake": 0.95, "private": 0.70}},
	}
	for _, f := range floors {
		t.Run(f.suite, func(t *testing.T) {
			passed, total := map[string]int{}, map[string]int{}
			for _, c := range cases(t, filepath.Join(dir, f.suite)) {
				if c.Kind == "" {
					c.Kind = "known"
					if c.Unsure {
						c.Kind = "unknown"
					}
				}
				r, err := x.CitationQuery(context.Background(), c.query(w))
				if err != nil {
					t.Fatal(err)
				}
				total[c.Kind]++
				answered := r.Retrieval.Confidence >= retrieval.UnknownBelow
				if c.Kind == "known" && answered && amongFirst(r, c.Expect, 3) || c.Kind != "known" && !answered {
					passed[c.Kind]++
				}
			}
			for kind, floor := range f.refused {
				atLeast(t, kind+" refused", passed[kind], total[kind], floor)
			}
			atLeast(t, "known", passed["known"], total["known"], f.known)
		})
	}
}

func amongFirst(r retrieval.Result, want []string, n int) bool {
	docs := map[string]bool{}
	for _, s := range r.Sources {
		if docs[s.Path] = true; len(docs) > n {
			return false
		}
		for _, p := range want {
			if p == s.Path {
				return true
			}
		}
	}
	return false
}

func atLeast(t *testing.T, what string, n, of int, floor float64) {
	t.Helper()
	share := float64(n) / float64(max(of, 1))
	t.Logf("%s: %d of %d, %.1f %%", what, n, of, 100*share)
	if share < floor {
		t.Errorf("%s: %.1f %%, want at least %.1f %%", what, 100*share, 100*floor)
	}
}

func BenchmarkCitationQuery(b *testing.B) {
	dir := dataFolder(b)
	x, w := realIndex(b, filepath.Join(dir, "worlds/crossfire"))
	all := cases(b, filepath.Join(dir, "npc/questions.yaml"))
	for i := 0; b.Loop(); i++ {
		if _, err := x.CitationQuery(context.Background(), all[i%len(all)].query(w)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	dir := filepath.Join(dataFolder(b), "worlds/crossfire")
	static, err := embed.NewStatic()
	if err != nil {
		b.Fatal(err)
	}
	w, _, err := world.LoadDir(dir)
	if err != nil {
		b.Fatal(err)
	}
	opts := retrieval.Options{Now: func() time.Time { return wall }, Words: static}
	for _, fresh := range []bool{true, false} {
		name := map[bool]string{true: "first", false: "indexed"}[fresh]
		b.Run(name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "index.db")
			for b.Loop() {
				if fresh {
					path = filepath.Join(b.TempDir(), "index.db")
				}
				c, err := sqlite.OpenCorpus(context.Background(), path)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := retrieval.Open(context.Background(), c, static, w, opts); err != nil {
					b.Fatal(err)
				}
				if err := c.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
