package main

import (
	"context"
	"fmt"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/mesh"
)

// llmCmd is the switch of all language models of a mesh.
type llmCmd struct {
	On     llmOnCmd     `cmd:"" help:"Let models speak where they are configured."`
	Off    llmOffCmd    `cmd:"" help:"Call no model: turns are answered in the words of the evidence, within a second."`
	Status llmStatusCmd `cmd:"" help:"Say how the switch stands."`
}

type (
	llmOnCmd     struct{}
	llmOffCmd    struct{}
	llmStatusCmd struct{}
)

// Switch is what the commands print as JSON.
type Switch struct {
	LLM     string `json:"llm"` // on or off
	Changed bool   `json:"changed"`
	Mesh    string `json:"mesh"` // its address; empty: none runs, the next start finds the switch so
}

func (c *llmOnCmd) Run(e *env) error     { return e.llmSwitch("on") }
func (c *llmOffCmd) Run(e *env) error    { return e.llmSwitch(mesh.FlagOff) }
func (c *llmStatusCmd) Run(e *env) error { return e.llmSwitch("") }

// switchLimit bounds the command: a broker that takes longer is unfit.
const switchLimit = 10 * time.Second

// llmSwitch sets the switch, or with "" only reads it.
func (e *env) llmSwitch(value string) (err error) {
	t, err := e.switchboard()
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := t.close(); err == nil {
			err = closeErr
		}
	}()
	ctx, cancel := context.WithTimeout(e.ctx, switchLimit)
	defer cancel()
	before, err := t.client.Flag(ctx, mesh.FlagLLM)
	if err != nil {
		return dependency(err)
	}
	state := Switch{LLM: switchState(before), Mesh: t.joined}
	if value != "" {
		if err := t.client.SetFlag(ctx, mesh.FlagLLM, value); err != nil {
			return dependency(err)
		}
		state.Changed, state.LLM = state.LLM != value, value
	}
	if e.json {
		return e.printJSON(state)
	}
	_, err = fmt.Fprintln(e.out, state)
	return err
}

// switchState is on or off: a switch that nobody has set is on.
func switchState(stored string) string {
	if stored == mesh.FlagOff {
		return mesh.FlagOff
	}
	return "on"
}

func (s Switch) String() string {
	where := "on the mesh at " + s.Mesh
	if s.Mesh == "" {
		where = "in this data folder, for the mesh that starts on it next"
	}
	if s.LLM == mesh.FlagOff {
		return "models are off, " + where + ": turns are answered in the words of the evidence; forsooth llm on lets " +
			"models speak again"
	}
	return "models are on, " + where + ": they speak where they are configured"
}

// switchboard is the mesh of --nats or of the data folder, or the folder itself
// where nobody runs one.
func (e *env) switchboard() (*talk, error) {
	address, err := e.running()
	if err != nil {
		return nil, err
	}
	if address == "" && !app.IsFolder(natsFolder(e.settings.Data)) {
		return nil, dependency(fmt.Errorf("no mesh runs on the data folder %s, and none ever did; start one with "+
			"forsooth up, or name one with --data or --nats", e.settings.Data))
	}
	return e.join()
}
