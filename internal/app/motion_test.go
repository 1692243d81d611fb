package app_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// folder is the village as a folder that a test may change, and what the process that
// watches it tells.
type folder struct {
	t     *testing.T
	dir   string
	mu    sync.Mutex
	say   []string
	looks int
	news  chan struct{} // closed at the next notice or look
}

func newFolder(t *testing.T) *folder {
	f := &folder{t: t, dir: t.TempDir(), news: make(chan struct{})}
	for path, file := range servicetest.Village() {
		f.write(path, string(file.Data))
	}
	return f
}

func (f *folder) write(path, body string) {
	f.t.Helper()
	full := filepath.Join(f.dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(body), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

func (f *folder) hears(what func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	what()
	close(f.news)
	f.news = make(chan struct{})
}

// said are the notices so far that hold these words.
func (f *folder) said(words string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.saying(words)
}

func (f *folder) saying(words string) []string {
	return slices.DeleteFunc(slices.Clone(f.say), func(line string) bool { return !strings.Contains(line, words) })
}

func (f *folder) waits(words string, times int) {
	f.t.Helper()
	if !f.until(func() bool { return len(f.saying(words)) >= times }) {
		f.t.Fatalf("it never said %q for the %d. time: %q", words, times, f.said(""))
	}
}

// looked waits until the folder was looked at several times more: whatever has changed
// is read by then, for that takes two looks that find the same.
func (f *folder) looked() {
	f.t.Helper()
	f.mu.Lock()
	want := f.looks + 5
	f.mu.Unlock()
	if !f.until(func() bool { return f.looks >= want }) {
		f.t.Fatal("the folder is not looked at")
	}
}

// until waits for what a notice or a look brings about.
func (f *folder) until(so func() bool) bool {
	late := time.After(20 * time.Second)
	for {
		f.mu.Lock()
		is, news := so(), f.news
		f.mu.Unlock()
		if is {
			return true
		}
		select {
		case <-news:
		case <-late:
			return false
		}
	}
}

func (f *folder) options() app.Options {
	w, _, err := world.LoadDir(f.dir)
	if err != nil {
		f.t.Fatal(err)
	}
	o := app.Options{Worlds: []*world.World{w}, Data: f.t.TempDir(), Refresh: 50 * time.Millisecond,
		Notice: func(line string) { f.hears(func() { f.say = append(f.say, line) }) }}
	app.OnLook(&o, func() { f.hears(func() { f.looks++ }) })
	return o
}

const owner = "Teague owns the ferry."

// A turn is held in the middle while the file that answers it changes: it ends as
// it began, and the next one is answered from what the file says now.
func TestATurnKeepsTheLoreItBeganWith(t *testing.T) {
	f := newFolder(t)
	held, going := make(chan struct{}), make(chan struct{})
	o := f.options()
	o.Wrap = func(pass schema.Pass, h mesh.Handler) mesh.Handler {
		if pass != schema.PassDecide {
			return h
		}
		return func(ctx context.Context, turn *protocol.Turn) (schema.Pass, error) {
			if strings.HasPrefix(turn.TurnID, "held") {
				held <- struct{}{}
				<-going
			}
			return h(ctx, turn)
		}
	}
	a, err := app.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	run(t, a)
	before := a.Library.Versions("village")[0]
	replies := make(chan *schema.Reply, 1)
	greeted := make(chan *schema.Reply, 1)
	go func() { replies <- askLong(t, a, "held", "Who owns the ferry?") }()
	<-held
	go func() { greeted <- askLong(t, a, "held-too", "Hello.") }()
	<-held
	npc := string(servicetest.Village()["npcs/mira/npc.yaml"].Data)
	f.write("npcs/mira/npc.yaml", strings.Replace(npc, "Mind the sparks.", "Mind the anvil.", 1))
	f.write("lore/ferry.txt", "Maud owns the ferry. The ferry crosses the river at noon.\n")
	f.waits("is taken up", 1)
	after := a.Library.Versions("village")[0]
	close(going)
	if r := <-replies; r.Text != owner || r.LoreVersion != before {
		t.Errorf("the turn that was under way: %s, %s of %s", r.Text, r.LoreVersion, before)
	}
	if r := <-greeted; r.Text != "Mind the sparks." || r.LoreVersion != before {
		t.Errorf("the greeting that was under way: %s, %s of %s", r.Text, r.LoreVersion, before)
	}
	if r := ask(t, a, "hello", "Hello."); r.Text != "Mind the anvil." {
		t.Errorf("the next greeting: %s", r.Text)
	}
	if r := ask(t, a, "next", "Who owns the ferry?"); r.Text != "Maud owns the ferry." || r.LoreVersion != after ||
		after == before {
		t.Errorf("the next turn: %s, %s of %s", r.Text, r.LoreVersion, after)
	}
}

func askLong(t *testing.T, a *app.App, turn, message string) *schema.Reply {
	req := &schema.Request{TurnID: turn, World: "village", NPC: "mira", Player: turn, Message: message,
		DeadlineMS: schema.MaxDeadlineMS}
	if _, err := a.Client.Publish(t.Context(), req); err != nil {
		t.Error(err)
		return &schema.Reply{}
	}
	events, err := a.Client.Watch(t.Context(), req.Conversation(), turn)
	if err != nil {
		t.Error(err)
		return &schema.Reply{}
	}
	reply := &schema.Reply{}
	for e := range events {
		if e.Reply != nil {
			reply = e.Reply
		}
	}
	return reply
}

// A world with an error is not taken up and is told of once; mended, it is.
func TestAWorldThatFailsLintIsNotTakenUp(t *testing.T) {
	f := newFolder(t)
	a, err := app.Start(t.Context(), f.options())
	if err != nil {
		t.Fatal(err)
	}
	run(t, a)
	before := a.Library.Versions("village")
	for _, c := range []struct{ name, path, body, want string }{
		{"a companion without its author", "lore/ferry.txt.meta.yaml", "created_at: 1401-03-01\n",
			"lore/ferry.txt.meta.yaml:1"},
		{"a frame that is no YAML", "world.yaml", "name: [\n", "world.yaml"},
		{"another name", "world.yaml", "name: hamlet\ntitle: A Hamlet\nlanguage: en\n", "its name is now hamlet"},
	} {
		t.Run(c.name, func(t *testing.T) {
			right, err := os.ReadFile(filepath.Join(f.dir, c.path))
			if err != nil {
				t.Fatal(err)
			}
			f.write(c.path, c.body)
			f.waits(c.want, 1)
			f.looked()
			if n := len(f.said(c.want)); n != 1 {
				t.Errorf("it is said %d times", n)
			}
			if got := a.Library.Versions("village"); !slices.Equal(got, before) {
				t.Errorf("versions %v, want %v", got, before)
			}
			f.write(c.path, string(right))
			f.looked()
		})
	}
	if r := ask(t, a, "t1", "Who owns the ferry?"); r.Text != owner || r.LoreVersion != before[0] {
		t.Errorf("%s from %s", r.Text, r.LoreVersion)
	}
	f.write("lore/bridge.txt", "Wat built the bridge.\n")
	f.write("lore/bridge.txt.meta.yaml", "created_at: 1401-03-01\nauthor: council\ntype: notice\nsummary: The "+
		"bridge\nkeywords: [bridge]\n")
	f.waits("is taken up", 1)
	if r := ask(t, a, "t2", "Who built the bridge?"); r.Text != "Wat built the bridge." {
		t.Errorf("%s: %s", r.Status, r.Text)
	}
}

func TestTheLastThreeVersionsStayReadable(t *testing.T) {
	f := newFolder(t)
	o := f.options()
	o.Meaning = app.MeaningOff
	a, err := app.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	run(t, a)
	seen := a.Library.Versions("village")
	for i, name := range []string{"Maud", "Wat", "Joan", "Hob"} {
		f.write("lore/ferry.txt", name+" owns the ferry.\n")
		f.waits("is taken up", i+1)
		seen = append([]string{a.Library.Versions("village")[0]}, seen...)
	}
	if got := a.Library.Versions("village"); !slices.Equal(got, seen[:3]) {
		t.Errorf("versions %v, want %v", got, seen[:3])
	}
	turn := func(version string) string {
		x, _, err := a.Library.FindTurn(&protocol.Turn{Request: schema.Request{World: "village", NPC: "mira"},
			Retrieval: &protocol.Retrieval{LoreHash: version}})
		if err != nil {
			t.Fatal(err)
		}
		return x.World.Version
	}
	for i, version := range seen {
		want := version
		if i >= 3 { // forgotten: the newest is the best there is
			want = seen[0]
		}
		if got := turn(version); got != want {
			t.Errorf("version %d: got %s, want %s", i, got, want)
		}
	}
}
