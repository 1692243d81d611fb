package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// count prints a number of things: 1,847.
func count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// percent prints a share: 2.3 %, and 0.08 % where one digit would hide it.
func percent(v float64) string {
	digits := 1
	if v != 0 && math.Abs(v) < 0.0095 {
		digits = 2
	}
	s := strconv.FormatFloat(100*v, 'f', digits, 64)
	return strings.TrimSuffix(strings.TrimSuffix(s, ".00"), ".0") + " %"
}

func oneDigit(v float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
}

// perThousand prints a count that was scaled.
func perThousand(v float64) string {
	if v >= 1000 {
		return count(int(math.Round(v)))
	}
	return oneDigit(v)
}

func (u Unit) print(v float64) string {
	if u == PerTenK {
		return oneDigit(v * 10_000)
	}
	return percent(v)
}

func (f *Figure) value() string {
	if f.N == 0 {
		return "–"
	}
	return f.Unit.print(f.Value)
}

func (f *Figure) past() string {
	if f.Before.N == 0 {
		return "–"
	}
	return f.Unit.print(f.Before.Value)
}

// healthy prints the range: "2–4 %", "< 1 %".
func (f *Figure) healthy() string {
	high := f.Unit.print(f.Range.High)
	if f.Range.Below {
		return "< " + high
	}
	return strings.TrimSuffix(f.Unit.print(f.Range.Low), " %") + "–" + high
}

// state says where the figure stands.
func (f *Figure) state() string {
	if f.State == TooFew {
		return "too few to say"
	}
	return string(f.State)
}

// trend says where it went since the four weeks before.
func (f *Figure) trend() string {
	switch {
	case f.State == Off:
		return "–"
	case f.Before.Direction == NotSaid:
		return "too few"
	}
	return string(f.Before.Direction)
}

func cost(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v < 0.01:
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

func took(d time.Duration) string {
	switch {
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%d ms", d.Milliseconds())
}

func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }

func date(t time.Time) string { return t.UTC().Format("2006-01-02") }

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return count(n) + " " + what + "s"
}

func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
