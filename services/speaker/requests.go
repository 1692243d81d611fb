package speaker

import (
	"context"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/deed"
	"github.com/forsooth-npc/forsooth/internal/extractive"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Requests reads what a player asks an NPC to do.
type Requests interface {
	Read(ctx context.Context, asked deed.Asked, specs []schema.ActionSpec) (deed.Reading, error)
}

// requested understands a request in ordinary words where no model does. The action that
// it adds is checked like every other; what is not done is refused with its reason, or
// asked back.
func (s *Service) requested(ctx context.Context, t *protocol.Turn, x *lore.Lore, npc *world.NPC,
	d *protocol.Decision) error {
	if s.requests == nil || s.model.For(ctx, t, x, npc) != nil || !open(t.Retrieval) {
		return nil
	}
	named := slices.IndexFunc(d.Actions, func(a schema.Action) bool { return a.Promised })
	if named >= 0 && d.Actions[named].Checked {
		d.Deed = &schema.Deed{Outcome: schema.DeedTaken, Action: d.Actions[named].Name,
			Parameters: d.Actions[named].Parameters, Meant: 1}
		return nil
	}
	specs := slices.DeleteFunc(slices.Clone(deed.Allowed(t.AllowedActions, npc.Actions)),
		func(a schema.ActionSpec) bool { return a.Name == deed.Trust || a.Name == deed.Tell })
	r, err := s.requests.Read(ctx, saidBefore(t), specs)
	if err != nil {
		return err
	}
	if named >= 0 && r.Kind != deed.Act { // the action's own words stand in the message
		r.Spec, _ = deed.Find(specs, d.Actions[named].Name)
		r.Kind, r.Meant = deed.Unclear, 1
	}
	d.Deed = became(r, lore.Facts(t))
	if d.Deed == nil || d.Deed.Outcome != schema.DeedTaken {
		return nil
	}
	phrase := phraseOf(r.Spec)
	a := deed.Check(schema.Action{Name: r.Spec.Name, Parameters: r.Parameters, Promised: phrase != "",
		Confirm: r.Spec.Confirm, Phrase: phrase}, specs, lore.Facts(t))
	if !a.Checked { // the last gate holds against whatever was read
		d.Deed = nil
		return nil
	}
	d.Actions = append(slices.DeleteFunc(d.Actions, func(o schema.Action) bool { return o.Name == a.Name }), a)
	return nil
}

// open says whether a message of this kind may ask for a deed.
func open(r *protocol.Retrieval) bool {
	switch r.Intent {
	case protocol.IntentInjection, protocol.IntentRecap, protocol.IntentRelation, protocol.IntentThanks,
		protocol.IntentGreeting, protocol.IntentFarewell, protocol.IntentKindness, protocol.IntentWhoAreYou,
		protocol.IntentFeelings:
		return false
	}
	return true
}

// saidBefore is the message with the lines before it.
func saidBefore(t *protocol.Turn) deed.Asked {
	out := deed.Asked{Message: t.Message}
	if t.Convo == nil {
		return out
	}
	for i := len(t.Convo.Memory) - 1; i >= 0; i-- {
		l := t.Convo.Memory[i]
		switch {
		case l.TurnID == t.TurnID:
		case out.Before == "":
			out.Before, out.ByNPC = l.Text, l.Speaker == "npc"
		case l.Speaker == "player":
			out.Earlier = l.Text
			return out
		}
	}
	return out
}

// became is what a request comes to while things are as they are.
func became(r deed.Reading, facts world.Facts) *schema.Deed {
	d := &schema.Deed{Action: r.Spec.Name, Meant: r.Meant}
	switch unmet := deed.Unmet(r.Spec, facts); {
	case r.Kind == deed.NothingAsked:
		return nil
	case r.Kind == deed.NotMine:
		d.Outcome, d.Reason, d.Action = schema.DeedRefused, schema.RefusedNotMine, ""
	case unmet != "":
		d.Outcome, d.Reason = schema.DeedRefused, unmet
	case r.Kind == deed.Act:
		d.Outcome, d.Parameters = schema.DeedTaken, r.Parameters
	default:
		d.Outcome, d.Parameters, d.Missing = schema.DeedAsked, r.Parameters, r.Missing
	}
	return d
}

// reply is the line to a request that is not done, false where there is none. It takes the
// place of an answer from evidence where the request is plain.
func reply(t *protocol.Turn, npc *world.NPC) (protocol.DraftSentence, bool) {
	d := t.Decision.Deed
	if d == nil || d.Outcome == schema.DeedTaken {
		return protocol.DraftSentence{}, false
	}
	if t.Decision.Kind == protocol.KindAnswer && d.Meant < plainly {
		return protocol.DraftSentence{}, false
	}
	kind := map[string]string{schema.RefusedTrust: world.LineDeedTrust, schema.RefusedRequires: world.LineDeedRequires,
		schema.RefusedNotMine: world.LineDeedNotMine, "": world.LineDeedAsk}[d.Reason]
	if kind == world.LineDeedAsk {
		spec, _ := deed.Find(deed.Allowed(t.AllowedActions, npc.Actions), d.Action)
		if len(spec.Asks) > 0 {
			line := extractive.Pick(spec.Asks, t.TurnID, func(string) bool { return false })
			return protocol.DraftSentence{Text: line, Authored: true}, true
		}
	}
	return extractive.Authored(npc, kind, t), true
}

// plainly is how likely an action must be meant for the request to be no question.
const plainly = 0.9
