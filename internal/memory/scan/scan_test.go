package scan_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

var (
	night  = time.Date(2026, 11, 1, 3, 0, 0, 0, time.UTC)
	spring = time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)
)

// known are the predicates of the tests: those with one value at a time, and one alias.
var known = func() *memory.PredicateTable {
	table, err := memory.LoadPredicates(nil, []byte("- {name: works_at, stateful: true, aliases: [current_employer]}\n"+
		"- {name: uses_database, stateful: true}\n- {name: lives_in, stateful: true}\n- {name: owner_of, stateful: true}\n"),
		"predicates.yaml")
	if err != nil {
		panic(err)
	}
	return table
}()

func scanner(t *testing.T) *scan.Scanner {
	t.Helper()
	s := scan.From(guards.Default().Consistency, static(t).ID())
	return &scan.Scanner{Settings: s, Rule: memory.DefaultRule(), Predicates: known}
}

func static(t testing.TB) *embed.Static {
	t.Helper()
	e, err := embed.NewStatic()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// said is a memory that a player's words prove. Its words are its content, unless
// with says otherwise.
func said(id, subject, pred, object, content string, at time.Time, with ...func(*schema.Memory)) schema.Memory {
	m := schema.Memory{
		ID: id, World: "hollowmere", NPC: "mira", Player: "p42", Kind: schema.MemoryFact, Subject: subject, Pred: pred,
		Object: object, Content: content,
		Confidence: 0.8, Source: schema.OriginUser,
		Spans: []schema.MemorySpan{{TurnID: "t" + id, Speaker: "player", Text: content}}, Count: 1,
		CreatedAt: night.Add(-time.Hour), EventTime: at, ValidFrom: at, Status: schema.MemoryActive,
	}
	for _, f := range with {
		f(&m)
	}
	return m
}

func words(s string) func(*schema.Memory) {
	return func(m *schema.Memory) { m.Spans[0].Text = s }
}

func kind(k schema.MemoryKind) func(*schema.Memory) { return func(m *schema.Memory) { m.Kind = k } }

func confidence(c float64) func(*schema.Memory) {
	return func(m *schema.Memory) { m.Confidence = c }
}

func system(m *schema.Memory)  { m.Source = schema.OriginSystem }
func hearsay(m *schema.Memory) { m.HeardFrom = "osric" }
func of(player string) func(*schema.Memory) {
	return func(m *schema.Memory) { m.Player = player }
}

// items embeds memories.
func items(t testing.TB, memories ...schema.Memory) []scan.Item {
	t.Helper()
	e := static(t)
	var texts []string
	for _, m := range memories {
		texts = append(texts, m.Content)
	}
	vectors, err := e.Embed(context.Background(), texts)
	if err != nil {
		t.Fatal(err)
	}
	var out []scan.Item
	for i, m := range memories {
		out = append(out, scan.Item{Memory: m, Vector: vectors[i], Model: e.ID(), Accessed: i + 1})
	}
	return out
}

func input(in []scan.Item) scan.Input {
	return scan.Input{World: "hollowmere", Memories: in, Now: night}
}

func run(t *testing.T, s *scan.Scanner, in scan.Input) scan.Result {
	t.Helper()
	out, err := s.Run(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// events in short: "merged a<b,c", "superseded a→b", "flagged a|b".
func short(events []schema.MemoryEvent) []string {
	out := []string{}
	for _, e := range events {
		switch e.Type {
		case schema.MemoryMerged:
			out = append(out, "merged "+e.Memory.ID+"<"+strings.Join(e.Others, ","))
		case schema.MemorySupersede:
			out = append(out, "superseded "+e.Target+"→"+e.Others[0])
		default:
			out = append(out, string(e.Type)+" "+e.Target+"|"+strings.Join(e.Others, ","))
		}
	}
	slices.Sort(out)
	return out
}

func day(n int) time.Time { return spring.AddDate(0, 0, n) }

func TestVerdictsByRule(t *testing.T) {
	june, april := time.Date(2025, 6, 10, 0, 0, 0, 0, time.UTC), time.Date(2026, 4, 5, 0, 0, 0, 0, time.UTC)
	georgian := func(id, object string, at time.Time, with ...func(*schema.Memory)) schema.Memory {
		return said(id, "ent_georgian", "works_at", object, "Georgian works at "+object+".", at, with...)
	}
	likes := func(id, object, content string, with ...func(*schema.Memory)) schema.Memory {
		return said(id, "player:p42", "likes", object, content, day(0), append(with, kind(schema.MemoryPreference))...)
	}
	event := func(id, content string, at time.Time) schema.Memory {
		return said(id, "player:p42", "gave", "sword", content, at, kind(schema.MemoryOccurrence))
	}
	cases := []struct {
		name     string
		memories []schema.Memory
		want     []string
	}{
		{"paper: another employer after ten months",
			[]schema.Memory{georgian("a", "Datakynd", june), georgian("b", "Arrive", april)}, []string{"superseded a→b"}},
		{"paper: two databases a day apart", []schema.Memory{
			said("a", "ent_inbox3", "uses_database", "Supabase", "Inbox3 uses Supabase.", day(0)),
			said("b", "ent_inbox3", "uses_database", "Neon", "Inbox3 uses Neon.", day(1))}, []string{"flagged a|b"}},
		{"paper: three phrasings of one home", []schema.Memory{
			said("a", "ent_georgian", "lives_in", "Bangalore", "Georgian lives in Bangalore.", day(0)),
			said("b", "ent_georgian", "lives_in", "bangalore", "Georgian's home is in Bangalore.", day(50), confidence(0.9)),
			said("c", "ent_georgian", "lives_in", "Bangalore", "Georgian has been living in Bangalore.", day(90))},
			[]string{"merged b<a,c"}},
		{"paper: preferences that deny each other", []schema.Memory{
			likes("a", "concise responses", "Georgian prefers concise responses."),
			likes("b", "detailed responses", "Georgian prefers detailed responses.")}, []string{"flagged a|b"}},
		{"an alias of the predicate",
			[]schema.Memory{georgian("a", "Datakynd", june),
				said("b", "ent_georgian", "current_employer", "Arrive", "Georgian is employed by Arrive.", april)},
			[]string{"superseded a→b"}},
		{"29 days are no change", []schema.Memory{georgian("a", "Datakynd", day(0)), georgian("b", "Arrive", day(29))},
			[]string{"flagged a|b"}},
		{"30 days are", []schema.Memory{georgian("a", "Datakynd", day(0)), georgian("b", "Arrive", day(30))},
			[]string{"superseded a→b"}},
		{"a word of change", []schema.Memory{georgian("a", "Datakynd", day(0)),
			georgian("b", "Arrive", day(1), words("I work at Arrive now."))}, []string{"superseded a→b"}},
		{"a word of change in the older", []schema.Memory{georgian("a", "Datakynd", day(0), words("I moved to Datakynd.")),
			georgian("b", "Arrive", day(1))}, []string{"flagged a|b"}},
		{"the game saw it", []schema.Memory{georgian("a", "Datakynd", day(0)), georgian("b", "Arrive", day(1), system)},
			[]string{"superseded a→b"}},
		{"hearsay does not overrule",
			[]schema.Memory{georgian("a", "Datakynd", june), georgian("b", "Arrive", april, hearsay)}, []string{"flagged a|b"}},
		{"a player does not overrule the game",
			[]schema.Memory{georgian("a", "Datakynd", june, system), georgian("b", "Arrive", april)}, []string{"flagged a|b"}},
		{"of two players", []schema.Memory{georgian("a", "Datakynd", june), georgian("b", "Arrive", april, of("p7"))},
			[]string{}},
		{"of nobody and of a player",
			[]schema.Memory{georgian("a", "Datakynd", june), georgian("b", "Arrive", april, of(""))}, []string{}},
		{"of two times that are the same", []schema.Memory{georgian("a", "Datakynd", june), georgian("b", "Arrive", june)},
			[]string{"flagged a|b"}},
		{"away and back again", []schema.Memory{georgian("a", "Datakynd", day(0)), georgian("b", "Arrive", day(40)),
			georgian("c", "Datakynd", day(80))}, []string{"superseded a→b", "superseded b→c"}},
		{"a third ends a quarrel", []schema.Memory{georgian("a", "Datakynd", day(0)), georgian("b", "Arrive", day(1)),
			georgian("c", "Inbox", day(60))}, []string{"superseded a→c", "superseded b→c"}},
		{"said again lately", []schema.Memory{georgian("a", "Datakynd", day(0)), georgian("b", "Datakynd", day(59)),
			georgian("c", "Arrive", day(60))},
			[]string{"flagged a|c", "merged a<b"}},
		{"one only says more", []schema.Memory{georgian("a", "Arrive", day(0)),
			georgian("b", "Arrive in Bangalore", day(60))}, []string{}},
		{"the same from two sources",
			[]schema.Memory{georgian("a", "Arrive", day(0)), georgian("b", "Arrive", day(9), system)}, []string{}},
		{"several values are no conflict",
			[]schema.Memory{likes("a", "plums", "p42 likes plums."), likes("b", "pears", "p42 likes pears.")}, []string{}},
		{"a thing and its denial", []schema.Memory{likes("a", "plums", "p42 likes plums."),
			likes("b", "not plums", "p42 does not like plums.")}, []string{"flagged a|b"}},
		{"a denial in the sentence only",
			[]schema.Memory{likes("a", "plums", "p42 likes plums."), likes("b", "plums", "p42 does not like plums.")},
			[]string{"flagged a|b"}},
		{"one value of two names", []schema.Memory{
			said("a", "player:p42", "owns", "mule", "p42 owns a mule called Bess.", day(0)),
			said("b", "player:p42", "owns", "mule", "p42 owns a mule called Tom.", day(0))}, []string{}},
		{"one value, two numbers", []schema.Memory{
			said("a", "player:p42", "owns", "", "p42 owns three mules.", day(0)),
			said("b", "player:p42", "owns", "", "p42 owns five mules.", day(0))}, []string{"flagged a|b"}},
		{"what happened twice", []schema.Memory{event("a", "p42 gave Mira a sword.", day(0)),
			event("b", "p42 gave Mira a sword.", day(3))}, []string{}},
		{"what happened once, told twice",
			[]schema.Memory{event("a", "p42 gave Mira a sword.", day(0)), event("b", "p42 gave Mira the sword.", day(0))},
			[]string{"merged a<b"}},
		{"the same words under another predicate", []schema.Memory{
			said("a", "player:p42", "trade", "carpenter", "p42 is a carpenter.", day(0)),
			said("b", "player:p42", "is", "carpenter", "p42 is the carpenter.", day(2))}, []string{"merged a<b"}},
		{"likes and dislikes", []schema.Memory{likes("a", "plums", "p42 likes plums."),
			said("b", "player:p42", "dislikes", "plums", "p42 dislikes plums.", day(60), kind(schema.MemoryPreference))},
			[]string{"flagged a|b"}},
		{"hearsay of the past, heard later", []schema.Memory{
			said("a", "player:p42", "lives_in", "Ferrytown", "p42 lives in Ferrytown.", day(50)),
			said("b", "player:p42", "lives_in", "Marsh End", "p42 lives in Marsh End.", day(60), hearsay,
				func(m *schema.Memory) { m.ValidFrom = day(0) })}, []string{"superseded b→a"}},
		{"who told it is not what is told", []schema.Memory{
			said("a", "player:p42", "fears", "wolves", "Ansel told me that they fear wolves.", day(0)),
			said("b", "player:p42", "fears", "bears", "Ansel told me that they fear bears.", day(0))}, []string{}},
		{"told twice", []schema.Memory{
			said("a", "player:p42", "has", "", "Ansel told me that they have two mules.", day(0)),
			said("b", "player:p42", "has", "", "Ansel told me that they have nine mules.", day(0))}, []string{"flagged a|b"}},
		{"two subjects alike", []schema.Memory{
			said("a", "npc:osric", "is", "carpenter", "Osric is a carpenter.", day(0)),
			said("b", "npc:vesna", "is", "carpenter", "Vesna is a carpenter.", day(0))}, []string{}},
		{"linked already", []schema.Memory{
			georgian("a", "Datakynd", day(0), func(m *schema.Memory) { m.Contradicts = []string{"b"} }),
			georgian("b", "Arrive", day(1), func(m *schema.Memory) { m.Contradicts = []string{"a"} })}, []string{}},
		{"what is not active is not looked at", []schema.Memory{
			georgian("a", "Datakynd", june, func(m *schema.Memory) { m.Status = schema.MemorySuperseded }),
			georgian("b", "Arrive", april)}, []string{}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			out := run(t, scanner(t), input(items(t, c.memories...)))
			if got := short(out.Events); !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v; %+v", got, c.want, out.Report.Details)
			}
		})
	}
}

func TestMergeUnitesWhatProvesAndSumsWhatWasUsed(t *testing.T) {
	memories := []schema.Memory{
		said("a", "ent_georgian", "lives_in", "Bangalore", "Georgian lives in Bangalore.", day(0)),
		said("b", "ent_georgian", "lives_in", "Bangalore", "Georgian's home is in Bangalore.", day(50), confidence(0.9)),
		said("c", "ent_georgian", "lives_in", "Bangalore", "Georgian has been living in Bangalore.", day(90)),
	}
	out := run(t, scanner(t), input(items(t, memories...)))
	if len(out.Events) != 1 {
		t.Fatalf("events %v", short(out.Events))
	}
	m := out.Events[0].Memory
	switch {
	case len(m.Spans) != 3 || m.Count != 3:
		t.Errorf("proved by %d spans, %d times", len(m.Spans), m.Count)
	case !m.ValidFrom.Equal(day(0)) || !m.EventTime.Equal(day(90)):
		t.Errorf("valid from %s, last said %s", m.ValidFrom, m.EventTime)
	case out.Accessed["b"] != 6:
		t.Errorf("used %d times", out.Accessed["b"])
	}
}

func TestSupersededHoldsUntilTheNewer(t *testing.T) {
	out := run(t, scanner(t), input(items(t,
		said("a", "player:p42", "lives_in", "Ferrytown", "p42 lives in Ferrytown.", day(0)),
		said("b", "player:p42", "lives_in", "Marsh End", "p42 lives in Marsh End.", day(45)))))
	if len(out.Events) != 1 || !out.Events[0].ValidTo.Equal(day(45)) || out.Events[0].By != scan.By ||
		!out.Events[0].At.Equal(night) {
		t.Errorf("events %+v", out.Events)
	}
}

// books keeps the log of a test as the memory package does.
func book(t *testing.T, memories []schema.Memory) *memory.Book {
	t.Helper()
	b := memory.NewBook("hollowmere", "mira")
	for i, m := range memories {
		e := schema.MemoryEvent{ID: fmt.Sprintf("w%d", i), Type: schema.MemoryWritten, World: m.World, NPC: m.NPC,
			Player: m.Player, At: night.Add(-time.Minute), Memory: &m}
		if err := b.Apply(e, night); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func apply(t *testing.T, b *memory.Book, events []schema.MemoryEvent) {
	t.Helper()
	for _, e := range events {
		if err := b.Apply(e, night); err != nil {
			t.Fatal(err)
		}
	}
}

// mixed are memories of which each verdict finds some.
func mixed() []schema.Memory {
	return []schema.Memory{
		said("a", "ent_georgian", "works_at", "Datakynd", "Georgian works at Datakynd.", day(0)),
		said("b", "ent_georgian", "works_at", "Arrive", "Georgian works at Arrive.", day(100)),
		said("c", "ent_georgian", "works_at", "Arrive", "Georgian is employed by Arrive.", day(101)),
		said("d", "ent_inbox3", "uses_database", "Supabase", "Inbox3 uses Supabase.", day(0)),
		said("e", "ent_inbox3", "uses_database", "Neon", "Inbox3 uses Neon.", day(1)),
		said("f", "player:p42", "likes", "plums", "p42 likes plums.", day(0), kind(schema.MemoryPreference)),
		said("g", "player:p42", "likes", "not plums", "p42 does not like plums.", day(8), kind(schema.MemoryPreference)),
	}
}

func TestNothingIsDoneTwice(t *testing.T) {
	b := book(t, mixed())
	first := run(t, scanner(t), input(items(t, b.Memories()...)))
	if want := []string{"flagged d|e", "flagged f|g", "merged b<c", "superseded a→b"}; !slices.Equal(short(first.Events),
		want) {
		t.Fatalf("%v, want %v", short(first.Events), want)
	}

	again := run(t, scanner(t), input(items(t, b.Memories()...)))
	if !reflect.DeepEqual(again.Events, first.Events) {
		t.Error("a second scan of the same memories gives other events")
	}

	for n := range first.Events { // killed behind each event
		half := book(t, mixed())
		apply(t, half, first.Events[:n])
		rest := run(t, scanner(t), input(items(t, half.Memories()...)))
		apply(t, half, rest.Events)
		whole := book(t, mixed())
		apply(t, whole, first.Events)
		if !reflect.DeepEqual(half.Memories(), whole.Memories()) {
			t.Errorf("killed behind event %d, the book differs:\n%+v\n%+v", n, half.Memories(), whole.Memories())
		}
	}

	apply(t, b, first.Events)
	if after := run(t, scanner(t), input(items(t, b.Memories()...))); len(after.Events) > 0 {
		t.Errorf("once done, a scan still gives %v", short(after.Events))
	}
}

func TestWhatWasJudgedIsNotJudgedAgainUntilAMemberChanges(t *testing.T) {
	memories := mixed()
	s := scanner(t)
	first := run(t, s, input(items(t, memories...)))
	in := input(items(t, memories...))
	in.Judged = first.Judged
	if out := run(t, s, in); out.Report.Judged != 0 || out.Report.Known != first.Report.Judged || len(out.Events) > 0 {
		t.Errorf("judged again: %+v", out.Report)
	}
	memories[4].Object, memories[4].Content = "Postgres", "Inbox3 uses Postgres."
	in.Memories = items(t, memories...)
	if out := run(t, s, in); out.Report.Judged != 1 {
		t.Errorf("after a change %d clusters were judged", out.Report.Judged)
	}
}

func TestAnUndoIsRespected(t *testing.T) {
	b := book(t, mixed())
	before := b.Memories()
	first := run(t, scanner(t), input(items(t, before...)))
	apply(t, b, first.Events)
	in := input(nil)
	in.Judged, in.Settled = map[string]scan.Verdict{}, map[string]bool{}
	for i, e := range first.Events {
		apply(t, b, []schema.MemoryEvent{{ID: fmt.Sprintf("u%d", i), Type: schema.MemoryUndone, World: e.World, NPC: e.NPC,
			Player: e.Player, At: night, Undoes: e.ID}})
		target := e.Target
		if e.Memory != nil {
			target = e.Memory.ID
		}
		for _, o := range e.Others {
			in.Settled[scan.PairKey(o, target)] = true
		}
	}
	if !reflect.DeepEqual(b.Memories(), before) {
		t.Error("undoing all does not give the first book")
	}
	in.Memories = items(t, b.Memories()...)
	if out := run(t, scanner(t), in); slices.ContainsFunc(short(out.Events),
		func(s string) bool { return s != "superseded a→c" }) {
		t.Errorf("what was undone is done again: %v", short(out.Events))
	}
}

func TestClustersBeyondTheBoundAreCarriedOver(t *testing.T) {
	var memories []schema.Memory
	for i := range 25 {
		subject := fmt.Sprintf("npc:n%02d", i)
		memories = append(memories, said(fmt.Sprintf("a%02d", i), subject, "works_at", "Datakynd",
			subject+" works at Datakynd.", day(0)),
			said(fmt.Sprintf("b%02d", i), subject, "works_at", "Arrive", subject+" works at Arrive.", day(1)))
	}
	s := scanner(t)
	s.Settings.MaxClusters = 10
	in := input(items(t, memories...))
	in.Judged = map[string]scan.Verdict{}
	var judged []int
	flagged := map[string]bool{}
	for range 4 {
		out := run(t, s, in)
		judged = append(judged, out.Report.Judged)
		if !strings.Contains(out.Report.Summary(), "carried over") && out.Report.Carried > 0 {
			t.Error("the summary does not say what is carried over")
		}
		for h, v := range out.Judged {
			in.Judged[h] = v
		}
		for _, e := range out.Events {
			flagged[e.ID] = true
		}
	}
	if !slices.Equal(judged, []int{10, 10, 5, 0}) || len(flagged) != 25 {
		t.Errorf("judged %v, flagged %d", judged, len(flagged))
	}
}

func TestSettingsHoldActionsBack(t *testing.T) {
	s := scanner(t)
	s.Settings.Merge, s.Settings.Supersede, s.Settings.Flag = false, false, false
	out := run(t, s, input(items(t, mixed()...)))
	if len(out.Events) > 0 || out.Report.Judged == 0 || len(out.Judged) > 0 {
		t.Errorf("events %v, judged %d, remembered %d", short(out.Events), out.Report.Judged, len(out.Judged))
	}
	s = scanner(t)
	s.Settings.Structural, s.Settings.Floor = false, 0
	if got := short(run(t, s, input(items(t, mixed()...))).Events); !slices.Equal(got,
		[]string{"merged b<c", "superseded a→b"}) {
		t.Errorf("with the temporal signal alone: %v", got)
	}
	s.Settings.Drift = 0
	if got := short(run(t, s, input(items(t, mixed()...))).Events); len(got) > 0 {
		t.Errorf("with no signal: %v", got)
	}
}

// entailer supports what a test says that it does.
type entailer struct {
	label map[string]schema.Label
	calls int
	err   error
}

func (e *entailer) Entails(_ context.Context, premise, hypothesis string) (float64, schema.Label, error) {
	e.calls++
	switch l := e.label[premise+"|"+hypothesis]; l {
	case schema.Supported:
		return 0.95, l, e.err
	case schema.Contradicted:
		return 0.02, l, e.err
	case "unsure":
		return 0.5, schema.Unverifiable, e.err
	}
	return 0.1, schema.Unverifiable, e.err
}

type judge struct {
	verdict scan.Verdict
	calls   int
}

func (j *judge) Judge(context.Context, []schema.Memory) (scan.Verdict, string, error) {
	j.calls++
	return j.verdict, "as asked", nil
}

func TestWhatTheRulesLeaveOpen(t *testing.T) {
	a := said("a", "player:p42", "fears", "deep water", "p42 is afraid of deep water.", day(0))
	b := said("b", "player:p42", "feels", "fear of deep water", "p42 is scared of deep water.", day(4))
	there, back := a.Content+"|"+b.Content, b.Content+"|"+a.Content
	cases := []struct {
		name    string
		label   map[string]schema.Label
		judge   *judge
		verdict scan.Verdict
		want    []string
		calls   int
	}{
		{"each supports the other", map[string]schema.Label{there: schema.Supported, back: schema.Supported}, nil,
			scan.Equivalent, []string{"merged a<b"}, 0},
		{"one says more", map[string]schema.Label{there: schema.Supported}, nil, scan.Distinct, []string{}, 0},
		{"neither", nil, nil, scan.Distinct, []string{}, 0},
		{"one denies", map[string]schema.Label{there: schema.Contradicted}, nil, scan.Contradiction,
			[]string{"flagged a|b"}, 0},
		{"they do not agree whether", map[string]schema.Label{there: schema.Contradicted, back: schema.Supported}, nil,
			scan.Unclear, []string{}, 0},
		{"not sure", map[string]schema.Label{there: "unsure"}, nil, scan.Unclear, []string{}, 0},
		{"not sure, and a judge is", map[string]schema.Label{there: "unsure"}, &judge{verdict: scan.Equivalent},
			scan.Equivalent, []string{"merged a<b"}, 1},
		{"the judge sees a contradiction", map[string]schema.Label{there: "unsure"}, &judge{verdict: scan.Contradiction},
			scan.Contradiction, []string{"flagged a|b"}, 1},
		{"the judge may not supersede", map[string]schema.Label{there: "unsure"}, &judge{verdict: scan.TemporalEvolution},
			scan.Contradiction, []string{"flagged a|b"}, 1},
		{"the judge sees nothing", map[string]schema.Label{there: "unsure"}, &judge{verdict: scan.Distinct}, scan.Distinct,
			[]string{}, 1},
		{"the judge babbles", map[string]schema.Label{there: "unsure"}, &judge{verdict: "MAYBE"}, scan.Unclear,
			[]string{}, 1},
		{"who is sure asks no judge", nil, &judge{verdict: scan.Equivalent}, scan.Distinct, []string{}, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := scanner(t)
			s.Entail = &entailer{label: c.label}
			if c.judge != nil {
				s.Judge = c.judge
			}
			out := run(t, s, input(items(t, a, b)))
			if got := short(out.Events); !slices.Equal(got, c.want) || out.Report.Verdicts[c.verdict] != 1 ||
				out.Report.Calls != c.calls {
				t.Errorf("%v, want %v as %s after %d calls; %+v", got, c.want, c.verdict, c.calls, out.Report)
			}
		})
	}
}

func TestWhatIsUnclearIsAskedOnceOfEach(t *testing.T) {
	a := said("a", "player:p42", "fears", "deep water", "p42 is afraid of deep water.", day(0))
	b := said("b", "player:p42", "feels", "fear of deep water", "p42 is scared of deep water.", day(4))
	unsure := &entailer{label: map[string]schema.Label{a.Content + "|" + b.Content: "unsure"}}
	j := &judge{verdict: scan.Unclear}
	in := input(items(t, a, b))
	in.Judged = map[string]scan.Verdict{}
	for n, c := range []struct {
		entail scan.Entailer
		judge  scan.Judge
		judged int
	}{{nil, nil, 1}, {nil, nil, 0}, {unsure, nil, 1}, {unsure, nil, 0}, {unsure, j, 1}, {unsure, j, 0}} {
		s := scanner(t)
		s.Entail, s.Judge = c.entail, c.judge
		out := run(t, s, in)
		for h, v := range out.Judged {
			in.Judged[h] = v
		}
		if out.Report.Judged != c.judged {
			t.Errorf("run %d judged %d clusters, want %d", n, out.Report.Judged, c.judged)
		}
	}
	if unsure.calls != 4 || j.calls != 1 {
		t.Errorf("asked the model %d times, the judge %d", unsure.calls, j.calls)
	}
}

func TestAVerifierThatFailsDecidesNothing(t *testing.T) {
	s := scanner(t)
	s.Entail = &entailer{err: errors.New("down")}
	out := run(t, s, input(items(t,
		said("a", "player:p42", "fears", "deep water", "p42 is afraid of deep water.", day(0)),
		said("b", "player:p42", "feels", "fear of deep water", "p42 is scared of deep water.", day(4)))))
	if len(out.Events) > 0 || len(out.Judged) > 0 || out.Report.Failed != 1 {
		t.Errorf("%+v", out.Report)
	}
}

func TestTheJudgeIsAskedAtMostSoOften(t *testing.T) {
	s := scanner(t)
	s.Settings.MaxCalls = 1
	s.Judge = &judge{verdict: scan.Distinct}
	var memories []schema.Memory
	for _, p := range []string{"p1", "p2", "p3"} {
		memories = append(memories, said("a"+p, "player:"+p, "fears", "deep water", "The player is afraid of deep water.",
			day(0), of(p)),
			said("b"+p, "player:"+p, "feels", "fear of deep water", "The player is scared of deep water.", day(4), of(p)))
	}
	if out := run(t, s, input(items(t, memories...))); out.Report.Calls != 1 || out.Report.Carried != 2 ||
		out.Report.Judged != 1 {
		t.Errorf("%+v", out.Report)
	}
}

func TestChangedLoreMarksWhatItContradicts(t *testing.T) {
	memories := items(t,
		said("a", "ent_mill", "is", "open", "The old mill is open.", day(0)),
		said("b", "ent_mill", "is", "not open", "The old mill is not open.", day(0)),
		said("c", "ent_inn", "has", "six rooms", "Ansel told me that the inn has six rooms.", day(0)),
		said("d", "player:p42", "likes", "plums", "p42 likes plums.", day(0)))
	in := input(memories)
	in.Lore = []scan.Lore{{ID: "places.md#mill", Text: "The old mill is closed."},
		{ID: "places.md#inn", Text: "The inn has nine rooms."}, {ID: "x", Text: "Rain fell."}}
	s := scanner(t)
	s.Settings.Structural, s.Settings.Floor, s.Settings.Drift = false, 0, 0
	out := run(t, s, in)
	if want := []string{"flagged a|lore:places.md#mill", "flagged c|lore:places.md#inn"}; !slices.Equal(short(out.Events),
		want) || out.Report.Lore != 2 {
		t.Errorf("%v, want %v", short(out.Events), want)
	}
	b := book(t, []schema.Memory{memories[0].Memory, memories[2].Memory})
	apply(t, b, out.Events)
	in.Memories = items(t, b.Memories()...)
	if again := run(t, s, in); len(again.Events) > 0 {
		t.Errorf("marked twice: %v", short(again.Events))
	}
	if m, _ := b.Get("a"); m.Status != schema.MemoryActive {
		t.Errorf("it is %s", m.Status)
	}
}

func TestBadInput(t *testing.T) {
	in := input(items(t, said("a", "x", "is", "y", "x is y.", day(0))))
	in.World = "elsewhere"
	if _, err := scanner(t).Run(context.Background(), in); err == nil ||
		!strings.Contains(err.Error(), "memory a is of world") {
		t.Errorf("a memory of another world: %v", err)
	}
	if _, err := (&scan.Scanner{}).Run(context.Background(), input(nil)); err == nil {
		t.Error("without predicates it runs")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := scanner(t).Run(ctx, input(items(t, mixed()...))); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	odd := items(t, mixed()...)
	odd[0].Vector, odd[1].Vector, odd[2].Vector = nil, make([]float32, 256), []float32{1}
	if _, err := scanner(t).Run(context.Background(), input(odd)); err != nil {
		t.Errorf("odd vectors: %v", err)
	}
	if out := run(t, scanner(t), input(nil)); len(out.Events) > 0 || out.Report.Summary() == "" {
		t.Errorf("nothing gives %+v", out)
	}
}
