package eval

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Report is the outcome of a suite.
type Report struct {
	Suite    string             `json:"suite"`
	Model    string             `json:"model,omitempty"`   // that was asked, by the settings
	Without  []string           `json:"without,omitempty"` // stages that an experiment left out
	Cases    int                `json:"cases"`
	Passed   int                `json:"passed"`
	ByKind   map[string]Tally   `json:"by_kind"`
	Metrics  map[string]float64 `json:"metrics"`
	Met      bool               `json:"thresholds_met"`
	Failures []Failure          `json:"failures"`
	Issues   map[string]int     `json:"issues_by_cause"` // why drafts were sent back or sentences stripped
	// kinds judged by what may not be said: cases that also cited what they expect
	Evidence   map[string]Tally   `json:"evidence_beside"`
	Thresholds []Bound            `json:"thresholds"`
	Curve      *Curve             `json:"curve,omitempty"`
	Retries    map[string]Retries `json:"retries_by_cause"`
	Again      []Retries          `json:"retries_by_number"` // turns whose drafts were written again 0, 1, 2 … times
	Usage      Usage              `json:"usage"`
	Triage     []Suspect          `json:"triage"`  // passing known answers that cite what is not corpus
	Results    []Result           `json:"results"` // of every case, in the suite's order
}

// Tally counts cases.
type Tally struct {
	Cases  int `json:"cases"`
	Passed int `json:"passed"`
}

// Bound is a threshold with what was measured.
type Bound struct {
	Name string   `json:"name"`
	Min  *float64 `json:"min,omitempty"`
	Max  *float64 `json:"max,omitempty"`
	Got  float64  `json:"got"`
	Met  bool     `json:"met"`
}

// Failure is a case that did not pass.
type Failure struct {
	Name   string        `json:"name"`
	Kind   string        `json:"kind"`
	NPC    string        `json:"npc"`
	Status schema.Status `json:"status"`
	Reply  string        `json:"reply"`
	Want   string        `json:"want"`
	Got    string        `json:"got"`
}

// Summarise makes the report of a run.
func Summarise(s *Suite, outcomes []Outcome) *Report {
	r := &Report{Suite: s.Name, Cases: len(outcomes), ByKind: map[string]Tally{}, Evidence: map[string]Tally{},
		Failures: []Failure{}, Thresholds: []Bound{}, Curve: curveOf(outcomes), Usage: usageOf(outcomes),
		Triage: triage(outcomes), Results: []Result{}}
	for i := range outcomes {
		r.take(&outcomes[i])
	}
	n := measure(outcomes)
	r.Metrics, r.Issues, r.Retries, r.Again = n.metrics(), n.issues, n.causes, append([]Retries{}, n.again...)
	r.Metrics["llm_calls_per_turn"], r.Metrics["llm_calls_worst"] = r.Usage.Calls.Mean, r.Usage.Calls.Max
	r.Metrics["tokens_per_turn"], r.Metrics["cost_per_turn"] = r.Usage.Tokens.Mean, r.Usage.Cost.Mean
	r.bound(s)
	return r
}

func (r *Report) take(o *Outcome) {
	r.Results = append(r.Results, resultOf(o))
	t := r.ByKind[o.Case.Kind]
	t.Cases++
	if o.Passed() {
		t.Passed++
		r.Passed++
	} else {
		f := Failure{Name: o.Case.Name, Kind: o.Case.Kind, NPC: o.Case.NPC, Want: o.Want, Got: o.Got}
		if o.Reply != nil {
			f.Status, f.Reply = o.Reply.Status, o.Reply.Text
		}
		r.Failures = append(r.Failures, f)
	}
	r.ByKind[o.Case.Kind] = t
	if softKinds[o.Case.Kind] && len(o.Case.expect) > 0 && o.Reply != nil {
		e := r.Evidence[o.Case.Kind]
		e.Cases++
		if anyMatches(o.Case.expect, cited(o.Reply)) {
			e.Passed++
		}
		r.Evidence[o.Case.Kind] = e
	}
}

// bound holds the run against the suite's thresholds; none means that every case
// must pass.
func (r *Report) bound(s *Suite) {
	r.Met = true
	thresholds := s.Thresholds
	if len(thresholds) == 0 {
		one := 1.0
		thresholds = map[string]Threshold{"passed": {Min: &one}}
	}
	for _, name := range slices.Sorted(maps.Keys(thresholds)) {
		t := thresholds[name]
		b := Bound{Name: name, Min: t.Min, Max: t.Max, Got: r.value(name, t), Met: true}
		if t.Min != nil && b.Got < *t.Min || t.Max != nil && b.Got > *t.Max {
			b.Met, r.Met = false, false
		}
		r.Thresholds = append(r.Thresholds, b)
	}
}

// value is what a threshold's name measures.
func (r *Report) value(name string, t Threshold) float64 {
	counted := t.Min != nil && *t.Min > 1 || t.Max != nil && *t.Max > 1
	tally, isKind := r.ByKind[name]
	switch {
	case name == "passed":
		tally = Tally{Cases: r.Cases, Passed: r.Passed}
	case !isKind:
		return r.Metrics[name]
	}
	if counted {
		return float64(tally.Passed)
	}
	return share(tally.Passed, tally.Cases)
}

// WriteJSON prints the report as one object.
func (r *Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(r)
}

// Title names the run.
func (r *Report) Title() string {
	out := r.Suite
	if r.Model != "" {
		out += " with " + r.Model
	}
	if len(r.Without) > 0 {
		out += ", without " + strings.Join(r.Without, ", ")
	}
	return out
}

// timesWord is how often something was done.
func timesWord(n int) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// WriteTable prints the report for a reader.
func (r *Report) WriteTable(w io.Writer) {
	fmt.Fprintf(w, "suite %s: %d of %d cases passed (%.1f %%)\n\n", r.Title(), r.Passed, r.Cases,
		100*share(r.Passed, r.Cases))
	r.writeKinds(w)
	fmt.Fprintln(w)
	for _, name := range baseMetrics {
		fmt.Fprintf(w, "  %-38s %.3f\n", name, r.Metrics[name])
	}
	for _, cause := range slices.Sorted(maps.Keys(r.Issues)) {
		fmt.Fprintf(w, "  issues: %-30s %d\n", cause, r.Issues[cause])
	}
	for _, cause := range slices.Sorted(maps.Keys(r.Retries)) {
		fmt.Fprintf(w, "  retries: %-29s %d of thoughts, %d of speech\n", cause, r.Retries[cause].Thoughts,
			r.Retries[cause].Speech)
	}
	for number, turns := range r.Again {
		fmt.Fprintf(w, "  written again: %-23s %d thoughts, %d speeches\n", timesWord(number), turns.Thoughts, turns.Speech)
	}
	fmt.Fprintln(w)
	r.Usage.write(w)
	if r.Curve != nil {
		fmt.Fprintln(w)
		r.Curve.write(w)
	}
	fmt.Fprintln(w)
	for _, f := range r.Failures {
		fmt.Fprintf(w, "  FAILED %s (%s, %s)\n    said: %s\n    want: %s\n    got:  %s\n", f.Name, f.NPC, f.Status, f.Reply,
			f.Want, f.Got)
	}
	for _, b := range r.Thresholds {
		fmt.Fprintf(w, "  threshold %s: %s\n", b.Name, b)
	}
}

// writeKinds prints cases and passed, and beside them what was refused and what
// was clean of all that is forbidden.
func (r *Report) writeKinds(w io.Writer) {
	fmt.Fprintf(w, "  %-16s %7s %7s %9s %9s %9s\n", "kind", "cases", "passed", "share", "refused", "clean")
	for _, kind := range slices.Sorted(maps.Keys(r.ByKind)) {
		t := r.ByKind[kind]
		fmt.Fprintf(w, "  %-16s %7d %7d %7.1f %% %7.1f %% %7.1f %%", kind, t.Cases, t.Passed, 100*share(t.Passed, t.Cases),
			100*r.Metrics[refusedPrefix+kind], 100*r.Metrics[cleanPrefix+kind])
		if e, ok := r.Evidence[kind]; ok {
			fmt.Fprintf(w, "  (%d of %d cite what they expect: beside, not counted)", e.Passed, e.Cases)
		}
		fmt.Fprintln(w)
	}
}

func (b Bound) String() string {
	var parts []string
	if b.Min != nil {
		parts = append(parts, fmt.Sprintf("at least %.4g", *b.Min))
	}
	if b.Max != nil {
		parts = append(parts, fmt.Sprintf("at most %.4g", *b.Max))
	}
	word := "met"
	if !b.Met {
		word = "NOT MET"
	}
	return fmt.Sprintf("%s, got %.4g: %s", strings.Join(parts, " and "), b.Got, word)
}

// asText prints a figure with four digits that count, and never as a power.
func asText(v float64) string {
	switch a := math.Abs(v); {
	case a >= 1000 || a == 0:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a < 0.0001:
		return strconv.FormatFloat(v, 'f', 7, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// withSign prints a change, and a dash where there is none.
func withSign(v float64) string {
	switch {
	case math.Abs(v) < 1e-9:
		return "–"
	case v > 0:
		return "+" + asText(v)
	}
	return asText(v)
}

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
