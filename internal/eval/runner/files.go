package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// files holds released evidence against the files as they lie on the disk: not
// against the index, which might have changed a word.
type files struct {
	dir string

	mu   sync.Mutex
	read map[string]string // path to text, without white space
}

func newFiles(w *world.World) *files { return &files{dir: w.Dir, read: map[string]string{}} }

// foreign are the pieces of corpus evidence whose text does not stand in the file
// that they name, white space aside.
func (f *files) foreign(r *schema.Reply) []string {
	var out []string
	if r == nil || !app.IsFolder(f.dir) {
		return nil
	}
	for _, s := range r.Sentences {
		for _, e := range s.Evidence {
			if e.Source == schema.OriginCorpus && !strings.Contains(f.text(e.Path), fold(e.Text)) {
				out = append(out, e.Path)
			}
		}
	}
	return out
}

func (f *files) text(path string) string {
	path, _, _ = strings.Cut(path, "#")
	f.mu.Lock()
	defer f.mu.Unlock()
	if t, ok := f.read[path]; ok {
		return t
	}
	data, err := os.ReadFile(filepath.Join(f.dir, filepath.FromSlash(path)))
	if err != nil {
		data = nil // a file that cannot be read holds nothing
	}
	f.read[path] = fold(string(data))
	return f.read[path]
}

func fold(s string) string { return strings.Join(strings.Fields(s), "") }

// cacheAge is how long an index that nobody uses is kept.
const cacheAge = 30 * 24 * time.Hour

// IndexFile is where the index of a world is kept between runs: by its content,
// in the user's cache, never inside the world. What has not been used for long is
// removed.
func IndexFile(w *world.World, now time.Time) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no cache folder is known; set XDG_CACHE_HOME: %w", err)
	}
	dir := filepath.Join(cache, "forsooth", "eval")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("cache folder %s cannot be made: %w; set XDG_CACHE_HOME", dir, err)
	}
	sweep(dir, now.Add(-cacheAge))
	path := filepath.Join(dir, w.Version+".db")
	_ = os.Chtimes(path, now, now) // a use; one that is not there yet is made soon
	return path, nil
}

// sweep removes indexes last used before a time; one that cannot be removed is
// left for the next run.
func sweep(dir string, before time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && strings.Contains(e.Name(), ".db") && info.ModTime().Before(before) {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
