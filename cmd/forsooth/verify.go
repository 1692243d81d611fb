package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

type verifyCmd struct {
	Premise string `help:"What is known." placeholder:"TEXT"`
	Claim   string `help:"What is to be judged." placeholder:"TEXT"`
	Pairs   string `help:"A file of {\"premise\",\"hypothesis\"} a line; - for standard input." placeholder:"FILE.jsonl"`
}

// Run judges one pair, or a file of them.
func (c *verifyCmd) Run(e *env) error {
	switch {
	case c.Pairs != "" && (c.Premise != "" || c.Claim != ""):
		return usage(fmt.Errorf("give --pairs, or --premise with --claim, not both"))
	case c.Pairs != "":
		return c.file(e)
	case c.Premise == "" || c.Claim == "":
		return usage(fmt.Errorf("give --premise and --claim, or --pairs FILE.jsonl"))
	}
	judge, err := e.verifier()
	if err != nil {
		return err
	}
	verdicts, err := judge.Verify(e.ctx, []entail.Pair{{Premise: c.Premise, Hypothesis: c.Claim}})
	if err != nil {
		return failed(err)
	}
	v := verdicts[0]
	if e.json {
		return e.printJSON(v)
	}
	fmt.Fprintf(e.out, "%s  %.2f  by %s\n", v.Label, v.Score, v.Tier)
	if v.Span != "" {
		fmt.Fprintf(e.out, "  span: %s\n", v.Span)
	}
	if v.Why != "" {
		fmt.Fprintf(e.out, "  why:  %s\n", v.Why)
	}
	return nil
}

// verifier is the cascade of a turn.
func (e *env) verifier() (entail.Verifier, error) {
	tiers, err := app.NewVerifier(e.verifying())
	if err != nil {
		return nil, usage(err)
	}
	if tiers.Missing != nil {
		fmt.Fprintf(e.err, "the verifier in process does not load, what stands beside it judges: %v\n", tiers.Missing)
	}
	return tiers, nil
}

// judged is a line of the output of --pairs.
type judged struct {
	Score   float64      `json:"score"`
	Verdict schema.Label `json:"verdict"`
	Tier    string       `json:"tier"`
}

const (
	pairBatch   = 256
	maxPairLine = 4 << 20
)

// file judges a file in batches, in order, and says how fast on standard error.
func (c *verifyCmd) file(e *env) error {
	in := e.in
	if c.Pairs != "-" {
		f, err := os.Open(c.Pairs)
		if err != nil {
			return usage(err)
		}
		defer f.Close() //nolint:errcheck // it was only read
		in = f
	}
	out := bufio.NewWriter(e.out)
	began := time.Now()
	n, err := c.stream(e, in, json.NewEncoder(out))
	if flushErr := out.Flush(); err == nil {
		err = flushErr
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(e.err, "%d pairs in %s, %.0f a second\n", n, time.Since(began).Round(time.Millisecond),
		float64(n)/max(time.Since(began).Seconds(), 1e-9))
	return nil
}

func (c *verifyCmd) stream(e *env, in io.Reader, out *json.Encoder) (int, error) {
	judge, err := e.verifier()
	if err != nil {
		return 0, err
	}
	var batch []entail.Pair
	flush := func() error {
		verdicts, err := judge.Verify(e.ctx, batch)
		if err != nil {
			return failed(err)
		}
		for _, v := range verdicts {
			if err := out.Encode(judged{v.Score, v.Label, v.Tier}); err != nil {
				return err
			}
		}
		batch = batch[:0]
		return e.ctx.Err()
	}
	sc := bufio.NewScanner(in)
	sc.Buffer(make([]byte, 0, 64<<10), maxPairLine)
	n := 0
	for sc.Scan() {
		n++
		var p struct {
			Premise    *string `json:"premise"`
			Hypothesis *string `json:"hypothesis"`
		}
		if err := json.Unmarshal(sc.Bytes(), &p); err != nil || p.Premise == nil || p.Hypothesis == nil {
			return n, usage(fmt.Errorf("%s:%d: is not {\"premise\": …, \"hypothesis\": …}", c.Pairs, n))
		}
		batch = append(batch, entail.Pair{Premise: *p.Premise, Hypothesis: *p.Hypothesis})
		if len(batch) == pairBatch {
			if err := flush(); err != nil {
				return n, err
			}
		}
	}
	if err := sc.Err(); err != nil {
		return n, usage(fmt.Errorf("%s:%d: %w", c.Pairs, n+1, err))
	}
	return n, flush()
}
