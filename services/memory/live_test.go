package memory_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/store/sqlite"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/memory"
)

// meanwhile is a session in which something happens before it is first read through.
type meanwhile struct {
	*sqlite.Session
	once sync.Once
	what func()
}

func (m *meanwhile) Scroll(
	ctx context.Context, f store.MemoryFilter, after string, limit int,
) ([]store.MemoryPoint, error) {
	m.once.Do(m.what)
	return m.Session.Scroll(ctx, f, after, limit)
}

func (d *desk) indexed() []string {
	d.T.Helper()
	points, err := d.Session.Scroll(d.T.Context(), store.MemoryFilter{World: "village"}, "", 0)
	must(d.T, err)
	out := []string{}
	for i := range points {
		out = append(out, string(points[i].Memory.Status)+": "+points[i].Memory.Content)
	}
	slices.Sort(out)
	return out
}

// An index that is made anew while a mesh writes to it lacks nothing of what was
// written meanwhile.
func TestRebuildingBesideARunningMeshLosesNothing(t *testing.T) {
	d := newDesk(t)
	must(t, d.service.Reply(t.Context(), d.reply("t1", coast), 1))
	must(t, d.Index.CatchUp(t.Context()))
	static, err := embed.NewStatic()
	must(t, err)
	session := &meanwhile{Session: d.Session, what: func() {
		must(t, d.service.Reply(t.Context(), d.reply("t2", "I live in Oakham."), 2))
		must(t, d.Index.CatchUp(t.Context())) // as the mesh does that follows the log
	}}
	_, err = memory.NewIndex(d.Log, memory.NewBooks(d.Log, d.options.Now, nil), session, static, nil).Rebuild(t.Context())
	must(t, err)
	if got, want := d.indexed(), d.kept(); !slices.Equal(got, want) {
		t.Errorf("the index holds %q, the log %q", got, want)
	}
}

// The log is the truth for whoever reads it: one clock that goes wrong makes no book
// that differs from the one which a rebuilding makes.
func TestAnEventOfAFastClockIsTheSameForEveryReader(t *testing.T) {
	d := newDesk(t)
	must(t, d.service.Reply(t.Context(), d.reply("t1", coast), 1))
	must(t, d.Index.CatchUp(t.Context()))
	fast := d.options
	fast.Now = func() time.Time { return d.At.Add(time.Hour) }
	must(t, memory.New(memory.NewBooks(d.Log, fast.Now, nil), fast).Reply(t.Context(),
		d.reply("t2", "I live in Oakham."), 2))
	must(t, d.Index.CatchUp(t.Context()))
	followed := d.indexed()
	d.Rebuild()
	if made := d.indexed(); !slices.Equal(followed, made) {
		t.Errorf("followed it holds %q, made anew %q", followed, made)
	}
	if !slices.ContainsFunc(d.Notices, func(s string) bool { return strings.Contains(s, "future") }) {
		t.Errorf("nobody is told: %q", d.Notices)
	}
}

// While a turn is read again, for the game's answer or beside a conversation that waits
// for it, the model is not asked again, whatever it said.
func TestAModelIsAskedOnceWhateverItSaid(t *testing.T) {
	for name, first := range map[string][]extract.Proposal{"nothing": nil,
		"something": {from("the coast", "I come from the coast")}} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			var lock sync.Mutex
			calls := 0
			d.options.Ask = asking(func(*schema.Reply) []extract.Proposal {
				lock.Lock()
				defer lock.Unlock()
				if calls++; calls == 1 {
					time.Sleep(50 * time.Millisecond)
					return first
				}
				return []extract.Proposal{{Kind: schema.MemoryFact, Subject: "player", Predicate: "lives_in", Object: "coast",
					Content: coast, Confidence: 0.9, Spans: []string{coast}}}
			})
			service := d.another()
			r := d.reply("t1", coast)
			var all sync.WaitGroup
			for range 3 {
				all.Go(func() { must(t, service.Settle(t.Context(), r)) })
			}
			all.Wait()
			must(t, service.Reply(t.Context(), r, 1))
			if n := len(d.kept()); calls != 1 || n != len(first) {
				t.Errorf("%d calls, kept %q", calls, d.kept())
			}
		})
	}
}

type asking func(r *schema.Reply) []extract.Proposal

func (f asking) Memories(_ context.Context, r *schema.Reply) (extract.Answer, error) {
	return extract.Answer{Memories: f(r)}, nil
}

// A conversation waits for its memories for a while and no longer. The model that is
// slower than that is not asked a second time by who reads the turn next, and is not
// cut off by who waits no more.
func TestAModelThatIsSlowerThanItsReaderIsAskedOnce(t *testing.T) {
	d := newDesk(t)
	asked, answer := make(chan struct{}), make(chan struct{})
	var calls atomic.Int64
	d.options.Ask = slow(func(ctx context.Context) ([]extract.Proposal, error) {
		if calls.Add(1) > 1 {
			return nil, nil
		}
		close(asked)
		select {
		case <-answer:
			return []extract.Proposal{from("the coast", "I come from the coast")}, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	service, r := d.another(), d.reply("t1", coast)
	ctx, giveUp := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() { left <- service.Settle(ctx, r) }()
	<-asked
	giveUp()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("who waits no longer is told %v", err)
	}
	second := make(chan error, 1)
	go func() { second <- service.Reply(t.Context(), r, 1) }()
	close(answer)
	must(t, <-second)
	d.want("the answer came late", "active: Ansel told me that they come from the coast.")
	if n := calls.Load(); n != 1 {
		t.Errorf("%d calls", n)
	}
}

// A service that ends takes its calls with it, and says nothing of a turn that it did
// not finish.
func TestACallEndsWithItsService(t *testing.T) {
	d := newDesk(t)
	asked := make(chan struct{})
	d.options.Ask = slow(func(ctx context.Context) ([]extract.Proposal, error) {
		close(asked)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	service, done := d.another(), make(chan error, 1)
	go func() { done <- service.Reply(t.Context(), d.reply("t1", coast), 1) }()
	<-asked
	service.Close()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("its reader is told %v", err)
	}
	d.want("it was stopped meanwhile")
}

type slow func(ctx context.Context) ([]extract.Proposal, error)

func (f slow) Memories(ctx context.Context, _ *schema.Reply) (extract.Answer, error) {
	list, err := f(ctx)
	return extract.Answer{Memories: list}, err
}
