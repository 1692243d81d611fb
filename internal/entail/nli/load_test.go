package nli

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/transformer"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/weights"
)

// Weights that are not whole, or not those of this program, make no model: an
// error of one line says what is wrong.
func TestWeightsThatMakeNoModel(t *testing.T) {
	v := tinyVocab(t)
	whole := tiny{words: v.Size()}.file()
	with := func(w tiny) []byte { w.words = v.Size(); return w.file() }
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-1] ^= 1
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"nothing", nil, "empty or cut short"},
		{"a few bytes", whole[:7], "empty or cut short"},
		{"cut in the header", whole[:200], "cut short"},
		{"cut in the data", whole[:len(whole)/2], "weights: tensor"},
		{"cut by a byte", whole[:len(whole)-1], "weights: tensor"},
		{"a byte changed", flipped, "does not match its hash"},
		{"no weights at all", bytes.Repeat([]byte("verse "), 1000), "no safetensors"},
		{"another format", with(tiny{metadata: map[string]string{"format": "onnx"}}), `"onnx"`},
		{"another version", with(tiny{metadata: map[string]string{"version": "1"}}), `version "1"`},
		{"another hash", with(tiny{metadata: map[string]string{"data_sha256": strings.Repeat("0", 64)}}),
			"does not match its hash"},
		{"another vocabulary", tiny{words: v.Size() + 1}.file(), "vocabulary"},
		{"heads that do not divide", with(tiny{metadata: map[string]string{"heads": "5"}}), "do not divide"},
		{"more layers than it holds", with(tiny{metadata: map[string]string{"layers": "2"}}), "layers.1.q.weight is missing"},
		{"no verifier's head", with(tiny{without: "heads.entail.out.weight"}), "heads.entail.out.weight is missing"},
		{"no gate's head", with(tiny{without: "heads.answers.dense.bias"}), "heads.answers.dense.bias is missing"},
		{"a head with two labels", with(tiny{replace: map[string][]float32{"heads.entail.out.bias": {0, 0}}}),
			"holds 2 values, 3 are wanted"},
		{"word embeddings of another file", with(tiny{metadata: map[string]string{"words_sha256": "12"}}), "word embeddings"},
		{"a calibration of other weights", whole, "calibration.json belongs to weights"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := Open(v, c.file)
			if err == nil || m != nil {
				t.Fatalf("it makes a model, error %v", err)
			}
			if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("it says %q, want one line with %q", err, c.want)
			}
		})
	}
}

// The calibration in the binary is that of the weights in the binary, and its
// thresholds lie in order.
func TestTheShippedWeightsAreTheCalibratedOnes(t *testing.T) {
	m := shippedModel(t)
	at := m.Calibration().Thresholds
	if !(0 < at.Ambiguous && at.Ambiguous < at.Entailment && at.Entailment <= at.Doubted && at.Doubted <= 1) ||
		at.Contradiction <= 0 {
		t.Errorf("thresholds %+v", at)
	}
	if m.Name() == "" || m.Encoder() == nil {
		t.Error("the weights have no name, or no encoder")
	}
}

// Other weights with the shipped vocabulary do not load in place of the shipped.
func TestTheEncoderIsNoVerifier(t *testing.T) {
	v, err := transformer.LoadVocab(weights.Vocab)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(v, weights.Encoder); err == nil {
		t.Error("the sentence encoder's weights make a verifier")
	}
}

// One in a thousand is not to be had from hundreds of pairs: what ships was set on enough.
func TestARateOfReleaseIsOfAsManyPairsAsItTakes(t *testing.T) {
	c, err := readCalibration(calibrationFile)
	if err != nil {
		t.Fatal(err)
	}
	if float64(c.ReleasePairs)*c.ReleaseRate < 1 {
		t.Errorf("%v of %d pairs; calibrate with -also", c.ReleaseRate, c.ReleasePairs)
	}
}

func TestCalibrationsThatCannotBe(t *testing.T) {
	const good = `{"weights_sha256":"x","scale":{"slope":1,"shift":0},"thresholds":{"entailment_threshold":0.9` +
		`,"contradiction_threshold":0.7,"ambiguous_threshold":0.2,"doubted_threshold":0.95}}`
	if _, err := readCalibration([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, from, to, want string }{
		{"not JSON", `{"weights`, `weights`, "calibration.json"},
		{"a threshold above 1", `"entailment_threshold":0.9`, `"entailment_threshold":9`, "entailment_threshold is 9"},
		{"a threshold below 0", `"contradiction_threshold":0.7`, `"contradiction_threshold":-0.7`,
			"contradiction_threshold is -0.7"},
		{"no threshold", `"entailment_threshold":0.9,`, ``, "threshold is missing"},
		{"a scale that turns scores round", `"slope":1`, `"slope":-1`, "scale"},
		{"no scale", `"slope":1`, `"slope":0`, "scale"},
		{"a word for a number", `"slope":1`, `"slope":"steep"`, "slope"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readCalibration([]byte(strings.Replace(good, c.from, c.to, 1)))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("it says %v, want %q", err, c.want)
			}
		})
	}
}

// Scores that nobody measured are guesses: a model without its calibration
// supports nothing, whatever threshold a pair asks for.
func TestAnUncalibratedModelVerifiesNothing(t *testing.T) {
	v := tinyVocab(t)
	m, err := Uncalibrated(v, tiny{words: v.Size()}.file())
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []entail.Thresholds{{}, {Entailment: 0.01}, {Entailment: 0.01, Contradiction: 0.01}} {
		out, err := m.Verify(t.Context(),
			[]entail.Pair{{Premise: "the mill burned", Hypothesis: "a mill was burned", At: at}})
		for _, x := range out {
			if x.Label != schema.Unverifiable {
				t.Errorf("at %+v: %+v", at, x)
			}
		}
		if err == nil && out == nil {
			t.Error("neither verdicts nor an error")
		}
	}
}

// A model whose numbers break, or whose code does, is a tier that fails: the
// cascade goes on without it, and nothing is supported.
func TestABrokenModelSupportsNothing(t *testing.T) {
	nan := float32(math.NaN())
	inf := float32(math.Inf(1))
	shapeless := tinyModel(t, tiny{})
	shapeless.entail.dense = nil
	shapeless.answers.dense = nil
	for _, c := range []struct {
		name string
		m    *Model
	}{
		{"no number at the end", tinyModel(t,
			tiny{replace: map[string][]float32{"heads.entail.out.bias": {nan, 0, 0}, "heads.answers.out.bias": {nan}}})},
		{"without bound", tinyModel(t,
			tiny{replace: map[string][]float32{"heads.entail.out.bias": {inf, inf, 0}, "heads.answers.out.bias": {inf - inf}}})},
		{"a panic", shapeless},
	} {
		t.Run(c.name, func(t *testing.T) {
			pairs := []entail.Pair{{Premise: "the mill burned", Hypothesis: "fire took it"}, {Premise: "x", Hypothesis: "y"}}
			if out, err := c.m.Verify(t.Context(), pairs); err == nil || out != nil {
				t.Errorf("it answers %+v", out)
			}
			out, err := entail.NewCascade(entail.NewRules(), c.m).Verify(t.Context(), pairs)
			if err != nil || len(out) != 2 || out[0].Label == schema.Supported || out[1].Label == schema.Supported {
				t.Errorf("%+v, %v", out, err)
			}
			if out[0].Why == "" {
				t.Error("no reason is given")
			}
			if _, err := c.m.Answers(t.Context(), "who burned it", []string{"the mill burned"}); err == nil {
				t.Error("the gate's head answers")
			}
		})
	}
}

// Where the time is over there is an error and no verdict.
func TestAVerifierOutOfTime(t *testing.T) {
	m := tinyModel(t, tiny{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	pairs := make([]entail.Pair, 2000)
	for i := range pairs {
		pairs[i] = entail.Pair{Premise: strings.Repeat("the mill burned. ", 40),
			Hypothesis: strings.Repeat("x", i%50) + " burned"}
	}
	if out, err := m.Verify(ctx, pairs); err == nil {
		t.Errorf("%d verdicts after the end", len(out))
	}
}
