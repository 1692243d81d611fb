// Package servicetest drives the services' passes over a turn without a broker:
// a world from memory, a releaser that keeps what it is given, and a walk from
// pass to pass. It is for tests of services; the mesh has its own.
package servicetest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
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

// Releases is a releaser in memory.
type Releases struct {
	Stored  map[string][]schema.Sentence
	Records map[string][]schema.ReviewRecord
	Closed  map[string]bool
}

// Load gives what is stored of a turn.
func (r *Releases) Load(_ context.Context, t *schema.Turn) (mesh.State, error) {
	t.Released = r.Stored[t.TurnID]
	return mesh.State{Sentences: r.Stored[t.TurnID], Closed: r.Closed[t.TurnID]}, nil
}

// Release stores a sentence once, behind the fence.
func (r *Releases) Release(_ context.Context, t *schema.Turn, record schema.ReviewRecord, s schema.Sentence) error {
	if r.Closed[t.TurnID] {
		return mesh.ErrClosed
	}
	if s.Seq != len(r.Stored[t.TurnID])+1 || record.Hash != s.Hash {
		return errors.New("out of order, or another sentence's record")
	}
	r.Records[t.TurnID] = append(r.Records[t.TurnID], record)
	r.Stored[t.TurnID] = append(r.Stored[t.TurnID], s)
	t.Released = r.Stored[t.TurnID]
	return nil
}

// Progress gives what is stored, with the review records.
func (r *Releases) Progress(ctx context.Context, t *schema.Turn) (mesh.Progress, error) {
	state, err := r.Load(ctx, t)
	return mesh.Progress{State: state, Records: r.Records[t.TurnID]}, err
}

// Refuse stores the record of a sentence that is not released.
func (r *Releases) Refuse(_ context.Context, t *schema.Turn, record schema.ReviewRecord) error {
	r.Records[t.TurnID] = append(r.Records[t.TurnID], record)
	return nil
}

// Bench is the services over one world.
type Bench struct {
	Library  *lore.Library
	Releases *Releases
	Alerts   []string
	Handlers map[schema.Pass]mesh.Handler
	world    string
	n        int
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
	w, problems, err := world.Load(files, ".")
	if err != nil {
		t.Fatal(err)
	}
	if bad := world.Errors(problems); len(bad) > 0 {
		t.Fatal(bad)
	}
	return over(t, w, url)
}

// Over composes the services over a loaded world.
func Over(t testing.TB, w *world.World) *Bench {
	t.Helper()
	return over(t, w, "")
}

func over(t testing.TB, w *world.World, url string) *Bench {
	t.Helper()
	ctx := t.Context()
	corpus, err := sqlite.OpenCorpus(ctx, filepath.Join(t.TempDir(), "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = corpus.Close() })
	static, err := embed.NewStatic()
	if err != nil {
		t.Fatal(err)
	}
	index, err := retrieval.Open(ctx, corpus, static, w, retrieval.Options{
		Now: func() time.Time { return Now.Add(-time.Hour) }, Words: static})
	if err != nil {
		t.Fatal(err)
	}
	library, err := lore.NewLibrary(&lore.Lore{World: w, Index: index})
	if err != nil {
		t.Fatal(err)
	}
	b := &Bench{Library: library, world: w.Name, Releases: &Releases{Stored: map[string][]schema.Sentence{},
		Records: map[string][]schema.ReviewRecord{}, Closed: map[string]bool{}}}
	hooks, err := moderation.NewHooks([]*world.World{w}, moderation.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(hooks.Close)
	m := modelAt(t, w, url)
	rev := reviewer.New(library, app.Verifier(), b.Releases, reviewer.Options{Hooks: hooks, Alert: func(kind, _, detail string) { b.Alerts = append(b.Alerts, kind+": "+detail) }})
	spk, act := speaker.New(library, speaker.Options{Similar: app.Similarity(static), Model: m, Stream: stream{b}}), actions.New(library, actions.Options{Hooks: hooks, Model: m})
	b.Handlers = map[schema.Pass]mesh.Handler{
		schema.PassRetrieve: retriever.New(library, retriever.Options{Hooks: hooks, Model: m}).Retrieve, schema.PassThink: monologue.New(library, m).Think,
		schema.PassReviewThought: rev.ReviewThoughts, schema.PassDecide: spk.Decide, schema.PassSpeak: spk.Speak,
		schema.PassReviewSpeech: rev.ReviewSpeech, schema.PassAct: act.Act,
	}
	return b
}

// modelAt is a model at a URL, or nil without one.
func modelAt(t testing.TB, w *world.World, url string) *model.Model {
	t.Helper()
	if url == "" {
		return nil
	}
	models, err := llm.New(llm.Config{Primary: llm.Provider{URL: url, Model: "scripted"}}, llm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(models.Close)
	m, err := model.New(models, []*world.World{w}, model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// stream reviews each sentence of a speech under way at once.
type stream struct{ b *Bench }

func (s stream) Load(ctx context.Context, t *schema.Turn) (mesh.State, error) {
	return s.b.Releases.Load(ctx, t)
}

func (s stream) Emit(ctx context.Context, t *schema.Turn, part int) error {
	p := t.Copy()
	p.Part = part
	_, err := s.b.Handlers[schema.PassReviewSpeech](ctx, p)
	return err
}

// Turn is a new turn of the bench's world.
func (b *Bench) Turn(npc, message string) *schema.Turn {
	b.n++
	return &schema.Turn{AcceptedAt: Now, Request: schema.Request{TurnID: fmt.Sprintf("t%d", b.n), World: b.world, NPC: npc, Player: "p1", Message: message}}
}

// Walk takes a turn from a pass to its reply.
func (b *Bench) Walk(t testing.TB, turn *schema.Turn, from schema.Pass) *schema.Reply {
	t.Helper()
	return b.WalkWithin(t.Context(), t, turn, from)
}

// WalkWithin is Walk in the time that a context leaves.
func (b *Bench) WalkWithin(ctx context.Context, t testing.TB, turn *schema.Turn, from schema.Pass) *schema.Reply {
	t.Helper()
	for pass, hops := from, 0; pass != schema.PassDone; hops++ {
		if hops > 40 {
			t.Fatalf("turn %s does not end; it is at %s", turn.TurnID, pass)
		}
		turn.Hop, turn.Pass = turn.Hop+1, pass
		turn.Passes = append(turn.Passes, schema.PassRecord{Pass: pass, Hop: turn.Hop, Attempt: 1}) // as the mesh does
		if err := turn.Validate(); err != nil {                                                     // as the mesh does
			t.Fatalf("%s: %v", pass, err)
		}
		next, err := b.Handlers[pass](ctx, turn)
		if err != nil {
			t.Fatalf("%s: %v", pass, err)
		}
		pass = next
	}
	return turn.Reply
}

// Say is a whole turn.
func (b *Bench) Say(t testing.TB, npc, message string) *schema.Reply {
	t.Helper()
	return b.Walk(t, b.Turn(npc, message), schema.PassRetrieve)
}
