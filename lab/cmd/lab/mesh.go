package main

import (
	"errors"
	"os"
	"os/exec"

	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/internal/mesh/meshbench"
	"github.com/forsooth-npc/forsooth/lab/trials"
)

type meshCmd struct {
	Turns         int  `help:"Turns of all conversations, in each round of each chain." default:"2000"`
	Conversations int  `help:"Conversations at once." default:"64"`
	Bytes         int  `help:"Bytes of each hop's message." default:"8192"`
	Rounds        int  `help:"Rounds of each setting; the middle one counts." default:"3"`
	Short         bool `help:"Few turns, one round, workers 1 and 64: a minute."`
}

// Run measures the mesh alone.
func (c *meshCmd) Run(e *env) error {
	if c.Conversations < 1 || c.Turns < c.Conversations || c.Bytes < 1024 || c.Bytes > 200<<10 || c.Rounds < 1 {
		return usage(errors.New("--turns is at least --conversations, --bytes lies between 1024 and 204800, --rounds is " +
			"at least 1"))
	}
	self, err := os.Executable()
	if err != nil {
		return dependency(err)
	}
	o := trials.MeshOptions{Rounds: c.Rounds, Short: c.Short, Said: e.said}
	o.Options = meshbench.Options{Turns: c.Turns, Conversations: c.Conversations, Bytes: c.Bytes,
		Spawn: func(node string) *exec.Cmd {
			cmd := exec.Command(self, "node", node)
			cmd.Stderr = os.Stderr
			return cmd
		}}
	r, err := trials.Mesh(e.ctx, o)
	if err != nil {
		return dependency(err)
	}
	if e.json {
		return e.printJSON(r)
	}
	e.heading("mesh")
	r.Print(e.out)
	return bench.Print(e.out, r.Figures)
}

type nodeCmd struct {
	Node string `arg:"" help:"What it does, as JSON."`
}

// Run works until its input ends.
func (c *nodeCmd) Run(e *env) error {
	return meshbench.Serve(e.ctx, c.Node, os.Stdin, e.out)
}
