package deed

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// parameter is one parameter of an action, as far as a message can fill it.
type parameter struct {
	name     string
	kind     string // "enum", "integer", "text", "name", "fixed"
	required bool
	values   []string
	fixed    any
	min, max float64
}

// property is the part of a JSON Schema that a message can fill.
type property struct {
	Type    any      `json:"type"`
	Enum    []any    `json:"enum"`
	Const   any      `json:"const"`
	Default any      `json:"default"`
	Minimum *float64 `json:"minimum"`
	Maximum *float64 `json:"maximum"`
}

// parametersOf are an action's parameters, by name.
func parametersOf(spec schema.ActionSpec) []parameter {
	var s struct {
		Properties map[string]property `json:"properties"`
		Required   []string            `json:"required"`
	}
	if json.Unmarshal(spec.Parameters, &s) != nil {
		return nil
	}
	var out []parameter
	for name, p := range s.Properties {
		out = append(out, parameterOf(name, p, slices.Contains(s.Required, name)))
	}
	slices.SortFunc(out, func(a, b parameter) int { return strings.Compare(a.name, b.name) })
	return out
}

func parameterOf(name string, p property, required bool) parameter {
	out := parameter{name: name, required: required, min: 0, max: 1e6}
	if p.Minimum != nil {
		out.min = *p.Minimum
	}
	if p.Maximum != nil {
		out.max = *p.Maximum
	}
	switch {
	case p.Const != nil:
		out.kind, out.fixed = "fixed", p.Const
	case p.Default != nil:
		out.kind, out.fixed = "fixed", p.Default
	case len(p.Enum) == 1:
		out.kind, out.fixed = "fixed", p.Enum[0]
	case len(p.Enum) > 1:
		out.kind = "enum"
		for _, v := range p.Enum {
			if s, ok := v.(string); ok {
				out.values = append(out.values, s)
			}
		}
	case p.Type == "integer" || p.Type == "number":
		out.kind = "integer"
	case slices.Contains([]string{"text", "memory", "note", "message"}, name):
		out.kind = "text"
	default:
		out.kind = "name"
	}
	return out
}

// called are the ways to name a value: its own words, and what the author adds.
func called(spec schema.ActionSpec, value string) []string {
	out := []string{spaced(value)}
	return append(out, spec.Words[value]...)
}

// usual are phrasings of actions that many games have, beside the author's own.
var usual = map[string][]string{
	"give_quest": {"Give me a quest.", "Do you have any work for me?", "Got a job for me?", "I am looking for work.",
		"Is there anything that I can do for you?", "How can I help?", "I want to make myself useful."},
	"send_message": {"Send a message for me.", "Pass on a message for me.", "Let them know something from me."},
}

// phrasings are how a player may ask for an action.
func phrasings(spec schema.ActionSpec) []string {
	return append(slices.Clone(spec.Phrasings), usual[spec.Name]...)
}

// described is what an action does, in words.
func described(spec schema.ActionSpec) string {
	if spec.Description != "" {
		return spec.Description
	}
	return spaced(spec.Name)
}

// stemsOf are the content words of texts.
func stemsOf(texts ...string) map[string]bool {
	out := map[string]bool{}
	for _, s := range texts {
		for _, w := range text.ContentWords(spaced(s)) {
			out[w] = true
		}
	}
	return out
}
