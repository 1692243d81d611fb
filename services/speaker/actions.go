package speaker

import (
	"strings"

	"github.com/forsooth-npc/forsooth/internal/deed"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/relation"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// intended are the actions that rules see in a turn: trust moves with thanks and
// insults, and an action that the player asks for by its own words is proposed.
// Each is checked here, before any word is spoken of it.
func intended(t *protocol.Turn, x *lore.Lore, npc *world.NPC) []schema.Action {
	allowed := deed.Allowed(t.AllowedActions, npc.Actions)
	var out []schema.Action
	if delta := trustStep(t, x.World.RelatingFor(npc)); delta != 0 {
		if spec, ok := deed.Find(allowed, "update_trust"); ok {
			out = append(out, deed.Check(schema.Action{Name: spec.Name,
				Parameters: map[string]any{"delta": float64(delta)}}, allowed, lore.Facts(t)))
		}
	}
	if spec, ok := deed.Find(allowed, deed.Tell); ok {
		if params, ok := deed.Telling(t, x.World); ok {
			phrase := phraseOf(spec)
			out = append(out, deed.Check(schema.Action{Name: spec.Name, Parameters: params, Promised: phrase != "",
				Confirm: spec.Confirm, Phrase: phrase}, allowed, lore.Facts(t)))
		}
	}
	if spec, ok := asked(t.Message, allowed); ok && wantsDeed(t.Retrieval) {
		a := deed.Check(schema.Action{Name: spec.Name, Promised: true, Confirm: spec.Confirm, Phrase: phraseOf(spec),
			Parameters: deed.Defaults(spec)}, allowed, lore.Facts(t))
		out = append(out, a)
	}
	return out
}

// trustStep is how far the tone of the message moves trust: by the world's rules where it
// has any.
func trustStep(t *protocol.Turn, rules world.Relating) int {
	if rules.Trust == nil {
		rules.Trust = map[string]int{world.CauseThanks: 1, world.CauseInsult: -3}
	}
	trust := lore.Trust(t)
	if t.Trust != nil { // the game keeps the trust, and its own bounds for it
		trust = schema.MinTrust
	}
	step, _ := relation.Courtesy(rules, trust, t.Message)
	return step
}

// wantsDeed says whether a message asks for something to be done, and not only
// about it.
func wantsDeed(r *protocol.Retrieval) bool {
	if r.Intent == protocol.IntentAction {
		return true
	}
	for _, w := range text.Words(r.Query) {
		switch w {
		case "give", "take", "need", "want", "work", "job", "task", "quest", "help", "send", "accept", "lend", "bring":
			return true
		}
	}
	return false
}

// asked finds the action whose speech acts the message names: all content words
// of one of its phrases stand in the message, which asks for something to be done.
func asked(message string, allowed []schema.ActionSpec) (schema.ActionSpec, bool) {
	words := text.ContentSet(message)
	for _, w := range text.Words(message) {
		words[text.Stem(w)] = true
	}
	for _, spec := range allowed {
		if spec.Name == deed.Trust || spec.Name == deed.Tell || len(spec.SpeechActs) == 0 {
			continue
		}
		for _, phrase := range append([]string{strings.ReplaceAll(spec.Name, "_", " ")}, spec.SpeechActs...) {
			need := text.ContentWords(phrase)
			have := 0
			for _, w := range need {
				if words[w] {
					have++
				}
			}
			if len(need) >= 2 && have == len(need) {
				return spec, true
			}
		}
	}
	return schema.ActionSpec{}, false
}

// phraseOf is the phrase that an NPC promises an action with.
func phraseOf(spec schema.ActionSpec) string {
	if len(spec.SpeechActs) == 0 {
		return ""
	}
	return spec.SpeechActs[0]
}

// promises are the sentences that speak of checked actions: the first of the
// action's own speech acts, an authored phrase.
func promises(t *protocol.Turn) []protocol.DraftSentence {
	var out []protocol.DraftSentence
	for _, a := range t.Decision.Actions {
		if !a.Promised || !a.Checked {
			continue
		}
		if a.Phrase != "" {
			out = append(out, protocol.DraftSentence{Text: a.Phrase, Authored: true})
		}
	}
	return out
}
