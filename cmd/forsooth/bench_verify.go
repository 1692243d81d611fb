package main

import (
	"fmt"
	"os"

	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/internal/entail"
)

type benchVerifyCmd struct {
	Rounds int    `help:"Timed batches of each engine." default:"7"`
	Batch  int    `help:"Pairs of a batch." default:"16"`
	Python string `help:"An interpreter with onnxruntime, to measure beside the same weights there." placeholder:"PATH"`
	Script string `help:"With --python: what it runs." default:"sidecar/nli/train/bench_onnx.py" placeholder:"FILE"`
	Pairs  string `help:"Also judge a file of labelled pairs, one a line." placeholder:"FILE.jsonl"`
}

// verified is what the bench prints.
type verified struct {
	bench.Measured
	ByKind []entail.KindFigures `json:"by_kind"`
}

// Run measures the verifier in process.
func (c *benchVerifyCmd) Run(e *env) error {
	if c.Rounds < 1 || c.Batch < 1 {
		return usage(fmt.Errorf("--rounds %d, --batch %d: give one or more of each", c.Rounds, c.Batch))
	}
	pairs, err := c.pairs()
	if err != nil {
		return usage(err)
	}
	figures, err := bench.Verify(e.ctx,
		bench.VerifyOptions{Rounds: c.Rounds, Batch: c.Batch, Python: c.Python, Script: c.Script})
	if err != nil {
		return dependency(err)
	}
	out := verified{Measured: bench.Measured{Bench: "verify", Figures: figures}, ByKind: []entail.KindFigures{}}
	if len(pairs) > 0 {
		judge, err := e.verifier()
		if err != nil {
			return err
		}
		more, worth, err := bench.Judgement(e.ctx, judge, pairs)
		if err != nil {
			return failed(err)
		}
		out.Figures, out.ByKind = append(out.Figures, more...), worth.ByKind
	}
	return e.verified(out)
}

// pairs are those of --pairs, read before anything is measured.
func (c *benchVerifyCmd) pairs() ([]entail.LabelledPair, error) {
	if c.Pairs == "" {
		return nil, nil
	}
	f, err := os.Open(c.Pairs)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	pairs, err := entail.ReadPairs(c.Pairs, f)
	if err == nil && len(pairs) == 0 {
		err = fmt.Errorf("%s: holds no pairs", c.Pairs)
	}
	return pairs, err
}

func (e *env) verified(v verified) error {
	if e.json {
		v.Missed = bench.Missed(v.Figures)
		return e.printJSON(v)
	}
	if err := e.measured(v.Measured); err != nil || len(v.ByKind) == 0 {
		return err
	}
	fmt.Fprintf(e.out, "\n  %-14s %-32s %6s %9s %13s\n", "", "kind", "pairs", "accepted", "contradicted")
	for _, k := range v.ByKind {
		label := "not supported"
		if k.Supported {
			label = "supported"
		}
		if _, err := fmt.Fprintf(e.out, "  %-14s %-32s %6d %9.3f %13.3f\n", label, k.Kind, k.Pairs, k.Accepted,
			k.Denied); err != nil {
			return err
		}
	}
	return nil
}
