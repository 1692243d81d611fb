package eval

import (
	"fmt"
	"io"
	"strings"
)

// Arm is a run of a suite with one stage of the pipeline left out.
type Arm struct {
	Name   string  `json:"name"`
	Report *Report `json:"report"`
	// MadeUp is the share of released sentences that the model made up, where it knows
	// what it said: a scripted one does. Else the sentences without a record of support.
	MadeUp float64 `json:"made_up"`
}

// paperArms are the first paper's figures (section 6.4), for a small model and ten tests.
var paperArms = [][]string{
	{"the paper: quotes by document id", "80 %", "0 %", "about 40 %", "", "", "", "3 to 8", "", "9,000 to 11,000"},
	{"the paper: cites by id", "80 to 90 %", "0 %", "90 to 100 %", "", "", "", "0 to 1", "", "9,000 to 11,000"},
}

// WriteStages prints what each stage is worth as a table, with the paper's figures behind.
// Times are told only where they were measured undisturbed.
func WriteStages(w io.Writer, arms []Arm, timed bool) {
	row := func(cells ...string) {
		if !timed {
			cells = cells[:len(cells)-1]
		}
		writeRow(w, cells...)
	}
	row("arm", "passed", "made up", "verified at first", "right document", "refused", "fell back", "retries a turn",
		"calls a turn", "ms a turn")
	row("---", "---:", "---:", "---:", "---:", "---:", "---:", "---:", "---:", "---:")
	for _, a := range arms {
		m := a.Report.Metrics
		row(a.Name, percentOf(share(a.Report.Passed, a.Report.Cases)), percentOf(a.MadeUp),
			percentOf(m["citation_verification_first_attempt"]), percentOf(m["citation_accuracy"]),
			percentOf(m["refusal_rate"]), percentOf(m["fallback_rate"]),
			fmt.Sprintf("%.2f", m["retries_per_turn"]+m["thought_retries_per_turn"]),
			fmt.Sprintf("%.1f", m["llm_calls_per_turn"]), fmt.Sprintf("%.0f", a.Report.Usage.Turn.Mean))
	}
	for _, cells := range paperArms {
		row(cells...)
	}
}

func writeRow(w io.Writer, cells ...string) {
	fmt.Fprintln(w, "| "+strings.Join(cells, " | ")+" |")
}

func percentOf(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }
