package relation

import (
	"cmp"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/deed"
	"github.com/forsooth-npc/forsooth/internal/intent"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Words alone lift trust only so far: thanks to a mild liking, an apology to nothing bad.
const (
	mostByThanks  = 10
	mostByApology = 0
)

// Courtesy is the step that a message's tone makes, and its cause; 0 where it makes none.
func Courtesy(rules world.Relating, trust int, message string) (step int, cause string) {
	tone := intent.ToneOf(message)
	for _, c := range []struct {
		is    bool
		cause string
		most  int
	}{
		{tone.Threat, world.CauseThreat, schema.MaxTrust}, {tone.Insult, world.CauseInsult, schema.MaxTrust},
		{tone.Apology, world.CauseApology, mostByApology}, {tone.Thanks, world.CauseThanks, mostByThanks},
	} {
		step := rules.Trust[c.cause]
		if !c.is || step == 0 {
			continue
		}
		if step > 0 {
			step = max(0, min(step, c.most-trust))
		}
		return step, c.cause
	}
	return 0, ""
}

// Limits of what a conversation keeps.
const (
	keptSteps  = 16
	keptLedger = 32
)

// Take changes a conversation by a stored reply: the trust by the message's tone and by
// checked actions, the ledger by checked actions. What a player only claims changes nothing.
func Take(c *schema.Conversation, r *schema.Reply, rules world.Relating) {
	steps, moved := actionSteps(r, rules), false
	for _, a := range r.Actions {
		moved = moved || a.Checked && a.Name == deed.Trust
	}
	if !moved && r.Status != schema.StatusAborted {
		if by, cause := Courtesy(rules, c.Trust, r.Message); by != 0 {
			steps = append(steps, schema.TrustStep{By: by, Why: cause, Text: r.Message})
		}
	}
	sum := 0
	for i := range steps {
		sum += steps[i].By
		steps[i].TurnID, steps[i].At = r.TurnID, r.AcceptedAt
		if r.GameTime != nil {
			steps[i].At = *r.GameTime
		}
		if len(steps[i].Text) > 160 {
			steps[i].Text = ""
		}
	}
	c.Trust = clamp(c.Trust + min(max(sum, -schema.MaxTrustStep), schema.MaxTrustStep))
	c.Steps = append(c.Steps, steps...)
	c.Steps = slices.Clone(c.Steps[max(0, len(c.Steps)-keptSteps):])
	c.Ledger = append(c.Ledger, favoursOf(r, rules)...)
	c.Ledger = slices.Clone(c.Ledger[max(0, len(c.Ledger)-keptLedger):])
	if len(c.Steps) == 0 {
		c.Steps = nil
	}
	if len(c.Ledger) == 0 {
		c.Ledger = nil
	}
	c.Opinion = Opinion(c.Trust)
}

// actionSteps are the steps of checked actions: update_trust by its delta, others by rule.
func actionSteps(r *schema.Reply, rules world.Relating) []schema.TrustStep {
	var out []schema.TrustStep
	for _, a := range r.Actions {
		if !done(a) {
			continue
		}
		step := schema.TrustStep{By: rules.Trust["action."+a.Name], Why: "action." + a.Name}
		if a.Name == deed.Trust {
			d, _ := a.Parameters["delta"].(float64)
			step.By = min(max(int(d), -schema.MaxTrustStep), schema.MaxTrustStep)
			_, step.Why = Courtesy(rules, schema.MinTrust, r.Message)
			step.Why = cmp.Or(step.Why, "action."+a.Name)
		}
		if step.By != 0 {
			out = append(out, step)
		}
	}
	return out
}

// done says whether an action was taken. One that the game is to confirm counts once it has.
func done(a schema.Action) bool {
	return a.Checked && a.Refused == "" && (!a.Confirm || a.Confirmed)
}

func favoursOf(r *schema.Reply, rules world.Relating) []schema.Favour {
	var out []schema.Favour
	for _, a := range r.Actions {
		for _, rule := range rules.Favours {
			if !done(a) || rule.On != "action."+a.Name {
				continue
			}
			f := schema.Favour{What: cmp.Or(rule.What, strings.ReplaceAll(a.Name, "_", " ")), Owes: rule.Owes,
				Settles: rule.Settles, TurnID: r.TurnID, Source: schema.OriginSystem, At: r.AcceptedAt}
			if r.GameTime != nil {
				f.At = *r.GameTime
			}
			out = append(out, f)
		}
	}
	return out
}
