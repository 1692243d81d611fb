package extract

import (
	"regexp"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/text"
)

var countOf = `(?:a few|a couple of|a|an|` + text.NumberWords + `|\d+)`

const (
	unitOf = `(?:minutes?|hours?|days?|nights?|weeks?|fortnights?|months?|moons?|seasons?|summers?|winters?|years?|terms?)`
	dayOf  = `(?:(?:` + text.Weekdays + `)s?|market day|midsummer|midwinter` +
		`|christmas|easter|michaelmas|candlemas|harvest)`
	monthOf = `(?:` + text.Months + `)`
	partOf  = `(?:morning|noon|afternoon|evening|night|midnight|dawn|dusk|sunrise|sunset|spring|summer|autumn|winter` +
		`|week|weekend|month|year|term|season|tide|weeks|months|years)`
)

// times are words that say of what time something is.
var times = regexp.MustCompile(`(?i)\b(?:` +
	`(?:by|before|after|until|till|since|from|on|in|at|for)? ?(?:the )?(?:end|beginning|start|middle) of (?:the |next )?` +
	`(?:` + monthOf + `|` + partOf + `)` +
	`|(?:by|before|after|until|till|since|from|on|in)? ?(?:\d{1,2}(?:st|nd|rd|th)? (?:of )?` + monthOf + `|` + monthOf +
	` \d{1,2}(?:st|nd|rd|th)?|the (?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth` +
	`|\w+teenth|twentieth|thirtieth` +
	`|\d{1,2}(?:st|nd|rd|th))(?: of ` + monthOf + `)?)` +
	`|(?:by|before|after|until|till|since|on|every|each|next|last|this|come|some|all)? ?(?:next |last |this )?` + dayOf +
	`(?: (?:morning|noon|afternoon|evening|night))?` +
	`|(?:by|before|after|until|till|since|in) (?:early |late )?` + monthOf + `(?: \d{4})?` +
	`|(?:in|for|within|after|over) (?:about |the next |the last )?` + countOf + ` ` + unitOf + `(?:'s? time)?` +
	`|` + countOf + ` ` + unitOf + ` (?:ago|from now|hence|back|later)` +
	`|(?:the day )?(?:after|before)? ?(?:tomorrow|yesterday)(?: (?:morning|noon|afternoon|evening|night))?|today|tonight` +
	`|(?:next|last|this|every|each|some|all|most|the whole|that) (?:` + partOf + `|day|evenings|nights|mornings)` +
	`|(?:by|before|after|until|till|since|at|in) (?:the )?(?:early |late )?` + partOf +
	`|at (?:\d{1,2}(?::\d\d)?|` + text.NumberWords + `)(?: ?(?:am|pm|o'clock))?` +
	`|(?:` + text.Weekdays + `)s|now|these days|nowadays` +
	`|` + countOf + ` ` + unitOf + `|when (?:i|we|he|she|they) (?:was|were|am|are) [^.,;!?]{2,40}` +
	`)\b`)

// whiles are clauses that say of what time something is.
var whiles = regexp.MustCompile(`(?i)\b(?:since|after|before|till|until|once|during|whenever|when|while|by|from)` +
	` (?:the|my|our|i|we|he|she|they|that|this|then|it|[a-z]+ing|\d)\b[^.,;:!?]{0,50}` +
	`|\bat (?:my|our|the) own [^.,;:!?]{2,30}|\bin the [a-z]+ of [^.,;:!?]{2,30}`)

// timeIn is the time that words speak of, as it was said.
func timeIn(s string) string {
	best := ""
	for _, m := range times.FindAllString(s, -1) {
		if m = strings.TrimSpace(m); best == "" || strings.EqualFold(best, "now") {
			best = m
		}
	}
	if best == "" || strings.EqualFold(best, "now") {
		if m := strings.TrimSpace(whiles.FindString(s)); m != "" {
			return m
		}
	}
	return best
}

// dateOf is the day of the game that a time means, where that is sure: "tomorrow", "in
// ten days", "the end of April". What lies on either side stays as it was said, and so does
// how long something lasts: "two weeks".
func dateOf(said string, now time.Time) time.Time {
	if said == "" || now.IsZero() {
		return time.Time{}
	}
	low := strings.ToLower(said)
	day := func(n int) time.Time { return now.AddDate(0, 0, n) }
	switch {
	case strings.Contains(low, "day after tomorrow"):
		return day(2)
	case strings.HasSuffix(low, "after tomorrow"):
		return time.Time{}
	case strings.HasPrefix(low, "tomorrow"):
		return day(1)
	case low == "today" || low == "tonight":
		return now
	case low == "yesterday":
		return day(-1)
	}
	if m := spanOfTime.FindStringSubmatch(low); m != nil && (m[3] != "" || strings.HasPrefix(low, "in ")) {
		return memory.Shift(now, m[1], m[2], m[3] == "ago")
	}
	if m := endOf.FindStringSubmatch(low); m != nil {
		month := memory.Month(m[1])
		end := time.Date(now.Year(), month+1, 0, 0, 0, 0, 0, now.Location())
		if end.Before(now) {
			end = time.Date(now.Year()+1, month+1, 0, 0, 0, 0, 0, now.Location())
		}
		return end
	}
	return time.Time{}
}

var (
	spanOfTime = regexp.MustCompile(`^(?:in )?(` + countOf + `) (days?|weeks?|fortnights?|months?|years?)(?: (ago` +
		`|from now|hence))?$`)
	endOf = regexp.MustCompile(`end of (` + monthOf + `)$`)
)
