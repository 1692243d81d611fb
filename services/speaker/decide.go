package speaker

import (
	"context"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/deed"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/prompt"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// decidingShare is how much of the time left the decision may take.
const decidingShare = 0.3

// decide fills a decision to answer with what the model chooses. It may choose
// among the evidence and the actions that there are, and may keep silent; where
// it fails, what the thoughts rest on is shared.
func decide(ctx context.Context, t *protocol.Turn, npc *world.NPC, a *model.Turn, d *protocol.Decision) error {
	if len(d.Share) == 0 { // the thoughts were all refused: the best evidence is left
		d.Share = ids(t.Evidence[:min(len(t.Evidence), 3)])
	}
	d.Plan = []string{"Say what the evidence says, and no more."}
	if a.Lean() {
		d.Share = ids(t.Evidence)
		return nil
	}
	allowed := deed.Allowed(t.AllowedActions, npc.Actions)
	var choice prompt.Choice
	_, err := a.Ask(ctx, model.Asked{Name: prompt.Decision, Data: a.Scene.Decide(allowed), Share: decidingShare,
		Validate: func(answer []byte) (err error) {
			choice, err = prompt.Decide(answer)
			return err
		}})
	if err != nil {
		return model.GoOn(ctx, t, err)
	}
	choose(t, d, choice)
	d.Actions = meant(t, allowed, choice.Actions)
	return nil
}

// choose takes over what of a choice exists.
func choose(t *protocol.Turn, d *protocol.Decision, c prompt.Choice) {
	if len(c.Plan) > 0 {
		d.Plan = c.Plan
	}
	d.Ask = c.Ask
	if c.Tone != "" {
		d.Tone = c.Tone
	}
	share := existing(t, c.Share)
	switch {
	case len(share) > 0:
		d.Share = share
	case len(c.Share) == 0 && len(c.Withhold) > 0:
		d.Kind, d.Share = protocol.KindWithhold, nil
	}
	for _, w := range c.Withhold {
		d.Withhold = append(d.Withhold, protocol.Withhold{Topic: w.Topic, Reason: schema.ReasonPolicy})
	}
}

// existing are the ids that name evidence, the state's blocks first: what the
// game says is told whatever a model would rather tell.
func existing(t *protocol.Turn, chosen []string) []string {
	var out []string
	for _, e := range t.Evidence {
		if e.Type == "state" && len(chosen) > 0 {
			out = append(out, e.ID)
		}
	}
	for _, id := range chosen {
		named := slices.ContainsFunc(t.Evidence, func(e protocol.Evidence) bool { return e.ID == id })
		if named && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

func ids(evidence []protocol.Evidence) []string {
	var out []string
	for _, e := range evidence {
		out = append(out, e.ID)
	}
	return out
}

// meant are the actions that a model named, each checked before a word is spoken
// of it. Trust moves by rule alone. A model reads lore, memories and names before it
// chooses, and somebody may have written an order there: only what the player's own
// words ask for is done.
func meant(t *protocol.Turn, allowed []schema.ActionSpec, names []string) []schema.Action {
	var out []schema.Action
	if !wantsDeed(t.Retrieval) || t.Unasked() {
		return nil
	}
	byRule, _ := asked(t.Message, allowed)
	for _, name := range names {
		spec, ok := deed.Find(allowed, name)
		if !ok || name == deed.Trust || name == deed.Tell || name == byRule.Name && wantsDeed(t.Retrieval) ||
			slices.ContainsFunc(out, func(a schema.Action) bool { return a.Name == name }) {
			continue
		}
		if !deed.Concerns(t.Retrieval.Query, spec) {
			continue
		}
		phrase := phraseOf(spec)
		out = append(out, deed.Check(schema.Action{Name: name, Promised: phrase != "", Confirm: spec.Confirm, Phrase: phrase,
			Parameters: deed.Defaults(spec)}, allowed, lore.Facts(t)))
	}
	return out
}
