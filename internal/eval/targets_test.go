package eval_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/eval"
)

// Suites of one speaker are added up by their cases, under the rows of each.
func TestTargetsAddUpBySpeaker(t *testing.T) {
	report := func(suite string, cases, passed int, refused float64) eval.Arm {
		return eval.Arm{Name: suite, MadeUp: 1 - refused, Report: &eval.Report{Cases: cases, Passed: passed,
			Metrics: map[string]float64{"refusal_rate": refused,
				"citation_accuracy": 1}}}
	}
	var out bytes.Buffer
	eval.WriteTargets(&out, []eval.Target{{Speaker: "extractive", Arm: report("a", 30, 30, 0)},
		{Speaker: "extractive", Arm: report("b", 10, 5, 1)}, {Speaker: "scripted", Arm: report("a", 30, 3, 0)}})
	for _, want := range []string{
		"| b | extractive | 5 | 10 | 0.0 % | 100.0 % | 0.0 % | 100.0 % |",
		"| all | extractive | 35 | 40 | 75.0 % | 100.0 % | 0.0 % | 25.0 % |",
		"| all | scripted | 3 | 30 | 100.0 % | 100.0 % | 0.0 % | 0.0 % |",
	} {
		if !strings.Contains(out.String(), want+"\n") {
			t.Errorf("no row %s in\n%s", want, &out)
		}
	}
}
