package world

import (
	"regexp"
	"strings"
	"time"
)

// logLine is a line of a log, taken apart.
type logLine struct {
	at      time.Time
	speaker string
	text    string
	line    int
}

// readLog reads chat and event logs: "[1997-03-02 23:14] <alice> text",
// "1402-04-11 21:40 Osric: text", "[23:14] * bob waves". Each entry is cut into
// passages of its own, with who said it and when. A line without a time that is
// indented goes on with the entry before it.
func readLog(l *log, d *Document, data []byte) []Passage {
	s, ok := decodeText(l, data)
	if !ok {
		return nil
	}
	var out []Passage
	for _, e := range parseLog(s, d.CreatedAt) {
		for _, p := range (block{text: e.text, line: e.line, page: 1}).cut() {
			p.Speaker, p.At = e.speaker, e.at
			out = append(out, p)
		}
	}
	return keepVerbatim(l, out, s)
}

// logReader keeps the day between lines that name only a time.
type logReader struct {
	day  time.Time
	last time.Time
	out  []logLine
}

func parseLog(s string, created time.Time) []logLine {
	r := &logReader{day: midnight(created)}
	n := 0
	for line := range strings.SplitSeq(s, "\n") {
		n++
		r.read(line, n)
	}
	return r.out
}

func midnight(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

var (
	logStamp = regexp.MustCompile(`^[\[(]?\s*(?:(\d{4}-\d{2}-\d{2})(?:[T ,]\s*` +
		`|$))?(?:(\d{1,2}:\d{2}(?::\d{2})?)(?:[.,]\d+)?(Z|[+-]\d{2}:\d{2})?)?\s*[\])]?\s*(?:[-–|]\s+)?`)
	logAngle = regexp.MustCompile(`^<\s*[@+%&~]?([^<>\s][^<>]{0,40}?)\s*>(?:\s+(\S.*))?$`)
	logColon = regexp.MustCompile(`^([\pL][\pL\pN_'.-]*(?: [\pL\pN_'.-]+){0,3}):\s+(\S.*)$`)
	logDeed  = regexp.MustCompile(`^\*\s+(\S+)\s+\S.*$`)
	logEvent = regexp.MustCompile(`^(?:-!-|\*{3}|-->|<--|---)\s+(\S.*)$`)
	dayWord  = regexp.MustCompile(`(?i)^(?:-+|\*+|=+|#+)?\s*(?:day changed(?: to)?|log opened|session start:?` +
		`|log started)?:?\s*(.*?)\s*(?:-+|\*+|=+)?$`)
)

var dayForms = []string{"2006-01-02", "Mon Jan 02 2006", "Mon Jan 2 2006", "Mon Jan 2 15:04:05 2006", "2 January 2006",
	"January 2, 2006"}

func (r *logReader) read(line string, n int) {
	trimmed := strings.TrimSpace(line)
	if trimmed == "" || r.changesDay(trimmed) {
		return
	}
	stamp := logStamp.FindStringSubmatch(trimmed)
	stamped := stamp != nil && (stamp[1] != "" || stamp[2] != "")
	rest := trimmed
	if stamped {
		rest = trimmed[len(stamp[0]):]
	}
	speaker, said, spoken := logSpeaker(rest, stamped)
	indented := line != strings.TrimLeft(line, " \t")
	if !stamped && !spoken && (indented || !isCitable(trimmed)) && len(r.out) > 0 {
		last := &r.out[len(r.out)-1]
		last.text += "\n" + trimmed
		return
	}
	e := logLine{at: r.last, speaker: speaker, text: said, line: n}
	if stamped {
		e.at = r.instant(stamp[1], stamp[2], stamp[3])
	}
	if isCitable(e.text) {
		r.out = append(r.out, e)
	}
}

// changesDay takes a line that holds only a date for the day of what follows.
func (r *logReader) changesDay(s string) bool {
	m := dayWord.FindStringSubmatch(s)
	if m == nil {
		return false
	}
	for _, form := range dayForms {
		if t, err := time.Parse(form, m[1]); err == nil && t.Year() >= 1 {
			r.day = midnight(t)
			r.last = r.day
			return true
		}
	}
	return false
}

// logSpeaker takes the speaker off a line. "Name: text" without a time counts as
// speech as well; "* bob waves" is bob's deed and is kept whole.
func logSpeaker(s string, stamped bool) (speaker, said string, spoken bool) {
	if m := logAngle.FindStringSubmatch(s); m != nil {
		return m[1], m[2], true
	}
	if m := logDeed.FindStringSubmatch(s); m != nil && stamped {
		return m[1], strings.TrimSpace(s[1:]), true
	}
	if m := logEvent.FindStringSubmatch(s); m != nil {
		return "", m[1], true
	}
	if m := logColon.FindStringSubmatch(s); m != nil && (stamped || len(strings.Fields(m[1])) <= 2) {
		return m[1], m[2], true
	}
	return "", s, false
}

// instant joins a date and a time of day. A time alone belongs to the day before
// it, or to the next one where the clock went back by more than half a day.
func (r *logReader) instant(date, clock, zone string) time.Time {
	if date != "" {
		day, err := time.Parse(time.DateOnly, date)
		if err != nil || day.Year() < 1 {
			return r.last
		}
		r.day = day
	}
	at := r.day
	if clock != "" && !r.day.IsZero() {
		at = r.day.Add(clockTime(clock))
		if date == "" && !r.last.IsZero() && r.last.Sub(at) > 12*time.Hour {
			r.day = r.day.AddDate(0, 0, 1)
			at = at.AddDate(0, 0, 1)
		}
	}
	if zone != "" && zone != "Z" {
		if t, err := time.Parse("-07:00", zone); err == nil {
			_, offset := t.Zone()
			at = at.Add(-time.Duration(offset) * time.Second)
		}
	}
	if at.Year() < 1 || at.Year() > 9999 {
		return r.last
	}
	r.last = at
	return at
}

func clockTime(s string) time.Duration {
	for _, form := range []string{"15:04:05", "15:04"} {
		if t, err := time.Parse(form, s); err == nil {
			return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute +
				time.Duration(t.Second())*time.Second
		}
	}
	return 0
}
