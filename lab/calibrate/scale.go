package main

import (
	"math"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/entail/nli"
)

// platt fits slope, shift and doubt: the first two together and the third, by turns, until
// neither moves. The loss is convex, so that leads to its minimum.
func platt(rows []row) entail.Scale {
	s := entail.Scale{Slope: 0.1}
	for range 200 {
		before := s
		s = doubted(rows, line(rows, s))
		if math.Abs(s.Slope-before.Slope)+math.Abs(s.Shift-before.Shift)+math.Abs(s.Doubt-before.Doubt) < 1e-7 {
			break
		}
	}
	return entail.Scale{Slope: math.Round(s.Slope*1e4) / 1e4, Shift: math.Round(s.Shift*1e4) / 1e4,
		Doubt: math.Round(s.Doubt*1e4) / 1e4}
}

// line fits slope and shift by Newton's method, with steps cut until they help: far
// from the minimum a whole one leads away.
func line(rows []row, s entail.Scale) entail.Scale {
	for range 100 {
		var ga, gb, haa, hab, hbb float64
		for i := range rows {
			r := &rows[i]
			if r.decided() {
				continue
			}
			p := sigmoid(r.scaled(s))
			w := p * (1 - p)
			ga, gb = ga+(p-r.right())*r.logit, gb+(p-r.right())
			haa, hab, hbb = haa+w*r.logit*r.logit, hab+w*r.logit, hbb+w
		}
		haa, hbb = haa+1e-6, hbb+1e-6
		det := haa*hbb - hab*hab
		da, db := (hbb*ga-hab*gb)/det, (haa*gb-hab*ga)/det
		moved := func(step float64) entail.Scale {
			return entail.Scale{Slope: s.Slope - step*da, Shift: s.Shift - step*db, Doubt: s.Doubt}
		}
		step, ok := shortened(rows, s, moved)
		if !ok {
			break
		}
		s = moved(step)
		if math.Abs(step*da)+math.Abs(step*db) < 1e-9 {
			break
		}
	}
	return s
}

// doubted fits what a doubt takes off, the same way; it never adds.
func doubted(rows []row, s entail.Scale) entail.Scale {
	for range 100 {
		g, h := 0.0, 1e-6
		for i := range rows {
			if r := &rows[i]; !r.decided() && entail.Doubts(r.rule) {
				p := sigmoid(r.scaled(s))
				g, h = g+p-r.right(), h+p*(1-p)
			}
		}
		moved := func(step float64) entail.Scale {
			return entail.Scale{Slope: s.Slope, Shift: s.Shift, Doubt: min(0, s.Doubt-step*g/h)}
		}
		step, ok := shortened(rows, s, moved)
		if !ok {
			break
		}
		s = moved(step)
	}
	return s
}

// shortened is the longest step, halved as often as it must be, that lowers the loss.
func shortened(rows []row, s entail.Scale, moved func(step float64) entail.Scale) (float64, bool) {
	before := loss(rows, s)
	for step := 1.0; step > 1e-6; step /= 2 {
		if loss(rows, moved(step)) < before {
			return step, true
		}
	}
	return 0, false
}

// right is 1 where the pair is supported.
func (r *row) right() float64 {
	if r.pair.Supported() {
		return 1
	}
	return 0
}

// loss is the log loss of a scale on what the model decides.
func loss(rows []row, s entail.Scale) float64 {
	sum := 0.0
	for i := range rows {
		r := &rows[i]
		if r.decided() {
			continue
		}
		z := r.scaled(s)
		sum += max(z, 0) - z*r.right() + math.Log1p(math.Exp(-math.Abs(z)))
	}
	return sum
}

// reliability is what scores are worth, in bins of equal size.
func reliability(rows []row, s entail.Scale) []nli.Bin {
	const bins = 10
	sorted := slices.Clone(rows)
	slices.SortFunc(sorted, func(a, b row) int {
		if a.score(s) < b.score(s) {
			return -1
		}
		return 1
	})
	var out []nli.Bin
	for part := range slices.Chunk(sorted, (len(sorted)+bins-1)/bins) {
		b := nli.Bin{N: len(part)}
		for i := range part {
			b.Score += part[i].score(s) / float64(len(part))
			if part[i].pair.Supported() {
				b.True += 1 / float64(len(part))
			}
		}
		b.Score, b.True = round(b.Score), round(b.True)
		out = append(out, b)
	}
	return out
}
