package memory_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/memory/write"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/memory"
)

func (d *desk) end() uint64 {
	d.T.Helper()
	end, err := d.Log.End(d.T.Context())
	if err != nil {
		d.T.Fatal(err)
	}
	return end
}

// dying is a service that ends as soon as it has appended one entry.
func (d *desk) dying() (*memory.Service, context.Context) {
	ctx, cancel := context.WithCancel(d.T.Context())
	d.T.Cleanup(cancel)
	from := d.end()
	now := func() time.Time {
		if d.end() > from {
			cancel()
		}
		return d.At
	}
	return memory.New(memory.NewBooks(d.Log, now, nil), d.options), ctx
}

func TestACrashBetweenTwoEntriesIsMadeWholeWhenTheTurnComesAgain(t *testing.T) {
	for _, c := range []struct {
		name          string
		first, second string
		apart         time.Duration
		want          []string
	}{
		{"the newer takes its place", "I live in Ferrytown.", "I have moved, I live in Oakham now.", time.Hour,
			[]string{"active: Ansel told me that they live in Oakham now.",
				"superseded: Ansel told me that they live in Ferrytown."}},
		{"the two contradict", "I live in Ferrytown.", "I live in Oakham.", time.Hour,
			[]string{"active: Ansel told me that they live in Ferrytown.", "active: Ansel told me that they live in Oakham."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t)
			at := d.At
			first := d.reply("t1", c.first)
			first.GameTime = &at
			must(t, d.service.Reply(t.Context(), first, 1))
			later := at.Add(c.apart)
			second := d.reply("t2", c.second)
			second.GameTime = &later
			killed, ctx := d.dying()
			if err := killed.Reply(ctx, second, 2); !errors.Is(err, context.Canceled) {
				t.Fatalf("it was not killed between two entries: %v", err)
			}
			if n := len(d.kept()); d.end() != 2 || n != 2 || strings.HasPrefix(d.kept()[1], "superseded") {
				t.Fatalf("after the crash: %q", d.kept())
			}
			must(t, d.another().Reply(t.Context(), second, 2))
			d.want("delivered again", c.want...)
			all, err := memory.ReadAll(t.Context(), d.Log, "", "")
			must(t, err)
			if last := all.Events[len(all.Events)-1]; len(all.Events) != 3 || last.Type != schema.MemorySupersede &&
				last.Type != schema.MemoryFlag {
				t.Errorf("the log ends with %+v", last)
			}
			must(t, d.another().Reply(t.Context(), second, 2))
			must(t, d.another().Reply(t.Context(), first, 1))
			if d.end() != 3 {
				t.Errorf("a turn that is whole adds to the log: %d entries", d.end())
			}
		})
	}
}

// What an operator decided stands, though the turn comes again.
func TestATurnThatComesAgainOverrulesNobody(t *testing.T) {
	d := newDesk(t)
	var turns []*schema.Reply
	for i, said := range []string{"I live in Ferrytown.", "I have moved, I live in Oakham now.",
		"I have moved, I live in Hillcrest now."} {
		at := d.At.Add(time.Duration(i) * time.Hour)
		r := d.reply("t"+said[len(said)-6:len(said)-1], said)
		r.GameTime = &at
		must(t, d.service.Reply(t.Context(), r, 1))
		turns = append(turns, r)
	}
	all, err := memory.ReadAll(t.Context(), d.Log, "", "")
	must(t, err)
	for i, undone := range []schema.MemoryEvent{all.Events[2], all.Events[4]} { // the first home, and then the second
		if undone.Type != schema.MemorySupersede {
			t.Fatalf("%+v", undone)
		}
		undo := schema.MemoryEvent{ID: fmt.Sprint("u", i), Type: schema.MemoryUndone, World: "village", NPC: "mira",
			Player: "p1", At: d.At, By: "operator:me", Undoes: undone.ID}
		if _, err := d.Log.Append(t.Context(), &undo, d.end()); err != nil {
			t.Fatal(err)
		}
		end := d.end()
		for _, r := range turns {
			must(t, d.another().Reply(t.Context(), r, 1))
		}
		if d.end() != end {
			t.Errorf("undo %d: the turns replayed add to the log", i)
		}
	}
	d.want("after it was undone", "active: Ansel told me that they live in Ferrytown.",
		"active: Ansel told me that they live in Hillcrest now.", "active: Ansel told me that they live in Oakham now.")
}

// unspoken makes claims that do not stand in the words, so that the verifier must be
// asked.
func unspoken(r *schema.Reply, x extract.Context) []extract.Candidate {
	list := extract.FromReply(r, x)
	for i := range list {
		list[i].Claim = "I am from the coast"
	}
	return list
}

func TestWhatBecomesOfACandidateWithoutAVerdict(t *testing.T) {
	const said = "Ansel told me that they come from the coast."
	for _, c := range []struct {
		how                 write.OnFailure
		away, restart, aDay []string // while the verifier is away, after a restart with it back, and a day later
		drops               int
		words               string
	}{
		{write.Queue, []string{"pending: " + said}, []string{"active: " + said}, []string{"active: " + said}, 0,
			"a queued one is decided after a restart"},
		{write.Block, []string{}, []string{}, []string{}, 1, "a blocked one stays away, and is counted"},
		{write.Allow, []string{"flagged: " + said}, []string{"flagged: " + said}, []string{"flagged: " + said}, 0,
			"an allowed one stays flagged"},
	} {
		t.Run(string(c.how), func(t *testing.T) {
			d := newDesk(t)
			settings := write.DefaultSettings()
			settings.OnFailure = c.how
			guard, err := write.New(settings, d, nil)
			must(t, err)
			d.options.Extract, d.options.Guard = unspoken, guard
			d.down.Store(true)
			must(t, d.another().Reply(t.Context(), d.reply("t1", "I come from the coast."), 1))
			d.want("away", c.away...)
			d.Rebuild()
			d.retrieved("away")
			d.down.Store(false) // restarted: new books, the log alone is left
			after := d.another()
			must(t, after.Again(t.Context(), d.Index))
			d.want("after a restart", c.restart...)
			d.At = d.At.Add(25 * time.Hour)
			d.Rebuild()
			must(t, d.another().Again(t.Context(), d.Index))
			d.want("a day later", c.aDay...)
			all, err := memory.ReadAll(t.Context(), d.Log, "", "")
			must(t, err)
			drops := 0
			for _, e := range all.Events {
				if e.Type == schema.MemoryDropped && e.Verdict != nil && e.Verdict.Label == schema.GroundingUnknown {
					drops++
				}
			}
			if drops != c.drops {
				t.Errorf("%d drops without a verdict, want %d: %s", drops, c.drops, c.words)
			}
		})
	}
}

// A queue that nobody could decide for a day is dropped by whichever process runs
// then, and counted once.
func TestAQueueOutlivesARestartAndEnds(t *testing.T) {
	d := newDesk(t)
	d.options.Extract = unspoken
	d.down.Store(true)
	must(t, d.another().Reply(t.Context(), d.reply("t1", "I come from the coast."), 1))
	for _, hours := range []time.Duration{1, 22} {
		d.At = d.At.Add(hours * time.Hour)
		d.Rebuild()
		must(t, d.another().Again(t.Context(), d.Index))
		d.want("while it may wait", "pending: Ansel told me that they come from the coast.")
	}
	d.At = d.At.Add(time.Hour)
	d.Rebuild()
	for range 2 {
		must(t, d.another().Again(t.Context(), d.Index))
	}
	must(t, d.another().Reply(t.Context(), d.replies["t1"], 1))
	d.want("after a day")
	all, err := memory.ReadAll(t.Context(), d.Log, "", "")
	must(t, err)
	if last := all.Events[len(all.Events)-1]; len(all.Events) != 2 || last.Type != schema.MemoryDropped ||
		last.Verdict.Why != "no verdict came in time" {
		t.Errorf("the log: %+v", all.Events)
	}
}

// retrieved asks that nothing of the index may be brought into a turn.
func (d *desk) retrieved(when string) {
	d.T.Helper()
	points, err := d.Session.Scroll(d.T.Context(), active(), "", 0)
	if err != nil || len(points) > 0 {
		d.T.Errorf("%s, turns are answered from %+v, %v", when, points, err)
	}
}

func TestWhatAnNPCSaysAgainIsOneMemory(t *testing.T) {
	d := newDesk(t)
	tell := func(turn, text string) *schema.Reply {
		r := d.reply(turn, "What news?")
		r.Sentences = []schema.Sentence{{Seq: 1, Text: text}}
		must(t, d.service.Reply(t.Context(), r, 1))
		return r
	}
	d.down.Store(true) // by words alone
	tell("t1", "Seventeen barrels of silver lie under the bridge.")
	tell("t2", "Seventeen barrels of silver lie under the bridge.")
	again := tell("t3", "Under the bridge there are seventeen barrels of silver.")
	d.want("told three times", "active: I told Ansel that seventeen barrels of silver lie under the bridge.")
	end := d.end()
	must(t, d.another().Reply(t.Context(), again, 1))
	if d.end() != end {
		t.Errorf("the turn replayed adds to the log")
	}
	tell("t4", "Eighteen barrels of silver lie under the bridge.")
	tell("t5", "No barrels of silver lie under the bridge.")
	if n := len(d.kept()); n != 3 {
		t.Errorf("another number and a denial: %q", d.kept())
	}
	all, err := memory.ReadAll(t.Context(), d.Log, "", "")
	must(t, err)
	for _, m := range all.Memories {
		if strings.Contains(m.Content, "seventeen") && (m.Count != 3 || len(m.Spans) != 3) {
			t.Errorf("count %d, spans %+v", m.Count, m.Spans)
		}
	}
}

func active() store.MemoryFilter {
	return store.MemoryFilter{World: "village", Statuses: []schema.MemoryStatus{schema.MemoryActive}}
}
