package nli

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestAHypothesisEndsWithOneFullStop(t *testing.T) {
	m := shippedModel(t)
	for text, want := range map[string]string{
		"the mill burned":              "the mill burned .",
		"the mill burned.":             "the mill burned .",
		"the mill burned!":             "the mill burned .",
		"the mill burned ...":          "the mill burned .",
		"the mill burned…":             "the mill burned .",
		"the mill burned; —":           "the mill burned .",
		"the mill burned.\u200b\u00a0": "the mill burned .",
		"the mill burned?":             "the mill burned .",
		"the mill burned...?!":         "the mill burned .",
		"he said \"burned.\"":          "he said \" burned .",
		"he said “burned”.)":           "he said “ burned .",
		"the mill \U0001F525":          "the mill \U0001F525 .",
		"St. Mill":                     "st . mill .",
		"...":                          ". . .",
		"":                             "",
	} {
		got := m.ending.close(m.tokens(text, pairTokens))
		if !slices.Equal(got, m.vocab.Encode(nil, want)) {
			t.Errorf("%q: %v, want that of %q", text, got, want)
		}
	}
}

// Training reads a hypothesis as this does.
func TestAHypothesisIsReadAsInTraining(t *testing.T) {
	m := shippedModel(t)
	file, err := os.Open("testdata/endings.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	n := 0
	for lines := json.NewDecoder(file); ; n++ {
		var want struct {
			Text string
			IDs  []int32
		}
		if err := lines.Decode(&want); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if got := m.ending.close(m.tokens(want.Text, pairTokens)); !slices.Equal(got, want.IDs) {
			t.Errorf("%q: %v, want %v", want.Text, got, want.IDs)
		}
	}
	if n < 70 {
		t.Errorf("%d texts", n)
	}
}

// What a sentence ends with tells nothing: a false one is not made true by leaving its
// full stop out.
func TestTheEndOfASentenceTellsNothing(t *testing.T) {
	m := tinyModel(t, tiny{})
	words := []string{"the", "mill", "burned", "a", "yes", "it", "?", "."}
	rapid.Check(t, func(rt *rapid.T) {
		said := append(rapid.SliceOfN(rapid.SampledFrom(words), 0, 140).Draw(rt, "said"), "mill")
		tail := rapid.StringMatching(`[ .!?,]{0,8}`).Draw(rt, "tail")
		sentence := strings.Join(said, " ")
		p, err := m.Probabilities(t.Context(),
			[][2]string{{"the mill burned.", sentence}, {"the mill burned.", sentence + tail}})
		if err != nil || p[0] != p[1] {
			rt.Fatalf("%q and with %q behind it: %+v, %v", sentence, tail, p, err)
		}
	})
}
