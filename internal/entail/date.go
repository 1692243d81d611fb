package entail

import (
	"strconv"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// dates are the calendar words of a text, by what they name: year, month,
// season, weekday, day of the month, time of day.
type dates map[string][]string

// The parts of a date, in the order in which they are compared.
var dateParts = []string{"year", "season", "month", "day", "weekday", "time of day"}

var months = text.Set(strings.ReplaceAll(text.Months, "|", " "))

// monthsThatAreWords need more than a capital.
var monthsThatAreWords = text.Set(`march may august`)

var weekdays = map[string]string{"monday": "monday", "tuesday": "tuesday", "wednesday": "wednesday",
	"thursday": "thursday",
	"friday":   "friday", "saturday": "saturday", "sunday": "sunday", "mon": "monday", "tue": "tuesday", "tues": "tuesday",
	"wed": "wednesday", "thu": "thursday", "thur": "thursday", "thurs": "thursday", "fri": "friday", "sat": "saturday",
	"sun": "sunday"}

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
	"autumn": "autumn", "fall": "autumn", "winter": "winter", "wintertime": "winter", "midsummer": "summer",
	"midwinter": "winter"}

var daytimes = map[string]string{"dawn": "morning", "daybreak": "morning", "sunrise": "morning", "morning": "morning",
	"noon": "noon", "midday": "noon", "afternoon": "afternoon", "dusk": "evening", "sunset": "evening",
	"sundown": "evening", "evening": "evening",
	"night": "night", "midnight": "night", "nightfall": "evening"}

var (
	seasonLeads = text.Set(`in the last this next early late mid every each since until of by before after during that
		one`)
	yearLeads = text.Set(`in of since by year until before after from to during circa around about`)
)

func (d dates) add(part, value string) {
	for _, v := range d[part] {
		if v == value {
			return
		}
	}
	d[part] = append(d[part], value)
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
			s.dayOfMonth(i, d, at)
		case seasons[w] != "" && s.isSeason(i):
			d.add("season", seasons[w])
		case daytimes[w] != "" && w != "night":
			d.add("time of day", daytimes[w])
		case w == "night" && (s.at(i-1) == "at" || s.at(i-1) == "that" || s.at(i-1) == "by" || s.at(i-1) == "last" ||
			s.at(i-1) == "the"):
			d.add("time of day", "night")
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
	return s.words[i].upper && !s.words[i].first &&
		(before || after || yearLeads[prev] || prev == "last" || prev == "next" || prev == "this" || ordinals[prev] > 0)
}

// isSeason tells the season from the water and the tumble.
func (s *sentence) isSeason(i int) bool {
	prev, next := s.at(i-1), s.at(i+1)
	_, _, year := digits(s.at(i + 2))
	switch s.at(i) {
	case "spring":
		return next == "of" && year || seasonLeads[prev] && prev != "the" && prev != "of" && prev != "one" &&
			prev != "that" && prev != "each" && prev != "every" ||
			prev == "the" && s.at(i-2) == "in" && next != "of"
	case "fall":
		return (prev == "last" || prev == "this" || prev == "next" || prev == "the" && s.at(i-2) == "in") && next != "of" ||
			next == "of" && year
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

// dayOfMonth reads the day that stands beside a month: "3 May", "May 3rd",
// "the third of May".
func (s *sentence) dayOfMonth(i int, d dates, at map[int]bool) {
	for _, k := range []int{i - 1, i - 2, i + 1} {
		if k == i-2 && s.at(i-1) != "of" || k < 0 || k >= len(s.words) {
			continue
		}
		v, ok := ordinals[s.at(k)], ordinals[s.at(k)] > 0
		from := k
		if !ok {
			v, _, ok = digits(s.at(k))
		} else if tens := smallNumbers[s.at(k-1)]; tens == 20 || tens == 30 {
			v, from = v+tens, k-1
		}
		if ok && v >= 1 && v <= 31 && v == float64(int(v)) {
			d.add("day", strconv.Itoa(int(v)))
			for j := from; j <= k; j++ {
				at[j] = true
			}
			return
		}
	}
}

// mergeDates joins the dates of several sentences.
func mergeDates(all []dates) dates {
	out := dates{}
	for _, d := range all {
		for _, part := range dateParts {
			for _, v := range d[part] {
				out.add(part, v)
			}
		}
	}
	return out
}
