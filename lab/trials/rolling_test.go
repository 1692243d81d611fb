package trials

import (
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/examples/mmo/play"
)

func TestARollingRestartIsJudged(t *testing.T) {
	for name, c := range map[string]struct {
		report play.Report
		want   []string
	}{
		"kept": {play.Report{Turns: 9, Replies: 9, InMesh: play.Spread{P99: 900}}, nil},
		"lost": {play.Report{Turns: 9, Replies: 8, Unanswered: 1, Lost: []string{"t7"}},
			[]string{"1 turns lost: [t7]", "8 replies to 9 turns"}},
		"late": {play.Report{Turns: 9, Replies: 9, Late: 2}, []string{"2 turns after their deadline"}},
		"too slow": {play.Report{Turns: 9, Replies: 9, InMesh: play.Spread{P99: 8000}},
			[]string{"p99 is 8000 ms, the deadline 8000"}},
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
