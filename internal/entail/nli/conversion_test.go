package nli_test

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

//go:embed testdata/reference.json
var referenceFile []byte

// The model says in Go what it said where it was trained: rounding to int8 leaves
// the order of the pairs as it was, and the engine says what the rounded model says.
// A conversion that ruins a model shows nowhere else.
func TestTheModelSurvivesItsConversions(t *testing.T) {
	var want struct {
		Data    string    `json:"data_sha256"`
		Trained []float64 `json:"trained"`
		Shipped []float64 `json:"shipped"`
	}
	if err := json.Unmarshal(referenceFile, &want); err != nil {
		t.Fatal(err)
	}
	claims, err := os.ReadFile("../../../evals/claims.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	pairs, err := entail.ReadPairs("claims.jsonl", bytes.NewReader(claims))
	if err != nil {
		t.Fatal(err)
	}
	model, err := app.NLI()
	if err != nil {
		t.Fatal(err)
	}
	if got := model.Encoder().Metadata("data_sha256"); got != want.Data || len(pairs) != len(want.Shipped) {
		t.Fatalf("reference.json is of other weights (%.12s) or other claims (%d); run sidecar/nli/train/export.py",
			want.Data, len(want.Shipped))
	}
	texts := make([][2]string, len(pairs))
	for i, p := range pairs {
		texts[i] = [2]string{p.Premise, p.Hypothesis}
	}
	said, err := model.Probabilities(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	got, at := make([]float64, len(pairs)), model.Calibration().Thresholds.Entailment
	agree := 0
	for i, p := range said {
		got[i] = p.Entailed
		if scale := model.Calibration().Scale; (scale.Score(p, schema.Verdict{}) >= at) ==
			(scored(scale.Slope, scale.Shift, want.Shipped[i]) >= at) {
			agree++
		}
		windowed := len(model.Vocab().Encode(nil, pairs[i].Premise)) > 110 // read in parts here, whole there
		if !windowed && math.Abs(got[i]-want.Shipped[i]) > 0.02 {
			t.Errorf("pair %d: %.4f in Go, %.4f where it was trained", i, got[i], want.Shipped[i])
		}
	}
	trained, shipped, here := auroc(pairs, want.Trained), auroc(pairs, want.Shipped), auroc(pairs, got)
	t.Logf("AUROC %.4f as trained, %.4f in int8, %.4f in Go; %d of %d verdicts agree", trained, shipped, here, agree,
		len(pairs))
	if math.Abs(trained-shipped) >= 0.005 || math.Abs(shipped-here) >= 0.005 {
		t.Error("a conversion moves the AUROC by 0.005 or more")
	}
	if float64(agree) < 0.995*float64(len(pairs)) {
		t.Error("fewer than 99.5 % of the verdicts agree")
	}
}

func scored(slope, shift, p float64) float64 {
	p = min(max(p, 1e-6), 1-1e-6)
	return 1 / (1 + math.Exp(-(slope*math.Log(p/(1-p)) + shift)))
}

func auroc(pairs []entail.LabelledPair, scores []float64) float64 {
	var good, bad []float64
	for i, p := range pairs {
		if p.Supported() {
			good = append(good, scores[i])
		} else {
			bad = append(bad, scores[i])
		}
	}
	return entail.AUROC(good, bad)
}
