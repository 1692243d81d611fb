package bench

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/transformer"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// interpreter is a stand-in for one with onnxruntime: a shell script.
func interpreter(t *testing.T, body string) VerifyOptions {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in is a shell script")
	}
	dir := t.TempDir()
	python, script := filepath.Join(dir, "python"), filepath.Join(dir, "bench_onnx.py")
	for path, text := range map[string]string{python: "#!/bin/sh\n" + body, script: ""} {
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil { //nolint:gosec // it is run
			t.Fatal(err)
		}
	}
	return VerifyOptions{Rounds: 1, Batch: 1, Python: python, Script: script}
}

const (
	hello    = `echo '{"onnxruntime":"1.0"}'` + "\n"
	answered = `{"fp32":{"ms":20,"entailed":[0.5]},"int8":{"ms":10,"entailed":[0.25]}}`
)

func answers(line string) string {
	return hello + "while read -r batch; do echo '" + line + "'; done\n"
}

func byName(figures []Figure) map[string]Figure {
	out := map[string]Figure{}
	for _, f := range figures {
		out[f.Name] = f
	}
	return out
}

// alone runs a test in a process of its own, as the command is one: no memory that an
// earlier test held is given back while this one measures. It says whether this is that
// process.
func alone(t *testing.T) bool {
	t.Helper()
	const variable = "FORSOOTH_TEST_ALONE"
	if os.Getenv(variable) == t.Name() {
		return true
	}
	test := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.count=1", "-test.v")
	test.Env = append(os.Environ(), variable+"="+t.Name())
	out, err := test.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// Every kernel is measured beside what stands beside it; none is held against a time.
func TestVerifyMeasuresEachKernel(t *testing.T) {
	if !alone(t) {
		return
	}
	figures, err := Verify(t.Context(), interpreter(t, answers(answered)))
	if err != nil {
		t.Fatal(err)
	}
	got := byName(figures)
	want := []string{"onnx_fp32", "onnx_int8", "onnx_fp32_apart", "onnx_int8_apart"}
	for _, k := range transformer.Kernels() {
		want = append(want, k, k+"_rate", k+"_to_onnx_fp32", k+"_to_onnx_int8")
	}
	if runtime.GOOS == "linux" {
		want = append(want, "resident_without_models", "resident_with_models")
		if got["resident_with_models"].Value <= got["resident_without_models"].Value {
			t.Errorf("the models weigh nothing: %+v", got)
		}
	}
	for _, name := range want {
		if got[name].Value <= 0 {
			t.Errorf("%s is %v; there are %v", name, got[name].Value, slices.Sorted(maps.Keys(got)))
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d figures, want %d: %+v", len(got), len(want), figures)
	}
	if got["onnx_fp32"].Value != 20 || got["onnx_int8"].Value != 10 {
		t.Errorf("what the other engine said is not what is printed: %+v", figures)
	}
}

// The kernel that a process would use has a bar, by its instructions; the others
// are printed.
func TestTheBarGoesByTheKernelInUse(t *testing.T) {
	for _, c := range []struct {
		kernels []string
		ms      float64
		bar     string
		met     bool
	}{
		{[]string{"avx512", "avx2", "portable"}, 25, "≤ 1.3", true},
		{[]string{"avx512-vnni", "avx2"}, 27, "≤ 1.3", false},
		{[]string{"avx2-int16", "avx2"}, 39, "≤ 2", true},
		{[]string{"avx2"}, 41, "≤ 2", false},
		{[]string{"portable"}, 400, "", false},
	} {
		measured := times{kernels: map[string][]float64{}, fp32: []float64{10, 30, 20}, int8: []float64{9}}
		for i, k := range c.kernels {
			measured.kernels[k] = []float64{c.ms, c.ms + float64(i)}
		}
		got := byName(measured.figures(c.kernels))
		for i, k := range c.kernels {
			f := got[k+"_to_onnx_fp32"]
			want := c.bar
			if i > 0 {
				want = ""
			}
			if f.Bar != want || (f.Met != nil) != (want != "") || f.Met != nil && *f.Met != c.met {
				t.Errorf("%v: %s at %g has the bar %q", c.kernels, k, f.Value, f.Bar)
			}
		}
	}
}

// An interpreter that fails is an error of one line that says what it said.
func TestVerifyBesideWhatFails(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"it lacks onnxruntime", "echo 'Traceback:' >&2; echo \"ModuleNotFoundError: No module named 'onnxruntime'\" " +
			">&2; exit 1", "No module named 'onnxruntime'"},
		{"it is no such program", "echo hi there", "python: "},
		{"it does not introduce itself", "echo '{}'", "which onnxruntime"},
		{"it ends early", hello, "python: "},
		{"it answers for too few", answers(`{"fp32":{"ms":20,"entailed":[]},"int8":{"ms":10,"entailed":[]}}`),
			"answers 1 pairs with 0"},
		{"it took no time", answers(`{"fp32":{"ms":0,"entailed":[1]},"int8":{"ms":1,"entailed":[1]}}`), "in 0 ms"},
		{"it answers with something else", answers(`[]`), "python: "},
		{"it answers with no number", answers(`{"fp32":{"ms":NaN}}`), "python: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			figures, err := Verify(t.Context(), interpreter(t, c.body))
			if err == nil || figures != nil {
				t.Fatalf("it measures %+v", figures)
			}
			if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("it says %q, want one line with %q", err, c.want)
			}
		})
	}
	t.Run("no script", func(t *testing.T) {
		o := interpreter(t, hello)
		o.Script += ".gone"
		if _, err := Verify(t.Context(), o); err == nil || !strings.Contains(err.Error(), "--script") {
			t.Errorf("it says %v", err)
		}
	})
	t.Run("no interpreter", func(t *testing.T) {
		o := interpreter(t, hello)
		o.Python += ".gone"
		if _, err := Verify(t.Context(), o); err == nil || !strings.Contains(err.Error(), "--python") {
			t.Errorf("it says %v", err)
		}
	})
}

// What is measured is what the bar is stated for: pairs of 64 tokens, none twice.
func TestPairsAreOf64TokensAndNew(t *testing.T) {
	v, _, err := openVerifying()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[[2]string]bool{}
	for range 40 {
		pairs := v.pairs(16)
		for i, ids := range v.encoded(pairs) {
			if len(ids) != 64 {
				t.Fatalf("%q is %d tokens", pairs[i], len(ids))
			}
			if seen[pairs[i]] {
				t.Fatalf("%q comes twice", pairs[i])
			}
			seen[pairs[i]] = true
		}
	}
}

// verdicts gives each claim the verdict written in it.
type verdicts map[string]schema.Verdict

func (v verdicts) Verify(_ context.Context, pairs []entail.Pair) ([]schema.Verdict, error) {
	out := make([]schema.Verdict, len(pairs))
	for i, p := range pairs {
		out[i] = v[p.Hypothesis]
	}
	return out, nil
}

func TestJudgementHoldsVerdictsAgainstTheirBars(t *testing.T) {
	pairs := []entail.LabelledPair{
		{Hypothesis: "a", Label: "supported", Kind: "paraphrase"}, {Hypothesis: "b", Label: "supported", Kind: "paraphrase"},
		{Hypothesis: "c", Label: "contradicted", Kind: "swap"}, {Hypothesis: "d", Label: "unverifiable", Kind: "detail"},
	}
	judge := verdicts{"a": {Label: schema.Supported, Score: 0.9}, "b": {Label: schema.Unverifiable, Score: 0.4},
		"c": {Label: schema.Supported, Score: 0.8}, "d": {Label: schema.Unverifiable, Score: 0.1}}
	figures, worth, err := Judgement(t.Context(), judge, pairs)
	if err != nil {
		t.Fatal(err)
	}
	got := byName(figures)
	for name, want := range map[string]float64{"pairs": 4, "auroc": 0.75, "false_accepted": 0.5,
		"supported_accepted": 0.5} {
		if got[name].Value != want {
			t.Errorf("%s is %v, want %v", name, got[name].Value, want)
		}
	}
	if missed := Missed(figures); len(missed) != 3 {
		t.Errorf("missed %v; all three bars are", missed)
	}
	if len(worth.ByKind) != 3 {
		t.Errorf("by kind: %+v", worth.ByKind)
	}
}
