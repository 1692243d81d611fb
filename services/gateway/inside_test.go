package gateway_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/internal/app"
	evaluation "github.com/forsooth-npc/forsooth/internal/eval"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/replay"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/gateway"
)

// kept are the messages of each stream.
func (s *site) kept() map[string]uint64 {
	s.t.Helper()
	streams, _, err := s.app.Client.Inspect(s.t.Context())
	must(s.t, err)
	out := map[string]uint64{}
	for _, x := range streams {
		out[x.Name] = x.Messages
	}
	return out
}

// wroteNothing says that no stream has grown; the schedules of deadlines go by themselves.
func (s *site) wroteNothing(before map[string]uint64) {
	s.t.Helper()
	for name, n := range s.kept() {
		if n > before[name] {
			s.t.Errorf("%s had %d messages, and has %d", name, before[name], n)
		}
	}
}

// rest waits until the mesh has done all that a turn leaves to do.
func (s *site) rest() {
	s.t.Helper()
	must(s.t, s.app.MemorySettled(s.t.Context()))
	wait(s.t, func() bool {
		_, queues, err := s.app.Client.Inspect(s.t.Context())
		must(s.t, err)
		return !slices.ContainsFunc(queues, func(q mesh.ConsumerState) bool { return q.Waiting > 0 || q.Taken > 0 })
	})
}

// A turn is run again with another line, and nothing of it is written anywhere.
func TestATurnIsReplayedBesideTheMesh(t *testing.T) {
	s := open(t)
	s.do("POST", turns, `{"player":"p1","turn_id":"t1","message":"Who owns the ferry?"}`)
	s.rest()
	before := s.kept()
	var same, other replay.Comparison
	s.do("POST", turns+"/t1/replay?player=p1", `{}`).json(t, &same)
	if len(same.Changed) > 0 || same.New.Reply != "Teague owns the ferry." || same.Exchanges != nil {
		t.Errorf("without a change: %v, %+v", same.Changed, same.New)
	}
	s.do("POST", turns+"/t1/replay?player=p1", `{"unknown_threshold":1,"confidence_threshold":1}`).json(t, &other)
	if other.Old.Reply != same.Old.Reply || other.New.Status != schema.StatusUnknown ||
		!slices.Contains(other.Changed, "status") || *other.Change.Unknown != 1 {
		t.Errorf("with a line that nothing reaches: %+v", other.New)
	}
	s.wroteNothing(before)
	for name, body := range map[string]string{"a threshold": `{"entailment_threshold":2}`, "a policy": `{"policy":"mad"}`,
		"a field": `{"polcy":"strict"}`, "a depth": `{"depth":"deep"}`} {
		checkProblem(t, name, s.do("POST", turns+"/t1/replay?player=p1", body))
	}
	checkProblem(t, "no such turn", s.do("POST", turns+"/t9/replay?player=p1", `{}`))
	checkProblem(t, "another's turn", s.do("POST", turns+"/t1/replay?player=p2", `{}`))
}

// With a model the replay shows what the model was asked, and another can be named.
func TestAReplayShowsWhatAModelWasAsked(t *testing.T) {
	model, err := llmtest.Start(llmtest.Options{Persona: "quote"})
	must(t, err)
	t.Cleanup(func() { must(t, model.Close()) })
	s := openWith(t, scripted(model.URL()))
	s.do("POST", turns, `{"player":"p1","turn_id":"t1","message":"When did the mill burn?"}`)
	var c replay.Comparison
	s.do("POST", turns+"/t1/replay?player=p1", `{"model":"other","policy":"strict"}`).json(t, &c)
	if len(c.Exchanges) == 0 || c.New.Reply == "" {
		t.Fatalf("%+v", c)
	}
	for _, x := range c.Exchanges {
		if x.Model != "other" || x.Outcome != "ok" || len(x.Messages) < 2 || x.Messages[0].Role != "system" ||
			!strings.Contains(x.Messages[1].Content, "mill") || x.Answer == "" {
			t.Errorf("%+v", x)
		}
	}
}

// A replay asks the world's moderation hook as a turn does, so that it never shows what the
// hook would not let through now.
func TestAReplayIsModerated(t *testing.T) {
	var asked atomic.Int32
	var verdict atomic.Value
	verdict.Store(`{"verdict":"allow"}`)
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = w.Write([]byte(verdict.Load().(string)))
	}))
	t.Cleanup(hook.Close)
	s := openWith(t, func(o *app.Options) {
		o.Worlds[0].Moderation = json.RawMessage(`{"url":` + quote(hook.URL) + `,"timeout_ms":1000}`)
	})
	s.do("POST", turns, `{"player":"p1","turn_id":"t1","message":"Who owns the ferry?"}`)
	turn := asked.Swap(0)
	var same, blocked replay.Comparison
	s.do("POST", turns+"/t1/replay?player=p1", `{}`).json(t, &same)
	if got := asked.Load(); turn < 2 || got != turn || same.New.Reply != "Teague owns the ferry." {
		t.Errorf("the hook was asked %d times for the turn and %d for its replay, which says %q", turn, got, same.New.Reply)
	}
	verdict.Store(`{"verdict":"block","reason":"hate"}`)
	s.do("POST", turns+"/t1/replay?player=p1", `{}`).json(t, &blocked)
	if blocked.New.Status != schema.StatusWithheld || strings.Contains(blocked.New.Reply, "Teague") {
		t.Errorf("what the hook blocks now: %+v", blocked.New)
	}
}

// While a replay waits for its model another is told at once to come again, and it may once
// the first is done.
func TestOneReplayRunsAtATime(t *testing.T) {
	model, err := llmtest.Start(llmtest.Options{Persona: "quote"})
	must(t, err)
	t.Cleanup(func() { must(t, model.Close()) })
	at, err := url.Parse(model.URL())
	must(t, err)
	slow, asked, goOn := make(chan bool, 1), make(chan bool), make(chan bool)
	before := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-slow:
			asked <- true
			<-goOn
		default:
		}
		(&httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(at) }}).ServeHTTP(w, r)
	}))
	t.Cleanup(before.Close)
	s := openWith(t, scripted(before.URL+at.Path))
	at.Path = "" // that of the request has it
	s.do("POST", turns, `{"player":"p1","turn_id":"t1","message":"When did the mill burn?"}`)
	slow <- true
	first := make(chan *answer, 1)
	go func() { first <- s.do("POST", turns+"/t1/replay?player=p1", `{}`) }()
	<-asked
	got := s.do("POST", turns+"/t1/replay?player=p1", `{}`)
	checkProblem(t, "a second", got)
	if got.status != http.StatusTooManyRequests || !strings.Contains(got.body, `"BUSY"`) ||
		got.header.Get("Retry-After") == "" {
		t.Errorf("%d %v %s", got.status, got.header, got.body)
	}
	close(goOn)
	if got := <-first; got.status != http.StatusOK {
		t.Errorf("the first: %d %s", got.status, got.body)
	}
	if got := s.do("POST", turns+"/t1/replay?player=p1", `{}`); got.status != http.StatusOK {
		t.Errorf("after it: %d %s", got.status, got.body)
	}
}

// What runs inside the mesh takes a right, a world that there is, and a process that has it.
func TestWhoMayLookInside(t *testing.T) {
	with, texts, _ := withKeys(t, access.Key{Name: "play", Rights: []access.Right{access.Play}},
		access.Key{Name: "read", Rights: []access.Right{access.Read}},
		access.Key{Name: "here", Rights: access.Rights, Worlds: []string{"village"}},
		access.Key{Name: "player", Rights: access.Rights, Player: "p1"}, access.Key{Name: "all", Rights: access.Rights})
	s := open(t, with)
	s.key = texts["all"]
	s.do("POST", turns, `{"player":"p1","turn_id":"t1","message":"Who owns the ferry?"}`)
	for _, c := range []struct {
		key, method, path string
		want              int
	}{
		{"play", "GET", village + "/npcs/mira/lore", 403}, {"read", "GET", village + "/npcs/mira/lore", 200},
		{"read", "GET", village + "/npcs/nobody/lore", 404}, {"read", "GET", "/v1/worlds/atlantis/npcs/mira/lore", 404},
		{"read", "GET", village + "/npcs/mira/relations/p1", 200},
		{"player", "GET", village + "/npcs/mira/relations/p1", 403},
		{"read", "POST", turns + "/t1/replay?player=p1", 403}, {"here", "POST", turns + "/t1/replay?player=p1", 200},
		{"player", "POST", turns + "/t1/replay?player=p1", 403},
		{"read", "GET", "/v1/queues", 403}, {"here", "GET", "/v1/queues", 403}, {"all", "GET", "/v1/queues", 200},
		{"read", "GET", village + "/reports", 200}, {"play", "GET", village + "/reports", 403},
		{"read", "GET", "/v1/suites", 200}, {"here", "GET", "/v1/suites", 403},
		{"read", "POST", village + "/drafts", 403},
	} {
		s.key = texts[c.key]
		body := ""
		if c.method == "POST" {
			body = `{}`
		}
		if got := s.do(c.method, c.path, body); got.status != c.want {
			t.Errorf("%s, %s %s: %d %s", c.key, c.method, c.path, got.status, got.body)
		}
	}
	s.url, _ = s.gateway(with, func(o *gateway.Options) { o.Inside = nil })
	s.key = texts["all"]
	for _, path := range []string{village + "/npcs/mira/lore", "/v1/queues", village + "/reports"} {
		if got := s.do("GET", path, ""); got.status != http.StatusNotImplemented ||
			!strings.Contains(got.body, "forsooth up") {
			t.Errorf("apart, %s: %d %s", path, got.status, got.body)
		}
	}
}

// An NPC's catalogue says what it may tell whom, and why the rest stays closed, without a word
// of any text.
func TestWhatAnNPCKnowsIsListed(t *testing.T) {
	s := open(t)
	var c world.Catalogue
	got := s.do("GET", village+"/npcs/mira/lore?player=p1", "")
	got.json(t, &c)
	find := func(list []world.Entry, part string) *world.Entry {
		for i := range list {
			if strings.Contains(list[i].Path, part) {
				return &list[i]
			}
		}
		t.Fatalf("%s is not in %+v", part, list)
		return nil
	}
	if e := find(c.Open, "lore/ferry.txt"); e.Passages == 0 || e.Own {
		t.Errorf("%+v", e)
	}
	if e := find(c.Closed, "#secret-1"); e.Reason != world.ClosedSecret {
		t.Errorf("%+v", e)
	}
	if len(c.Outside) == 0 || c.Outside[0].Reason != world.ClosedOutOfView || c.At.IsZero() {
		t.Errorf("%+v", c.Outside)
	}
	for _, word := range []string{"Teague owns", "anvil"} {
		if strings.Contains(got.body, word) {
			t.Errorf("the catalogue tells %q", word)
		}
	}
	var r schema.Relation
	s.do("POST", turns, `{"player":"p1","message":"Thank you, Mira."}`)
	s.do("GET", village+"/npcs/mira/relations/p1", "").json(t, &r)
	if r.Opinion == "" {
		t.Errorf("%+v", r)
	}
}

// Queues, weeks and runs of suites are shown as they are; of a folder what is no result is named.
func TestWhatAnOperatorSees(t *testing.T) {
	s := open(t)
	var q gateway.Queues
	s.do("GET", "/v1/queues", "").json(t, &q)
	if !slices.ContainsFunc(q.Queues, func(x mesh.ConsumerState) bool { return x.Name == "pass-retrieve" && x.Workers }) {
		t.Errorf("%+v", q)
	}
	var w gateway.Weeks
	s.do("GET", village+"/reports", "").json(t, &w)
	if len(w.Reports) != 0 || w.Now == nil || len(w.Now.Trend) != 4 {
		t.Errorf("%+v", w)
	}
	var runs evaluation.Runs
	s.do("GET", "/v1/suites", "").json(t, &runs)
	if len(runs.Runs) != 0 || runs.Folder != s.results {
		t.Errorf("an empty folder: %+v", runs)
	}
	s.run("old.json", 1)
	s.run("new.json", 2)
	must(t, os.WriteFile(filepath.Join(s.results, "other.json"), []byte(`{"a":1}`), 0o600))
	s.do("GET", "/v1/suites", "").json(t, &runs)
	if len(runs.Runs) != 2 || len(runs.Faults) != 1 || runs.Faults[0].File != "other.json" {
		t.Errorf("%+v", runs)
	}
	var c evaluation.Comparison
	s.do("GET", "/v1/suites/compare?old=old.json&new=new.json", "").json(t, &c)
	if c.Suite != "village" || len(c.Changed) != 1 || c.Changed[0].What != evaluation.ChangedMended {
		t.Errorf("%+v", c)
	}
	for _, names := range []string{"old=../old.json&new=new.json", "old=old.json", "old=old.json&new=no.json",
		"old=old.json&new=other.json", "old=/etc/passwd&new=new.json"} {
		checkProblem(t, names, s.do("GET", "/v1/suites/compare?"+names, ""))
	}
}

// run writes the result of a suite of two cases, of which some passed.
func (s *site) run(name string, passed int) {
	s.t.Helper()
	r := evaluation.Report{Suite: "village", Cases: 2, Passed: passed, Met: passed == 2,
		ByKind:  map[string]evaluation.Tally{"known": {Cases: 2, Passed: passed}},
		Metrics: map[string]float64{"pass_rate": float64(passed) / 2, "fabrication_rate": 0}}
	for i, c := range []string{"ferry", "mill"} {
		r.Results = append(r.Results, evaluation.Result{Name: c, Kind: "known", NPC: "mira", Passed: i < passed})
	}
	data, err := json.Marshal(r)
	must(s.t, err)
	must(s.t, os.WriteFile(filepath.Join(s.results, name), data, 0o600))
}

// A draft is looked at as lint would, is written where an operator says so, and becomes no lore.
func TestLoreIsDrafted(t *testing.T) {
	with, dir := inFolder(t)
	s := open(t, with)
	const draft = `{"name":"mill-owner","text":"The Baron of Quillfeather owns the mill.","known_by":["mira"],` +
		`"created_at":"1398-02-01"}`
	var looked, written world.Drafted
	s.do("POST", village+"/drafts/check", draft).json(t, &looked)
	if _, err := os.Stat(filepath.Join(dir, looked.Path)); err == nil || looked.Target != "lore/mill-owner.txt" {
		t.Errorf("a look wrote %+v", looked)
	}
	got := s.do("POST", village+"/drafts", draft)
	got.json(t, &written)
	data, err := os.ReadFile(filepath.Join(dir, written.Path))
	if got.status != http.StatusCreated || err != nil || !strings.Contains(string(data), "Quillfeather") {
		t.Errorf("%d %s, %v", got.status, got.body, err)
	}
	if meta, err := os.ReadFile(filepath.Join(dir, written.Companion)); err != nil ||
		!strings.Contains(string(meta), "1398-02-01T00:00:00Z") {
		t.Errorf("%s, %v", meta, err)
	}
	w, _, err := world.Load(os.DirFS(dir), ".")
	must(t, err)
	if slices.ContainsFunc(w.Documents, func(d *world.Document) bool { return strings.Contains(d.Path, "mill-owner") }) {
		t.Error("a draft is lore")
	}
	for name, c := range map[string]struct{ body, field string }{"again": {draft, "name"},
		"a path": {`{"name":"../x","text":"A."}`, "name"}, "no text": {`{"name":"x"}`, "draft"},
		"a stranger": {`{"name":"y","text":"So it is.","known_by":["nobody of this world"]}`, "draft"},
		"a day":      {`{"name":"y","text":"So it is.","created_at":"one fine day"}`, "created_at"}} {
		got := s.do("POST", village+"/drafts", c.body)
		checkProblem(t, name, got)
		if !strings.Contains(got.body, `"field":"`+c.field+`"`) {
			t.Errorf("%s: %s", name, got.body)
		}
	}
	s.url, _ = s.gateway()
	if got := s.do("POST", village+"/drafts/check", draft); got.status != http.StatusNotImplemented {
		t.Errorf("without a folder: %d %s", got.status, got.body)
	}
}

// What is wrong with the world's folder is no fault of the caller: the process is told, and
// the caller learns nothing of the folder.
func TestAFolderThatCannotBeWrittenIsReported(t *testing.T) {
	with, dir := inFolder(t)
	var reported atomic.Value
	s := open(t, with, func(o *gateway.Options) { o.Report = func(err error) { reported.Store(err.Error()) } })
	must(t, os.WriteFile(filepath.Join(dir, "drafts"), nil, 0o600))
	const draft = `{"name":"mill-owner","text":"The Baron of Quillfeather owns the mill."}`
	refused := func(report string) {
		t.Helper()
		got := s.do("POST", village+"/drafts", draft)
		told, _ := reported.Load().(string)
		if got.status != http.StatusInternalServerError || !strings.Contains(got.body, `"INTERNAL"`) ||
			strings.Contains(got.body, "drafts") || !strings.Contains(told, report) {
			t.Errorf("%d %s, reported: %s", got.status, got.body, told)
		}
	}
	refused("no folder of its own")
	must(t, os.RemoveAll(dir))
	refused("no such file")
}

// Both doors write a draft alike, with the name of whoever proposes it, and list no finding
// as an empty list.
func TestADraftNamesItsAuthor(t *testing.T) {
	with, dir := inFolder(t)
	s := open(t, with)
	a, err := s.assistant(s.url, "")
	must(t, err)
	for name, c := range map[string]struct{ by, author string }{
		"over HTTP": {"", "inspector"}, "named over HTTP": {` Ansel \n of Oakham `, "Ansel of Oakham"},
		"an assistant": {"", "an assistant"}, "named an assistant": {"Ansel\n of  Oakham", "Ansel of Oakham"},
	} {
		file := strings.ReplaceAll(name, " ", "-")
		answer := ""
		if strings.HasSuffix(name, "HTTP") {
			answer = s.do("POST", village+"/drafts", `{"name":"`+file+`","author":"`+c.by+`","text":"The bridge fell at `+
				`dawn.","known_by":["mira"]}`).body
		} else {
			answer, _ = call(t, a, "add_lore_draft", args{"name": file, "by": c.by, "text": "The bridge fell at dawn.",
				"known_by": []string{"mira"}})
		}
		meta, err := os.ReadFile(filepath.Join(dir, "drafts", file+".txt.meta.yaml"))
		if err != nil || !strings.Contains(string(meta), "author: "+c.author+"\n") ||
			!strings.Contains(answer, `"findings":[]`) {
			t.Errorf("%s: %v\n%s%s", name, err, meta, answer)
		}
	}
	if got := s.do("POST", "/v1/worlds/atlantis/drafts", `{"nme":1}`); got.status != http.StatusNotFound {
		t.Errorf("of a world that there is not: %d %s", got.status, got.body)
	}
}
