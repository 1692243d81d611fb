package memory

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

var timeWords = set(`one two three four five six seven eight nine ten past spring summer autumn fall winter january
	february march april may june july august september october november december 
	year years month months week weeks day days yesterday ago last back then`)

var (
	lastSeason = regexp.MustCompile(` (?:last|this past|the past) (spring|summer|autumn|fall|winter) `)
	lastSpan   = regexp.MustCompile(` last (year|month|week) `)
	agoSpan    = regexp.MustCompile(` (a|an|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,3}) (year|month|week` +
		`|day)s? ago `)
	inMonth = regexp.MustCompile(` (?:in|during|back in) (january|february|march|april|may|june|july|august` +
		`|september|october|november|december)(?: of)?(?: (\d{3,4}))? `)
	inYear    = regexp.MustCompile(` (?:in|during|back in) (?:the year )?(\d{3,4}) `)
	inSeason  = regexp.MustCompile(` (?:in|during|back in)(?: the)? (spring|summer|autumn|fall|winter) (?:of )?(\d{3,4}) `)
	yesterday = regexp.MustCompile(` yesterday `)
)

var counts = map[string]int{"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
	"eight": 8, "nine": 9, "ten": 10}

// seasons by their last month, northern and in the usual calendar. A time that is
// asked about stands for its end: what was known by then.
var seasons = map[string]time.Month{"spring": time.May, "summer": time.August, "autumn": time.November,
	"fall": time.November, "winter": time.February}

const lastDay = 28 // of any month

// pastTime is the time that a message asks about where it does not ask about now.
func pastTime(joined string, now time.Time) time.Time {
	if now.IsZero() || recalls.MatchString(joined) {
		return time.Time{}
	}
	if m := lastSeason.FindStringSubmatch(joined); m != nil {
		at := time.Date(now.Year(), seasons[m[1]], lastDay, 12, 0, 0, 0, now.Location())
		for !at.Before(now) { // that season is not over yet
			at = at.AddDate(-1, 0, 0)
		}
		return at
	}
	if m := lastSpan.FindStringSubmatch(joined); m != nil {
		return before(now, 1, m[1])
	}
	if m := agoSpan.FindStringSubmatch(joined); m != nil {
		n, ok := counts[m[1]]
		if !ok {
			n, _ = strconv.Atoi(m[1])
		}
		return before(now, n, m[2])
	}
	if at := named(joined, now); !at.IsZero() {
		return at
	}
	if yesterday.MatchString(joined) {
		return before(now, 1, "day")
	}
	return time.Time{}
}

// named is the end of a month, season or year that a message names.
func named(joined string, now time.Time) time.Time {
	end := func(year string, month time.Month) time.Time {
		y, err := strconv.Atoi(year)
		if err != nil {
			y = now.Year()
		}
		at := time.Date(y, month, lastDay, 12, 0, 0, 0, now.Location())
		if err != nil && at.After(now) {
			at = at.AddDate(-1, 0, 0)
		}
		return at
	}
	if m := inMonth.FindStringSubmatch(joined); m != nil {
		for month := time.January; month <= time.December; month++ {
			if strings.EqualFold(month.String(), m[1]) {
				return end(m[2], month)
			}
		}
	}
	if m := inSeason.FindStringSubmatch(joined); m != nil {
		return end(m[2], seasons[m[1]])
	}
	if m := inYear.FindStringSubmatch(joined); m != nil {
		return end(m[1], time.December)
	}
	return time.Time{}
}

// recalls: "what did I tell you last week?" asks for what was said then, and not
// for what held.
var recalls = regexp.MustCompile(` (?:tell|told|say|said|mention|mentioned|promise|promised) `)

func before(now time.Time, n int, unit string) time.Time {
	switch strings.TrimSuffix(unit, "s") {
	case "year":
		return now.AddDate(-n, 0, 0)
	case "month":
		return now.AddDate(0, -n, 0)
	case "week":
		return now.AddDate(0, 0, -7*n)
	}
	return now.AddDate(0, 0, -n)
}
