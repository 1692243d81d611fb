package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

type checkCmd struct {
	Text       string   `help:"What is to be checked; standard input otherwise." placeholder:"TEXT"`
	Source     []string `help:"What claims may rest on; again for more." placeholder:"TEXT" sep:"none"`
	SourceFile []string `help:"A file that holds such a text; again for more." placeholder:"FILE" sep:"none" type:"path"`
	Ratio      *float64 `name:"max-unverifiable" help:"Share that may be unverifiable; 0.5 otherwise." placeholder:"SHARE"`
	Judge      bool     `help:"Have the language model of the running mesh look at claims that stay open."`
}

// Run says which claims of a text its sources support: 0 where it is grounded, 1 where it
// is not.
func (c *checkCmd) Run(e *env) error {
	q, err := c.query(e.in)
	if err != nil {
		return usage(err)
	}
	result, err := c.ask(e, q)
	if err != nil {
		return err
	}
	if e.json {
		err = e.printJSON(result)
	} else {
		err = printCheck(e.out, result)
	}
	if err == nil && !result.Grounded {
		err = failed(errSilent)
	}
	return err
}

// query is what the flags and standard input ask.
func (c *checkCmd) query(in io.Reader) (schema.CheckQuery, error) {
	q := schema.CheckQuery{Text: c.Text, MaxUnverifiableRatio: c.Ratio, Judge: c.Judge}
	if len(c.Source)+len(c.SourceFile) == 0 {
		return q, errors.New("there is nothing to hold the text against; give --source TEXT or --source-file FILE")
	}
	for i, s := range c.Source {
		q.Sources = append(q.Sources, schema.CheckSource{ChunkID: fmt.Sprintf("source-%d", i), Content: s})
	}
	for _, name := range c.SourceFile {
		data, err := readable(name)
		if err != nil {
			return q, err
		}
		q.Sources = append(q.Sources, schema.CheckSource{ChunkID: name, Content: string(data)})
	}
	if q.Text == "" {
		if f, is := in.(*os.File); is && isTerminal(f) {
			return q, errors.New("there is no text; give --text TEXT, or write it to standard input")
		}
		data, err := io.ReadAll(io.LimitReader(in, schema.MaxCheckText+1))
		if err != nil {
			return q, fmt.Errorf("read the text from standard input: %w", err)
		}
		q.Text = string(data)
	}
	if !utf8.ValidString(q.Text) {
		return q, errors.New("the text is not valid UTF-8")
	}
	return q, q.Validate()
}

// ask has this process judge, or the mesh where its language model is wanted.
func (c *checkCmd) ask(e *env, q schema.CheckQuery) (*schema.CheckResult, error) {
	if c.Judge {
		return c.askMesh(e, q)
	}
	tiers, err := app.NewVerifier(e.verifying())
	if err != nil {
		return nil, usage(err)
	}
	defer tiers.Close()
	if tiers.Missing != nil {
		fmt.Fprintf(e.err, "the verifier in process does not load, what stands beside it judges: %v\n", tiers.Missing)
	}
	result, err := tiers.Checker(e.verifying()).Check(e.ctx, q)
	return &result, failed(err)
}

func (c *checkCmd) askMesh(e *env, q schema.CheckQuery) (*schema.CheckResult, error) {
	address, err := e.running()
	if err != nil {
		return nil, err
	}
	if address == "" {
		return nil, usage(errors.New("--judge asks a running mesh, and none runs; start forsooth up, name one with " +
			"--nats, or leave --judge out"))
	}
	t, err := e.dial(address, nil)
	if err != nil {
		return nil, err
	}
	defer t.close() //nolint:errcheck // nothing was written
	result, err := t.client.CheckGrounding(e.ctx, q)
	return result, dependency(err)
}

// printCheck prints each claim with what decided it, and the whole as the last line.
func printCheck(out io.Writer, r *schema.CheckResult) error {
	var b strings.Builder
	for i := range r.Claims {
		k := &r.Claims[i]
		fmt.Fprintf(&b, "%-12s  %.2f  by %s  %s\n", k.Verdict, k.Confidence, k.Tier, k.Claim)
		if k.Best != nil && k.Best.Span != "" {
			fmt.Fprintf(&b, "  %s: %s\n", k.Best.ChunkID, k.Best.Span)
		}
		if k.Why != "" {
			fmt.Fprintf(&b, "  why: %s\n", k.Why)
		}
	}
	if r.Judge != "" {
		fmt.Fprintf(&b, "the judge: %s\n", r.Judge)
	}
	verdict := "grounded"
	if !r.Grounded {
		verdict = "not grounded, " + r.Reason
	}
	fmt.Fprintf(&b, "%s: %s\n", r.Summary, verdict)
	_, err := io.WriteString(out, b.String())
	return err
}
