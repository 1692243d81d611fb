package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/retrieval"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// RetrieveOptions size a measure of the index in process.
type RetrieveOptions struct {
	Docs      int
	Seed      uint64
	Questions int
	Random    bool // vectors of chance in place of the encoder's, so that indexing is not what is measured
	Server    bool // the lore lies on a server, which each step knows
	// Step starts a process that does one step and prints what came of it.
	Step func(ctx context.Context, step string) *exec.Cmd
}

// RetrieveStep is one process of the measure: it opens the world of a folder and
// asks what there is to ask.
type RetrieveStep struct {
	Dir     string
	Random  bool
	Ask     bool
	Profile string // of the processor, while it asks
	Server  string // prefix of its collections on the server that holds the lore; empty: in process
	Drop    bool   // delete those collections, and do nothing else

	Qdrant app.Qdrant `json:"-"`
}

// Retrieved is what a step measured.
type Retrieved struct {
	Passages int     `json:"passages"`
	Files    int     `json:"files"`
	OpenS    float64 `json:"open_s"`    // the world read, its index opened
	Resident float64 `json:"resident"`  // MB, after the questions
	Heap     float64 `json:"heap"`      // MB of it that live on the heap
	Grown    float64 `json:"grown"`     // MB on the heap that came with a server's lore, before the first question
	P50      float64 `json:"p50"`       // ms, the search
	P99      float64 `json:"p99"`       // ms
	CPU      float64 `json:"cpu"`       // ms of the processor, on average
	OpenCPU  float64 `json:"open_cpu"`  // s of the processor
	Encode   float64 `json:"encode"`    // ms of it, the encoder on the question
	Judged50 float64 `json:"judged_50"` // ms, with the trained judgement
}

// Retrieve makes a world, has one process index it, and another open it and ask.
func Retrieve(ctx context.Context, o RetrieveOptions) ([]Figure, error) {
	dir, err := os.MkdirTemp("", "forsooth-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	questions, err := makeWorld(filepath.Join(dir, "world"), o.Docs, o.Seed, o.Questions)
	if err != nil {
		return nil, fmt.Errorf("make the world: %w", err)
	}
	data, err := json.Marshal(questions)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "questions.json"), data, 0o600); err != nil {
		return nil, err
	}
	if o.Server {
		return retrieveServer(ctx, o, dir)
	}
	first, err := o.step(ctx, RetrieveStep{Dir: dir, Random: o.Random})
	if err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	then, err := o.step(ctx, RetrieveStep{Dir: dir, Random: o.Random, Ask: true})
	if err != nil {
		return nil, fmt.Errorf("ask: %w", err)
	}
	return retrieveFigures(o, first, then), nil
}

func (o RetrieveOptions) step(ctx context.Context, s RetrieveStep) (r Retrieved, err error) {
	arg, err := json.Marshal(s)
	if err != nil {
		return r, err
	}
	out, err := o.Step(ctx, string(arg)).Output()
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(out, &r)
}

// Passages from which the bars of a very large world hold.
const veryLarge = 50_000

func retrieveFigures(o RetrieveOptions, first, then Retrieved) []Figure {
	out := []Figure{Plain("passages", float64(then.Passages), "")}
	if then.Passages < veryLarge {
		out = append(out, AtMost("retrieve_p50", then.P50, "ms", 20), Plain("retrieve_p99", then.P99, "ms"))
	} else {
		out = append(out, AtMost("retrieve_p50", then.P50, "ms", 40), Plain("retrieve_p99", then.P99, "ms"))
	}
	out = append(out, Plain("retrieve_processor", then.CPU, "ms"))
	if !o.Random {
		out = append(out, Plain("of_it_encoder", then.Encode, "ms"), Plain("retrieve_judged_p50", then.Judged50, "ms"))
	}
	if then.Passages < veryLarge {
		out = append(out, AtMost("start", then.OpenS, "s", 1), AtMost("resident", then.Resident, "MB", 300))
	} else {
		out = append(out, Plain("start", then.OpenS, "s"), AtMost("resident", then.Resident, "MB", 600))
	}
	out = append(out, Plain("start_processor", then.OpenCPU, "s"), Plain("heap", then.Heap, "MB"),
		Plain("index_processor", first.OpenCPU, "s"))
	if o.Random {
		return append(out, Plain("index_without_encoder", first.OpenS, "s"))
	}
	return append(out, AtMost("index", first.OpenS, "s", 60))
}

// Run does one step in this process.
func (s RetrieveStep) Run(ctx context.Context) (r Retrieved, err error) {
	if s.Drop {
		return r, s.drop(ctx)
	}
	began := time.Now()
	static, err := embed.NewStatic()
	if err != nil {
		return r, err
	}
	encoder, answers, err := s.models()
	if err != nil {
		return r, err
	}
	corpus, err := s.corpus(ctx, static, encoder)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, corpus.Close()) }()
	bare, warming, err := s.bare()
	if err != nil {
		return r, err
	}
	began = began.Add(warming)
	w, err := s.world()
	if err != nil {
		return r, err
	}
	opts := retrieval.Options{Now: time.Now, Words: static, Vectors: filepath.Join(s.Dir, "index.db.vectors")}
	x, err := retrieval.Open(ctx, corpus, static, w, opts)
	if err != nil {
		return r, err
	}
	if _, err := x.Deepen(ctx, corpus, encoder, nil, opts); err != nil {
		return r, err
	}
	if s.Server != "" {
		if err := settle(ctx, corpus, w, static, encoder); err != nil {
			return r, err
		}
		r.Grown = livingMB() - bare
	}
	spent, err := ProcessorTime()
	if err != nil {
		return r, err
	}
	r.OpenS, r.OpenCPU, r.Passages = time.Since(began).Seconds(), spent.Seconds(), x.Passages()
	r.Files = x.Files()
	if !s.Ask {
		return r, nil
	}
	return r, s.ask(ctx, w, x, encoder, func() error {
		if answers == nil {
			return nil
		}
		_, err := x.Deepen(ctx, corpus, encoder, answers, opts)
		return err
	}, &r)
}

// world is the made-up world of the step.
func (s RetrieveStep) world() (*world.World, error) {
	w, problems, err := world.LoadDir(filepath.Join(s.Dir, "world"))
	if err != nil {
		return nil, err
	}
	if errs := world.Errors(problems); len(errs) > 0 {
		return nil, errors.New(errs[0].Message)
	}
	return w, nil
}

func (s RetrieveStep) models() (embed.Embedder, retrieval.Answering, error) {
	if s.Random {
		return byChance{}, nil, nil
	}
	encoder, err := app.Encoder()
	if err != nil {
		return nil, nil, err
	}
	model, err := app.NLI()
	if err != nil {
		return nil, nil, err
	}
	return encoder, model.Answers, nil
}

// ask times the questions: each once, of an NPC in turn.
func (s RetrieveStep) ask(ctx context.Context, w *world.World, x *retrieval.Index, encoder embed.Embedder,
	judge func() error, r *Retrieved) error {
	data, err := os.ReadFile(filepath.Join(s.Dir, "questions.json"))
	if err != nil {
		return err
	}
	var questions []string
	if err := json.Unmarshal(data, &questions); err != nil {
		return err
	}
	half := len(questions) / 2
	stop, err := profile(s.Profile)
	if err != nil {
		return err
	}
	before, err := ProcessorTime()
	if err != nil {
		return err
	}
	took, err := timedQuestions(ctx, w, x, questions[:half])
	stop()
	after, failed := ProcessorTime()
	err = errors.Join(err, failed)
	r.CPU = Milliseconds(after-before) / float64(half)
	if err != nil {
		return err
	}
	r.P50, r.P99 = took[len(took)/2], took[len(took)*99/100]
	r.Resident, r.Heap = residentMB(), heapMB()
	began := time.Now()
	for _, q := range questions[half:] {
		if _, err := encoder.Embed(ctx, []string{q + " "}); err != nil {
			return err
		}
	}
	r.Encode = Milliseconds(time.Since(began)) / float64(len(questions)-half)
	if err := judge(); err != nil {
		return err
	}
	if took, err = timedQuestions(ctx, w, x, questions[half:]); err != nil {
		return err
	}
	r.Judged50 = took[len(took)/2]
	return nil
}

// timedQuestions gives the milliseconds of each question, in order of size.
func timedQuestions(ctx context.Context, w *world.World, x *retrieval.Index, questions []string) ([]float64, error) {
	handles := w.Handles()
	zones := retrieval.Zones{Unknown: retrieval.UnknownBelow, Model: retrieval.ModelFrom}
	var took []float64
	for i, q := range questions {
		npc, began := w.NPCs[handles[i%len(handles)]], time.Now()
		check := grounding.Check{World: w.Name, TurnStart: began, GameTime: w.Now,
			Holds:   func(string) bool { return true },
			InScope: func(c protocol.Chunk) bool { return world.ScopeOf(c, npc) }}
		if _, err := x.CitationQuery(ctx, retrieval.Query{NPC: npc, Message: q, Zones: zones,
			Check: check}); err != nil {
			return nil, err
		}
		took = append(took, Milliseconds(time.Since(began)))
	}
	slices.Sort(took)
	return took, nil
}

// byChance gives every text a vector of chance, always the same.
type byChance struct{}

const chanceDim = 384

func (byChance) Dim() int   { return chanceDim }
func (byChance) ID() string { return "by-chance" }

func (byChance) Embed(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		h := fnv.New64a()
		_, _ = h.Write([]byte(t))                  // a hash takes every write
		rng := rand.New(rand.NewPCG(h.Sum64(), 0)) //nolint:gosec // a sample, not a secret
		v, sum := make([]float32, chanceDim), 0.0
		for k := range v {
			v[k] = rng.Float32() - 0.5
			sum += float64(v[k]) * float64(v[k])
		}
		for k := range v {
			v[k] /= float32(math.Sqrt(sum))
		}
		out[i] = v
	}
	return out, nil
}

func heapMB() float64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}

// profile starts a profile of the processor where a file is named.
func profile(path string) (stop func(), err error) {
	if path == "" {
		return func() {}, nil
	}
	f, err := os.Create(path) //nolint:gosec // the caller's own file
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { pprof.StopCPUProfile(); _ = f.Close() }, nil
}
