// Ablation says what each rule of entailment is worth: on contrast pairs, which differ from
// their evidence in one word, and on natural speech. It scores each pair once, and weighs the
// rules anew without each of them.
//
// cd lab && go run ./ablation -pairs pairs.jsonl,held.jsonl -speech speech.jsonl,tenth.jsonl -page
// ../docs/grounding.md
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/entail/nli"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/transformer"
	"github.com/forsooth-npc/forsooth/weights"
)

func main() {
	pairs := flag.String("pairs", "", "files of contrast pairs, with commas between")
	speech := flag.String("speech", "", "files of natural speech")
	page := flag.String("page", "", "a page that holds the table between two markers; it is printed without one")
	flag.Parse()
	if err := run(context.Background(), strings.Split(*pairs, ","), strings.Split(*speech, ","), *page); err != nil {
		fmt.Fprintln(os.Stderr, "ablation:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, pairs, speech []string, page string) error {
	model, err := open()
	if err != nil {
		return err
	}
	contrast, err := readPairs(pairs)
	if err != nil {
		return err
	}
	natural, err := readSpeech(speech)
	if err != nil {
		return err
	}
	for _, s := range []*set{contrast, natural} {
		if err := s.ask(ctx, model); err != nil {
			return err
		}
	}
	out, err := table(ctx, model.Calibration(), contrast, natural)
	if err != nil {
		return err
	}
	if page == "" {
		fmt.Print(out)
		return nil
	}
	text, err := os.ReadFile(page) //nolint:gosec // the caller's own file
	if err != nil {
		return err
	}
	head, rest, ok := strings.Cut(string(text), begin)
	_, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return errors.New(page + ": does not hold " + begin + " and " + end)
	}
	return os.WriteFile(page, []byte(head+begin+"\n"+out+end+tail), 0o600)
}

// The markers of the table.
const (
	begin = "<!-- ablation -->"
	end   = "<!-- /ablation -->"
)

func open() (*nli.Model, error) {
	vocab, err := transformer.LoadVocab(weights.Vocab)
	if err != nil {
		return nil, err
	}
	return nli.Open(vocab, weights.Verifier)
}

// set is pairs of one kind with what the model says of them.
type set struct {
	pairs []entail.Pair
	true_ []bool
	said  []entail.Probability
}

func (s *set) add(p entail.Pair, supported bool) {
	s.pairs, s.true_ = append(s.pairs, p), append(s.true_, supported)
}

func readPairs(paths []string) (*set, error) {
	s := &set{}
	for _, path := range paths {
		f, err := os.Open(path) //nolint:gosec // the caller's own file
		if err != nil {
			return nil, err
		}
		pairs, err := entail.ReadPairs(path, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
		for i, p := range entail.Unlabelled(pairs) {
			s.add(p, pairs[i].Supported())
		}
	}
	return s, nil
}

// readSpeech puts each claim beside what it cites, or beside all that was shown where it
// cites nothing.
func readSpeech(paths []string) (*set, error) {
	s := &set{}
	for _, path := range paths {
		rows, err := llmtest.ReadSpeechFile(path)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			for _, said := range rows[i].Sentences {
				if said.Label != llmtest.NoClaim {
					s.add(entail.Pair{Premise: shown(&rows[i], said.Cites), Hypothesis: said.Text,
						Names: entail.Names{Self: rows[i].Name, Writer: entail.Stranger}},
						said.Label == llmtest.Supported)
				}
			}
		}
	}
	return s, nil
}

func shown(r *llmtest.Speech, cites []string) string {
	var out []string
	for _, e := range r.Evidence {
		if len(cites) == 0 || slices.Contains(cites, e.ID) {
			out = append(out, e.Text)
		}
	}
	if len(cites) == 0 || slices.Contains(cites, "self") {
		out = append(out, r.Self)
	}
	return strings.Join(out, " ")
}

func (s *set) ask(ctx context.Context, model *nli.Model) (err error) {
	texts := make([][2]string, len(s.pairs))
	for i, p := range s.pairs {
		texts[i][0], texts[i][1] = p.Spoken()
	}
	s.said, err = model.Probabilities(ctx, texts)
	return err
}
