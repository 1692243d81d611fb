package bench

import (
	"math"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/examples/mmo/play"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func TestARollingRestartIsJudged(t *testing.T) {
	for name, c := range map[string]struct {
		report play.Report
		want   []string
	}{
		"kept":         {play.Report{Turns: 9, Replies: 9, InMesh: play.Spread{P99: 900}}, nil},
		"lost":         {play.Report{Turns: 9, Replies: 8, Unanswered: 1, Lost: []string{"t7"}}, []string{"1 turns lost: [t7]", "8 replies to 9 turns"}},
		"late":         {play.Report{Turns: 9, Replies: 9, Late: 2}, []string{"2 turns after their deadline"}},
		"too slow":     {play.Report{Turns: 9, Replies: 9, InMesh: play.Spread{P99: 8000}}, []string{"p99 is 8000 ms, the deadline 8000"}},
		"said in vain": {play.Report{Turns: 3, Replies: 2}, []string{"2 replies to 3 turns"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := RollingRun{DeadlineMS: 8000, Play: &c.report}
			r.judge()
			if got, want := strings.Join(r.Violations, "; "), strings.Join(c.want, "; "); got != want {
				t.Errorf("it says %q, want %q", got, want)
			}
		})
	}
}

// A pass that runs twice in a turn counts with both runs, and one that a turn did not
// reach counts in its mean as nothing.
func TestALedgerAddsUp(t *testing.T) {
	var l ledger
	pass := func(p schema.Pass, ms float64, calls int, cost float64) schema.PassRecord {
		return schema.PassRecord{Pass: p, TookMS: ms, LLMCalls: calls, Cost: cost}
	}
	l.enter(&schema.Reply{Passes: []schema.PassRecord{pass(schema.PassRetrieve, 2, 0, 0), pass(schema.PassThink, 10, 1, 0.001), pass(schema.PassThink, 20, 1, 0.002)}})
	l.enter(&schema.Reply{Passes: []schema.PassRecord{pass(schema.PassRetrieve, 4, 0, 0)}})
	var row PlayersRow
	l.close(&row)
	if row.Calls != 1 || math.Abs(row.Cost-1.5) > 1e-9 || len(row.Passes) != 2 {
		t.Fatalf("%+v", row)
	}
	if got := row.Passes[0]; got != (PassCost{Pass: schema.PassRetrieve, Mean: 3, P50: 4, P95: 4, P99: 4}) {
		t.Errorf("%+v", got)
	}
	if got := row.Passes[1]; got != (PassCost{Pass: schema.PassThink, Mean: 15, P50: 30, P95: 30, P99: 30}) {
		t.Errorf("%+v", got)
	}
}
