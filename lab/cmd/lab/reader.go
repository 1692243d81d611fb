package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/internal/entail"
)

type readerCmd struct {
	File string `arg:"" help:"Questions on stories with windows that answer or do not." placeholder:"FILE.jsonl.gz"`
}

// story is a question with its windows. Training leaves out one story in five, by the checksum of its name
// (sidecar/nli/train/draw.py): on those the reader is measured.
type story struct {
	Question string `json:"question"`
	Group    string `json:"group"`
	Passages []struct {
		Text    string `json:"text"`
		Answers int    `json:"answers"`
	} `json:"passages"`
}

func (s *story) held() bool { return crc32.ChecksumIEEE([]byte(s.Group))%5 == 0 }

// The bars of the reader.
const (
	leastFirst = 0.80
	leastAUROC = 0.90
)

// Run measures what the reader makes of stories that it was not trained on.
func (c *readerCmd) Run(e *env) error {
	stories, err := readStories(c.File)
	if err != nil {
		return usage(err)
	}
	model, err := app.NLI()
	if err != nil {
		return dependency(fmt.Errorf("the verifier in process does not load: %w", err))
	}
	var good, bad []float64
	first := 0
	for _, s := range stories {
		texts := make([]string, len(s.Passages))
		for i, p := range s.Passages {
			texts[i] = p.Text
		}
		scores, err := model.Answers(e.ctx, s.Question, texts)
		if err != nil {
			return err
		}
		best := 0
		for i, p := range s.Passages {
			if scores[i] > scores[best] {
				best = i
			}
			if p.Answers > 0 {
				good = append(good, scores[i])
			} else {
				bad = append(bad, scores[i])
			}
		}
		first += s.Passages[best].Answers
	}
	return e.measured(bench.Measured{Bench: "reader, " + filepath.Base(c.File), Figures: []bench.Figure{
		bench.Plain("questions", float64(len(stories)), ""),
		bench.Plain("windows", float64(len(good)+len(bad)), ""),
		bench.AtLeast("right window first", float64(first)/float64(len(stories)), "share", leastFirst),
		bench.AtLeast("AUROC", entail.AUROC(good, bad), "", leastAUROC),
	}})
}

// readStories are the questions of the stories that were held out.
func readStories(name string) (out []story, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var s story
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		if len(s.Passages) > 0 && s.held() {
			out = append(out, s)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: holds no question of a story that training leaves out", name)
	}
	return out, nil
}
