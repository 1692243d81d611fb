package world

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// frameFile is the world's own file; an error in it keeps the world from loading.
const frameFile = "world.yaml"

// readFrame reads world.yaml.
func readFrame(l *log, data []byte) *World {
	w := &World{NPCs: map[string]*NPC{}}
	f, ok := newFields(l, data)
	if !ok {
		return w
	}
	w.Name = f.need("name", "the id of the world, such as hollowmere")
	if w.Name != "" {
		if err := schema.CheckToken("name", w.Name); err != nil {
			f.wrong("name", "%s", strings.TrimPrefix(err.Error(), "name: "))
		}
	}
	w.Title = f.text("title")
	if w.Title == "" {
		w.Title = w.Name
	}
	w.Language = f.text("language")
	if w.Language == "" {
		w.Language = "en"
	}
	w.License, w.Source = f.text("license"), f.text("source")
	w.DefaultNPC = f.text("default_npc")
	w.Depth = readDepth(f)
	w.Now = f.time("now")
	if b := f.boolean("strict"); b != nil {
		w.Strict = *b
	}
	w.Streaming = f.boolean("streaming")
	w.Policy, w.Smalltalk = readPolicy(f), readSmalltalk(f)
	w.Thresholds = f.thresholds()
	w.Moderation, w.Budget = f.json("moderation"), readBudget(f)
	w.SourcePolicy = readSourcePolicy(f)
	w.Factions, w.Relating = f.list("factions"), readRelating(f)
	for _, r := range w.Relating.Standing {
		if msg := w.CheckFaction(r.Faction); msg != "" {
			f.wrong("standing", "%s", msg)
		}
	}
	f.warnUnknown()
	return w
}

// readSourcePolicy takes a policy that narrows the default and refuses any other.
func readSourcePolicy(f *fields) map[string][]schema.Origin {
	policy := DefaultSourcePolicy()
	sub, ok := f.mapping("source_policy")
	if !ok {
		return policy
	}
	for _, name := range sub.keys {
		widest, known := policy[name]
		given := sub.list(name)
		if !known {
			sub.wrong(name, "is no policy; there are world, state, shared_past and recap")
			continue
		}
		narrowed := []schema.Origin{}
		for _, origin := range given {
			switch o := schema.Origin(origin); {
			case o == schema.OriginModel:
				sub.wrong(name, "lists model: what a model wrote is never evidence; take it out")
			case !slices.Contains(widest, o):
				sub.wrong(name, "lists %s; a world may only narrow %s", origin, originList(widest))
			default:
				narrowed = append(narrowed, o)
			}
		}
		policy[name] = narrowed
	}
	if sub.has(PolicyRecap) {
		for _, o := range policy[PolicyRecap] {
			if past := string(schema.ClaimSharedPast); !slices.Contains(policy[past], o) {
				sub.log.warnf(sub.at(PolicyRecap), "`source_policy.recap` lists %s and `source_policy.%s` does not: "+
					"a quoted line is of the shared past, so it is refused; add %s to %s, or take it out of recap", o, past, o, past)
			}
		}
	}
	return policy
}

func originList(origins []schema.Origin) string {
	return fmt.Sprintf("%v", origins)
}
