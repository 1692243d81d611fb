package main

import (
	"context"
	"fmt"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/config"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/prompt"
)

// models are the language models as the settings name them, with their keys. An
// empty URL means that there is none.
func (e *env) models() (llm.Config, error) {
	s := e.settings.LLM
	if !s.Configured() {
		return llm.Config{}, nil
	}
	key, err := s.Key()
	if err != nil {
		return llm.Config{}, usage(err)
	}
	c := llm.Config{Primary: e.provider("primary", s.Provider, key), Temperature: float32(s.Temperature),
		RetryShare: e.settings.Overload.RetryShare, Calls: map[string]llm.Limits{}}
	if s.Secondary.URL != "" {
		second, err := s.SecondaryKey()
		if err != nil {
			return llm.Config{}, usage(err)
		}
		c.Secondary = e.provider("secondary", s.Secondary, second)
	}
	for name, call := range s.Calls {
		c.Calls[name] = llm.Limits{Model: call.Model, Timeout: call.Timeout(), MaxTokens: call.MaxTokens}
	}
	return c, nil
}

func (e *env) provider(name string, p config.Provider, key config.Secret) llm.Provider {
	return llm.Provider{Name: name, URL: p.URL, Model: p.Model, Key: key.Reveal(), CAFile: p.CAFile,
		Hosts: e.settings.Outbound.Hosts(), PriceIn: p.PriceIn, PriceOut: p.PriceOut}
}

// withModels adds the models to an app's options.
func (e *env) withModels(o app.Options) (app.Options, error) {
	c, err := e.models()
	o.LLM, o.Models = c, e.modelFailed
	o.Asking = model.Options{CitationQuery: e.settings.LLM.CitationQuery, Rerank: e.settings.LLM.Rerank,
		Memories: e.settings.LLM.Memories, Compact: e.settings.LLM.Compact,
		SourceTokens: e.settings.LLM.SourceTokens, CompactedTokens: e.settings.LLM.CompactedTokens}
	if j := e.settings.Grounding.Judge; err == nil && j.URL != "" {
		var key config.Secret
		if key, err = j.Key(); err != nil {
			return o, usage(err)
		}
		o.JudgeKind = prompt.JudgeKind(j.Kind)
		o.JudgeAt = e.provider("judge", j.Provider, key)
	}
	return o, err
}

// modelFailed logs a model that failed; the line holds no key.
func (e *env) modelFailed(ev llm.Event) {
	e.log.Warn().Str("provider", ev.Provider).Str("call", ev.Name).Msg(ev.Line)
}

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
