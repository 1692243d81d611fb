package eval

import (
	"fmt"
	"io"
)

// Target is one suite, run by one kind of speaker.
type Target struct {
	Speaker string `json:"speaker"`
	Arm
}

// WriteTargets prints how many cases pass, suite by suite and for each speaker together, with
// the third paper's targets behind.
func WriteTargets(w io.Writer, all []Target) {
	row := func(cells ...string) { writeRow(w, cells...) }
	row("suite", "speaker", "passed", "of", "hallucination", "citation accuracy", "fell back", "refused")
	row("---", "---", "---:", "---:", "---:", "---:", "---:", "---:")
	var speakers []string
	sums := map[string]*sum{}
	for _, t := range all {
		if sums[t.Speaker] == nil {
			speakers, sums[t.Speaker] = append(speakers, t.Speaker), &sum{}
		}
		sums[t.Speaker].add(t.Arm)
		one := sum{}
		one.add(t.Arm)
		row(append([]string{t.Name, t.Speaker}, one.cells()...)...)
	}
	for _, s := range speakers {
		row(append([]string{"all", s}, sums[s].cells()...)...)
	}
	row("the paper's targets", "", "all", "111", "< 5 %", "> 95 %", "< 20 %", "about 10 %")
}

// sum adds up suites: each case counts alike. What a scripted model made up is hallucinated.
type sum struct {
	passed, cases                             int
	hallucinated, accurate, fellBack, refused float64
}

func (s *sum) add(a Arm) {
	r := a.Report
	n := float64(r.Cases)
	s.passed, s.cases = s.passed+r.Passed, s.cases+r.Cases
	s.hallucinated += n * a.MadeUp
	s.accurate += n * r.Metrics["citation_accuracy"]
	s.fellBack += n * r.Metrics["fallback_rate"]
	s.refused += n * r.Metrics["refusal_rate"]
}

func (s *sum) cells() []string {
	n := float64(max(1, s.cases))
	return []string{fmt.Sprint(s.passed), fmt.Sprint(s.cases), percentOf(s.hallucinated / n), percentOf(s.accurate / n),
		percentOf(s.fellBack / n), percentOf(s.refused / n)}
}
