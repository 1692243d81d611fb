package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// Comparison is two runs of a suite side by side.
type Comparison struct {
	Suite     string   `json:"suite"`
	Tolerance float64  `json:"tolerance"`
	Metrics   []Shift  `json:"metrics"`
	Times     []Shift  `json:"times"`   // of this machine and its load: shown, never judged
	Changed   []Change `json:"changed"` // cases that both runs have and that ended differently
	Added     []string `json:"added"`   // cases of the new run alone
	Removed   []string `json:"removed"`
	Worse     []string `json:"worse"` // the metrics that got worse beyond the tolerance
}

// Shift is one figure in both runs.
type Shift struct {
	Name    string  `json:"name"`
	Old     float64 `json:"old"`
	New     float64 `json:"new"`
	Delta   float64 `json:"delta"`
	Better  Better  `json:"better"`
	Verdict string  `json:"verdict"` // better, worse, same; empty where it is not judged
}

// Change is a case that ended differently.
type Change struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	NPC  string `json:"npc"`
	What string `json:"what"` // see the Changed constants
	Old  Result `json:"old"`
	New  Result `json:"new"`
}

// What became of a case.
const (
	ChangedBroke    = "broke"    // passed before, fails now
	ChangedMended   = "mended"   // failed before, passes now
	ChangedStatus   = "status"   // judged as before, with another status
	ChangedReworded = "reworded" // judged as before, with other words
)

// ReadReport reads the report of an earlier run.
func ReadReport(path string) (*Report, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("report %s: cannot be read", path)
	}
	var r Report
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("report %s: is not the JSON of eval --json: %w", path, err)
	}
	return &r, nil
}

// Compare holds a run against an earlier one. A share that moved the wrong way by
// more than the tolerance is worse, and so is an amount (calls, tokens, cost) that
// moved by more than that part of itself.
func Compare(old, now *Report, tolerance float64) (*Comparison, error) {
	c := &Comparison{Suite: now.Suite, Tolerance: tolerance, Metrics: []Shift{}, Times: []Shift{}, Changed: []Change{},
		Added: []string{}, Removed: []string{}, Worse: []string{}}
	if err := c.cases(old, now); err != nil {
		return nil, err
	}
	before, after := old.figures(), now.figures()
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if v, both := after[name]; both {
			c.judge(name, before[name], v)
		}
	}
	c.times(old, now)
	return c, nil
}

// cases sorts out which cases both runs have, and which of them changed.
func (c *Comparison) cases(old, now *Report) error {
	before := map[string]Result{}
	for _, r := range old.Results {
		before[r.Name] = r
	}
	if len(before) == 0 {
		return errors.New("the earlier report holds no results by case; " +
			"write one with eval SUITE.yaml --json of this version")
	}
	common := 0
	for _, r := range now.Results {
		was, ok := before[r.Name]
		if !ok {
			c.Added = append(c.Added, r.Name)
			continue
		}
		common++
		delete(before, r.Name)
		if what := changeOf(was, r); what != "" {
			c.Changed = append(c.Changed, Change{Name: r.Name, Kind: r.Kind, NPC: r.NPC, What: what, Old: was, New: r})
		}
	}
	if common == 0 {
		return errors.New("the two reports have no case in common; compare runs of one suite")
	}
	c.Removed = append(c.Removed, slices.Sorted(maps.Keys(before))...)
	return nil
}

func changeOf(old, now Result) string {
	switch {
	case old.Passed && !now.Passed:
		return ChangedBroke
	case !old.Passed && now.Passed:
		return ChangedMended
	case old.Status != now.Status:
		return ChangedStatus
	case old.Reply != now.Reply:
		return ChangedReworded
	}
	return ""
}

// figures are everything of a run that is judged, by name.
func (r *Report) figures() map[string]float64 {
	out := maps.Clone(r.Metrics)
	if out == nil {
		out = map[string]float64{}
	}
	out["passed"] = share(r.Passed, r.Cases)
	for kind, t := range r.ByKind {
		out["passed_"+kind] = share(t.Passed, t.Cases)
	}
	if r.Curve != nil {
		out["confidence_auroc"], out["calibration_error"] = r.Curve.AUROC, r.Curve.ECE
	}
	return out
}

func (c *Comparison) judge(name string, old, now float64) {
	s := Shift{Name: name, Old: old, New: now, Delta: now - old, Better: betterOf(name)}
	limit := c.Tolerance
	if slices.Contains(amounts, name) {
		limit *= old
	}
	const rounding = 1e-9
	switch gain := s.gain(); {
	case s.Better == BetterNeither:
	case gain < -limit-rounding:
		s.Verdict = "worse"
		c.Worse = append(c.Worse, name)
	case gain > limit+rounding:
		s.Verdict = "better"
	default:
		s.Verdict = "same"
	}
	c.Metrics = append(c.Metrics, s)
}

// gain is how far a figure moved the right way.
func (s *Shift) gain() float64 {
	if s.Better == BetterLower {
		return -s.Delta
	}
	return s.Delta
}

func (c *Comparison) times(old, now *Report) {
	put := func(name string, was, is Stat, value func(Stat) float64) {
		if was.N > 0 && is.N > 0 {
			c.Times = append(c.Times, Shift{Name: name, Old: value(was), New: value(is), Delta: value(is) - value(was),
				Better: BetterLower})
		}
	}
	median, mean := func(s Stat) float64 { return s.P50 }, func(s Stat) float64 { return s.Mean }
	put("turn ms, median", old.Usage.Turn, now.Usage.Turn, median)
	put("first sentence ms, median", old.Usage.FirstSentence, now.Usage.FirstSentence, median)
	for _, p := range now.Usage.Passes {
		for _, was := range old.Usage.Passes {
			if was.Pass == p.Pass {
				put(string(p.Pass)+" ms, mean", was.MS, p.MS, mean)
			}
		}
	}
}

// WriteJSON prints the comparison as one object.
func (c *Comparison) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(c)
}

// WriteTable prints the comparison for a reader: figures first, then the cases.
func (c *Comparison) WriteTable(w io.Writer) {
	fmt.Fprintf(w, "suite %s, two runs; worse is beyond %g (of calls, tokens and cost: that part of them)\n\n", c.Suite,
		c.Tolerance)
	fmt.Fprintf(w, "  %-38s %10s %10s %10s\n", "figure", "old", "new", "change")
	for _, s := range c.Metrics {
		s.write(w)
	}
	for _, s := range c.Times {
		s.write(w)
	}
	c.writeCases(w)
	switch {
	case len(c.Worse) > 0:
		fmt.Fprintf(w, "\n  WORSE: %s\n", strings.Join(c.Worse, ", "))
	default:
		fmt.Fprintln(w, "\n  nothing is worse")
	}
}

func (s Shift) write(w io.Writer) {
	mark := s.Verdict
	if mark == "same" {
		mark = ""
	}
	line := fmt.Sprintf("  %-38s %10s %10s %10s  %s", s.Name, asText(s.Old), asText(s.New), withSign(s.Delta), mark)
	fmt.Fprintln(w, strings.TrimRight(line, " "))
}

func (c *Comparison) writeCases(w io.Writer) {
	count := map[string]int{}
	for _, x := range c.Changed {
		count[x.What]++
	}
	fmt.Fprintf(w, "\n  cases: %d broke, %d mended, %d with another status, %d in other words; %d added, %d removed\n",
		count[ChangedBroke], count[ChangedMended], count[ChangedStatus], count[ChangedReworded], len(c.Added), len(c.Removed))
	for _, x := range c.Changed {
		if x.What == ChangedReworded {
			continue
		}
		fmt.Fprintf(w, "  %s %s (%s)\n    old: %s: %s\n    new: %s: %s\n", strings.ToUpper(x.What), x.Name, x.NPC,
			x.Old.Status, oneLine(x.Old.Reply), x.New.Status, oneLine(x.New.Reply))
	}
}

// Better says which way a metric is to go.
type Better string

// The ways of a metric. Neither is a metric that is good or bad by its suite.
const (
	BetterHigher  Better = "higher"
	BetterLower   Better = "lower"
	BetterNeither Better = "neither"
)

// amounts are metrics that are no shares: they are compared by how much of
// themselves they changed.
var amounts = []string{"llm_calls_per_turn", "llm_calls_worst", "tokens_per_turn", "cost_per_turn"}

// lower are the metrics of which less is better.
var lower = append([]string{"retries_per_turn", "thought_retries_per_turn", "stripped_per_turn", "hallucination_rate",
	"fallback_rate", "wrong_deeds",
	"non_corpus_citation_rate", "non_corpus_rate", "false_denials", refusedPrefix + "known"}, amounts...)

// betterOf is the way of a metric by its name. Refusing is right for the kinds
// that nobody can answer and wrong for the known; elsewhere the suite decides. An
// error of calibration over few questions moves with each of them: it is shown.
func betterOf(name string) Better {
	kind, isRefused := strings.CutPrefix(name, refusedPrefix)
	switch {
	case slices.Contains(lower, name):
		return BetterLower
	case isRefused && !slices.Contains(refuseKinds, kind), name == "refusal_rate", name == "calibration_error":
		return BetterNeither
	}
	return BetterHigher
}
