// Package deed reads which of an NPC's actions a message asks for, and checks the
// actions that an NPC means to take: that they are allowed, that their parameters fit
// the action's JSON Schema, that what they require holds. The same pure check runs
// before a word is spoken of an action and again when it is proposed. The reading is
// three small models over sentence vectors and cues, fitted by lab/deedfit; it allows
// nothing. The package carries nothing out: the game does.
package deed

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Trust is the action by which an NPC's trust in a player moves.
const Trust = "update_trust"

// Allowed are the actions an NPC may take in a turn: the message's list where it
// gives one, else the NPC's own.
func Allowed(message, own []schema.ActionSpec) []schema.ActionSpec {
	if len(message) > 0 {
		return message
	}
	return own
}

// Find is the declaration of an action.
func Find(allowed []schema.ActionSpec, name string) (schema.ActionSpec, bool) {
	i := slices.IndexFunc(allowed, func(a schema.ActionSpec) bool { return a.Name == name })
	if i < 0 {
		return schema.ActionSpec{}, false
	}
	return allowed[i], true
}

// Check says whether an action may be taken; the answer stands in the action.
func Check(a schema.Action, allowed []schema.ActionSpec, facts world.Facts) schema.Action {
	err := check(a, allowed, facts)
	a.Checked, a.Refused = err == nil, ""
	if err != nil {
		a.Refused = err.Error()
	}
	return a
}

func check(a schema.Action, allowed []schema.ActionSpec, facts world.Facts) error {
	spec, ok := Find(allowed, a.Name)
	if !ok {
		return fmt.Errorf("%s is not an action of this turn", a.Name)
	}
	if spec.Requires != "" {
		c, err := world.ParseCondition(spec.Requires)
		if err != nil {
			return fmt.Errorf("requires of %s: %w", a.Name, err)
		}
		if !c.Holds(facts) {
			return fmt.Errorf("%s requires %s", a.Name, spec.Requires)
		}
	}
	if a.Name == Trust {
		if err := checkTrust(a); err != nil {
			return err
		}
	}
	if a.Name == Tell {
		if err := checkTell(a); err != nil {
			return err
		}
	}
	return checkParameters(a, spec)
}

func checkTrust(a schema.Action) error {
	d, ok := a.Parameters["delta"].(float64)
	if !ok || d < -schema.MaxTrustStep || d > schema.MaxTrustStep {
		return fmt.Errorf("%s: delta must be a number from -%d to %d", Trust, schema.MaxTrustStep, schema.MaxTrustStep)
	}
	return nil
}

// checkParameters holds the parameters against the action's JSON Schema.
func checkParameters(a schema.Action, spec schema.ActionSpec) error {
	if len(spec.Parameters) == 0 || string(spec.Parameters) == "null" {
		return nil
	}
	compiled, err := compile(spec)
	if err != nil {
		return err
	}
	params := map[string]any{}
	for k, v := range a.Parameters {
		params[k] = v
	}
	if err := compiled.Validate(params); err != nil {
		return fmt.Errorf("parameters of %s: %s", a.Name, oneLine(err))
	}
	return nil
}

func compile(spec schema.ActionSpec) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(spec.Parameters)))
	if err != nil {
		return nil, fmt.Errorf("parameters of %s are not a JSON Schema: %w", spec.Name, err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	const url = "action.json"
	if err := c.AddResource(url, doc); err != nil {
		return nil, fmt.Errorf("parameters of %s: %w", spec.Name, err)
	}
	s, err := c.Compile(url)
	if err != nil {
		return nil, fmt.Errorf("parameters of %s are not a JSON Schema: %s", spec.Name, oneLine(err))
	}
	return s, nil
}

// noLoader keeps a schema of a message from making this process fetch a URL or
// read a file.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("$ref to %s is not followed; write the schema in one piece", url)
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// Defaults are the parameters that a schema fixes by itself: const, default, and
// an enum of one.
func Defaults(spec schema.ActionSpec) map[string]any {
	var s struct {
		Properties map[string]struct {
			Const   any   `json:"const"`
			Default any   `json:"default"`
			Enum    []any `json:"enum"`
		} `json:"properties"`
	}
	if json.Unmarshal(spec.Parameters, &s) != nil {
		return nil
	}
	out := map[string]any{}
	for name, p := range s.Properties {
		switch {
		case p.Const != nil:
			out[name] = p.Const
		case p.Default != nil:
			out[name] = p.Default
		case len(p.Enum) == 1:
			out[name] = p.Enum[0]
		}
	}
	return out
}

// values are the words that an action's parameters may have for values.
func values(spec schema.ActionSpec) string {
	var s struct {
		Properties map[string]struct {
			Const any   `json:"const"`
			Enum  []any `json:"enum"`
		} `json:"properties"`
	}
	if json.Unmarshal(spec.Parameters, &s) != nil {
		return ""
	}
	var out []string
	for _, p := range s.Properties {
		for _, v := range append(p.Enum, p.Const) {
			if word, ok := v.(string); ok {
				out = append(out, word)
			}
		}
	}
	return strings.Join(out, " ")
}
