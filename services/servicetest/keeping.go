package servicetest

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/store/sqlite"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/services/memory"
)

// Keeping is what the services of memory work on: a broker with the memory log, an
// index of it, the village on the disk, and a clock that the test holds.
type Keeping struct {
	T       *testing.T
	Conn    *transport.Conn
	Log     *transport.MemoryLog
	Session *sqlite.Session
	Library *lore.Library
	Static  *embed.Static
	Books   *memory.Books
	Index   *memory.Index
	Dir     string // of the village
	At      time.Time
	Notices []string
}

// NewKeeping opens it; the clock stands at a time.
func NewKeeping(t *testing.T, at time.Time) *Keeping {
	t.Helper()
	k := &Keeping{T: t, At: at, Dir: t.TempDir()}
	server, err := embedded.Start(t.Context(), embedded.Options{Dir: t.TempDir()})
	k.must(err)
	t.Cleanup(server.Stop)
	k.Conn, err = transport.Connect(t.Context(), transport.Dial{InProcess: server, Name: t.Name()})
	k.must(err)
	t.Cleanup(k.Conn.Close)
	k.must(mesh.New(k.Conn, mesh.Options{}).Setup(t.Context()))
	k.Session, err = sqlite.OpenSession(t.Context(), filepath.Join(t.TempDir(), "session.db"))
	k.must(err)
	t.Cleanup(func() { _ = k.Session.Close() })
	k.must(os.CopyFS(k.Dir, Village()))
	w, err := k.World("village")
	k.must(err)
	k.Library, err = lore.NewLibrary(&lore.Lore{World: w})
	k.must(err)
	k.Static, err = embed.NewStatic()
	k.must(err)
	k.Log = k.Conn.MemoryLog()
	k.Books = memory.NewBooks(k.Log, k.Now, k.Notice)
	k.Index = memory.NewIndex(k.Log, k.Books, k.Session, k.Static, k.Notice)
	return k
}

func (k *Keeping) must(err error) {
	k.T.Helper()
	if err != nil {
		k.T.Fatal(err)
	}
}

// Now is the clock.
func (k *Keeping) Now() time.Time { return k.At }

// Notice keeps a line that an operator would read.
func (k *Keeping) Notice(line string) { k.Notices = append(k.Notices, line) }

// World is the village as it stands on the disk.
func (k *Keeping) World(string) (*world.World, error) {
	w, _, err := world.LoadDir(k.Dir)
	return w, err
}

// Elsewhere are the books of a second process.
func (k *Keeping) Elsewhere() *memory.Books { return memory.NewBooks(k.Log, k.Now, nil) }

// Rebuild makes the index anew.
func (k *Keeping) Rebuild() {
	k.T.Helper()
	_, err := k.Index.Rebuild(k.T.Context())
	k.must(err)
}
