// Gatefit fits the two small models of internal/retrieval: the ranker, which
// orders passages as answers, and the gate, the probability that the best one
// answers. It is fitted on the suites of this project's own worlds and on judged
// pairs of question and block; a suite given with -measure is only measured.
//
//	bin/gatefit -world DIR -answers answers.jsonl -measure world=suite.yaml … -out internal/retrieval/gate.json
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/retrieval"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "gatefit:", err)
		os.Exit(1)
	}
}

// list is a flag that may be given several times.
type list []string

// String is the flag's values.
func (l *list) String() string { return strings.Join(*l, " ") }

// Set takes one more value.
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

func run(ctx context.Context) error {
	var own, measure list
	var judged blocks
	flag.Var(&judged.trained, "answers", "judged pairs of question and block, JSON lines")
	flag.Var(&judged.unseen, "unseen", "more of them, which the trained judgement was not trained on: what its word "+
		"is worth is fitted on these")
	out := flag.String("out", "", "where to write the models; nothing is fitted without it")
	odds := flag.Float64("odds", 2.2, "how many times likelier a question in play has an answer than one fitted on: "+
		"chosen so that the threshold found on a measured suite falls on the zones' 0.25")
	flag.Var(&own, "world", "a folder of a world with its own evals.yaml, to fit on; DIR=SUITE adds a suite")
	flag.Var(&measure, "measure", "WORLD=SUITE: a suite to measure only")
	deep := flag.Bool("deep", false, "search by meaning too: fit gate-meaning.json, and not gate.json")
	cache := flag.String("cache", "", "a folder that keeps the indexes for the next run")
	var j judgement
	flag.StringVar(&j.suite, "border", "", "WORLD=SUITE: the suite whose private questions say where the zones' "+
		"first border lies where the trained judgement is asked; without it the judgement is not asked")
	flag.Float64Var(&j.forward, "forward", 2, "what the trained judgement adds to a candidate's score, at most")
	flag.IntVar(&j.asking.First, "first", 3, "of how many of the first candidates the trained judgement is asked")
	flag.Float64Var(&j.asking.From, "from", 0.03, "the confidence without it from which it is asked")
	flag.Float64Var(&j.asking.To, "to", 0.93, "the confidence without it up to which it is asked")
	flag.IntVar(&j.asking.Chars, "chars", 400, "how much of a passage it reads")
	verbose := flag.Bool("v", false, "print every measured case")
	flag.Parse()
	switch {
	case *out != "" && len(own) == 0:
		return fmt.Errorf("-out %s: the ranker is fitted on worlds; name one with -world", *out)
	case j.suite != "" && (!*deep || *out == ""):
		return fmt.Errorf("-border %s: the judgement is asked with -deep alone, and fitted with -out", j.suite)
	}
	temp := *cache
	if temp == "" {
		var err error
		if temp, err = os.MkdirTemp("", "gatefit"); err != nil {
			return err
		}
		defer os.RemoveAll(temp) //nolint:errcheck // a throw-away folder
	}
	opts, err := newOptions(*deep)
	if err != nil {
		return err
	}
	fitted, err := j.fitTo(ctx, *out, own, judged, temp, opts, *odds)
	if err != nil {
		return err
	}
	for i, m := range measure {
		dir, path, ok := strings.Cut(m, "=")
		if !ok {
			return fmt.Errorf("-measure %s: write WORLD=SUITE", m)
		}
		if err := measureSuite(ctx, fmt.Sprintf("m%d", i), dir, path, temp, opts, fitted, *verbose); err != nil {
			return err
		}
	}
	return nil
}

// fitTo fits the models to the worlds and writes them to a file; nil where no file is named.
func (j *judgement) fitTo(ctx context.Context, out string, own list, judged blocks, temp string, opts options,
	odds float64) (*retrieval.Fitted, error) {
	if out == "" {
		return nil, nil
	}
	sets, err := trainingSets(ctx, own, judged, temp, opts)
	if err != nil || len(sets) == 0 {
		return nil, err
	}
	fitted, err := fit(ctx, sets, odds)
	if err != nil {
		return nil, err
	}
	if j.suite != "" {
		if err := j.fit(ctx, sets, fitted); err != nil {
			return nil, err
		}
		if err := j.calibrate(ctx, temp, opts, fitted); err != nil {
			return nil, err
		}
	}
	data, err := json.MarshalIndent(fitted, "", "  ")
	if err != nil {
		return nil, err
	}
	return fitted, os.WriteFile(out, append(data, '\n'), 0o600)
}

// options are how sets are opened.
type options struct {
	retrieval.Options
	Encoder embed.Embedder // nil: the static vectors alone
	Answers retrieval.Answering
}

func newOptions(deep bool) (options, error) {
	static, err := embed.NewStatic()
	o := options{Options: retrieval.Options{Now: time.Now, Words: static}}
	if err != nil || !deep {
		return o, err
	}
	if o.Encoder, err = app.Encoder(); err != nil {
		return o, err
	}
	model, err := app.NLI()
	o.Answers = model.Answers
	return o, err
}

// blocks are files of judged pairs, which the trained judgement was trained on or not.
type blocks struct{ trained, unseen list }

func trainingSets(ctx context.Context, own []string, judged blocks, temp string, opts options) ([]*set, error) {
	var sets []*set
	for _, o := range own {
		dir, more, _ := strings.Cut(o, "=")
		s, err := openSet(ctx, filepath.Base(dir), dir, temp, opts)
		if err != nil {
			return nil, err
		}
		var suites []string
		if _, err := os.Stat(filepath.Join(dir, "evals.yaml")); err == nil {
			suites = append(suites, filepath.Join(dir, "evals.yaml"))
		}
		if more != "" {
			suites = append(suites, more)
		}
		for _, path := range suites {
			asks, err := readSuite(path)
			if err != nil {
				return nil, err
			}
			s.asks = append(s.asks, asks...)
		}
		s.asks = append(s.asks, strangers(s)...)
		s.asks = append(s.asks, bereft(s.asks)...)
		s.asks = append(s.asks, topics(s.world)...)
		sets = append(sets, s)
	}
	for _, file := range slices.Concat(judged.trained, judged.unseen) {
		name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		s, err := openBlocks(ctx, name, file, temp, opts)
		if err != nil {
			return nil, err
		}
		s.trained = slices.Contains(judged.trained, file)
		sets = append(sets, s)
	}
	return sets, nil
}

// fittedKinds are the kinds of case that reach the gate; the rest is social or an
// instruction.
var fittedKinds = map[string]bool{"known": true, "unknown": true, "fake": true, "private": true, "block-no": true,
	"time": true, "secret": true, "rumour": true, "contradiction": true, "bereft": true}

const (
	penalty = 3.0
	folds   = 5
	lesser  = 0.3 // what a made-up topic or a judged block counts beside a question of a suite
)

// fit fits the ranker, ranks again with it, and fits the gate on the outcome;
// the reliability curve is of folds that the gate had not seen.
func fit(ctx context.Context, sets []*set, odds float64) (*retrieval.Fitted, error) {
	queries, err := rankRows(ctx, sets)
	if err != nil {
		return nil, err
	}
	f := &retrieval.Fitted{Ranker: pairwise(queries, retrieval.FeatureNames(), penalty),
		Gate: retrieval.Model{Weights: map[string]float64{}}}
	for _, s := range sets {
		if err := s.index.Use(*f); err != nil {
			return nil, err
		}
	}
	rows, err := gateRows(ctx, sets)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		if rows[i].right {
			rows[i].weight *= odds
		}
	}
	var held []outcome
	for fold := range folds {
		var train, test []row
		for _, r := range rows {
			if bucket(r.group) == fold {
				test = append(test, r)
			} else {
				train = append(train, r)
			}
		}
		m := constrained(train, retrieval.GateNames(), penalty, rankerOnly...)
		for _, r := range test {
			held = append(held, outcome{p: m.Probability(retrieval.GateNames(), r.x), right: r.right, n: r.weight, set: r.set})
		}
	}
	f.Gate = constrained(rows, retrieval.GateNames(), penalty, rankerOnly...)
	f.Curve, f.Queries = reliability(held), len(rows)
	fmt.Printf("fitted on %d rankings and %d judgements; held out AUROC %.3f, Brier %.3f\n", len(queries), len(rows),
		auroc(held), brier(held))
	for _, s := range sets {
		part := slices.DeleteFunc(slices.Clone(held), func(o outcome) bool { return o.set != s.name })
		fmt.Printf("  %-12s held out AUROC %.3f of %d\n", s.name, auroc(part), len(part))
	}
	return f, nil
}

// rankRows are the candidates of every question that has a right one. Judged
// blocks have no metadata and are left out: a ranker learnt from them would
// think little of it.
func rankRows(ctx context.Context, sets []*set) ([][]row, error) {
	var out [][]row
	for _, s := range sets {
		for _, a := range s.asks {
			if !fittedKinds[a.kind] || len(a.right) == 0 || s.judged {
				continue
			}
			e, err := s.explain(ctx, a)
			if err != nil {
				return nil, err
			}
			var q []row
			hit := false
			for _, c := range e.Candidates {
				r := row{x: c.Features, right: a.answersRight(c.Path), weight: a.weight}
				hit = hit || r.right
				q = append(q, r)
			}
			if hit {
				out = append(out, q)
			}
		}
	}
	return out, nil
}

// gateRows are the gate's features of every question and whether the passage
// that came first answers it.
func gateRows(ctx context.Context, sets []*set) ([]row, error) {
	var out []row
	for _, s := range sets {
		for _, a := range s.asks {
			if !fittedKinds[a.kind] {
				continue
			}
			e, err := s.explain(ctx, a)
			if err != nil {
				return nil, err
			}
			if len(e.Candidates) > 0 {
				out = append(out, row{x: e.Message, right: a.answersRight(e.Candidates[0].Path), weight: a.weight, group: a.group,
					set: s.name})
			}
		}
	}
	return out, nil
}

func (s *set) explain(ctx context.Context, a ask) (retrieval.Explanation, error) {
	q, err := s.query(a)
	if err != nil {
		return retrieval.Explanation{}, err
	}
	return s.index.Explain(ctx, q)
}
