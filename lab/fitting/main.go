// Command fitting makes one probability of what the review finds in a sentence. It
// reads speeches with labels that the model in process was not trained on, fits a
// logistic regression, sets the line of each level by its price, and writes fit.json.
//
//	bin/fitting -speech held.jsonl -measure speech.jsonl -out internal/review/fit.json
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"github.com/forsooth-npc/forsooth/internal/entail/nli"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/review"
	"github.com/forsooth-npc/forsooth/internal/transformer"
	"github.com/forsooth-npc/forsooth/weights"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "fitting:", err)
		os.Exit(1)
	}
}

func run() error {
	speech := flag.String("speech", "", "speeches that the model was not trained on: the fit is made on these")
	measured := flag.String("measure", "", "speeches on which the fit is measured, and nothing else")
	features := flag.String("features", "", "write the features of -measure to this file and fit nothing")
	path := flag.String("weights", "", "weights file; the one of this binary otherwise")
	out := flag.String("out", "", "file to write")
	flag.Parse()
	file := weights.Verifier
	if *path != "" {
		var err error
		if file, err = os.ReadFile(*path); err != nil {
			return err
		}
	}
	vocab, err := transformer.LoadVocab(weights.Vocab)
	if err != nil {
		return err
	}
	model, err := nli.Uncalibrated(vocab, file)
	if err != nil {
		return err
	}
	r := &review.Reviewer{Reader: model}
	if *features != "" {
		cases, err := read(r, *measured)
		if err != nil {
			return err
		}
		return writeJSON(*features, cases)
	}
	cases, err := read(r, *speech)
	if err != nil {
		return err
	}
	fit := fitted(cases)
	sum := sha256.Sum256(file)
	fit.Weighed = hex.EncodeToString(sum[:])
	if *measured != "" {
		others, err := read(r, *measured)
		if err != nil {
			return err
		}
		tell("fitted on", &fit, cases)
		tell("measured on", &fit, others)
	}
	if *out == "" {
		return nil
	}
	return writeJSON(*out, fit)
}

// one is a sentence with its label and what the review found in it.
type one struct {
	X      review.Features `json:"x"`
	Label  string          `json:"label"`
	Kind   string          `json:"kind"`
	Text   string          `json:"text"`
	Vetoed bool            `json:"vetoed"`
	First  bool            `json:"first"` // it begins its speech
}

func read(r *review.Reviewer, path string) ([]one, error) {
	rows, err := llmtest.ReadSpeechFile(path)
	if err != nil {
		return nil, err
	}
	var out []one
	for i := range rows {
		_, outcomes, err := r.Review(context.Background(), rows[i].Draft())
		if err != nil {
			return nil, err
		}
		for k := range outcomes {
			s := rows[i].Sentences[k]
			x, ok := outcomes[k].Features()
			if !ok {
				continue
			}
			kind := s.Kind
			if kind == "" && s.Judge != nil {
				kind = s.Judge.Kind
			}
			out = append(out, one{X: x, Label: s.Label, Kind: kind, Text: s.Text, Vetoed: outcomes[k].Verdict.Final,
				First: k == 0})
		}
	}
	return out, nil
}

func writeJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}
