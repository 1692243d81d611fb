package app_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// table is a running mesh at which players sit.
type table struct {
	t   *testing.T
	dir string
	app *app.App

	guards guards.Settings
	stop   func()
	n      int

	qdrant  app.Qdrant // the zero one: the data folder
	notices *notices
	wrap    func(schema.Pass, mesh.Handler) mesh.Handler // nil: the passes as they are
}

func sit(t *testing.T, change ...func(*guards.Settings)) *table {
	t.Helper()
	tb := &table{t: t, dir: t.TempDir(), notices: &notices{}, guards: guards.Default()}
	for _, c := range change {
		c(&tb.guards)
	}
	tb.start()
	return tb
}

func (tb *table) start() {
	tb.t.Helper()
	a, err := app.Start(tb.t.Context(), app.Options{Worlds: []*world.World{village(tb.t)}, Data: tb.dir,
		Meaning: app.MeaningOff, Guards: &tb.guards,
		Qdrant: tb.qdrant, Notice: tb.notices.take, Wrap: tb.wrap})
	if err != nil {
		tb.t.Fatal(err)
	}
	tb.app, tb.stop = a, run(tb.t, a)
}

func (tb *table) restart() {
	tb.t.Helper()
	tb.stop()
	tb.start()
}

// say is a turn; the index has all that it left behind when it returns.
func (tb *table) say(npc, player, name, message string, at time.Time) *schema.Reply {
	tb.t.Helper()
	return tb.sayWith(npc, player, name, message, at, nil)
}

// sayWith is a turn with actions of its own.
func (tb *table) sayWith(npc, player, name, message string, at time.Time, allowed []schema.ActionSpec) *schema.Reply {
	tb.t.Helper()
	reply := tb.turn(npc, player, name, message, at, allowed)
	tb.settle()
	return reply
}

// turn is a turn alone.
func (tb *table) turn(npc, player, name, message string, at time.Time, allowed []schema.ActionSpec) *schema.Reply {
	tb.t.Helper()
	return tb.turnWithin(20_000, npc, player, name, message, at, allowed)
}

// turnWithin is one that ends after so many milliseconds, answered or not.
func (tb *table) turnWithin(ms int, npc, player, name, message string, at time.Time,
	allowed []schema.ActionSpec) *schema.Reply {
	tb.t.Helper()
	ctx, cancel := context.WithTimeout(tb.t.Context(), 30*time.Second)
	defer cancel()
	tb.n++
	req := &schema.Request{TurnID: fmt.Sprintf("t%d-%s", tb.n, player), World: "village", NPC: npc, Player: player,
		PlayerName: name, Message: message, GameTime: &at, DeadlineMS: ms, AllowedActions: allowed}
	if _, err := tb.app.Client.Publish(ctx, req); err != nil {
		tb.t.Fatal(err)
	}
	events, err := tb.app.Client.Watch(ctx, req.Conversation(), req.TurnID)
	if err != nil {
		tb.t.Fatal(err)
	}
	var reply *schema.Reply
	for e := range events {
		if e.Reply != nil {
			reply = e.Reply
		}
	}
	if reply == nil {
		tb.t.Fatal("no reply")
	}
	return reply
}

// settle waits until every reply and event is read and the index is in step.
func (tb *table) settle() {
	tb.t.Helper()
	ctx, cancel := context.WithTimeout(tb.t.Context(), 30*time.Second)
	defer cancel()
	if err := tb.app.MemorySettled(ctx); err != nil {
		tb.t.Fatal(err)
	}
}

func (tb *table) memories(f store.MemoryFilter) (out []schema.Memory) {
	tb.t.Helper()
	f.World = "village"
	points, err := tb.app.Session().Scroll(tb.t.Context(), f, "", 0)
	if err != nil {
		tb.t.Fatal(err)
	}
	for i := range points {
		out = append(out, points[i].Memory)
	}
	return out
}

var dayOne = time.Date(1402, 5, 3, 18, 0, 0, 0, time.UTC)

func TestAnNPCRemembersAcrossARestart(t *testing.T) {
	tb := sit(t)
	tb.say("mira", "p1", "Ansel", "I come from the coast.", dayOne)
	tb.say("mira", "p1", "Ansel", "My brother Tom works at the ropewalk in Osterwick.", dayOne)
	given := &schema.Occurrence{ID: "ev1", World: "village", GameTime: dayOne, Subject: "player:p1", Predicate: "gave",
		Object: "sword",
		Text:   "Ansel gave Mira a sword.", Player: "p1", Witnesses: []string{"mira", "p1"}}
	if err := tb.app.Client.Witness(t.Context(), given); err != nil {
		t.Fatal(err)
	}
	tb.settle()
	kept := tb.memories(store.MemoryFilter{NPC: "mira", Player: "p1",
		Statuses: []schema.MemoryStatus{schema.MemoryActive}})
	if len(kept) < 3 {
		t.Fatalf("%d memories: %+v", len(kept), kept)
	}
	tb.restart()
	dayTwo := dayOne.AddDate(0, 0, 1)
	for _, c := range []struct {
		npc, player, name, question, want string
		knows                             bool
	}{
		{"mira", "p1", "Ansel", "Where do I come from?", "You told me that you come from the coast.", true},
		{"mira", "p1", "Ansel", "What did I tell you about my brother?", "ropewalk", true},
		{"mira", "p1", "Ansel", "What did I give you?", "I remember that you gave me a sword.", true},
		{"mira", "p2", "Berta", "Where do I come from?", "coast", false},
		{"mira", "p2", "Berta", "What did I give you?", "sword", false},
		{"osric", "p1", "Ansel", "Where do I come from?", "coast", false},
		{"mira", "p1", "Ansel", "Who owns the ferry?", "Teague owns the ferry.", true},
	} {
		r := tb.say(c.npc, c.player, c.name, c.question, dayTwo)
		if strings.Contains(r.Text, c.want) != c.knows {
			t.Errorf("%s to %s, %q: %s %s: %q", c.npc, c.player, c.question, r.Status, r.Reason, r.Text)
		}
		for _, s := range r.Sentences {
			for _, e := range s.Evidence {
				if c.knows && strings.HasPrefix(e.Path, "memory:") && e.Source != schema.OriginUser &&
					e.Source != schema.OriginSystem {
					t.Errorf("%q rests on %+v", s.Text, e)
				}
			}
		}
	}
}

func TestTwoStoriesAreToldAsTwo(t *testing.T) {
	tb := sit(t)
	tb.say("mira", "p1", "Ansel", "I live in Ferrytown.", dayOne)
	tb.say("mira", "p1", "Ansel", "I live in Oakham.", dayOne.AddDate(0, 0, 1))
	r := tb.say("mira", "p1", "Ansel", "Where do I live?", dayOne.AddDate(0, 0, 2))

	if !strings.Contains(r.Text, "two stories") || !strings.Contains(r.Text, "Ferrytown") ||
		!strings.Contains(r.Text, "Oakham") {
		t.Errorf("%s %s: %q", r.Status, r.Reason, r.Text)
	}
	tb.say("mira", "p1", "Ansel", "I have moved, I live in Hillcrest now.", dayOne.AddDate(0, 0, 3))
	r = tb.say("mira", "p1", "Ansel", "Where do I live?", dayOne.AddDate(0, 0, 4))
	if !strings.Contains(r.Text, "Hillcrest") || strings.Contains(r.Text, "Oakham") {
		t.Errorf("after the move, %s %s: %q", r.Status, r.Reason, r.Text)
	}
	r = tb.say("mira", "p1", "Ansel", "Where did I live two days ago?", dayOne.AddDate(0, 0, 4))
	if strings.Contains(r.Text, "Hillcrest") || !strings.Contains(r.Text, "Oakham") {
		t.Errorf("of the day before the move, %s %s: %q", r.Status, r.Reason, r.Text)
	}
}

func TestWhatIsReadTwiceIsRememberedOnce(t *testing.T) {
	tb := sit(t)
	r := tb.say("mira", "p1", "Ansel", "I come from the coast.", dayOne)
	before := tb.memories(store.MemoryFilter{})
	log := entries(t, tb)
	for range 2 {
		if err := tb.app.Remember(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	tb.settle()
	if after := tb.memories(store.MemoryFilter{}); fmt.Sprint(after) != fmt.Sprint(before) || entries(t, tb) != log {
		t.Errorf("a reply read again leaves %d entries of %d\n%+v\n%+v", entries(t, tb), log, before, after)
	}
}

func entries(t *testing.T, tb *table) uint64 {
	t.Helper()
	n, err := tb.app.Conn.MemoryLog().End(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestTheIndexIsMadeAgainFromTheLog(t *testing.T) {
	tb := sit(t)
	tb.say("mira", "p1", "Ansel", "I live in Ferrytown.", dayOne)
	tb.say("mira", "p1", "Ansel", "I live in Oakham now.", dayOne.AddDate(0, 0, 40))
	tb.say("osric", "p2", "Berta", "My sister is called Ann.", dayOne)
	before := tb.memories(store.MemoryFilter{})
	if len(before) < 3 || !slices.ContainsFunc(before,
		func(m schema.Memory) bool { return m.Status == schema.MemorySuperseded }) {
		t.Fatalf("%+v", before)
	}
	tb.stop()
	for _, suffix := range []string{"", "-wal", "-shm"} {
		_ = os.Remove(app.SessionFile(tb.dir) + suffix)
	}
	tb.start()
	tb.settle()
	if after := tb.memories(store.MemoryFilter{}); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("after the file was lost\n%+v\nbefore\n%+v", after, before)
	}
	rebuilt, err := tb.app.RebuildMemory(t.Context())
	if err != nil || len(rebuilt.Problems) > 0 || rebuilt.Memories != len(before) || rebuilt.Removed != 0 {
		t.Errorf("%+v, %v", rebuilt, err)
	}
	if after := tb.memories(store.MemoryFilter{}); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("rebuilt\n%+v\nbefore\n%+v", after, before)
	}
}
