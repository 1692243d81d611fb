package main

import (
	"math"

	"github.com/forsooth-npc/forsooth/internal/retrieval"
	"github.com/forsooth-npc/forsooth/lab/logistic"
)

// row is an example: features, whether it is right, and what it counts.
type row struct {
	x      []float64
	right  bool
	weight float64
	group  string
	set    string
}

// signs are the directions in which a feature may count: better coverage never
// lowers a confidence, an unknown name never raises it. What the data would turn
// round is left out instead. Features that are not listed may count either way.
var signs = map[string]int{
	"text": 1, "meta": 1, "cosine": 1, "likeness": 1, "cosine_whole": 1,
	"cover": 1, "cover_like": 1, "cover_doc": 1, "soft": 1, "special": 1, "key_like": 1, "key_special": 1,
	"focus": 1, "focus_like": 1, "keyword": 1, "keyword_phrase": 1, "topic_cover": 1, "topic_exact": 1,
	"own": 1, "own_you": 1, "first_person_you": 1, "expects_met": 1, "adjacent": 1,
	"missing_rare": -1, "expects_missed": -1, "question": -1, "sign_you": -1,
	"top": 1, "margin": 1, "unknown_sure": -1, "unknown_odd": -1, "absent": -1, "absent_rare": -1, "terms_none": -1,
	"outside":        1,
	"relation_cover": 1, "relation_like": 1, "relation_special": 1, "relation_missing": -1, "name_cover": 1,
	"name_missing": -1,
	"unmet":        -1, "strongest": 1, "elsewhere": -1, "cosine_gap": -1, "summary": 1, "summary_likeness": 1,
	"meaning": 1, "meaning_likeness": 1, "meaning_whole": 1, "meaning_gap": -1, "meaning_known": 1,
	"answer_met": 1, "answer_missed": -1, "other_author": -1, "price_met": 1, "hearsay": -1, "opening": 1,
}

// given are weights that stand before anything is fitted: the sets hold few
// unknown names, and one of them is reason enough to doubt.
var given = map[string]float64{"unknown_sure": -2.5, "unknown_odd": -2.5}

// rankerOnly are the features that the gate does without: they tell how the
// questions of a fitting set are put, or what others tell too, and a gate fitted
// on one world judged the other world better without them.
var rankerOnly = []string{"terms", "terms_none", "yesno", "cosine_gap", "keyword", "expects_missed", "meta",
	"elsewhere"}

// constrained fits a logistic model without some features and drops those that
// come out with the wrong sign until none does.
func constrained(rows []row, names []string, penalty float64, without ...string) retrieval.Model {
	left := map[string]bool{}
	for _, name := range without {
		left[name] = true
	}
	for {
		m := modelOf(rows, names, penalty, left)
		wrong := false
		for name, w := range m.Weights {
			if float64(signs[name])*(w-given[name]) < 0 {
				left[name], wrong = true, true
			}
		}
		if !wrong {
			return m
		}
	}
}

// modelOf fits a logistic model with an L2 penalty on
// standardised features, some of them left out; the bias is not penalised.
func modelOf(rows []row, names []string, penalty float64, left map[string]bool) retrieval.Model {
	n := len(names)
	mean, scale := standard(rows, n)
	for i, name := range names {
		if left[name] {
			scale[i] = constant
		}
	}
	scaled := make([]logistic.Row, len(rows))
	for k, r := range rows {
		scaled[k] = logistic.Row{X: make([]float64, n), Right: r.right, Weight: r.weight}
		for i, name := range names {
			scaled[k].X[i] = (r.x[i] - mean[i]) / scale[i]
			scaled[k].Offset += given[name] * r.x[i]
		}
	}
	return rescaled(logistic.Fit(scaled, penalty), names, mean, scale)
}

// pairwise fits weights that put right candidates before wrong ones: a logistic
// model without bias over differences of features, each seen both ways.
func pairwise(queries [][]row, names []string, penalty float64) retrieval.Model {
	var rows []row
	for _, q := range queries {
		var pairs []row
		for _, a := range q {
			for _, b := range q {
				if a.right && !b.right {
					d, e := make([]float64, len(names)), make([]float64, len(names))
					for i := range d {
						d[i], e[i] = a.x[i]-b.x[i], b.x[i]-a.x[i]
					}
					pairs = append(pairs, row{x: d, right: true}, row{x: e})
				}
			}
		}
		for _, p := range pairs {
			p.weight = 4 * q[0].weight / float64(len(pairs)) // every query counts the same
			rows = append(rows, p)
		}
	}
	m := constrained(rows, names, penalty)
	m.Bias = 0
	return m
}

// constant is the scale of a feature that does not vary: it gets no weight.
const constant = 1e9

func standard(rows []row, n int) (mean, scale []float64) {
	mean, scale = make([]float64, n), make([]float64, n)
	for _, r := range rows {
		for i := range n {
			mean[i] += r.x[i] / float64(len(rows))
		}
	}
	for _, r := range rows {
		for i := range n {
			scale[i] += (r.x[i] - mean[i]) * (r.x[i] - mean[i]) / float64(len(rows))
		}
	}
	for i := range scale {
		if scale[i] = math.Sqrt(scale[i]); scale[i] < 1e-6 {
			scale[i] = constant
		}
	}
	return mean, scale
}

func rescaled(w []float64, names []string, mean, scale []float64) retrieval.Model {
	n := len(names)
	m := retrieval.Model{Bias: w[n], Weights: map[string]float64{}}
	for i, name := range names {
		v := w[i] / scale[i]
		m.Bias -= v * mean[i]
		if v = math.Round((v+given[name])*1e4) / 1e4; v != 0 {
			m.Weights[name] = v
		}
	}
	m.Bias = math.Round(m.Bias*1e4) / 1e4
	return m
}
