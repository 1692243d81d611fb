package entail

import (
	"fmt"
	"slices"
	"strings"
)

// numberRule wants every figure of the claim in the premise, with its unit.
func numberRule(c *comparison) []finding {
	_, calendar := c.h.dates()
	var premise []quantity
	for i := range c.p.sentences {
		s := &c.p.sentences[i]
		_, dated := s.dates()
		for _, q := range s.quantities() {
			if !dated[q.from] {
				premise = append(premise, q)
			}
		}
	}
	for _, q := range c.h.quantities() {
		if calendar[q.from] || q.weak {
			continue
		}
		if f := c.figure(q, premise); f != nil {
			return f
		}
	}
	return nil
}

// figure judges one figure of the claim.
func (c *comparison) figure(q quantity, premise []quantity) []finding {
	var range_, other, clash *quantity
	for i := range premise {
		e := &premise[i]
		same, known := sameUnit(q, *e)
		switch {
		case q.bound == exactly && e.bound != exactly && e.bound != place && e.covers(q.value) && (same || !known):
			range_ = e
		case q.bound == place != (e.bound == place):
		case e.value == q.value && (same || !known):
			return nil
		case q.bound != exactly && q.bound != place:
			if e.bound != exactly || q.covers(e.value) || !same {
				return nil
			}
			other = e
		case e.value == q.value:
			clash = e
		case same:
			other = e
		}
	}
	switch {
	case range_ != nil:
		return c.refuses("number", fmt.Sprintf("number: the evidence says “%s”, which does not give exactly “%s”", range_.text, q.text))
	case clash != nil:
		return c.refuses("number", fmt.Sprintf("unit: the evidence counts %s, the claim %s", unitOf(*clash), unitOf(q)))
	case other != nil && c.a.coverage >= 0.5 && c.onlyFigureDiffers(q):
		return c.contradicts("number", fmt.Sprintf("number differs: the evidence says “%s”, the claim “%s”", other.text, q.text))
	case other != nil:
		return c.refuses("number", fmt.Sprintf("number differs: the evidence says “%s”, the claim “%s”", other.text, q.text))
	case q.bound == exactly || q.bound == place:
		return c.refuses("number", fmt.Sprintf("number: “%s” is not in the evidence", q.text))
	}
	return nil
}

// onlyFigureDiffers says whether all that the claim says besides a figure stands
// in the premise's sentence.
func (c *comparison) onlyFigureDiffers(q quantity) bool {
	rest, matched := 0, 0
	for i := range c.h.words {
		if i >= q.from && i < q.end || c.a.to[i] < 0 && !c.isContent(i) {
			continue
		}
		rest++
		if c.a.to[i] >= 0 {
			matched++
		}
	}
	return rest > 0 && matched*10 >= rest*7
}

func unitOf(q quantity) string {
	if len(q.units) == 0 {
		return "“" + q.text + "”"
	}
	return "“" + q.text + " " + q.units[0] + "”"
}

// dateRule wants every part of a date that the claim gives.
func dateRule(c *comparison) []finding {
	want, _ := c.h.dates()
	var all []dates
	for i := range c.p.sentences {
		d, _ := c.p.sentences[i].dates()
		all = append(all, d)
	}
	have := mergeDates(all)
	for _, part := range dateParts {
		for _, v := range want[part] {
			if slices.Contains(have[part], v) {
				continue
			}
			switch {
			case len(have[part]) > 0 && c.a.coverage >= 0.5:
				return c.contradicts("date", fmt.Sprintf("%s differs: the evidence says %s, the claim %s", part, strings.Join(have[part], " and "), v))
			case len(have[part]) > 0:
				return c.refuses("date", fmt.Sprintf("%s differs: the evidence says %s, the claim %s", part, strings.Join(have[part], " and "), v))
			case part != "time of day":
				return c.refuses("date", fmt.Sprintf("%s: the evidence does not say %s", part, v))
			}
		}
	}
	return nil
}
