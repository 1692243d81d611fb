package actions

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/forsooth-npc/forsooth/internal/deed"
	"github.com/forsooth-npc/forsooth/internal/intent"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/prompt"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/secrecy"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// actingShare is how much of the time left the choice of actions may take.
const actingShare = 0.6

// add lets the model choose actions that no sentence speaks of, with parameters.
// An action that is promised in words or confirmed by the game was decided before
// the speech, and trust moves by rule alone. What the model chooses passes the
// same check as everything else; where it fails, nothing is added. Where the player
// speaks to the machine behind the NPC, it is not asked.
func add(ctx context.Context, t *protocol.Turn, npc *world.NPC, keeps *secrecy.Guard, a *model.Turn) {
	open := unspoken(t, deed.Allowed(t.AllowedActions, npc.Actions))
	if len(open) == 0 || intent.Read(t.Message).Injected || intent.AddressesMachine(t.Message) {
		return
	}
	var called []prompt.Called
	_, err := a.Ask(ctx, model.Asked{Name: prompt.Actions, Data: a.Scene.Act(open), Share: actingShare,
		Validate: func(answer []byte) (err error) {
			called, err = prompt.Acts(answer)
			return err
		}})
	if err != nil {
		t.Passes[len(t.Passes)-1].Note = err.Error()
		return
	}
	for _, c := range called {
		spec, ok := deed.Find(open, c.Name)
		if !ok || named(t.Decision.Actions, c.Name) {
			continue
		}
		a := deed.Told(schema.Action{Name: c.Name, Parameters: c.Parameters}, spec, t)
		a = deed.Check(a, open, lore.Facts(t))
		if a.Checked && tells(keeps, lore.Facts(t), a.Parameters) {
			a.Checked, a.Refused = false, "a parameter tells what "+npc.Name+" keeps secret"
		}
		t.Decision.Actions = append(t.Decision.Actions, a)
	}
}

// tells says whether what a model wrote into parameters holds a secret: a mail is
// read by somebody, too.
func tells(keeps *secrecy.Guard, facts world.Facts, parameters map[string]any) bool {
	var texts []string
	var collect func(v any)
	collect = func(v any) {
		switch v := v.(type) {
		case string:
			texts = append(texts, v)
		case []any:
			for _, x := range v {
				collect(x)
			}
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				collect(k)
				collect(v[k])
			}
		case float64:
			texts = append(texts, strconv.FormatFloat(v, 'f', -1, 64))
		}
	}
	collect(parameters)
	for i, s := range texts {
		if _, ok := keeps.Look(facts, texts[:i], s); ok {
			return true
		}
	}
	return false
}

// unspoken are the actions that need no word: those without speech acts that the
// game does not confirm and that were not decided on before. The player's words must
// be about them: what a model reads elsewhere, an order among it, moves nobody to act.
func unspoken(t *protocol.Turn, allowed []schema.ActionSpec) []schema.ActionSpec {
	var out []schema.ActionSpec
	for _, spec := range allowed {
		concerns := spec.Name == deed.Tell || deed.Concerns(t.Message, spec)
		if concerns && len(spec.SpeechActs) == 0 && !spec.Confirm && spec.Name != deed.Trust &&
			!named(t.Decision.Actions, spec.Name) {
			out = append(out, spec)
		}
	}
	return out
}

func named(actions []schema.Action, name string) bool {
	return slices.ContainsFunc(actions, func(a schema.Action) bool { return a.Name == name })
}
