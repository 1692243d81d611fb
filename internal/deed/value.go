package deed

import (
	"math"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// values measures each value of a parameter beside the message.
func (v views) values(spec schema.ActionSpec, p parameter) []ValueFeatures {
	n := len(p.values)
	whole, part, chunk, near, with := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n),
		make([]float64, n)
	offered := make([]float64, n)
	before := stemsOf(v.asked.Before)
	for i, value := range p.values {
		with[i] = v.cos(valued(spec, value))
		for _, s := range called(spec, value) {
			near[i] = max(near[i], v.cos(s))
			for _, c := range v.parts {
				chunk[i] = max(chunk[i], float64(embed.Dot(v.said[c], v.own[s])))
			}
			some, all := overlap(s, v.stems)
			part[i], whole[i] = max(part[i], some), max(whole[i], all)
			_, all = overlap(s, before)
			offered[i] = max(offered[i], all)
		}
		if !v.asked.ByNPC {
			offered[i] = 0
		}
	}
	out := make([]ValueFeatures, n)
	for i, value := range p.values {
		out[i] = ValueFeatures{Name: value, X: []float64{whole[i], part[i] * (1 - whole[i]), chunk[i], gap(chunk, i), near[i],
			gap(near, i), with[i], gap(with, i), offered[i], gap(offered, i), rest(whole, i), math.Log(float64(n)),
			is(len(v.parts) < 4) * offered[i]}}
	}
	return out
}

// said says whether the player, or the NPC in the line before, named a value in full.
func (v ValueFeatures) said() bool { return v.X[0] == 1 || v.X[8] == 1 }

// verbatim is how likely a value is meant that was named in full, and no other with it.
const verbatim = 0.97

// named is the probability that a message names a value.
func (f Fit) named(v ValueFeatures) float64 {
	p := f.Value.Probability(v.X)
	if v.X[0] == 1 && v.X[10] == 0 {
		p = max(p, verbatim)
	}
	return p
}

// overlap says whether some and whether all content words of a name were said.
func overlap(name string, said map[string]bool) (some, all float64) {
	words := text.ContentWords(name)
	if len(words) == 0 {
		words = text.Words(name)
	}
	have := 0
	for _, w := range words {
		if said[w] {
			have++
		}
	}
	return is(have > 0), is(have == len(words) && have > 0)
}

// gap is how far a value is ahead of the others.
func gap(of []float64, i int) float64 {
	top := math.Inf(-1)
	for j, x := range of {
		if j != i {
			top = max(top, x)
		}
	}
	return of[i] - top
}

// rest is the most that the others have.
func rest(of []float64, i int) float64 { return of[i] - gap(of, i) }

// filling are the parameters of an action as a message names them.
type filling struct {
	values  map[string]any
	missing []string
	sure    float64
	guessed bool // a value stands for words that are none of its names
}

// fill takes the likeliest values, and none that is not likely enough.
func (a ActionFeatures) fill(f Fit) filling {
	out := filling{values: map[string]any{}, sure: 1}
	used := map[any]bool{}
	for _, p := range a.params {
		var value any
		switch p.kind {
		case "fixed":
			value = p.fixed
		case "enum":
			top, said := "", false
			best := f.Thresholds.Value
			for _, v := range a.Values[p.name] {
				if q := f.named(v); q >= best {
					top, best, said = v.Name, q, v.said()
				}
			}
			if top != "" && !used[top] { // one word names one thing
				value, used[top] = top, true
				out.guessed = out.guessed || !said
				out.sure *= best
			}
		default:
			value = a.found[p.name]
		}
		if value == (torn{}) {
			out.missing = append(out.missing, p.name)
			continue
		}
		switch {
		case value != nil:
			out.values[p.name] = value
		case p.required, p.kind == "text": // what is to be said or written is never guessed
			out.missing = append(out.missing, p.name)
		}
	}
	return out
}
