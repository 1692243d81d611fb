package deed

import (
	"context"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Features are a message beside an NPC's actions, as numbers.
type Features struct {
	Message []float64 // of the message alone
	Form    Form
	Actions []ActionFeatures
}

// ActionFeatures is what one action shares with the message.
type ActionFeatures struct {
	Spec   schema.ActionSpec
	params []parameter
	Values map[string][]ValueFeatures // of each enumerated parameter
	found  map[string]any             // numbers and words that were said
	near   []float64
	gap    []float64
}

// ValueFeatures is a value of a parameter beside the message.
type ValueFeatures struct {
	Name string
	X    []float64
}

// width is how much a vector's numbers count beside the cues, before they are fitted.
const width = 3

// Features measures a message beside actions.
func (r *Reader) Features(ctx context.Context, a Asked, specs []schema.ActionSpec) (Features, error) {
	own, err := r.vectors(ctx, actionTexts(specs), true)
	if err != nil {
		return Features{}, err
	}
	said, err := r.vectors(ctx, messageTexts(a), false)
	if err != nil {
		return Features{}, err
	}
	v := views{asked: a, own: own, said: said, stems: stemsOf(a.Message), parts: parts(a.Message)}
	out := Features{Form: formOf(a, specs)}
	for _, x := range said[a.Message] {
		out.Message = append(out.Message, width*float64(x))
	}
	out.Message = append(out.Message, cuesOf(a)...)
	out.Message = append(out.Message, is(out.Form.Requests), is(out.Form.Forbids),
		is(out.Form.Requests && !out.Form.Forbids), is(out.Form.Bare))
	for _, spec := range specs {
		out.Actions = append(out.Actions, v.action(spec))
	}
	for i := range out.Actions {
		for k, x := range out.Actions[i].near {
			top := -1.0
			for j := range out.Actions {
				if j != i {
					top = max(top, out.Actions[j].near[k])
				}
			}
			if top < 0 {
				top = x
			}
			out.Actions[i].gap = append(out.Actions[i].gap, x-top)
		}
	}
	return out, nil
}

// actionTexts are all texts of actions that are embedded.
func actionTexts(specs []schema.ActionSpec) []string {
	var out []string
	for _, spec := range specs {
		out = append(append(out, described(spec), spaced(spec.Name)), phrasings(spec)...)
		for _, p := range parametersOf(spec) {
			for _, v := range p.values {
				out = append(append(out, called(spec, v)...), valued(spec, v))
			}
		}
	}
	return out
}

func valued(spec schema.ActionSpec, value string) string {
	return described(spec) + ": " + spaced(value)
}

func messageTexts(a Asked) []string {
	out := append([]string{a.Message}, parts(a.Message)...)
	if a.Before != "" {
		out = append(out, a.Before)
	}
	return out
}

// parts are the words of a message that carry meaning, and each two that stand side by side.
func parts(message string) []string {
	words := text.Words(message)
	var out []string
	for i, w := range words {
		if text.IsStop(w) {
			continue
		}
		out = append(out, w)
		if i+1 < len(words) && !text.IsStop(words[i+1]) {
			out = append(out, w+" "+words[i+1])
		}
	}
	return out
}

// views are a message and the vectors that it is compared by.
type views struct {
	asked     Asked
	own, said map[string][]float32
	stems     map[string]bool
	parts     []string
}

func (v views) cos(text string) float64 {
	return float64(embed.Dot(v.said[v.asked.Message], v.own[text]))
}

func (v views) before(text string) float64 {
	if v.asked.Before == "" {
		return 0
	}
	return float64(embed.Dot(v.said[v.asked.Before], v.own[text]))
}

// action measures one action.
func (v views) action(spec schema.ActionSpec) ActionFeatures {
	a := ActionFeatures{Spec: spec, params: parametersOf(spec), Values: map[string][]ValueFeatures{}}
	near, offered := v.cos(spaced(spec.Name)), 0.0
	about := []string{described(spec), spec.Name}
	phrased := 0.0
	for _, s := range phrasings(spec) {
		phrased = max(phrased, v.cos(s))
	}
	withValue := v.cos(described(spec))
	for _, p := range a.params {
		if p.kind != "enum" {
			continue
		}
		a.Values[p.name] = v.values(spec, p)
		for _, value := range p.values {
			withValue = max(withValue, v.cos(valued(spec, value)))
			about = append(about, called(spec, value)...)
		}
	}
	if v.asked.ByNPC {
		offered = max(v.before(described(spec)), v.before(spaced(spec.Name)))
	}
	shared := 0.0
	for w := range stemsOf(append(about, phrasings(spec)...)...) {
		shared += is(v.stems[w])
	}
	named := 0.0
	for w := range stemsOf(described(spec), spec.Name) {
		named += is(v.stems[w])
	}
	a.near = []float64{v.cos(described(spec)), near, phrased, max(withValue, phrased), offered, min(shared, 3),
		min(named, 2)}
	a.found = v.found(a.params)
	return a
}

// Example is the action as an example of the model of what is meant.
func (a ActionFeatures) Example(f Fit, x Features, asks float64) []float64 {
	filled := a.fill(f)
	number, numberless, words, wordless := 0.0, 0.0, 0.0, 0.0
	var named float64
	for _, p := range a.params {
		value, there := a.found[p.name]
		there = there && value != (torn{})
		switch {
		case p.kind == "integer" && p.required:
			number, numberless = max(number, is(there)), max(numberless, is(!there))
		case p.kind == "text" || p.kind == "name":
			words, wordless = max(words, is(there)), max(wordless, is(!there))
		case p.kind == "enum" && p.required:
			for _, value := range a.Values[p.name] {
				named = max(named, f.named(value))
			}
		}
	}
	plain := !slices.ContainsFunc(a.params, func(p parameter) bool { return p.required && p.kind != "fixed" })
	if plain {
		named = 0.4
	}
	out := append([]float64{logit(asks)}, a.near...)
	out = append(append(out, a.gap...), number, numberless, words, wordless, named, is(plain),
		is(len(filled.missing) == 0), is(len(phrasings(a.Spec)) > 0), 1/float64(len(x.Actions)))
	return append(out, logit(asks)*named, asks*a.near[3], asks*a.gap[3])
}
