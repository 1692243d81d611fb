package runner

import (
	"os"
	"path/filepath"
	"strings"
	"sync"

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
