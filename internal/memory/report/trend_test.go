package report

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/memory/faithful"
)

// kept is a stored report of one world: what it came to is read back from its JSON.
func kept(t *testing.T, world string, to time.Time, risk Risk, scored, high int, mean float64) *Report {
	t.Helper()
	data, err := json.Marshal(&Report{World: world, From: to.Add(-span), To: to, Risk: risk, Mean: mean,
		Replies: Replies{Scored: scored, Warned: high, Risks: map[faithful.Risk]int{faithful.High: high}}})
	if err != nil {
		t.Fatal(err)
	}
	var r Report
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return &r
}

// This week stands beside the last three, which the stored reports tell of.
func TestFourWeeksSideBySide(t *testing.T) {
	in := Input{Now: now, Policy: guards.PolicyWarn}
	for i := range 300 {
		in.Reply = append(in.Reply, Reply{At: now.Add(-time.Duration(i+1) * time.Minute), Score: 1, Risk: faithful.None})
	}
	in.Earlier = []*Report{
		kept(t, "a", now.Add(-3*span), Low, 400, 2, 0.9),
		kept(t, "a", now.Add(-2*span), Elevated, 400, 12, 0.7),
		kept(t, "a", now.Add(-span-time.Hour), Low, 100, 1, 0.5), // made by hand, and again when it was due
		kept(t, "a", now.Add(-span), High, 400, 40, 0.6),
		kept(t, "b", now.Add(-span), Low, 400, 0, 1),
	}
	r := Make(in)
	type week struct {
		risk         Risk
		scored, high int
		mean         float64
		acted        int
	}
	want := []week{{Low, 400, 2, 0.9, 2}, {Elevated, 400, 12, 0.7, 12}, {High, 800, 40, 0.8, 40}, {r.Risk, 300, 0, 1, 0}}
	for i, w := range r.Trend {
		got := week{w.Risk, w.HighRisk.N, w.HighRisk.Hits, float64(int(w.Mean*1000+0.5)) / 1000, w.Acted}
		if got != want[i] {
			t.Errorf("week %d is %+v, want %+v", i, got, want[i])
		}
	}
	if f := r.Figures[2]; f.Before.N != 1600 || f.Before.Direction != Falling {
		t.Errorf("the weeks before are %+v", f.Before)
	}
	for kind, text := range shown(t, r) {
		for _, part := range []string{"Four weeks", "ELEVATED", "0.70"} {
			if !strings.Contains(text, part) {
				t.Errorf("%s does not show %q", kind, part)
			}
		}
	}
}

// Where clocks change, two reports of a zone lie a week and an hour apart, or an hour
// less: each stands for one week, and none for two.
func TestAWeekOfAChangeOfClocks(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Vienna")
	if err != nil {
		t.Fatal(err)
	}
	for name, last := range map[string]time.Time{
		"in spring": time.Date(2026, 4, 6, 6, 0, 0, 0, zone), "in autumn": time.Date(2026, 11, 2, 6, 0, 0, 0, zone),
	} {
		in := Input{Now: last, Policy: guards.PolicyWarn}
		for i := 1; i <= 3; i++ {
			in.Earlier = append(in.Earlier, kept(t, "a", last.AddDate(0, 0, -7*i), Low, 200+i, 0, 1))
		}
		for i, w := range Make(in).Trend[:3] {
			if w.HighRisk.N != 203-i {
				t.Errorf("%s: week %d has %d replies", name, i, w.HighRisk.N)
			}
		}
	}
}

// A week that no report and no stream tells of is not one in which nothing happened.
func TestAWeekWithoutAReportIsNotKnown(t *testing.T) {
	r := Make(Input{Now: now, Policy: guards.PolicyWarn})
	for _, row := range r.trend().Rows {
		if row[1] != "–" {
			t.Errorf("%v", row)
		}
	}
}
