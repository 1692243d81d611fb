package main

import (
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/deed"
)

// valueFrom is the probability from which a value counts as named.
const valueFrom = 0.5

// margin is how many times better the odds of a deed must be than those of the surest
// wrong one: players' words are not those of the fit.
const margin = 3

func safer(p float64) float64 { return margin * p / (1 - p + margin*p) }

// answer is what an NPC would do, as the speaker turns a reading into a deed.
func (t trial) answer(at deed.Thresholds) (string, deed.Reading) {
	f := t.fit
	f.Thresholds = at
	r := f.Decide(t.x)
	unmet := ""
	if r.Kind == deed.Act || r.Kind == deed.Unclear {
		unmet = deed.Unmet(r.Spec, t.facts())
	}
	switch {
	case r.Kind == deed.NothingAsked:
		return "none", r
	case r.Kind == deed.NotMine:
		return "refuse not_mine", r
	case unmet != "":
		return "refuse " + unmet, r
	case r.Kind == deed.Act:
		return "action", r
	}
	return "ask", r
}

// judged says whether an answer is right, and whether it is a deed that is wrong.
func (t trial) judged(kind string, r deed.Reading) (right, wrongDeed bool) {
	switch w := t.Want; {
	case kind == "action":
		right = w.Action == r.Spec.Name && deed.SameParameters(w.Parameters, r.Parameters)
		return right, !right
	case w.None:
		return kind == "none", false
	case w.Ask != "":
		return kind == "ask" && r.Spec.Name == w.Ask, false
	case w.Refuse != "":
		return kind == "refuse "+w.Reason && (w.Reason == "not_mine" || r.Spec.Name == w.Refuse), false
	}
	return false, false
}

// thresholds are those with the most right answers among those with no wrong deed.
func thresholds(trials []trial) deed.Thresholds {
	var best deed.Thresholds
	top := -1
	var pairs [][2]float64
	for _, notMine := range []float64{.9, .95, .98, 2} {
		for _, loose := range []float64{.6, .7, .8, .9} {
			pairs = append(pairs, [2]float64{notMine, loose})
		}
	}
	for _, value := range []float64{.4, .5, .6, .7} {
		for unclear := 0.3; unclear < 0.75; unclear += 0.05 {
			for _, pair := range pairs {
				at := deed.Thresholds{Act: 2, Unclear: unclear, NotMine: pair[0], Loose: pair[1], Value: value}
				right := 0
				highest := 0.0
				var sure []float64
				for _, t := range trials {
					kind, r := t.answer(at)
					ok, _ := t.judged(kind, r)
					if kind == "ask" && len(r.Missing) == 0 && t.x.Form.Requests && !t.x.Form.Forbids {
						good, _ := t.judged("action", r)
						if !good {
							highest = max(highest, r.Sure)
						} else {
							sure = append(sure, r.Sure)
						}
					}
					if ok {
						right++
					}
				}
				at.Act = safer(highest)
				for _, s := range sure {
					if s >= at.Act {
						right++
					}
				}
				if right > top {
					top, best = right, at
				}
			}
		}
	}
	return best
}

// borders prints the deeds that would be done from each probability, surest first.
func borders(trials []trial, at deed.Thresholds) {
	at.Act = 0
	for _, t := range trials {
		if kind, r := t.answer(at); kind == "action" {
			ok, _ := t.judged(kind, r)
			fmt.Printf("deed %.3f %v %s %v | %s | %s | want %v\n", r.Sure, ok, r.Spec.Name, r.Parameters, t.Before,
				t.Say, t.Want)
		}
	}
}

func report(trials []trial, at deed.Thresholds, show bool) {
	if show {
		borders(trials, at)
	}
	counts := map[string]map[string]int{}
	right, wrong := 0, 0
	for _, t := range trials {
		kind, r := t.answer(at)
		ok, bad := t.judged(kind, r)
		wanted := t.wanted()
		if counts[wanted] == nil {
			counts[wanted] = map[string]int{}
		}
		switch {
		case ok:
			right++
			kind = "right"
		case bad:
			wrong++
		}
		counts[wanted][kind]++
		if show && !ok {
			fmt.Printf("%-16s %-16s asks %.2f meant %.2f sure %.2f %s %v %v | %s || %s || want %v\n", wanted, kind, r.Asks,
				r.Meant, r.Sure, r.Spec.Name, r.Parameters, r.Missing, t.Before, t.Say, t.Want)
		}
	}
	for _, k := range []string{"action", "ask", "refuse trust", "refuse requires", "refuse not_mine", "none"} {
		fmt.Printf("%-16s %v\n", k, counts[k])
	}
	fmt.Printf("right %d of %d (%.3f), wrong deeds %d; thresholds %+v\n", right, len(trials),
		float64(right)/float64(len(trials)), wrong, at)
}

func (t trial) wanted() string {
	switch {
	case t.Want.Action != "":
		return "action"
	case t.Want.Ask != "":
		return "ask"
	case t.Want.Refuse != "":
		return "refuse " + t.Want.Reason
	}
	return "none"
}
