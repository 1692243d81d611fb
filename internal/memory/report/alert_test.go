package report

import (
	"slices"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/memory/faithful"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// hours adds candidates to hours of the last week, so many judged and blocked in
// each.
func (f *feed) hours(first int, each ...[2]int) {
	for i, n := range each {
		from := len(f.Events)
		f.verdicts(4, schema.GroundingSupported, n[0]-n[1])
		f.verdicts(4, schema.GroundingNotSupported, n[1])
		for k := range f.Events[from:] {
			f.Events[from+k].At = start(4).Add(time.Duration(first+i)*time.Hour + time.Minute)
		}
	}
}

func (f *feed) scans(flags int, took ...time.Duration) {
	for i, d := range took {
		s := Scan{At: now.Add(-time.Duration(len(took)-i) * 20 * time.Hour), World: "hollowmere", Took: d,
			Report: scan.Report{Memories: 10, Actions: map[string]int{}}}
		if i == len(took)-1 {
			s.Report.Actions["flag"] = flags
		}
		f.Scans = append(f.Scans, s)
	}
}

func (f *feed) scored(at time.Time, n, high int) {
	for i := range n {
		r := Reply{At: at, Score: 1, Risk: faithful.None}
		if i < high {
			r.Risk = faithful.High
		}
		f.Reply = append(f.Reply, r)
	}
}

func TestAlertsOfTheWeek(t *testing.T) {
	usual := slices.Repeat([]time.Duration{2 * time.Second}, 7)
	for _, c := range []struct {
		name string
		make func(*feed)
		want string // one alert, or none
	}{
		{"three hours of inventions", func(f *feed) { f.hours(10, [2]int{10, 1}, [2]int{10, 1}, [2]int{10, 1}) },
			AlertBlockHigh},
		{"in the last hours of the week", func(f *feed) { f.hours(165, [2]int{10, 1}, [2]int{10, 1}, [2]int{10, 1}) },
			AlertBlockHigh},
		{"two hours of inventions", func(f *feed) {
			f.hours(10, [2]int{10, 0}, [2]int{10, 5}, [2]int{10, 5},
				[2]int{10, 0})
		}, ""},
		{"an hour of nothing between",
			func(f *feed) { f.hours(10, [2]int{10, 5}, [2]int{0, 0}, [2]int{10, 5}, [2]int{10, 5}) }, ""},
		{"of nineteen", func(f *feed) { f.hours(10, [2]int{6, 1}, [2]int{6, 1}, [2]int{7, 1}) }, ""},
		{"eight in a hundred", func(f *feed) { f.hours(10, [2]int{100, 8}, [2]int{100, 8}, [2]int{100, 8}) }, ""},
		{"none blocked in a week", func(f *feed) { f.grounding(4, 200, 0, 0) }, AlertBlockLow},
		{"one of two hundred", func(f *feed) { f.grounding(4, 199, 0, 1) }, ""},
		{"none of too few", func(f *feed) { f.grounding(4, 199, 0, 0) }, ""},
		{"none since yesterday", func(f *feed) { f.hours(150, [2]int{300, 0}) }, ""},
		{"eleven contradictions", func(f *feed) { f.scans(11, time.Second) }, AlertContradictions},
		{"ten contradictions", func(f *feed) { f.scans(10, time.Second) }, ""},
		{"six in a hundred high", func(f *feed) { f.scored(now.Add(-time.Hour), 100, 6) }, AlertHighRisk},
		{"five in a hundred high", func(f *feed) { f.scored(now.Add(-time.Hour), 100, 5) }, ""},
		{"high of too few", func(f *feed) { f.scored(now.Add(-time.Hour), 99, 30) }, ""},
		{"grounding takes long", func(f *feed) { f.GroundingP99, f.GroundingTimed = 301*time.Millisecond, 50 },
			AlertSlowGrounding},
		{"grounding takes 300 ms", func(f *feed) { f.GroundingP99, f.GroundingTimed = 300*time.Millisecond, 50 }, ""},
		{"grounding was not timed", func(f *feed) { f.GroundingP99 = time.Minute }, ""},
		{"a scan of twice the usual and more", func(f *feed) { f.scans(0, append(usual, 4*time.Second+1)...) },
			AlertSlowScan},
		{"a scan of twice the usual", func(f *feed) { f.scans(0, append(usual, 4*time.Second)...) }, ""},
		{"six scans before", func(f *feed) { f.scans(0, append(usual[1:], time.Minute)...) }, ""},
		{"a trifle", func(f *feed) {
			f.scans(0, append(slices.Repeat([]time.Duration{time.Millisecond}, 7), time.Second)...)
		}, ""},
	} {
		f := &feed{Input: Input{Now: now, Policy: guards.PolicyWarn}}
		c.make(f)
		got := ""
		for _, a := range Make(f.Input).Alerts {
			got += a.Name
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestScansOfOneWorldAreOneAlert(t *testing.T) {
	f := &feed{Input: Input{Now: now}}
	for i := range 3 {
		f.Scans = append(f.Scans, Scan{At: now.Add(-time.Duration(3-i) * day), World: "hollowmere",
			Report: scan.Report{Actions: map[string]int{"flag": 20 + i}}})
	}
	got := Make(f.Input).Alerts
	if len(got) != 1 || got[0].Says != "the scan of hollowmere on 2026-04-05 03:30 flagged 22; 2 more of the week "+
		"did alike" {
		t.Errorf("%+v", got)
	}
}
