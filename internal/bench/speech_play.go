package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/replay"
	"github.com/forsooth-npc/forsooth/internal/review"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// plays are recorded speeches on their way through one process: a world a row, and one
// log of what is said a turn.
type plays struct {
	rows   []llmtest.Speech
	worlds []*world.World
	now    func() time.Time
	dir    string
	passes map[schema.Pass]mesh.Handler
	done   func()
	server *llmtest.Server // the judge; nil: none
	shown  *review.Skill

	mu   sync.Mutex
	logs map[string]*replay.Log
}

// newPlays composes the process, and waits until its judge has been tested.
func newPlays(ctx context.Context, rows []llmtest.Speech, o SpeechOptions) (_ *plays, err error) {
	p := &plays{rows: rows, now: o.Now, done: func() {}, logs: map[string]*replay.Log{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.close())
		}
	}()
	if p.dir, err = os.MkdirTemp("", "forsooth-speech-"); err != nil {
		return nil, err
	}
	for i := range rows {
		w, err := worldOf(filepath.Join(p.dir, fmt.Sprint(i+1)), &rows[i])
		if err != nil {
			return nil, fmt.Errorf("speech %s: %w", rows[i].ID, err)
		}
		p.worlds = append(p.worlds, w)
	}
	composed := app.Options{Worlds: p.worlds, Data: p.dir, Index: filepath.Join(p.dir, "index.db"),
		Meaning:   app.MeaningOff,
		Grounding: o.Grounding, Verifying: o.Verifying, Without: o.Without, Now: o.Now}
	if way := scripted[o.Judge]; way != "" {
		if p.server, err = llmtest.Start(llmtest.Options{Judge: way, Rows: rows}); err != nil {
			return nil, err
		}
		composed.LLM, composed.Judge = llm.Config{Primary: llm.Provider{URL: p.server.URL(), Model: "recorded"}}, true
		composed.Claims = o.Claims
		composed.Judged = func(s *review.Skill) { p.shown = s }
	}
	if p.passes, p.done, err = app.OffMesh(ctx, composed, p); err != nil {
		p.done = func() {}
	}
	return p, err
}

func (p *plays) close() error {
	p.done()
	var err error
	if p.server != nil {
		err = p.server.Close()
	}
	return errors.Join(err, os.RemoveAll(p.dir))
}

// skill is what the judge has shown; nil where there is none.
func (p *plays) skill() *JudgeSkill {
	if p.shown == nil {
		return nil
	}
	return &JudgeSkill{Qualified: p.shown.Qualified(), Sensitivity: p.shown.Sensitivity(),
		Specificity: p.shown.Specificity()}
}

// heard is what came of one speech.
type heard struct {
	log    *replay.Log
	calls  int           // of the judge
	claims int           // of them, those that take sentences apart and judge their claims
	first  time.Duration // from the draft of the first sentence to the first release
}

// play sends one speech through the review, sentence by sentence, and then its end.
func (p *plays) play(ctx context.Context, row int) (heard, error) {
	h := heard{log: replay.NewLog(nil)}
	t := turnOf(p.worlds[row], &p.rows[row], p.now())
	p.mu.Lock()
	p.logs[t.TurnID] = h.log
	p.mu.Unlock()
	review := func(ctx context.Context, t *protocol.Turn, attempt int) error {
		t.Passes = append(t.Passes, schema.PassRecord{Pass: schema.PassReviewSpeech, Hop: t.Hop, Attempt: attempt})
		_, err := p.passes[schema.PassReviewSpeech](ctx, t)
		return err
	}
	h.log.Reviewed(review)
	before, began := p.calls(), p.now()
	h.log.OnRelease(func(s schema.Sentence) {
		if s.Seq == 1 {
			h.first = p.now().Sub(began)
		}
	})
	whole := t.Speech.Sentences
	for n := range whole {
		t.Speech.Sentences = whole[:n+1]
		if err := h.log.Emit(ctx, t, n+1); err != nil {
			return h, err
		}
	}
	err := h.log.Deliver(ctx, t, func(attempt int) error { return review(ctx, t, attempt) })
	if failed := h.log.Wait(); err == nil {
		err = failed
	}
	h.calls = p.calls() - before
	for _, r := range t.Passes {
		h.claims += r.ClaimCalls
	}
	return h, err
}

// calls is how often the judge was asked so far.
func (p *plays) calls() int {
	if p.server == nil {
		return 0
	}
	return p.server.Stats().Calls
}

func (p *plays) of(t *protocol.Turn) *replay.Log {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.logs[t.TurnID]
}

// Load and the others give each turn its own log.
func (p *plays) Load(ctx context.Context, t *protocol.Turn) (mesh.State, error) {
	return p.of(t).Load(ctx, t)
}

// Progress is what the log of a turn holds.
func (p *plays) Progress(ctx context.Context, t *protocol.Turn) (mesh.Progress, error) {
	return p.of(t).Progress(ctx, t)
}

// Release keeps a sentence.
func (p *plays) Release(ctx context.Context, t *protocol.Turn, record protocol.ReviewRecord, s schema.Sentence) error {
	return p.of(t).Release(ctx, t, record, s)
}

// Refuse keeps the record of a sentence that is not said.
func (p *plays) Refuse(ctx context.Context, t *protocol.Turn, record protocol.ReviewRecord) error {
	return p.of(t).Refuse(ctx, t, record)
}

// Emit has a sentence reviewed.
func (p *plays) Emit(ctx context.Context, t *protocol.Turn, part int) error {
	return p.of(t).Emit(ctx, t, part)
}

// Confirm asks nobody: no action is proposed.
func (p *plays) Confirm(
	ctx context.Context, t *protocol.Turn, index int, a schema.Action, wait time.Duration,
) (bool, error) {
	return p.of(t).Confirm(ctx, t, index, a, wait)
}

// worldOf writes the world of one row and loads it.
func worldOf(dir string, row *llmtest.Speech) (*world.World, error) {
	quoted := func(s string) string {
		data, _ := json.Marshal(s) // a JSON string is a YAML string; a text has no other error
		return string(data)
	}
	npc := filepath.Join(dir, "world", "npcs", row.Handle())
	if err := os.MkdirAll(npc, 0o755); err != nil {
		return nil, err
	}
	const rest = "\ntitle: Recorded\nlanguage: en\nlicense: Apache-2.0\n"
	name := "recorded-" + filepath.Base(dir)
	files := map[string]string{
		filepath.Join(dir, "world", "world.yaml"): "name: " + name + rest,
		filepath.Join(npc, "npc.yaml"): fmt.Sprintf("handle: %s\nname: %s\nbackstory: %s\npersonality: %s\n",
			row.Handle(), quoted(row.Name), quoted(row.Backstory()), quoted(row.Personality())),
	}
	for path, text := range files {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	w, _, err := world.LoadDir(filepath.Join(dir, "world"))
	if err == nil && w.NPCs[row.Handle()] == nil {
		err = fmt.Errorf("npc: %q makes no NPC", row.Name)
	}
	return w, err
}

// turnOf is the turn whose speech is under way.
func turnOf(w *world.World, row *llmtest.Speech, now time.Time) *protocol.Turn {
	t := &protocol.Turn{
		Request: schema.Request{TurnID: w.Name, World: w.Name, NPC: row.Handle(), Player: "player",
			Message: row.Message},
		AcceptedAt: now, DeadlineAt: now.Add(time.Minute), Hop: 5, Class: protocol.ClassComplex,
		Retrieval: &protocol.Retrieval{Query: row.Message, Intent: protocol.IntentQuestion, Zone: protocol.ZoneModel,
			Confidence: 1, LoreHash: w.Version},
		Speech: &protocol.Speech{Attempt: 1, Speaker: "recorded", Run: "5.1", Sentences: row.Drafted()},
	}
	t.Evidence = row.Shown(w.Name, now.Add(-time.Hour))
	d := &protocol.Decision{Kind: protocol.KindAnswer}
	for i := range t.Evidence {
		t.Evidence[i].Provenance.NPC = row.Handle()
		d.Share = append(d.Share, t.Evidence[i].ID)
	}
	t.Decision = d
	return t
}
