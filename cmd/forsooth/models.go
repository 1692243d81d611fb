package main

import (
	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/config"
	"github.com/forsooth-npc/forsooth/internal/llm"
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
