package consistency_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/forsooth-npc/forsooth/internal/guards"
	domain "github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/internal/memory/write"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/consistency"
	"github.com/forsooth-npc/forsooth/services/memory"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// night is the service, and what the test tells it.
type night struct {
	*servicetest.Keeping
	client  *mesh.Client
	options consistency.Options
	n       int
}

func newNight(t *testing.T) *night {
	t.Helper()
	d := &night{Keeping: servicetest.NewKeeping(t, time.Now().UTC())}
	d.client = mesh.NewClient(d.Conn)
	guard, err := write.New(write.DefaultSettings(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	d.options = consistency.Options{Library: d.Library, Books: d.Books, Session: d.Session, Embed: d.Static, Prove: guard,
		Evidence: d.client, History: d.Conn.Scans(),
		Scanner: scan.Scanner{Settings: scan.From(guards.Default().Consistency, d.Static.ID()), Rule: domain.DefaultRule(),
			Predicates: domain.DefaultPredicates()},
		World: d.World, Now: d.Now, Notice: d.Notice}
	return d
}

// another is the service of a second process.
func (d *night) another() *consistency.Service {
	o := d.options
	o.Books = d.Elsewhere()
	return consistency.New(o)
}

// tell has mira remember what a player said; days are of the game.
func (d *night) tell(player, pred, object, words string, day int) string {
	d.T.Helper()
	d.n++
	at := time.Date(1402, 1, 1, 10, 0, 0, 0, time.UTC).AddDate(0, 0, day)
	content := "Ansel told me that " + strings.NewReplacer("I live", "they live", "I work", "they work", "I have",
		"they have").Replace(words)
	turn := fmt.Sprintf("t%d", d.n)
	m := schema.Memory{World: "village", NPC: "mira", Player: player, Kind: schema.MemoryFact, Subject: "player:" + player,
		Pred: pred, Object: object,
		Content: content, Confidence: 0.8 + float64(d.n)/1000, Source: schema.OriginUser, Count: 1,
		Status: schema.MemoryActive, TurnID: turn, CreatedAt: d.At,
		EventTime: at, ValidFrom: at, Spans: []schema.MemorySpan{{TurnID: turn, Speaker: "player", Text: words, At: at}}}
	m.ID = domain.ID(&m, 0)
	d.write(schema.MemoryEvent{ID: domain.EventID(schema.MemoryWritten, turn, m.ID), Type: schema.MemoryWritten,
		World: "village", NPC: "mira", Player: player,
		At: d.At, By: "guard1", TurnID: turn, Memory: &m})
	return m.ID
}

func (d *night) write(e schema.MemoryEvent) {
	d.T.Helper()
	own := schema.ConversationID{World: e.World, NPC: e.NPC, Player: e.Player}
	if err := d.Books.Append(d.T.Context(), own,
		func(*domain.Book) []schema.MemoryEvent { return []schema.MemoryEvent{e} }); err != nil {
		d.T.Fatal(err)
	}
	d.Rebuild()
}

func (d *night) scan(s *consistency.Service) consistency.Run {
	d.T.Helper()
	d.At = d.At.Add(time.Second)
	run, err := s.Scan(d.T.Context(), "village", consistency.Asked{})
	if err != nil {
		d.T.Fatal(err)
	}
	d.Rebuild()
	return run
}

func (d *night) kept() memory.Kept {
	d.T.Helper()
	all, err := memory.ReadAll(d.T.Context(), d.Log, "", "")
	if err != nil || len(all.Problems) > 0 {
		d.T.Fatal(err, all.Problems)
	}
	return all
}

func (d *night) get(id string) schema.Memory {
	d.T.Helper()
	k := d.kept()
	i := slices.IndexFunc(k.Memories, func(m schema.Memory) bool { return m.ID == id })
	if i < 0 {
		d.T.Fatalf("%s is not there", id)
	}
	return k.Memories[i]
}

// actions are what guard 2 wrote, in order.
func (d *night) actions() []string {
	var out []string
	for _, e := range d.kept().Events {
		if e.By == scan.By {
			out = append(out, string(e.Type))
		}
	}
	return out
}

// stories are one change, one contradiction and one fact told twice, of a player
// each.
func (d *night) stories() (ids map[string]string) {
	d.T.Helper()
	ids = map[string]string{}
	ids["old"] = d.tell("p1", "works_at", "Datakynd", "I work at Datakynd", 0)
	ids["new"] = d.tell("p1", "works_at", "Arrive", "I work at Arrive", 100)
	ids["one"] = d.tell("p2", "lives_in", "Oakham", "I live in Oakham", 0)
	ids["other"] = d.tell("p2", "lives_in", "Saltmere", "I live in Saltmere", 1)
	ids["said"] = d.tell("p3", "lives_in", "Pennick", "I live in Pennick", 0)
	ids["again"] = d.tell("p3", "lives_in", "Pennick", "I have a house in Pennick", 5)
	return ids
}

func TestAScanIsDoneOnce(t *testing.T) {
	d := newNight(t)
	ids := d.stories()
	for i, n := range map[string]int{"said": 3, "again": 4} {
		for range n {
			if err := d.Session.Touch(t.Context(), "village", []string{ids[i]}, d.At); err != nil {
				t.Fatal(err)
			}
		}
	}
	s := consistency.New(d.options)
	dry, err := s.Scan(t.Context(), "village", consistency.Asked{DryRun: true})
	if err != nil || len(dry.Events) != 3 || dry.Written != 0 || len(d.actions()) != 0 {
		t.Fatalf("a dry run: %+v, %v", dry, err)
	}
	run := d.scan(s)
	if run.Written != 3 || run.Left != 0 || run.Report.Actions["merge"] != 1 || run.Report.Actions["supersede"] != 1 ||
		run.Report.Actions["flag"] != 1 {
		t.Fatalf("%+v", run)
	}
	if m := d.get(ids["old"]); m.Status != schema.MemorySuperseded || m.SupersededBy != ids["new"] ||
		!m.ValidTo.Equal(d.get(ids["new"]).ValidFrom) {
		t.Errorf("the change: %+v", m)
	}
	if m := d.get(ids["one"]); m.Status != schema.MemoryActive || !slices.Equal(m.Contradicts, []string{ids["other"]}) {
		t.Errorf("the contradiction: %+v", m)
	}
	canonical, other := ids["again"], ids["said"] // the higher confidence
	if m := d.get(other); m.SupersededBy != canonical {
		t.Errorf("the merge: %+v", m)
	}
	if p, err := d.Session.Get(t.Context(), "village", canonical); err != nil || p.Accessed != 7 ||
		len(p.Memory.Spans) != 2 {
		t.Errorf("the canonical one: %+v, %v", p, err)
	}
	for _, again := range []*consistency.Service{s, d.another()} {
		run := d.scan(again)
		if run.Written != 0 || run.Left != 0 || len(d.actions()) != 3 || run.Report.Judged != 0 {
			t.Errorf("again: %+v", run)
		}
	}
	if p, _ := d.Session.Get(t.Context(), "village", canonical); p.Accessed != 7 {
		t.Errorf("uses counted twice: %d", p.Accessed)
	}
	var kept []string
	if err := d.Conn.Scans().Each(t.Context(), "village", func(data []byte) error {
		kept = append(kept, string(data))
		return nil
	}); err != nil || len(kept) != 3 {
		t.Fatalf("%d scans are kept: %v", len(kept), err)
	}
	if strings.Contains(strings.Join(kept, ""), "Oakham") || strings.Contains(strings.Join(kept, ""), ids["one"]) {
		t.Errorf("the history holds more than counts: %s", kept[0])
	}
}

// Two scans at once, over the same log.
func TestTwoScansAtOnce(t *testing.T) {
	d := newNight(t)
	d.stories()
	var wait sync.WaitGroup
	var total [2]consistency.Run
	for i := range total {
		s := d.another()
		wait.Go(func() {
			var err error
			if total[i], err = s.Scan(t.Context(), "village", consistency.Asked{}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	d.Rebuild()
	if total[0].Written+total[1].Written != 3 || len(d.actions()) != 3 {
		t.Errorf("%d and %d written, in the log %v", total[0].Written, total[1].Written, d.actions())
	}
	if run := d.scan(d.another()); run.Written != 0 {
		t.Errorf("a third scan: %+v", run)
	}
}

// A scan that is killed after any of its events is made up for by the next.
func TestAScanKilledBetweenItsEvents(t *testing.T) {
	for after := range 4 {
		t.Run(fmt.Sprint(after), func(t *testing.T) {
			d := newNight(t)
			ids := d.stories()
			if err := d.Session.Touch(t.Context(), "village", []string{ids["said"]}, d.At); err != nil {
				t.Fatal(err)
			}
			ctx, kill := context.WithCancel(t.Context())
			defer kill()
			o := d.options
			n := 0
			o.Step = func() {
				if n++; n > after {
					kill()
				}
			}
			o.Books = d.Elsewhere()
			if _, err := consistency.New(o).Scan(ctx, "village", consistency.Asked{}); err == nil {
				t.Fatal("the scan was not killed")
			}
			if got := len(d.actions()); got != after {
				t.Fatalf("%d events before the kill, want %d", got, after)
			}
			d.Rebuild()
			d.scan(d.another())
			if got := d.actions(); len(got) != 3 {
				t.Errorf("after the next: %v", got)
			}
			if p, err := d.Session.Get(t.Context(), "village", ids["again"]); err != nil || p.Accessed != 1 {
				t.Errorf("uses: %d, %v", p.Accessed, err)
			}
		})
	}
}

// What is said while the scan reads is not overwritten by it.
func TestAMemoryThatChangesMeanwhileIsLeft(t *testing.T) {
	d := newNight(t)
	ids := d.stories()
	o := d.options
	first := true
	o.Step = func() {
		if !first {
			return
		}
		first = false
		for _, id := range []string{ids["again"], ids["old"]} {
			m := d.get(id)
			m.Spans = append(m.Spans, schema.MemorySpan{TurnID: "t99", Speaker: "player",
				Text: "I have a house in Pennick, I say", At: m.EventTime})
			d.write(schema.MemoryEvent{ID: "e99" + id, Type: schema.MemoryWritten, World: "village", NPC: "mira",
				Player: m.Player, At: d.At, By: "guard1", Memory: &m})
		}
		d.write(schema.MemoryEvent{ID: "e98", Type: schema.MemoryDropped, World: "village", NPC: "mira", Player: "p2",
			At: d.At, By: "operator:x", Target: ids["one"]})
	}
	o.Books = d.Elsewhere()
	run := d.scan(consistency.New(o))
	if run.Left != 2 || run.Written != 1 {
		t.Fatalf("%+v", run)
	}
	if m := d.get(ids["again"]); m.Count != 2 || m.Status != schema.MemoryActive {
		t.Errorf("what was said meanwhile: %+v", m)
	}
	if run := d.scan(d.another()); run.Written != 1 || d.get(ids["again"]).Count != 3 {
		t.Errorf("the next night: %+v", run)
	}
}

func TestWhatAnOperatorSettlesIsLeftAlone(t *testing.T) {
	d := newNight(t)
	ids := d.stories()
	s := consistency.New(d.options)
	run := d.scan(s)
	op := &consistency.Operator{Books: d.Books, Name: "ada", Now: d.options.Now}
	for _, e := range run.Events {
		if e.Type == schema.MemoryFlag {
			continue
		}
		if _, err := op.Undo(t.Context(), &e, ""); err != nil {
			t.Fatal(err)
		}
		if _, err := op.Undo(t.Context(), &e, ""); err == nil || !strings.Contains(err.Error(), "undone already") {
			t.Errorf("undone twice: %v", err)
		}
	}
	one := d.get(ids["one"])
	if _, err := op.Resolve(t.Context(), &one, "m123", ""); err == nil {
		t.Error("a stranger was kept")
	}
	if e, err := op.Resolve(t.Context(), &one, ids["other"], "he moved"); err != nil || e.By != "operator:ada" {
		t.Fatal(e, err)
	}
	if m := d.get(ids["one"]); m.SupersededBy != ids["other"] || len(d.get(ids["other"]).Contradicts) != 0 {
		t.Errorf("resolved: %+v", m)
	}
	for _, id := range []string{"old", "new", "said", "again"} {
		if m := d.get(ids[id]); m.Status != schema.MemoryActive || m.SupersededBy != "" {
			t.Errorf("undone: %s is %+v", id, m)
		}
	}
	d.Rebuild()
	// what was judged is lost: what was settled is not
	for key := range map[string]bool{"scan-judged:village": true, "scan-proved:village": true} {
		if err := d.Session.Mark(t.Context(), key, ""); err != nil {
			t.Fatal(err)
		}
	}
	before := len(d.actions())
	if run := d.scan(d.another()); run.Written != 0 || len(d.actions()) != before {
		t.Errorf("the next night did it again: %+v", run)
	}
}

// A memory that its words do not prove is set aside, and an operator may take it
// back for good.
func TestAnUnprovenMemoryIsSetAside(t *testing.T) {
	d := newNight(t)
	made := d.tell("p4", "works_at", "the Iron Guild", "I live in Pennick, by the way", 0)
	told := d.tell("p4", "lives_in", "Pennick", "I live in Pennick", 0)
	m := d.get(made)
	m.Content = "Ansel told me that they work at the Iron Guild with nine men."
	m.Spans[0].TurnID = "t77"
	m.ID = domain.ID(&m, 1)
	d.write(schema.MemoryEvent{ID: "e77", Type: schema.MemoryWritten, World: "village", NPC: "mira", Player: "p4",
		At: d.At, By: "guard1", Memory: &m})
	run := d.scan(consistency.New(d.options))
	if got := d.get(m.ID); got.Status != schema.MemoryFlagged || run.Report.Unproven == 0 ||
		run.Report.Actions["flag"] != 0 {
		t.Fatalf("%+v of %+v", got, run.Report)
	}
	if d.get(told).Status != schema.MemoryActive {
		t.Error("what was said is set aside too")
	}
	op := &consistency.Operator{Books: d.Books, Name: "ada", Now: d.options.Now}
	got := d.get(m.ID)
	if _, err := op.Resolve(t.Context(), &got, "", ""); err == nil {
		t.Error("both of one hold")
	}
	if _, err := op.Resolve(t.Context(), &got, m.ID, "she did say so"); err != nil {
		t.Fatal(err)
	}
	d.Rebuild()
	d.scan(d.another())
	if d.get(m.ID).Status != schema.MemoryActive {
		t.Error("the next night set it aside again")
	}
}

// Evidence that is deleted or changed turns the verdict on the next scan.
func TestEvidenceThatIsGone(t *testing.T) {
	d := newNight(t)
	see := func(id, text string) {
		t.Helper()
		o := &schema.Occurrence{ID: id, World: "village", Text: text, Witnesses: []string{"mira"}}
		if err := d.client.Witness(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	remember := func(event, text string) string {
		t.Helper()
		m := schema.Memory{World: "village", NPC: "mira", Kind: schema.MemoryOccurrence, Subject: "the world",
			Pred: "happened", Object: text, Content: text,
			Confidence: 1, Source: schema.OriginSystem, Count: 1, Status: schema.MemoryActive, CreatedAt: time.Now().UTC(),
			Spans: []schema.MemorySpan{{EventID: event, Speaker: "game", Text: text}}}
		m.ID = domain.ID(&m, 0)
		d.At = time.Now().UTC()
		d.write(schema.MemoryEvent{ID: "w" + event, Type: schema.MemoryWritten, World: "village", NPC: "mira", At: d.At,
			By: "guard1", EventID: event, Memory: &m})
		return m.ID
	}
	see("e0", "The bell rang.")
	see("e1", "Ansel gave Mira a sword.")
	see("e2", "The mill burned down.")
	stays, changed, gone := remember("e1", "Ansel gave Mira a sword."), remember("e2", "The mill did not burn."),
		remember("e3", "Teague sold the ferry.")
	d.scan(consistency.New(d.options))
	for id, want := range map[string]schema.MemoryStatus{stays: schema.MemoryActive, changed: schema.MemoryFlagged,
		gone: schema.MemoryFlagged} {
		if m := d.get(id); m.Status != want {
			t.Errorf("%q is %s, want %s", m.Content, m.Status, want)
		}
	}
}

// Lore that changes to and fro contradicts a memory, does so no more, and does again.
func TestLoreThatChanges(t *testing.T) {
	d := newNight(t)
	id := d.tell("p1", "owns", "the ferry", "Teague does not own the ferry", 0)
	file := filepath.Join(d.Dir, "lore", "ferry.txt")
	original, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	put := func(s string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	other := strings.Replace(string(original), "Teague owns the ferry.", "The ferry lies idle.", 1)
	if other == string(original) {
		t.Fatalf("the village's lore is other than this test knows: %s", original)
	}
	put(other)
	s := consistency.New(d.options)
	if err := s.Begin(t.Context(), "village"); err != nil {
		t.Fatal(err)
	}
	links := func(when string, want int) {
		t.Helper()
		d.scan(s)
		if m := d.get(id); len(m.Contradicts) != want || m.Status != schema.MemoryActive {
			t.Errorf("%s: %v, %s", when, m.Contradicts, m.Status)
		}
	}
	links("before", 0)
	for range 3 {
		put(string(original))
		links("with lore that denies it", 1)
		links("the night after", 1)
		put(other)
		links("with lore that says nothing of it", 0)
	}
}

func TestAWorldThatIsNotServed(t *testing.T) {
	d := newNight(t)
	_, err := consistency.New(d.options).Scan(t.Context(), "atlantis", consistency.Asked{})
	if err == nil || !strings.Contains(err.Error(), `"atlantis" is not served here`) {
		t.Error(err)
	}
}
