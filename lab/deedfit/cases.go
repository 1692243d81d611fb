package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/forsooth-npc/forsooth/internal/deed"
	"github.com/forsooth-npc/forsooth/internal/eval"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// phrasing is a message to a made-up NPC, with what is wanted of it.
type phrasing struct {
	Who     string           `yaml:"who"`
	Actions []map[string]any `yaml:"actions"`
	Trust   int              `yaml:"trust"`
	State   map[string]any   `yaml:"state"`
	Before  string           `yaml:"before"`
	Say     string           `yaml:"say"`
	Want    eval.DeedWant    `yaml:"want"`

	specs []schema.ActionSpec
}

// asked is the listed action that the message asks for, done or not.
func asked(w eval.DeedWant) string {
	if w.Reason == schema.RefusedNotMine {
		return ""
	}
	return cmp.Or(w.Action, w.Ask, w.Refuse)
}

func read(path string) ([]phrasing, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out []phrasing
	if err := yaml.Unmarshal(data, &out); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for i := range out {
		for _, a := range out[i].Actions {
			body, err := json.Marshal(a)
			if err != nil {
				return nil, err
			}
			var spec schema.ActionSpec
			if err := json.Unmarshal(body, &spec); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", path, out[i].Who, err)
			}
			out[i].specs = append(out[i].specs, spec)
		}
	}
	return out, nil
}

func (p phrasing) asked() deed.Asked {
	who, line, _ := strings.Cut(p.Before, ": ")
	return deed.Asked{Message: p.Say, Before: line, ByNPC: who == "npc"}
}

func (p phrasing) facts() world.Facts {
	f := world.Facts{Trust: p.Trust, State: map[string]any{}}
	for key, v := range p.State {
		if name, ok := strings.CutPrefix(key, "flags."); ok {
			if v == true {
				f.Flags = append(f.Flags, name)
			}
		} else {
			f.State[strings.TrimPrefix(key, "state.")] = v
		}
	}
	return f
}

// examples is how many other phrasings of an action stand in as the author's own.
const examples = 4

// authored are the NPC's actions with phrasings, as an author would give some: those of
// the other messages that want the action.
func authored(all []phrasing, i int) []schema.ActionSpec {
	var out []schema.ActionSpec
	for _, spec := range all[i].specs {
		for j := range all {
			k := (i + 1 + j) % len(all)
			if k != i && all[k].Who == all[i].Who && all[k].Want.Action == spec.Name && all[k].Before == "" &&
				len(spec.Phrasings) < examples {
				spec.Phrasings = append(spec.Phrasings, all[k].Say)
			}
		}
		out = append(out, spec)
	}
	return out
}
