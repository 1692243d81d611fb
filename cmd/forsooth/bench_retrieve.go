package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"

	"github.com/forsooth-npc/forsooth/internal/bench"
)

type benchRetrieveCmd struct {
	Docs      int    `help:"Documents of the made-up world, of about four passages each." default:"4095"`
	Seed      uint64 `help:"Another seed, another world." default:"1"`
	Questions int    `help:"Questions asked." default:"200"`
	Random    bool   `help:"Random vectors, so that a very large world is indexed in minutes."`
	Step      string `hidden:"" help:"A process of this bench, as JSON."`
}

// retrieved is what the bench prints.
type retrieved struct {
	Docs   int    `json:"docs"`
	Seed   uint64 `json:"seed"`
	Random bool   `json:"random_vectors"`
	bench.Measured
}

// Run measures the index in process, in processes of its own.
func (c *benchRetrieveCmd) Run(e *env) error {
	if c.Step != "" {
		return c.step(e)
	}
	if c.Docs < 100 || c.Questions < 10 {
		return usage(errors.New("give at least 100 --docs and 10 --questions"))
	}
	self, err := os.Executable()
	if err != nil {
		return dependency(err)
	}
	figures, err := bench.Retrieve(e.ctx, bench.RetrieveOptions{
		Docs: c.Docs, Seed: c.Seed, Questions: c.Questions, Random: c.Random, Server: e.settings.Qdrant.URL != "",
		Step: func(ctx context.Context, step string) *exec.Cmd {
			cmd := exec.CommandContext(ctx, self, c.again(e, "bench", "retrieve", "--step", step)...)
			cmd.Stderr = os.Stderr
			return cmd
		}})
	if err != nil {
		return dependency(err)
	}
	name := "retrieve"
	if e.settings.Qdrant.URL != "" {
		name += ", on a server"
	}
	if c.Random {
		name += ", with vectors of chance in place of the encoder's"
	}
	out := retrieved{Docs: c.Docs, Seed: c.Seed, Random: c.Random, Measured: bench.Measured{Bench: name,
		Figures: figures}}
	if e.json {
		out.Missed = bench.Missed(figures)
		return e.printJSON(out)
	}
	return e.measured(out.Measured)
}

// again are the flags that give a step this one's server; settings file and environment
// reach it by themselves.
func (c *benchRetrieveCmd) again(e *env, args ...string) []string {
	if e.settings.Qdrant.URL != "" {
		args = append(args, "--qdrant", e.settings.Qdrant.URL)
	}
	return args
}

func (c *benchRetrieveCmd) step(e *env) error {
	var s bench.RetrieveStep
	if err := json.Unmarshal([]byte(c.Step), &s); err != nil {
		return usage(err)
	}
	s.Qdrant = e.qdrant()
	r, err := s.Run(e.ctx)
	if err != nil {
		return dependency(err)
	}
	return json.NewEncoder(e.out).Encode(r)
}
