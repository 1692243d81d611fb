package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/entail/nli"
	"github.com/forsooth-npc/forsooth/internal/transformer"
	"github.com/forsooth-npc/forsooth/weights"
)

// VerifyOptions size a run of the verifier in process.
type VerifyOptions struct {
	Rounds int    // timed batches of each engine, in turn; default 7
	Batch  int    // pairs of a batch; default 16
	Python string // an interpreter with onnxruntime to stand beside; empty: none
	Script string // what it runs: sidecar/nli/train/bench_onnx.py
}

// A pair is [CLS] premise [SEP] claim [SEP], of 64 tokens.
const (
	premiseTokens, claimTokens = 30, 31
	pairSpecials               = 3
)

// Verify measures the verifier in process: what it holds in memory, and the time of
// a pair with each kernel, on one core. Times are of the processor and not of the
// clock, so that what else the machine does counts little. With an interpreter
// onnxruntime reads the same pairs with the same weights, turn by turn.
func Verify(ctx context.Context, o VerifyOptions) (_ []Figure, err error) {
	o.Rounds, o.Batch = cmp.Or(max(0, o.Rounds), 7), cmp.Or(max(0, o.Batch), 16)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	v, out, err := openVerifying()
	if err != nil {
		return nil, err
	}
	if o.Python != "" {
		if v.beside, err = startONNX(ctx, o.Python, o.Script); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, v.beside.close()) }()
	}
	t, err := v.rounds(ctx, o)
	if err != nil {
		return nil, err
	}
	return append(out, t.figures(v.kernels)...), nil
}

// verifying is a verifier under measurement.
type verifying struct {
	model   *nli.Model
	kernels []string
	words   []string // each a token of its own
	next    int      // word, so that no pair comes twice and none is remembered
	beside  *onnx
}

// openVerifying loads the models of a process and says what they take.
func openVerifying() (*verifying, []Figure, error) {
	before := residentMB()
	vocab, err := transformer.LoadVocab(weights.Vocab)
	if err != nil {
		return nil, nil, err
	}
	model, err := nli.Uncalibrated(vocab, weights.Verifier)
	if err != nil {
		return nil, nil, err
	}
	encoder, err := embed.NewSentence(vocab, weights.Encoder, model.Encoder())
	if err != nil {
		return nil, nil, err
	}
	after := residentMB()
	runtime.KeepAlive(encoder)
	v := &verifying{model: model, kernels: transformer.Kernels(), words: plainWords(vocab)}
	if len(v.words) < 1000 {
		return nil, nil, fmt.Errorf("the vocabulary holds %d plain words; pairs are made of 1000 and more",
			len(v.words))
	}
	if before == 0 || after == 0 { // only Linux tells
		return v, nil, nil
	}
	return v, []Figure{Plain("resident_without_models", before, "MB"), Plain("resident_with_models", after, "MB")}, nil
}

// residentMB is what this process holds, or 0 where the system does not tell.
func residentMB() float64 {
	debug.FreeOSMemory()
	kib, err := residentKiB(os.Getpid())
	if err != nil {
		return 0
	}
	return float64(kib) / 1024
}

// plainWords are words of the vocabulary that the tokeniser gives back as they are.
func plainWords(vocab *transformer.Vocab) []string {
	var out []string
	for w := range strings.Lines(string(weights.Vocab)) {
		w = strings.TrimSpace(w)
		if len(w) > 2 && strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") == "" && len(vocab.Encode(nil, w)) == 1 {
			out = append(out, w)
		}
	}
	return out
}

// pairs are the next batch.
func (v *verifying) pairs(n int) [][2]string {
	const stride = 7919 // neighbours in the vocabulary are alike
	text := func(words int) string {
		out := make([]string, words)
		for i := range out {
			out[i] = v.words[v.next*stride%len(v.words)]
			v.next++
		}
		return strings.Join(out, " ")
	}
	out := make([][2]string, n)
	for i := range out {
		// closed already, for an engine that closes nothing
		out[i] = [2]string{text(premiseTokens), text(claimTokens-1) + " ."}
	}
	return out
}

// times are the milliseconds a pair of each engine, round by round, and how far
// onnxruntime's probabilities lay from ours at most.
type times struct {
	kernels    map[string][]float64
	fp32, int8 []float64
	apart      [2]float64 // fp32's, int8's
}

// rounds lets the engines take turns. The first round warms them up.
func (v *verifying) rounds(ctx context.Context, o VerifyOptions) (*times, error) {
	defer transformer.Use(v.kernels[0])
	t := &times{kernels: map[string][]float64{}}
	for round := range o.Rounds + 1 {
		if round == 1 {
			t.kernels, t.fp32, t.int8 = map[string][]float64{}, nil, nil
		}
		if err := v.round(ctx, t, o.Batch); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func (v *verifying) round(ctx context.Context, t *times, n int) error {
	for i, name := range v.kernels {
		if !transformer.Use(name) {
			return fmt.Errorf("the kernel %s is not there", name)
		}
		pairs := v.pairs(n)
		said, took, err := v.timed(ctx, pairs)
		if err != nil {
			return err
		}
		t.kernels[name] = append(t.kernels[name], Milliseconds(took)/float64(n))
		if i > 0 || v.beside == nil {
			continue
		}
		answer, err := v.beside.ask(v.encoded(pairs))
		if err != nil {
			return err
		}
		t.fp32, t.int8 = append(t.fp32, answer.FP32.MS/float64(n)), append(t.int8, answer.INT8.MS/float64(n))
		t.apart[0] = max(t.apart[0], furthest(said, answer.FP32.Entailed))
		t.apart[1] = max(t.apart[1], furthest(said, answer.INT8.Entailed))
	}
	return nil
}

// timed reads a batch, from its texts to its probabilities.
func (v *verifying) timed(ctx context.Context, pairs [][2]string) ([]entail.Probability, time.Duration, error) {
	began, err := ProcessorTime()
	if err != nil {
		return nil, 0, err
	}
	said, err := v.model.Probabilities(ctx, pairs)
	if err != nil {
		return nil, 0, err
	}
	ended, err := ProcessorTime()
	return said, ended - began, err
}

// encoded are pairs as tokens, for an engine that has no tokeniser.
func (v *verifying) encoded(pairs [][2]string) [][]int32 {
	vocab, out := v.model.Vocab(), make([][]int32, len(pairs))
	for i, p := range pairs {
		out[i] = transformer.Pair(vocab, vocab.Encode(nil, p[0]), vocab.Encode(nil, p[1]),
			premiseTokens+claimTokens+pairSpecials).IDs
	}
	return out
}

func furthest(ours []entail.Probability, theirs []float64) float64 {
	most := 0.0
	for i, p := range ours {
		most = max(most, math.Abs(p.Entailed-theirs[i]))
	}
	return most
}

// ProcessorTime is what this process has used of its cores so far.
func ProcessorTime() (time.Duration, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, fmt.Errorf("processor time: %w", err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}

// figures hold the kernel in use against its bar, which goes by its instructions.
func (t *times) figures(kernels []string) []Figure {
	var out []Figure
	for _, name := range kernels {
		ms := middle(t.kernels[name])
		out = append(out, Plain(name, ms, "ms/pair"), Plain(name+"_rate", 1000/ms, "pairs/s"))
	}
	if len(t.fp32) == 0 {
		return out
	}
	fp32, int8 := middle(t.fp32), middle(t.int8)
	out = append(out, Plain("onnx_fp32", fp32, "ms/pair"), Plain("onnx_int8", int8, "ms/pair"),
		Plain("onnx_fp32_apart", t.apart[0], ""), Plain("onnx_int8_apart", t.apart[1], ""))
	for i, name := range kernels {
		ms := middle(t.kernels[name])
		f := Plain(name+"_to_onnx_fp32", ms/fp32, "")
		if bar := barOf(name); i == 0 && bar > 0 {
			f = AtMost(f.Name, f.Value, "", bar)
		}
		out = append(out, f, Plain(name+"_to_onnx_int8", ms/int8, ""))
	}
	return out
}

// barOf is how much longer than onnxruntime's fp32 a kernel may take; 0: it is
// only printed.
func barOf(kernel string) float64 {
	switch {
	case strings.HasPrefix(kernel, "avx512"):
		return 1.3
	case strings.HasPrefix(kernel, "avx2"):
		return 2
	}
	return 0
}

func middle(all []float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Judgement measures what a verifier's verdicts on pairs with known labels are worth,
// and how fast they come over all cores.
func Judgement(
	ctx context.Context, judge entail.Verifier, pairs []entail.LabelledPair,
) ([]Figure, entail.Figures, error) {
	began := time.Now()
	verdicts, err := judge.Verify(ctx, entail.Unlabelled(pairs))
	if err != nil {
		return nil, entail.Figures{}, err
	}
	took := time.Since(began)
	f := entail.FiguresOf(pairs, verdicts)
	return []Figure{
		Plain("pairs", float64(f.Pairs), ""), Plain("pairs_rate", float64(f.Pairs)/max(took.Seconds(), 1e-9),
			"pairs/s"),
		AtLeast("auroc", f.AUROC, "", 0.9), AtMost("false_accepted", f.False, "", 0.05),
		AtLeast("supported_accepted", f.True, "", 0.6),
		Plain("supported_accepted_at_5", f.AtFive, ""), Plain("closeness_accepted", f.Closeness, ""),
	}, f, nil
}
