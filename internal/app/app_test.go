package app_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func village(t *testing.T) *world.World {
	t.Helper()
	w, problems, err := world.Load(servicetest.Village(), ".")
	if err != nil || len(world.Errors(problems)) > 0 {
		t.Fatal(err, problems)
	}
	return w
}

// ask sends one message through a running mesh and waits until it is applied.
func ask(t *testing.T, a *app.App, turn, message string) *schema.Reply {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	req := &schema.Request{TurnID: turn, World: "village", NPC: "mira", Player: "p1", Message: message}
	if _, err := a.Client.Publish(ctx, req); err != nil {
		t.Fatal(err)
	}
	events, err := a.Client.Watch(ctx, req.Conversation(), turn)
	if err != nil {
		t.Fatal(err)
	}
	var reply *schema.Reply
	for e := range events {
		if e.Reply != nil {
			reply = e.Reply
		}
	}
	if reply == nil {
		t.Fatal("no reply")
	}
	return reply
}

// run runs an app until the test ends.
func run(t *testing.T, a *app.App) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		a.Close()
	}
	t.Cleanup(stop)
	return stop
}

func TestTheWholeMeshInOneProcess(t *testing.T) {
	dir := t.TempDir()
	a, err := app.Start(t.Context(), app.Options{Worlds: []*world.World{village(t)}, Data: dir})
	if err != nil {
		t.Fatal(err)
	}
	stop := run(t, a)
	if r := ask(t, a, "t1", "Who owns the ferry?"); r.Text != "Teague owns the ferry." ||
		r.Status != schema.StatusExtractive {
		t.Errorf("%s: %s", r.Status, r.Text)
	}
	told := ask(t, a, "t2", "I work at the ropewalk, and my brother is called Perrin.")
	if lines := a.Library.Get("village").World.NPCs["mira"].Line(world.LineHeard, ""); told.Reason !=
		schema.ReasonSocial || !slices.Contains(lines, told.Text) {
		t.Errorf("what a player tells of itself: %s %s: %s", told.Status, told.Reason, told.Text)
	}
	if got := app.Serving(dir); len(got) != 1 {
		t.Errorf("serving %v", got)
	}

	var used *embedded.InUseError
	if _, err := app.Start(t.Context(), app.Options{Worlds: []*world.World{village(t)}, Data: dir}); !errors.As(err,
		&used) {
		t.Errorf("a second holder: %v", err)
	}
	stop()
	if got := app.Serving(dir); got != nil {
		t.Errorf("after the end: serving %v", got)
	}

	// What was said is still there for who comes next.
	kept, err := app.Attach(t.Context(), app.Options{Data: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	if traces, err := kept.Client.Trace(t.Context(), "t1"); err != nil || len(traces) != 7 {
		t.Errorf("%d passes are kept, %v", len(traces), err)
	}
}

func TestAStartThatFailsHoldsNothing(t *testing.T) {
	dir := t.TempDir()
	w := village(t)
	for _, c := range []struct {
		name string
		o    app.Options
		want string
	}{
		{"an unknown service", app.Options{Worlds: []*world.World{w}, Data: dir, Services: []string{"singer"}},
			`"singer" is no service`},
		{"two worlds of one name", app.Options{Worlds: []*world.World{w, w}, Data: dir}, "both named village"},
		{"an index that is a folder", app.Options{Worlds: []*world.World{w}, Data: dir, Index: dir}, "is a folder"},
		{"no server there", app.Options{Worlds: []*world.World{w}, Data: dir, NATS: "nats://127.0.0.1:1"},
			"no NATS server answers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := app.Start(t.Context(), c.o); err == nil || !strings.Contains(err.Error(), c.want) ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("it says %v, want %q", err, c.want)
			}
			if _, held := embedded.Holder(dir); held {
				t.Error("the data folder is still held")
			}
		})
	}
}

func TestWorldsAreFoldersOrCarried(t *testing.T) {
	all, _, err := app.LoadWorlds(nil)
	if err != nil || len(all) != 1 || all[0].Name != app.DefaultWorld {
		t.Errorf("none named: %v, %v", all, err)
	}
	if _, _, err := app.LoadWorlds([]string{"nowhere"}); !errors.Is(err, app.ErrNoWorld) ||
		!strings.Contains(err.Error(), "nowhere") {
		t.Errorf("it says %v", err)
	}
	dir := filepath.Join(t.TempDir(), "w")
	if err := os.CopyFS(dir, servicetest.Village()); err != nil {
		t.Fatal(err)
	}
	all, _, err = app.LoadWorlds([]string{dir, app.DefaultWorld})
	if err != nil || len(all) != 2 || all[0].Name != "village" {
		t.Errorf("%v, %v", all, err)
	}
}

func TestTheIndexIsKept(t *testing.T) {
	dir := t.TempDir()
	w := village(t)
	o := app.Options{Worlds: []*world.World{w}, Data: dir}
	library, closeIndex, err := app.OpenLibrary(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	files := library.Get("village").Index.Files()
	if err := closeIndex(); err != nil {
		t.Fatal(err)
	}
	if n, err := app.Indexed(t.Context(), app.IndexFile(dir), w); err != nil || n != files || n == 0 {
		t.Errorf("%d files of %d are kept, %v", n, files, err)
	}
	library, closeIndex, err = app.OpenLibrary(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer closeIndex()
	if n := library.Get("village").Index.Embedded; n != 0 {
		t.Errorf("%d files were read anew", n)
	}
}

func TestSuitesAreCarried(t *testing.T) {
	for name, world := range map[string]string{"hollowmere": "hollowmere", "shadowwatch": "shadowwatch", "paper": ""} {
		data, of, ok := app.CarriedSuite(name)
		if !ok || len(data) == 0 || of != world {
			t.Errorf("%s: world %q, %d bytes, %v", name, of, len(data), ok)
		}
	}
	for _, name := range []string{"nowhere", "../worlds", "/etc/passwd", ""} {
		if _, _, ok := app.CarriedSuite(name); ok {
			t.Errorf("%q is carried", name)
		}
	}
}
