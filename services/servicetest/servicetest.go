// Package servicetest drives the services' passes over a turn without a broker:
// a world from memory, a releaser that keeps what it is given, and a walk from
// pass to pass. It is for tests of services; the mesh has its own.
package servicetest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/moderation"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/replay"
	"github.com/forsooth-npc/forsooth/internal/retrieval"
	"github.com/forsooth-npc/forsooth/internal/store/sqlite"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/actions"
	"github.com/forsooth-npc/forsooth/services/monologue"
	"github.com/forsooth-npc/forsooth/services/retriever"
	"github.com/forsooth-npc/forsooth/services/reviewer"
	"github.com/forsooth-npc/forsooth/services/speaker"
)

// Releases is a releaser in memory: a log of each turn, as strict as the mesh's streams.
type Releases struct {
	review func(ctx context.Context, part *protocol.Turn, attempt int) error

	mu   sync.Mutex
	logs map[string]*replay.Log
}

// Of is the log of a turn. Its fields may be read and set while nobody is at work on it.
func (r *Releases) Of(turn string) *replay.Log {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.logs == nil {
		r.logs = map[string]*replay.Log{}
	}
	if r.logs[turn] == nil {
		r.logs[turn] = replay.NewLog(nil)
		r.logs[turn].Reviewed(r.review)
	}
	return r.logs[turn]
}

// Load gives what is stored of a turn.
func (r *Releases) Load(ctx context.Context, t *protocol.Turn) (mesh.State, error) {
	return r.Of(t.TurnID).Load(ctx, t)
}

// Release stores a sentence once, behind the fence.
func (r *Releases) Release(
	ctx context.Context, t *protocol.Turn, record protocol.ReviewRecord, s schema.Sentence,
) error {
	return r.Of(t.TurnID).Release(ctx, t, record, s)
}

// Progress gives what is stored, with the review records.
func (r *Releases) Progress(ctx context.Context, t *protocol.Turn) (mesh.Progress, error) {
	return r.Of(t.TurnID).Progress(ctx, t)
}

// Refuse stores the record of a sentence that is not released.
func (r *Releases) Refuse(ctx context.Context, t *protocol.Turn, record protocol.ReviewRecord) error {
	return r.Of(t.TurnID).Refuse(ctx, t, record)
}

// Bench is the services over one world.
type Bench struct {
	Library  *lore.Library
	Releases *Releases
	Alerts   []string
	Handlers map[schema.Pass]mesh.Handler
	world    string
	n        int
	alerting sync.Mutex
}

// Alert keeps what an operator would be told.
func (b *Bench) Alert(kind, _, detail string) {
	b.alerting.Lock()
	defer b.alerting.Unlock()
	b.Alerts = append(b.Alerts, kind+": "+detail)
}

// Now is when every turn of a bench is accepted.
var Now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// New composes the services over a world given as files.
func New(t testing.TB, files fstest.MapFS) *Bench {
	t.Helper()
	return NewWithModel(t, files, "")
}

// NewWithModel is New with a language model at a URL; its speeches stream.
func NewWithModel(t testing.TB, files fstest.MapFS, url string) *Bench {
	t.Helper()
	return NewAsking(t, files, url, model.Options{})
}

// NewAsking is NewWithModel with what a process sets of its model.
func NewAsking(t testing.TB, files fstest.MapFS, url string, o model.Options) *Bench {
	t.Helper()
	w, problems, err := world.Load(files, ".")
	if err != nil {
		t.Fatal(err)
	}
	if bad := world.Errors(problems); len(bad) > 0 {
		t.Fatal(bad)
	}
	return OverAsking(t, w, url, o)
}

// Over composes the services over a loaded world.
func Over(t testing.TB, w *world.World) *Bench {
	t.Helper()
	return OverAsking(t, w, "", model.Options{})
}

// open gives a library over one world, with an index of its own.
func open(t testing.TB, w *world.World, static *embed.Static) *lore.Library {
	t.Helper()
	ctx := t.Context()
	corpus, err := sqlite.OpenCorpus(ctx, filepath.Join(t.TempDir(), "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = corpus.Close() })
	index, err := retrieval.Open(ctx, corpus, static, w, retrieval.Options{
		Now: func() time.Time { return Now.Add(-time.Hour) }, Words: static})
	if err != nil {
		t.Fatal(err)
	}
	library, err := lore.NewLibrary(&lore.Lore{World: w, Index: index})
	if err != nil {
		t.Fatal(err)
	}
	return library
}

// OverAsking is Over with a language model at a URL, and what a process sets of it.
func OverAsking(t testing.TB, w *world.World, url string, o model.Options) *Bench {
	t.Helper()
	static, err := embed.NewStatic()
	if err != nil {
		t.Fatal(err)
	}
	library := open(t, w, static)
	b := &Bench{Library: library, world: w.Name}
	b.Releases = &Releases{review: func(ctx context.Context, part *protocol.Turn, attempt int) error {
		_, err := b.pass(ctx, part, schema.PassReviewSpeech, attempt)
		return err
	}}
	hooks, err := moderation.NewHooks([]*world.World{w}, moderation.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(hooks.Close)
	m := modelAt(t, w, url, o)
	rev := reviewer.New(library, b.Releases,
		reviewer.Options{Hooks: hooks, Alert: b.Alert, Judgement: Judgement(&Reader{})})
	spk := speaker.New(library, speaker.Options{Similar: app.Similarity(static), Model: m, Stream: stream{b}})
	b.Handlers = map[schema.Pass]mesh.Handler{
		schema.PassRetrieve:      retriever.New(library, retriever.Options{Hooks: hooks, Model: m}).Retrieve,
		schema.PassThink:         monologue.New(library, m).Think,
		schema.PassReviewThought: rev.ReviewThoughts, schema.PassReviewSpeech: rev.ReviewSpeech,
		schema.PassDecide: spk.Decide, schema.PassSpeak: spk.Speak,
		schema.PassAct: actions.New(library, actions.Options{Hooks: hooks, Model: m}).Act,
	}
	return b
}

// modelAt is a model at a URL, or nil without one.
func modelAt(t testing.TB, w *world.World, url string, o model.Options) *model.Model {
	t.Helper()
	if url == "" {
		return nil
	}
	models, err := llm.New(llm.Config{Primary: llm.Provider{URL: url, Model: "scripted"}}, llm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(models.Close)
	m, err := model.New(models, []*world.World{w}, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// stream reviews the sentences of a speech under way beside each other and beside the
// speaker, as the mesh does.
type stream struct{ b *Bench }

func (s stream) Load(ctx context.Context, t *protocol.Turn) (mesh.State, error) {
	return s.b.Releases.Load(ctx, t)
}

func (s stream) Emit(ctx context.Context, t *protocol.Turn, part int) error {
	return s.b.Releases.Of(t.TurnID).Emit(ctx, t, part)
}

// Turn is a new turn of the bench's world.
func (b *Bench) Turn(npc, message string) *protocol.Turn {
	b.n++
	return &protocol.Turn{AcceptedAt: Now,
		Request: schema.Request{TurnID: fmt.Sprintf("t%d", b.n), World: b.world, NPC: npc, Player: "p1", Message: message}}
}

// Walk takes a turn from a pass to its reply.
func (b *Bench) Walk(t testing.TB, turn *protocol.Turn, from schema.Pass) *schema.Reply {
	t.Helper()
	return b.WalkWithin(t.Context(), t, turn, from)
}

// WalkWithin is Walk in the time that a context leaves.
func (b *Bench) WalkWithin(ctx context.Context, t testing.TB, turn *protocol.Turn, from schema.Pass) *schema.Reply {
	t.Helper()
	log := b.Releases.Of(turn.TurnID)
	for pass, hops := from, 0; pass != schema.PassDone; hops++ {
		if hops > 40 {
			t.Fatalf("turn %s does not end; it is at %s", turn.TurnID, pass)
		}
		if turn.Hop, turn.Pass = turn.Hop+1, pass; pass == schema.PassAct {
			turn.Released = log.Close()
		}
		err := log.Deliver(ctx, turn, func(attempt int) (err error) {
			pass, err = b.pass(ctx, turn, turn.Pass, attempt)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Wait(); err != nil {
		t.Fatal(err)
	}
	return turn.Reply
}

// pass is one delivery to a pass, as the mesh does it.
func (b *Bench) pass(ctx context.Context, t *protocol.Turn, pass schema.Pass, attempt int) (schema.Pass, error) {
	t.Passes = append(t.Passes, schema.PassRecord{Pass: pass, Hop: t.Hop, Attempt: attempt})
	if err := t.Validate(); err != nil {
		return "", fmt.Errorf("%s: %w", pass, err)
	}
	next, err := b.Handlers[pass](ctx, t)
	if err != nil {
		return "", fmt.Errorf("%s: %w", pass, err)
	}
	return next, nil
}

// Say is a whole turn.
func (b *Bench) Say(t testing.TB, npc, message string) *schema.Reply {
	t.Helper()
	return b.Walk(t, b.Turn(npc, message), schema.PassRetrieve)
}

// Model is a language model that gives one answer to each call, by the call's name. A
// call that it has no answer for fails.
func Model(t testing.TB, answers map[string]string) (url string, asked func(call string) []string) {
	t.Helper()
	var mu sync.Mutex
	prompts := map[string][]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Messages []struct{ Content string } `json:"messages"`
			Format   struct {
				Schema struct{ Name string } `json:"json_schema"`
			} `json:"response_format"`
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || len(q.Messages) == 0 {
			http.Error(w, "no call", http.StatusBadRequest)
			return
		}
		call := q.Format.Schema.Name
		mu.Lock()
		prompts[call] = append(prompts[call], q.Messages[len(q.Messages)-1].Content)
		mu.Unlock()
		answer, ok := answers[call]
		if !ok {
			http.Error(w, "no answer", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"model": "scripted", "choices": []any{map[string]any{
			"finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": answer}}}})
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1", func(call string) []string {
		mu.Lock()
		defer mu.Unlock()
		return prompts[call]
	}
}

// Village is a small world for tests: a smith and a reeve, lore that both know,
// notes that one has, a rumour, a document of tomorrow, and a secret behind trust.
func Village() fstest.MapFS {
	files := fstest.MapFS{}
	add := func(path, body string) { files[path] = &fstest.MapFile{Data: []byte(body)} }
	document := func(path, body, meta string) {
		add(path, body)
		add(path+".meta.yaml", meta)
	}
	add("world.yaml", "name: village\ntitle: The Village\nlanguage: en\nlicense: Apache-2.0\nnow: "+
		"1402-05-03T18:00:00Z\ndefault_npc: mira\n")
	add("npcs/mira/npc.yaml", `handle: mira
name: Mira
backstory: "Mira is the smith of the village. She was born in Saltmere."
personality: "dry and patient"
greeting: "Mind the sparks."
lines:
  unknown: ["That I could not tell you."]
  refuse: ["That stays with me."]
  thanks: ["You are welcome."]
secrets:
  - text: "I hid the miller's ledger under the great anvil."
    requires: trust >= 40
actions:
  - name: give_quest
    parameters: {type: object, properties: {quest: {const: ledger}}}
    requires: trust >= 20
    speech_acts: ["I have work for you, if you can hold your tongue."]
  - name: update_trust
    parameters: {type: object, properties: {delta: {type: number}}}
`)
	add("npcs/osric/npc.yaml", `handle: osric
name: Osric
backstory: "Osric is the reeve of the village."
personality: "stiff"
lines:
  unknown: ["I have no record of it."]
`)
	document("lore/ferry.txt", "Teague owns the ferry. The ferry crosses the river at dawn and at dusk. A crossing "+
		"costs two bits.\n",
		"created_at: 1401-03-01\nauthor: council\ntype: notice\nsummary: The ferry\nkeywords: [ferry, river, crossing]\n")
	document("lore/mill.txt", "The mill burned on the twelfth of April 1402. Forty sacks of rye were lost in the fire.\n",
		"created_at: 1402-04-14\nauthor: osric\ntype: report\nsummary: The fire at the mill\nkeywords: [mill, fire, rye]\n")
	document("lore/lake.txt", "A drowned horse walks the lake at night.\n",
		"created_at: 1402-01-01\nauthor: council\ntype: note\nsummary: A tale of the lake\nkeywords: [lake, "+
			"horse]\nbelief: rumour\n")
	document("lore/verdict.txt", "The assize found the miller Bram guilty of arson.\n",
		"created_at: 1402-06-01\nauthor: osric\ntype: report\nsummary: The verdict of the assize\nkeywords: [verdict, "+
			"assize, arson]\n")
	document("npcs/mira/home/diary.txt", "I forged the hinges of the north gate in March. Osric still owes me nine "+
		"bits for them.\n",
		"created_at: 1402-03-20\nauthor: mira\ntype: diary\nsummary: The gate hinges\nkeywords: [hinges, gate, debt]\n")
	document("npcs/osric/home/suspects.txt", "I suspect the grain merchant Vey. His room at the inn was empty that "+
		"night.\n",
		"created_at: 1402-04-20\nauthor: osric\ntype: diary\nsummary: Suspects\nkeywords: [suspect, vey, inn]\n")
	return files
}
