package eval

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// MetricNames are the metrics of a run.
var MetricNames = []string{"citation_verification_first_attempt", "self_correction", "retries_per_turn", "faithfulness",
	"hallucination_rate", "citation_accuracy", "fallback_rate", "refusal_rate", "non_corpus_citation_rate"}

// Report is the outcome of a suite.
type Report struct {
	Suite      string             `json:"suite"`
	Cases      int                `json:"cases"`
	Passed     int                `json:"passed"`
	ByKind     map[string]Tally   `json:"by_kind"`
	Metrics    map[string]float64 `json:"metrics"`
	Retries    map[string]int     `json:"retries_by_cause"`
	Evidence   map[string]Tally   `json:"evidence_beside"` // kinds judged by what may not be said: cases that also cited what they expect
	Met        bool               `json:"thresholds_met"`
	Thresholds []Bound            `json:"thresholds"`
	Failures   []Failure          `json:"failures"`
	Curve      *Curve             `json:"curve,omitempty"`
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
		Failures: []Failure{}, Thresholds: []Bound{}, Retries: map[string]int{}}
	for i := range outcomes {
		o := &outcomes[i]
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
			if paths, _ := cited(o.Reply); anyMatches(o.Case.expect, paths) {
				e.Passed++
			}
			r.Evidence[o.Case.Kind] = e
		}
	}
	r.Metrics = measure(outcomes, r.Retries)
	r.Curve = curveOf(outcomes)
	r.bound(s)
	return r
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
		b := Bound{Name: name, Min: t.Min, Max: t.Max, Got: r.value(name), Met: true}
		if t.Min != nil && b.Got < *t.Min || t.Max != nil && b.Got > *t.Max {
			b.Met, r.Met = false, false
		}
		r.Thresholds = append(r.Thresholds, b)
	}
}

// value is what a threshold's name measures, as a share.
func (r *Report) value(name string) float64 {
	if name == "passed" {
		return share(r.Passed, r.Cases)
	}
	if t, ok := r.ByKind[name]; ok {
		return share(t.Passed, t.Cases)
	}
	return r.Metrics[name]
}

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// WriteJSON prints the report as one object.
func (r *Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(r)
}

// WriteTable prints the report for a reader.
func (r *Report) WriteTable(w io.Writer) {
	fmt.Fprintf(w, "suite %s: %d of %d cases passed (%.1f %%)\n\n", r.Suite, r.Passed, r.Cases, 100*share(r.Passed, r.Cases))
	fmt.Fprintf(w, "  %-16s %7s %7s %8s\n", "kind", "cases", "passed", "share")
	for _, kind := range slices.Sorted(maps.Keys(r.ByKind)) {
		t := r.ByKind[kind]
		fmt.Fprintf(w, "  %-16s %7d %7d %7.1f %%\n", kind, t.Cases, t.Passed, 100*share(t.Passed, t.Cases))
		if e, ok := r.Evidence[kind]; ok {
			fmt.Fprintf(w, "  %-16s %7d %7d   (cited what it expects; not counted)\n", "", e.Cases, e.Passed)
		}
	}
	fmt.Fprintln(w)
	for _, name := range MetricNames {
		fmt.Fprintf(w, "  %-38s %.3f\n", name, r.Metrics[name])
	}
	if r.Curve != nil {
		fmt.Fprintln(w)
		r.Curve.write(w)
	}
	fmt.Fprintln(w)
	for _, f := range r.Failures {
		fmt.Fprintf(w, "  FAILED %s (%s, %s)\n    said: %s\n    want: %s\n    got:  %s\n", f.Name, f.NPC, f.Status, f.Reply, f.Want, f.Got)
	}
	for _, b := range r.Thresholds {
		fmt.Fprintf(w, "  threshold %s: %s\n", b.Name, b)
	}
}

func (b Bound) String() string {
	var parts []string
	if b.Min != nil {
		parts = append(parts, fmt.Sprintf("at least %.3g", *b.Min))
	}
	if b.Max != nil {
		parts = append(parts, fmt.Sprintf("at most %.3g", *b.Max))
	}
	word := "met"
	if !b.Met {
		word = "NOT MET"
	}
	return fmt.Sprintf("%s, got %.3f: %s", strings.Join(parts, " and "), b.Got, word)
}
