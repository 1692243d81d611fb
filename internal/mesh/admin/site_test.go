package admin_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/mesh/admin"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// Of whom nothing may be left: the id, the name, and a word that only this player
// said.
const (
	goner     = "zq-gone-42"
	gonerName = "Gwendalor"
	gonerWord = "Marzipania"
	stayer    = "zq-stays-7"
	third     = "zq-third-9"
)

// site is a mesh on a data folder.
type site struct {
	t      *testing.T
	dir    string
	app    *app.App
	qdrant app.Qdrant
	stop   func()
	n      int
}

func newSite(t *testing.T) *site {
	t.Helper()
	return newSiteOn(t, app.Qdrant{})
}

// newSiteOn keeps its index on a server.
func newSiteOn(t *testing.T, q app.Qdrant) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir(), qdrant: q}
	s.start()
	return s
}

func (s *site) start() {
	s.t.Helper()
	w, problems, err := world.Load(servicetest.Village(), ".")
	if err != nil || len(world.Errors(problems)) > 0 {
		s.t.Fatal(err, problems)
	}
	a, err := app.Start(s.t.Context(),
		app.Options{Worlds: []*world.World{w}, Data: s.dir, Qdrant: s.qdrant, Meaning: app.MeaningOff,
			Notice: func(n string) { s.t.Log(n) }})
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	stopped := false
	s.app, s.stop = a, func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-done; err != nil {
			s.t.Error(err)
		}
		a.Close()
	}
	s.t.Cleanup(s.stop)
}

func request(n int, npc, player, name, words string) *schema.Request {
	return &schema.Request{TurnID: fmt.Sprintf("turn%d", n), World: "village", NPC: npc, Player: player, PlayerName: name,
		Message: words, DeadlineMS: 20_000}
}

// inScene is a turn of the scene; the index has all that it left when it returns.
func (s *site) inScene(player, name, words string, of schema.Scene) *schema.Reply {
	s.t.Helper()
	s.n++
	of.ID = "taproom"
	req := request(s.n, "", player, name, words)
	req.Scene = &of
	s.publish(req)
	reply := s.await(req)
	if reply == nil {
		s.t.Fatal("no reply")
	}
	s.settle()
	return reply
}

// say is a turn; the index has all that it left when it returns.
func (s *site) say(npc, player, name, words string) *schema.Reply {
	s.t.Helper()
	s.n++
	req := request(s.n, npc, player, name, words)
	s.publish(req)
	reply := s.await(req)
	if reply == nil {
		s.t.Fatal("no reply")
	}
	s.settle()
	return reply
}

func (s *site) publish(req *schema.Request) {
	s.t.Helper()
	if _, err := s.app.Client.Publish(s.t.Context(), req); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) await(req *schema.Request) (reply *schema.Reply) {
	s.t.Helper()
	ctx, stop := context.WithTimeout(s.t.Context(), 30*time.Second)
	defer stop()
	events, err := s.app.Client.Watch(ctx, req.Conversation(), req.TurnID)
	if err != nil {
		s.t.Fatal(err)
	}
	for e := range events {
		if e.Reply != nil {
			reply = e.Reply
		}
	}
	return reply
}

func (s *site) settle() {
	s.t.Helper()
	ctx, stop := context.WithTimeout(s.t.Context(), 30*time.Second)
	defer stop()
	if err := s.app.MemorySettled(ctx); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) see(o *schema.Occurrence) {
	s.t.Helper()
	o.World = "village"
	if err := s.app.Client.Witness(s.t.Context(), o); err != nil {
		s.t.Fatal(err)
	}
	s.settle()
}

// options are for an erasure of the running mesh.
func (s *site) options() admin.Erasure {
	s.t.Helper()
	session, _, err := app.OpenSession(s.t.Context(), app.Options{Data: s.dir})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = session.Close() })
	return optionsOf(s.t, s.dir, s.app, session, true)
}

func optionsOf(t *testing.T, dir string, a *app.App, session store.Session, running bool) admin.Erasure {
	t.Helper()
	index, err := app.NewErasedIndex(session, a.Client.MemoryLog(), running)
	if err != nil {
		t.Fatal(err)
	}
	return admin.Erasure{Conn: a.Conn, Index: index, Data: dir, Running: running, Now: time.Now,
		NewID: func() string { return ulid.Make().String() },
		Scrub: func(ctx context.Context, _ string) (int, error) { return a.ScrubStreams(ctx) }}
}

// traces are the files of a folder that hold any of the words, as they are or in
// base64.
func traces(t *testing.T, dir string, words ...string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		data, err := os.ReadFile(path)
		if err != nil {
			return nil // gone since it was listed
		}
		for _, w := range words {
			at := bytes.Index(data, []byte(w))
			for shift := 0; at < 0 && shift < 3; shift++ { // the inner part of its base64 at each offset
				enc := base64.StdEncoding.EncodeToString([]byte(strings.Repeat(" ", shift) + w))
				at = bytes.Index(data, []byte(enc[4:len(enc)-4]))
			}
			if strings.Contains(name, w) || at >= 0 {
				out = append(out, fmt.Sprintf("%s holds %q at %d: %q", name, w, at,
					data[max(0, at-60):min(len(data), max(at, 0)+60)]))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
