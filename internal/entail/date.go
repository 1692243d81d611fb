package entail

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// dates are the calendar words of a text, by what they name: year, month,
// season, weekday.
type dates map[string][]string

// The parts of a date, in the order in which they are compared.
var dateParts = []string{"year", "season", "month", "weekday"}

var months = wordSet(`january february march april may june july august september october november december`)

// monthsThatAreWords need more than a capital.
var monthsThatAreWords = wordSet(`march may august`)

var weekdays = map[string]string{"monday": "monday", "tuesday": "tuesday", "wednesday": "wednesday", "thursday": "thursday",
	"friday": "friday", "saturday": "saturday", "sunday": "sunday", "mon": "monday", "tue": "tuesday", "tues": "tuesday",
	"wed": "wednesday", "thu": "thursday", "thur": "thursday", "thurs": "thursday", "fri": "friday", "sat": "saturday", "sun": "sunday"}

// weekday reads a day of the week, written out or, where a list has them,
// abbreviated.
func (s *sentence) weekday(i int) string {
	w := strings.TrimSuffix(s.at(i), "s")
	day := weekdays[w]
	switch {
	case day == "":
		return weekdays[s.at(i)] // "tues" keeps its s
	case len(w) > 4:
		return day
	case s.words[i].upper && w != "sun" || strings.HasPrefix(s.words[i].gap, ":"):
		return day
	}
	return ""
}

var seasons = map[string]string{"spring": "spring", "springtime": "spring", "summer": "summer", "summertime": "summer",
	"autumn": "autumn", "fall": "autumn", "winter": "winter", "wintertime": "winter", "midsummer": "summer", "midwinter": "winter"}

var (
	seasonLeads = wordSet(`in the last this next early late mid every each since until of by before after during that one`)
	yearLeads   = wordSet(`in of since by year until before after from to during circa around about`)
)

func (d dates) add(part, value string) {
	if !slices.Contains(d[part], value) {
		d[part] = append(d[part], value)
	}
}

// dates reads the calendar words of a sentence, and says which words they are.
func (s *sentence) dates() (dates, map[int]bool) {
	d, at := dates{}, map[int]bool{}
	for i := range s.words {
		w := s.words[i].low
		switch {
		case s.weekday(i) != "":
			d.add("weekday", s.weekday(i))
		case months[w] && s.isMonth(i):
			d.add("month", w)
		case seasons[w] != "" && s.isSeason(i):
			d.add("season", seasons[w])
		case s.isYear(i):
			d.add("year", w)
		default:
			continue
		}
		at[i] = true
	}
	return d, at
}

func (s *sentence) isMonth(i int) bool {
	if !monthsThatAreWords[s.at(i)] {
		return true
	}
	_, _, before := digits(s.at(i - 1))
	_, _, after := digits(s.at(i + 1))
	prev := s.at(i - 1)
	return s.words[i].upper && !s.words[i].first && (before || after || yearLeads[prev] || prev == "last" || prev == "next" || prev == "this" || ordinals[prev] > 0)
}

// isSeason tells the season from the water and the tumble.
func (s *sentence) isSeason(i int) bool {
	prev, next := s.at(i-1), s.at(i+1)
	_, _, year := digits(s.at(i + 2))
	switch s.at(i) {
	case "spring":
		return next == "of" && year || seasonLeads[prev] && prev != "the" && prev != "of" && prev != "one" && prev != "that" && prev != "each" && prev != "every" ||
			prev == "the" && s.at(i-2) == "in" && next != "of"
	case "fall":
		return (prev == "last" || prev == "this" || prev == "next" || prev == "the" && s.at(i-2) == "in") && next != "of" || next == "of" && year
	}
	return true
}

// isYear says whether a number names a year: four digits that count nothing.
func (s *sentence) isYear(i int) bool {
	w := s.at(i)
	if len(w) != 4 {
		return false
	}
	n, err := strconv.Atoi(w)
	if err != nil || n < 1000 || n > 2999 {
		return false
	}
	prev := s.at(i - 1)
	return yearLeads[prev] || months[prev] || seasons[prev] != "" || s.words[i].gap != "" || i == len(s.words)-1
}

// dateRule wants every part of a date that the claim gives, if the evidence gives another.
func dateRule(c *comparison) []finding {
	want, calendar := c.h.dates()
	if len(want) == 0 {
		return nil
	}
	have := dates{}
	for i := range c.p.sentences {
		found, _ := c.p.sentences[i].dates()
		for part, values := range found {
			for _, v := range values {
				have.add(part, v)
			}
		}
	}
	for _, part := range dateParts {
		for _, v := range want[part] {
			if slices.Contains(have[part], v) {
				continue
			}
			if len(have[part]) == 0 {
				return c.differs("date", false, fmt.Sprintf("%s: the evidence does not say %s", part, v))
			}
			exact := len(have[part]) == 1 && !c.h.denies() &&
				c.onlyDiffersAt(1, func(i int) bool { return calendar[i] || relative[c.h.at(i)] })
			return c.differs("date", exact, fmt.Sprintf("%s differs: the evidence says %s, the claim %s", part, strings.Join(have[part], " and "), v))
		}
	}
	return nil
}

// relative words place a date and name none.
var relative = wordSet(`last next this past ago year month week day season early late mid back`)
