package report

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/memory/faithful"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/internal/memory/write"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func TestWeeks(t *testing.T) {
	for _, c := range []struct {
		before time.Duration // of now
		want   int
	}{{-time.Second, -1}, {0, -1}, {time.Nanosecond, 4}, {span, 4}, {span + 1, 3}, {4 * span, 1}, {5 * span, 0},
		{5*span + 1, -1}} {
		if got := weekOf(now.Add(-c.before), now); got != c.want {
			t.Errorf("%s before: week %d, want %d", c.before, got, c.want)
		}
	}
	for i, w := range calendar(now) {
		if weekOf(w.From, now) != i || weekOf(w.To.Add(-1), now) != i {
			t.Errorf("week %d is %s to %s, which lie in %d and %d", i, w.From, w.To, weekOf(w.From, now),
				weekOf(w.To.Add(-1), now))
		}
	}
	if weekOf(time.Time{}, now) != -1 {
		t.Error("a time that is none lies in a week")
	}
}

// The ranges are the paper's.
func TestFiguresAgainstTheirRanges(t *testing.T) {
	for _, c := range []struct {
		figure, policy string
		hits, of       int
		want           State
	}{
		{BlockRate, "", 4, 1000, Odd}, {BlockRate, "", 5, 1000, Outside}, {BlockRate, "", 19, 1000, Outside},
		{BlockRate, "", 20, 1000, Healthy},
		{BlockRate, "", 40, 1000, Healthy}, {BlockRate, "", 41, 1000, Outside}, {BlockRate, "", 80, 1000, Outside},
		{BlockRate, "", 81, 1000, Odd},
		{BlockRate, "", 6, 200, Healthy}, {BlockRate, "", 6, 199, TooFew},
		{Clusters, "", 4, 100_000, Odd}, {Clusters, "", 5, 100_000, Outside}, {Clusters, "", 1, 10_000, Healthy},
		{Clusters, "", 5, 10_000, Healthy},
		{Clusters, "", 6, 10_000, Outside}, {Clusters, "", 20, 10_000, Outside}, {Clusters, "", 21, 10_000, Odd},
		{Clusters, "", 3, 9_999, TooFew},
		{HighRisk, "", 90, 1000, Off}, {HighRisk, guards.PolicyWarn, 0, 200, Healthy},
		{HighRisk, guards.PolicyWarn, 9, 1000, Healthy},
		{HighRisk, guards.PolicyWarn, 10, 1000, Outside}, {HighRisk, guards.PolicyWarn, 51, 1000, Odd},
		{HighRisk, guards.PolicyWarn, 0, 199, TooFew},
		{HighRisk, guards.PolicyBlock, 1, 2000, Healthy}, {HighRisk, guards.PolicyBlock, 2, 2000, Outside},
		{HighRisk, guards.PolicyBlock, 0, 1999, TooFew},
	} {
		list := calendar(now)
		last := &list[weeks-1]
		last.Grounding = Grounding{NotSupported: c.hits, Supported: c.of - c.hits, Unknown: 50}
		last.Scans = Scans{Clusters: c.hits, Memories: c.of}
		last.Replies = Replies{Scored: c.of, Risks: map[faithful.Risk]int{faithful.High: c.hits}}
		for _, f := range figures(list, c.policy, true) {
			if f.Key == c.figure && (f.State != c.want || f.N != c.of || f.State.out() != (f.Means != "")) {
				t.Errorf("%s of %d in %d with policy %q is %s (%q), want %s", c.figure, c.hits, c.of, c.policy, f.State, f.Means,
					c.want)
			}
		}
	}
}

func TestTrendsAreBeyondChance(t *testing.T) {
	for _, c := range []struct {
		hits, of, before, ofBefore int
		want                       Direction
	}{
		{30, 1000, 120, 4000, Steady}, {35, 1000, 120, 4000, Steady}, {60, 1000, 120, 4000, Rising},
		{10, 1000, 120, 4000, Falling},
		{0, 1000, 0, 4000, Steady}, {1000, 1000, 4000, 4000, Steady},
	} {
		if got := direction(c.before, c.ofBefore, c.hits, c.of); got != c.want {
			t.Errorf("%d of %d after %d of %d is %q, want %q", c.hits, c.of, c.before, c.ofBefore, got, c.want)
		}
	}
	f := &feed{Input: Input{Now: now}}
	f.grounding(3, 150, 0, 9) // too few to be compared with
	f.grounding(4, 400, 0, 100)
	if got := Make(f.Input).Figures[0].Before.Direction; got != NotSaid {
		t.Errorf("against 159 candidates it is %q", got)
	}
}

func TestOverallRisk(t *testing.T) {
	figure := func(states ...State) []Figure {
		var out []Figure
		for _, s := range states {
			out = append(out, Figure{Name: string(s), State: s})
		}
		return out
	}
	for _, c := range []struct {
		name   string
		states []Figure
		want   Risk
	}{
		{"all in range", figure(Healthy, Healthy, Healthy), Low},
		{"one out", figure(Healthy, Outside, Healthy), Elevated},
		{"one odd", figure(Healthy, Odd, Off), High},
		{"too few clusters", []Figure{{Key: Clusters, State: Odd, Range: Range{OddTop: 1}}}, Elevated},
		{"too many clusters", []Figure{{Key: Clusters, State: Odd, Past: Past{Value: 2}, Range: Range{OddTop: 1}}}, High},
		{"two out", figure(Outside, Healthy, Odd), High},
		{"one that can be said", figure(TooFew, Healthy, Off), Low},
		{"none that can be said", figure(TooFew, TooFew, Off), NotKnown},
	} {
		got, why := overall(c.states)
		if got != c.want || why == "" {
			t.Errorf("%s: %s (%s), want %s", c.name, got, why, c.want)
		}
		if strings.Contains(why, "too few cases") != (c.name == "one that can be said") {
			t.Errorf("%s: %q", c.name, why)
		}
	}
}

// says is a verifier that always gives one answer.
type says schema.Label

func (s says) Entails(context.Context, string, string) (float64, schema.Label, error) {
	return 0.8, schema.Label(s), nil
}

// The counts are of what Guard 1 itself writes: one candidate is one, whether it
// waited, was rewritten, was replayed, or is of a kind that is not kept.
func TestCandidatesAreCountedOnce(t *testing.T) {
	settings := write.DefaultSettings()
	g, err := write.New(settings, says(schema.Unverifiable), nil)
	if err != nil {
		t.Fatal(err)
	}
	at := now.Add(-time.Hour)
	words := []extract.Utterance{{TurnID: "t1", Speaker: extract.SpeakerPlayer, Text: "I work at the mill", At: at}}
	c := extract.Candidate{Claim: "Ansel is working at the mill"}
	c.Memory = *remembered("", "works_at", "")
	c.Object, c.Content, c.Confidence, c.Source, c.TurnID = "place:mill", "Ansel is working at the mill", 0.9,
		schema.OriginUser, "t1"
	c.CreatedAt = at
	c.Spans = []schema.MemorySpan{{TurnID: "t1", Speaker: extract.SpeakerPlayer, Text: "I work at the mill", At: at}}
	b := memory.NewBook("hollowmere", "mira")
	log := g.Events(b, write.Outcome{Fate: write.Wait, Memory: c.Memory}, "", at)
	for _, e := range log {
		if err := b.Apply(e, time.Time{}); err != nil {
			t.Fatal(err)
		}
	}
	o := g.Judge(context.Background(), c, words, extract.Context{NPCName: "Mira", PlayerName: "Ansel", Wall: at,
		Names: extract.NewNames(map[string]string{"Ansel": "player:p42", "Mira": "npc:mira", "the mill": "place:mill"})})
	if o.Verdict.Label != schema.GroundingPartial || o.Memory.Content == c.Content {
		t.Fatalf("not rewritten: %+v", o)
	}
	log = append(log, g.Events(b, o, log[0].Memory.ID, at)...)
	if len(log) != 3 || log[2].Type != schema.MemoryDropped {
		t.Fatalf("a rewritten candidate leaves %d events", len(log))
	}
	off, waits := log[1], log[0]
	off.ID, off.Verdict = "eoff", &schema.GroundingVerdict{Label: schema.GroundingSupported, Tier: "none"}
	waits.ID = "ewaits"
	m := *waits.Memory
	m.ID = "mwaits"
	waits.Memory = &m
	skipped := event("eskip", schema.MemoryDropped, write.By, at)
	skipped.Memory, skipped.Verdict = remembered("mskip", "is", ""),
		&schema.GroundingVerdict{Label: schema.GroundingNotSupported}
	skipped.Memory.Kind = schema.MemoryEntity
	r := Make(Input{Now: now, Skip: settings.SkipForTypes, Events: append(append(log, log...), off, waits, skipped)})
	if want := (Grounding{Partial: 1, Stored: 1}); r.Grounding != want {
		t.Errorf("counted %+v, want %+v", r.Grounding, want)
	}
	if r.Waiting != 1 {
		t.Errorf("%d wait", r.Waiting)
	}
}

func TestVerdictsByTheirFate(t *testing.T) {
	var log []schema.MemoryEvent
	add := func(kind schema.MemoryEventType, label schema.GroundingLabel, status schema.MemoryStatus, tags ...string) {
		e := event("e"+string(rune('a'+len(log))), kind, write.By, now.Add(-time.Hour))
		e.Memory, e.Verdict = remembered("m"+e.ID, "likes", status), &schema.GroundingVerdict{Label: label}
		e.Memory.Tags = tags
		log = append(log, e)
	}
	add(schema.MemoryWritten, schema.GroundingSupported, schema.MemoryActive)
	add(schema.MemoryWritten, schema.GroundingPartial, schema.MemoryActive, protocol.TagPartial)
	add(schema.MemoryDropped, schema.GroundingPartial, schema.MemoryPending, protocol.TagPartial)
	add(schema.MemoryDropped, schema.GroundingNotSupported, schema.MemoryPending)
	add(schema.MemoryWritten, schema.GroundingNotSupported, schema.MemoryFlagged, write.TagShadow)
	add(schema.MemoryWritten, schema.GroundingUnknown, schema.MemoryFlagged)
	add(schema.MemoryDropped, schema.GroundingUnknown, schema.MemoryPending)
	want := Grounding{Supported: 1, Partial: 2, NotSupported: 2, Unknown: 2, Stored: 2, UnderFloor: 1, Shadow: 1}
	if got := Make(Input{Now: now, Events: log}).Grounding; got != want || got.Judged() != 5 {
		t.Errorf("counted %+v, want %+v", got, want)
	}
}

func TestActionsThatWereUndone(t *testing.T) {
	f := &feed{Input: Input{Now: now}}
	f.nights(4, 100, 2, 1, 0)
	undo := func(id, what string) {
		e := event(id, schema.MemoryUndone, "operator:ann", now.Add(-time.Minute))
		e.Undoes = what
		f.Events = append(f.Events, e)
	}
	undo("u1", f.Events[0].ID)
	undo("u2", f.Events[1].ID)
	undo("u3", "u2") // and so the second merge holds
	got := Make(f.Input).Scans
	if got.Merged != 1 || got.Superseded != 1 || got.Undone != 1 {
		t.Errorf("counted %+v", got)
	}
}

func TestWhatBecomesOfContradictions(t *testing.T) {
	recent, old := now.Add(-time.Hour), now.Add(-8*day)
	change := func(kind schema.MemoryEventType, by, target string, others ...string) schema.MemoryEvent {
		e := event("e_"+string(kind)+target, kind, by, recent)
		e.Target, e.Others = target, others
		return e
	}
	merged := change(schema.MemoryMerged, scan.By, "", "a")
	merged.Memory = remembered("c", "lives_in", schema.MemoryActive)
	undo := event("u", schema.MemoryUndone, "operator:ann", recent)
	undo.Undoes = "e_supersededa"
	for _, c := range []struct {
		name   string
		flags  [][2]string
		at     time.Time
		events []schema.MemoryEvent
		want   Flags
	}{
		{"open", [][2]string{{"a", "b"}, {"b", "a"}}, recent, nil, Flags{Raised: 1, Open: 1}},
		{"open since last week", [][2]string{{"a", "b"}}, old, nil, Flags{Open: 1}},
		{"one side was superseded", [][2]string{{"a", "b"}}, old,
			[]schema.MemoryEvent{change(schema.MemorySupersede, write.By, "a", "c")}, Flags{ByGuards: 1}},
		{"and that undone", [][2]string{{"a", "b"}}, old,
			[]schema.MemoryEvent{change(schema.MemorySupersede, write.By, "a", "c"), undo}, Flags{Open: 1}},
		{"resolved by an operator", [][2]string{{"a", "b"}, {"a", "c"}}, recent,
			[]schema.MemoryEvent{change(schema.MemoryResolved, "operator:ann", "b", "a")},
			Flags{Raised: 2, ByPeople: 1, Open: 1}},
		{"dropped by an operator", [][2]string{{"a", "b"}}, recent,
			[]schema.MemoryEvent{change(schema.MemoryDropped, "operator:ann", "b")}, Flags{Raised: 1, ByPeople: 1}},
		{"one side merged: the other remains", [][2]string{{"a", "b"}}, recent, []schema.MemoryEvent{merged},
			Flags{Raised: 1, Open: 1}},
		{"both sides merged", [][2]string{{"a", "c"}}, recent, []schema.MemoryEvent{merged}, Flags{Raised: 1, ByGuards: 1}},
		{"erased", [][2]string{{"a", "b"}}, recent, []schema.MemoryEvent{change(schema.MemoryErasedMark, "erasure", "a")},
			Flags{Raised: 1}},
	} {
		f := &feed{Input: Input{Now: now}}
		for _, p := range c.flags {
			f.flag(c.at, p[0], p[1])
		}
		got := Make(Input{Now: now, Events: append(f.Events, c.events...)}).Flags
		got.Predicates = nil
		if got.Raised != c.want.Raised || got.ByGuards != c.want.ByGuards || got.ByPeople != c.want.ByPeople ||
			got.Open != c.want.Open {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestPatterns(t *testing.T) {
	week := func(blocked, flagged, high int) func(*feed, int) {
		return func(f *feed, w int) {
			f.grounding(w, 1000-blocked, 0, blocked)
			f.nights(w, 5000, 1, 1, flagged)
			f.replies(w, 1000, high)
		}
	}
	const topic, unseen = "a topic that the guards do not know", "changes that are not seen as they are written"
	for _, c := range []struct {
		name, policy string
		last         func(*feed, int)
		want         []string
	}{
		{"nothing moves", guards.PolicyWarn, week(30, 2, 5), nil},
		{"blocked and high risk together", guards.PolicyWarn, week(90, 2, 40), []string{topic}},
		{"blocked alone", guards.PolicyWarn, week(90, 2, 5), nil},
		{"high risk alone", guards.PolicyWarn, week(30, 2, 40), nil},
		{"contradictions alone", guards.PolicyWarn, week(30, 30, 5), []string{unseen}},
		{"contradictions, Guard 3 off", "", week(30, 30, 5), []string{unseen}},
		{"contradictions and blocked", guards.PolicyWarn, week(90, 30, 5), nil},
	} {
		f := &feed{Input: Input{Now: now, Policy: c.policy}}
		for w := range weeks - 1 {
			week(30, 2, 5)(f, w)
		}
		c.last(f, weeks-1)
		var got []string
		for _, p := range Make(f.Input).Patterns {
			got = append(got, p.Name)
		}
		if strings.Join(got, "+") != strings.Join(c.want, "+") {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestEarlySigns(t *testing.T) {
	for _, c := range []struct {
		name    string
		blocked []int
		want    int
	}{{"rising for four weeks", []int{21, 23, 25, 27, 29}, 1}, {"for three", []int{25, 23, 25, 27, 29}, 1},
		{"for two", []int{25, 26, 25, 27, 29}, 0}, {"falling", []int{29, 27, 25, 24, 23}, 0}} {
		f := &feed{Input: Input{Now: now}}
		for w, n := range c.blocked {
			f.grounding(w, 1000-n, 0, n)
		}
		if r := Make(f.Input); len(r.Early) != c.want || r.Risk != Low {
			t.Errorf("%s: %q, %s", c.name, r.Early, r.Risk)
		}
	}
}

func TestFunnel(t *testing.T) {
	f := Make(sample()).Funnel
	want := map[string]float64{"turns": 1000, "read for memories": 600, "candidates": 720, "grounded": 370.2,
		"stored": 360.8}
	for _, s := range f.Steps {
		if d := s.Per - want[s.Name]; d > 0.01 || d < -0.01 {
			t.Errorf("%s: %v in 1,000 turns, want %v", s.Name, s.Per, want[s.Name])
		}
	}
	if len(f.Steps) != len(want) || f.All.N != 5344 || len(f.Calls) != 3 {
		t.Errorf("%+v", f)
	}
}
