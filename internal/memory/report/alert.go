package report

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/memory/faithful"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Alert is a bound that was overstepped in the last week, under the name that the
// rules of k8s/monitoring have for it. The log is read for it by clock hours, so
// that the report and the rule may differ by one.
type Alert struct {
	Name string `json:"name"`
	Says string `json:"says"`
}

// The alerts.
const (
	AlertBlockHigh      = "ForsoothBlockRateHigh"
	AlertBlockLow       = "ForsoothBlockRateLow"
	AlertContradictions = "ForsoothContradictionsInOneScan"
	AlertHighRisk       = "ForsoothHighRiskReplies"
	AlertSlowGrounding  = "ForsoothGroundingSlow"
	AlertSlowScan       = "ForsoothScanSlow"
)

// AlertNames are the names of all alerts.
func AlertNames() []string {
	return []string{AlertBlockHigh, AlertBlockLow, AlertContradictions, AlertHighRisk, AlertSlowGrounding, AlertSlowScan}
}

// The bounds of the alerts.
const (
	blockTop, blockLow = 0.08, 0.005
	leastInThreeHours  = 20
	leastInAWeek       = 200
	flagsInARun        = 10
	highRiskTop        = 0.05
	leastReplies       = 100
	groundingTop       = 300 * time.Millisecond
	runsBefore         = 7
	scanTrifle         = time.Second // what is quicker is nobody's concern
)

// alerts are those of the last week.
func alerts(in *Input, log []schema.MemoryEvent, list []Week) []Alert {
	var out []Alert
	add := func(name, format string, args ...any) { out = append(out, Alert{name, fmt.Sprintf(format, args...)}) }
	g := list[weeks-1].Grounding
	if at, rate := invented(in, log); !at.IsZero() {
		add(AlertBlockHigh, "more than %s were blocked in each of three hours up to %s, %s in all", percent(blockTop),
			moment(at), percent(rate))
	}
	if g.Judged() >= leastInAWeek && share(g.NotSupported, g.Judged()) < blockLow && sinceTheFirstDay(in, log) {
		add(AlertBlockLow, "%s of %s were blocked in the week", percent(share(g.NotSupported, g.Judged())), count(g.Judged()))
	}
	out = append(out, perWorld(in, AlertContradictions, func(s Scan) string {
		if n := s.Report.Actions["flag"]; n > flagsInARun {
			return fmt.Sprintf("flagged %d", n)
		}
		return ""
	})...)
	if at, rate := risky(in); !at.IsZero() {
		add(AlertHighRisk, "%s of the replies were a high risk in the six hours up to %s", percent(rate), moment(at))
	}
	if in.GroundingP99 > groundingTop && in.GroundingTimed > 0 {
		add(AlertSlowGrounding, "at the 99th percentile a verdict took %s", took(in.GroundingP99))
	}
	return append(out, perWorld(in, AlertSlowScan, func(s Scan) string {
		if usual := usualBefore(in.Scans, s); usual > 0 && s.Took > 2*usual && s.Took > scanTrifle {
			return fmt.Sprintf("took %s; the median of the %d before is %s", took(s.Took), runsBefore, took(usual))
		}
		return ""
	})...)
}

// perWorld makes one alert of each world whose scans had something wrong, by the
// last such scan.
func perWorld(in *Input, name string, wrong func(Scan) string) []Alert {
	last, times := map[string]string{}, map[string]int{}
	for _, s := range ofTheWeek(in) {
		if w := wrong(s); w != "" {
			last[s.World] = fmt.Sprintf("the scan of %s on %s %s", s.World, moment(s.At), w)
			times[s.World]++
		}
	}
	var out []Alert
	for _, world := range slices.Sorted(maps.Keys(last)) {
		says := last[world]
		if n := times[world] - 1; n > 0 {
			says += fmt.Sprintf("; %d more of the week did alike", n)
		}
		out = append(out, Alert{name, says})
	}
	return out
}

// invented finds three hours running in each of which too much was blocked. It
// gives the end of the last such hours, and the share in them.
func invented(in *Input, log []schema.MemoryEvent) (end time.Time, rate float64) {
	const hours = int(span / time.Hour)
	var week [hours]Grounding
	from := in.Now.Add(-span)
	for i := range log {
		if weekOf(log[i].At, in.Now) == weeks-1 {
			week[min(hours-1, int(log[i].At.Sub(from)/time.Hour))].add(&log[i], in.Skip)
		}
	}
	for h := 2; h < hours; h++ {
		blocked, judged, all := 0, 0, true
		for _, g := range week[h-2 : h+1] {
			blocked, judged = blocked+g.NotSupported, judged+g.Judged()
			all = all && share(g.NotSupported, g.Judged()) > blockTop
		}
		if all && judged >= leastInThreeHours {
			end, rate = from.Add(time.Duration(h+1)*time.Hour), share(blocked, judged)
		}
	}
	return end, rate
}

// sinceTheFirstDay says whether the guard was at work from the week's beginning.
func sinceTheFirstDay(in *Input, log []schema.MemoryEvent) bool {
	return slices.ContainsFunc(log, func(e schema.MemoryEvent) bool {
		return verdictOf(&e, in.Skip) != nil && e.At.Before(in.Now.Add(-span+day))
	})
}

// risky finds six hours of the week, by the clock, with too many high risks.
func risky(in *Input) (end time.Time, rate float64) {
	const stretch = 6 * time.Hour
	var week [span / stretch]struct{ high, all int }
	from := in.Now.Add(-span)
	for _, r := range in.Reply {
		if weekOf(r.At, in.Now) != weeks-1 {
			continue
		}
		s := &week[min(len(week)-1, int(r.At.Sub(from)/stretch))]
		s.all++
		if r.Risk == faithful.High {
			s.high++
		}
	}
	for i, s := range week {
		if s.all >= leastReplies && share(s.high, s.all) > highRiskTop {
			end, rate = from.Add(time.Duration(i+1)*stretch), share(s.high, s.all)
		}
	}
	return end, rate
}

func ofTheWeek(in *Input) []Scan {
	var out []Scan
	for _, s := range in.Scans {
		if weekOf(s.At, in.Now) == weeks-1 {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b Scan) int { return a.At.Compare(b.At) })
	return out
}

// usualBefore is the median of the last runs of a world before one, or nothing
// where there were not enough.
func usualBefore(all []Scan, of Scan) time.Duration {
	var before []Scan
	for _, s := range all {
		if s.World == of.World && s.At.Before(of.At) {
			before = append(before, s)
		}
	}
	if len(before) < runsBefore {
		return 0
	}
	slices.SortFunc(before, func(a, b Scan) int { return b.At.Compare(a.At) })
	var times []time.Duration
	for _, s := range before[:runsBefore] {
		times = append(times, s.Took)
	}
	slices.Sort(times)
	return times[runsBefore/2]
}
