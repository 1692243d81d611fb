package memory_test

import (
	"context"
	"slices"
	"strings"
	"sync"
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

func (m *meanwhile) Scroll(ctx context.Context, f store.MemoryFilter, after string, limit int) ([]store.MemoryPoint, error) {
	m.once.Do(m.what)
	return m.Session.Scroll(ctx, f, after, limit)
}

func (d *desk) indexed() []string {
	d.t.Helper()
	points, err := d.session.Scroll(d.t.Context(), store.MemoryFilter{World: "village"}, "", 0)
	must(d.t, err)
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
	must(t, d.index.CatchUp(t.Context()))
	static, err := embed.NewStatic()
	must(t, err)
	session := &meanwhile{Session: d.session, what: func() {
		must(t, d.service.Reply(t.Context(), d.reply("t2", "I live in Oakham."), 2))
		must(t, d.index.CatchUp(t.Context())) // as the mesh does that follows the log
	}}
	_, err = memory.NewIndex(d.log, memory.NewBooks(d.log, d.options.Now, nil), session, static, nil).Rebuild(t.Context())
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
	must(t, d.index.CatchUp(t.Context()))
	fast := d.options
	fast.Now = func() time.Time { return d.now.Add(time.Hour) }
	must(t, memory.New(memory.NewBooks(d.log, fast.Now, nil), fast).Reply(t.Context(), d.reply("t2", "I live in Oakham."), 2))
	must(t, d.index.CatchUp(t.Context()))
	followed := d.indexed()
	rebuild(t, d)
	if made := d.indexed(); !slices.Equal(followed, made) {
		t.Errorf("followed it holds %q, made anew %q", followed, made)
	}
	if !slices.ContainsFunc(d.notices, func(s string) bool { return strings.Contains(s, "future") }) {
		t.Errorf("nobody is told: %q", d.notices)
	}
}

// While a turn is read again, for the game's answer or beside a conversation that waits
// for it, the model is not asked again, whatever it said.
func TestAModelIsAskedOnceWhateverItSaid(t *testing.T) {
	for name, first := range map[string][]extract.Proposal{"nothing": nil, "something": {from("the coast", "I come from the coast")}} {
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
				return []extract.Proposal{{Kind: schema.MemoryFact, Subject: "player", Predicate: "lives_in", Object: "coast", Content: coast, Confidence: 0.9, Spans: []string{coast}}}
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
