package entail

import (
	"math"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// limit reads the words before a number that bound it: "at least", "no fewer than".
// "More than" leaves the number itself out.
func (s *sentence) limit(q *quantity) {
	before, before2 := s.at(q.from-1), s.at(q.from-2)
	switch {
	case before == "than" && (before2 == "less" || before2 == "fewer"), before == "under", before == "below":
		q.bound, q.strict = atMost, true
	case before == "than" && before2 == "more", before == "over", before == "above":
		q.bound, q.strict = atLeast, true
	case before == "most" && before2 == "at", before == "to" && before2 == "up":
		q.bound = atMost
	case before == "least" && before2 == "at", before == "of" && before2 == "upwards":
		q.bound = atLeast
	default:
		return
	}
	if q.lead--; q.strict && before != "than" {
		return
	}
	if q.lead--; before == "than" && s.at(q.lead-1) == "no" {
		q.lead--
		q.bound, q.strict = atLeast+atMost-q.bound, false
	}
}

// extent is what values a quantity may have.
type extent struct {
	low, high float64
	open      bool // the ends themselves are left out
}

func (q quantity) extent() extent {
	switch {
	case math.IsNaN(q.value): // "dozens"
		return extent{math.Inf(-1), math.Inf(1), false}
	case q.bound == roughly:
		slack := 0.15*math.Abs(q.value) + 1
		return extent{q.value - slack, q.value + slack, false}
	case q.bound == between:
		return extent{q.value, q.to, false}
	case q.bound == atLeast:
		return extent{q.value, math.Inf(1), q.strict}
	case q.bound == atMost:
		return extent{math.Inf(-1), q.value, q.strict}
	}
	return extent{q.value, q.value, false}
}

// within says whether all that a may be, b may be.
func (a extent) within(b extent) bool {
	ends := !b.open || a.open
	return (a.low > b.low || a.low == b.low && (ends || math.IsInf(a.low, 0))) &&
		(a.high < b.high || a.high == b.high && (ends || math.IsInf(a.high, 0)))
}

// apart says whether nothing that a may be, b may be.
func (a extent) apart(b extent) bool {
	open := a.open || b.open
	return a.high < b.low || b.high < a.low || open && (a.high == b.low || b.high == a.low)
}

func (q quantity) inexact() bool { return q.bound != exactly && q.bound != place }

// blurs says whether a quantity says less exactly what another says exactly: "about five" or
// "five to six" for five, "at least five" for just five. A bound away from the figure itself
// blurs nothing: who had forty had more than twenty. Nor does a round number.
func (q quantity) blurs(e quantity) bool {
	if e.bound != exactly || e.weak || !e.extent().within(q.extent()) {
		return false
	}
	switch q.bound {
	case roughly:
		return !math.IsNaN(q.value) && !rounds(e.value, q.value)
	case between:
		return true
	case atLeast, atMost:
		return q.value == e.value
	}
	return false
}

// rounds says whether a figure is another one in round numbers: forty for forty-one, not six for five.
func rounds(exact, round float64) bool {
	for unit := 10.0; exact != round && unit <= math.Abs(round); unit *= 10 {
		if math.Round(exact/unit)*unit == round {
			return true
		}
	}
	return false
}

// endsStand says whether both ends of a range are figures of the evidence, which then gives
// the range itself: "opens at two and shuts at four".
func (q quantity) endsStand(premise []quantity) bool {
	has := func(v float64) bool {
		return slices.ContainsFunc(premise, func(e quantity) bool { return e.bound == exactly && e.value == v })
	}
	return q.bound == between && has(q.value) && has(q.to)
}

// concerns says whether what seems to bound a quantity belongs to the verb: "asked about two ships".
func (s *sentence) concerns(q quantity) bool {
	return q.bound == roughly && q.lead < q.from && aboutWords[s.at(q.lead)] && concerning[s.stemAt(q.lead-1)]
}

var (
	aboutWords = text.Set(`about around near`)
	concerning = stemSet(`ask asked speak spoke spoken talk tell told know knew known hear heard argue quarrel worry
		write wrote written wonder care complain forget forgot lie lied learn think thought dream sing sang walk go went
		run ran ride rode turn wander sit sat stand stood gather dance circle live camp sleep slept`)
)
