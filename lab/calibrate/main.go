// Calibrate measures the in-process verifier behind the rules on pairs with known
// labels, and writes what makes its answers verdicts: the scale of its scores and
// the thresholds for a stated rate of false accepts.
//
//	bin/calibrate -pairs pairs.jsonl -also held.jsonl -out internal/entail/nli/calibration.json
//	bin/calibrate -pairs pairs.jsonl -weights other.safetensors
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/entail/nli"
	"github.com/forsooth-npc/forsooth/internal/transformer"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/weights"
)

func main() {
	pairs := flag.String("pairs", "", "pairs with labels, JSON lines, that the model was not trained on")
	also := flag.String("also", "", "more such pairs, which count for the thresholds of a release: one in a thousand "+
		"is not to be had from hundreds")
	out := flag.String("out", "", "where to write the calibration; nothing is written without it")
	other := flag.String("weights", "", "a weights file to measure in place of the binary's; it is not written out")
	rate := flag.Float64("rate", 0.049, "the share of unsupported pairs that a verdict may accept")
	release := flag.Float64("release", 0.001, "the share of unsupported pairs that an NPC might say")
	flag.Parse()
	if err := run(context.Background(), [2]string{*pairs, *also}, *out, *other,
		rates{*rate, *release}); err != nil {
		fmt.Fprintln(os.Stderr, "calibrate:", err)
		os.Exit(1)
	}
}

// rates are shares of unsupported pairs that may be accepted.
type rates struct{ verdict, release float64 }

func run(ctx context.Context, paths [2]string, out, other string, may rates) error {
	if out != "" && other != "" {
		return errors.New("-out with -weights: a calibration belongs to the weights of the binary; leave one of the two out")
	}
	pairs, err := read(paths[0])
	if err != nil {
		return err
	}
	var also []entail.LabelledPair
	if paths[1] != "" {
		if also, err = read(paths[1]); err != nil {
			return err
		}
	}
	vocab, err := transformer.LoadVocab(weights.Vocab)
	if err != nil {
		return err
	}
	file := weights.Verifier
	if other != "" {
		if file, err = os.ReadFile(other); err != nil { //nolint:gosec // the caller's own file
			return err
		}
	}
	model, err := nli.Uncalibrated(vocab, file)
	if err != nil {
		return err
	}
	rows, err := ask(ctx, model, pairs)
	if err != nil {
		return err
	}
	more, err := ask(ctx, model, also)
	if err != nil {
		return err
	}
	c := fit(rows, more, may)
	sum := sha256.Sum256(file)
	c.Weights = hex.EncodeToString(sum[:])
	show(c, rows)
	if out == "" {
		return nil
	}
	data, err := json.MarshalIndent(c, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(out, append(data, '\n'), 0o600)
}

func read(path string) ([]entail.LabelledPair, error) {
	f, err := os.Open(path) //nolint:gosec // the caller's own file
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	return entail.ReadPairs(path, f)
}

// row is a pair with what rules and model say of it.
type row struct {
	pair    entail.LabelledPair
	rule    schema.Verdict
	logit   float64 // of the model's entailment
	against float64 // the model's contradiction
}

func ask(ctx context.Context, model *nli.Model, pairs []entail.LabelledPair) ([]row, error) {
	asked := entail.Unlabelled(pairs)
	rules, err := entail.NewRules().Verify(ctx, asked)
	if err != nil {
		return nil, err
	}
	texts := make([][2]string, len(pairs))
	for i, p := range asked {
		texts[i][0], texts[i][1] = p.Spoken()
	}
	said, err := model.Probabilities(ctx, texts)
	if err != nil {
		return nil, err
	}
	rows := make([]row, len(pairs))
	for i := range pairs {
		e := min(max(said[i].Entailed, 1e-6), 1-1e-6)
		rows[i] = row{pairs[i], rules[i], math.Log(e / (1 - e)), said[i].Contradicted}
	}
	return rows, nil
}

// decided says whether the rules end the cascade for a pair.
func (r *row) decided() bool { return entail.Decides(r.rule) }

// score is the cascade's.
func (r *row) score(s entail.Scale) float64 {
	if r.decided() {
		return r.rule.Score
	}
	return sigmoid(r.scaled(s))
}

// scaled is the logit of what the model decides.
func (r *row) scaled(s entail.Scale) float64 {
	z := s.Slope*r.logit + s.Shift
	if entail.Doubts(r.rule) {
		z += s.Doubt
	}
	return z
}

func sigmoid(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// fit finds the scale by logistic regression on what the model decides, and the
// thresholds on the whole cascade: those of a release on more rows besides.
func fit(rows, more []row, may rates) nli.Calibration {
	c := nli.Calibration{Pairs: len(rows), FalseRate: may.verdict, Scale: platt(rows)}
	bad := unsupported(rows, c.Scale)
	var good, denied []float64
	for i := range rows {
		if r := &rows[i]; r.pair.Supported() {
			good = append(good, r.score(c.Scale))
			if !r.decided() {
				denied = append(denied, r.against)
			}
		}
	}
	c.AUROC = entail.AUROC(good, bad)
	c.Thresholds = entail.Thresholds{
		Entailment:    up(entail.Threshold(bad, may.verdict)),
		Contradiction: max(0.5, up(entail.Threshold(denied, 0.02))),
		Ambiguous:     0.15,
		Doubted:       up(entail.Threshold(doubtful(rows, c.Scale), may.verdict)),
	}
	all := append(slices.Clone(rows), more...)
	said := unsupported(all, c.Scale)
	c.Release, c.ReleaseRate, c.ReleasePairs = max(c.Thresholds.Entailment, up(entail.Threshold(said, may.release))),
		may.release, len(said)
	c.Thresholds.Doubted = max(c.Thresholds.Doubted, c.Thresholds.Entailment)
	at := []float64{c.Thresholds.Entailment}
	for t := 0.05; t < 0.995; t += 0.05 {
		at = append(at, t)
	}
	slices.Sort(at)
	for _, t := range at {
		c.Curve = append(c.Curve, nli.Point{Threshold: round(t), False: above(bad, t), True: above(good, t)})
	}
	c.Reliable = reliability(rows, c.Scale)
	return c
}

// doubtful are the scores of unsupported pairs that a rule doubts.
func doubtful(rows []row, s entail.Scale) []float64 {
	var out []float64
	for i := range rows {
		if entail.Doubts(rows[i].rule) && !rows[i].pair.Supported() {
			out = append(out, rows[i].score(s))
		}
	}
	return out
}

// unsupported are the scores of unsupported pairs.
func unsupported(rows []row, s entail.Scale) []float64 {
	var out []float64
	for i := range rows {
		if !rows[i].pair.Supported() {
			out = append(out, rows[i].score(s))
		}
	}
	return out
}

func up(x float64) float64 { return math.Ceil(x*1000) / 1000 }

func round(x float64) float64 { return math.Round(x*1000) / 1000 }

func above(scores []float64, t float64) float64 {
	n := 0
	for _, s := range scores {
		if s >= t {
			n++
		}
	}
	return round(float64(n) / float64(max(1, len(scores))))
}

// atFive is the share of the supported that is accepted where one in twenty of the rest is.
func atFive(c nli.Calibration, rows []row) float64 {
	var good, bad []float64
	for i := range rows {
		if s := rows[i].score(c.Scale); rows[i].pair.Supported() {
			good = append(good, s)
		} else {
			bad = append(bad, s)
		}
	}
	return above(good, entail.Threshold(bad, 0.05))
}

func show(c nli.Calibration, rows []row) {
	fmt.Printf("%d pairs, AUROC %.4f; scale %.3f, %.3f, of a doubt %.3f; thresholds %+v, release from %.3f (of %d "+
		"unsupported)\n", c.Pairs, c.AUROC, c.Scale.Slope, c.Scale.Shift, c.Scale.Doubt, c.Thresholds,
		c.Release, c.ReleasePairs)
	fmt.Printf("  %.1f %% of the supported accepted where at most 5 %% of the rest are\n", 100*atFive(c, rows))
	for _, p := range c.Curve {
		fmt.Printf("  from %.3f: %5.1f %% of the supported accepted, %5.1f %% of the rest\n", p.Threshold, 100*p.True,
			100*p.False)
	}
	for _, b := range c.Reliable {
		fmt.Printf("  score %.2f: %.2f supported of %d\n", b.Score, b.True, b.N)
	}
	falsely := 0
	for i := range rows {
		if rows[i].decided() && rows[i].pair.Supported() && rows[i].rule.Label != schema.Supported {
			falsely++
		}
	}
	fmt.Printf("  %d supported pairs are refused by rule\n", falsely)
}
