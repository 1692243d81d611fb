package eval

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Runs are the results of suites in a folder: files of `forsooth eval --json`.
type Runs struct {
	Folder string  `json:"folder"`
	Runs   []Run   `json:"runs"` // the newest first
	Faults []Fault `json:"faults"`
}

// Run is one of them, without its cases.
type Run struct {
	File       string             `json:"file"`
	At         time.Time          `json:"at"` // when the file was written
	Suite      string             `json:"suite"`
	Model      string             `json:"model,omitempty"`
	Cases      int                `json:"cases"`
	Passed     int                `json:"passed"`
	Met        bool               `json:"thresholds_met"`
	ByKind     map[string]Tally   `json:"by_kind"`
	Metrics    map[string]float64 `json:"metrics"`
	Thresholds []Bound            `json:"thresholds"`
	Failures   []Failure          `json:"failures"`
}

// Fault is a file that is no result.
type Fault struct {
	File string `json:"file"`
	Why  string `json:"why"`
}

// Bounds of what is read of a folder.
const (
	mostRuns    = 200
	mostRunSize = 64 << 20
)

// ReadRuns reads the results of a folder. One that is not there holds none.
func ReadRuns(folder string) (Runs, error) {
	out := Runs{Folder: folder, Runs: []Run{}, Faults: []Fault{}}
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return out, fmt.Errorf("results of suites in %s: %w", folder, err)
	}
	files := newest(entries)
	if len(files) > mostRuns {
		out.Faults = append(out.Faults, Fault{files[mostRuns].Name(), fmt.Sprintf("is older than the %d that are read",
			mostRuns)})
		files = files[:mostRuns]
	}
	for _, info := range files {
		r, err := readRun(folder, info)
		if err != nil {
			out.Faults = append(out.Faults, Fault{info.Name(), err.Error()})
			continue
		}
		out.Runs = append(out.Runs, Run{File: info.Name(), At: info.ModTime().UTC(), Suite: r.Suite, Model: r.Model,
			Cases: r.Cases, Passed: r.Passed, Met: r.Met, ByKind: r.ByKind, Metrics: r.Metrics, Thresholds: r.Thresholds,
			Failures: r.Failures})
	}
	return out, nil
}

// newest are the files that may hold results, the newest first.
func newest(entries []fs.DirEntry) []fs.FileInfo {
	var out []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && filepath.Ext(e.Name()) == ".json" {
			out = append(out, info)
		}
	}
	slices.SortFunc(out, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), strings.Compare(b.Name(), a.Name())) // clocks of disks are coarse
	})
	return out
}

func readRun(folder string, info fs.FileInfo) (*Report, error) {
	if info.Size() > mostRunSize {
		return nil, fmt.Errorf("is larger than %d MiB", mostRunSize>>20)
	}
	r, err := ReadReport(filepath.Join(folder, info.Name()))
	switch {
	case err != nil:
		return nil, errors.New("is not the JSON of forsooth eval --json")
	case r.Suite == "" || r.Metrics == nil:
		return nil, errors.New("names no suite or has no metrics; write it by forsooth eval --json")
	}
	return r, nil
}

// tolerance is how far a metric may move in CompareRuns before it is worse; eval compare has
// the same default.
const tolerance = 0.02

// CompareRuns holds a run of a folder against an earlier one of it, both by the names of
// their files.
func CompareRuns(folder, old, now string) (*Comparison, error) {
	var both [2]*Report
	for i, name := range []string{old, now} {
		field := []string{"old", "new"}[i]
		if name == "" || filepath.Base(name) != name || strings.HasPrefix(name, ".") || filepath.Ext(name) != ".json" {
			return nil, &schema.FieldError{Field: field, Reason: "is no name of a file of results"}
		}
		info, err := os.Lstat(filepath.Join(folder, name))
		if err != nil || !info.Mode().IsRegular() {
			return nil, &schema.FieldError{Field: field, Reason: fmt.Sprintf("names %.64q, and there is no such file of "+
				"results", name)}
		}
		if both[i], err = readRun(folder, info); err != nil {
			return nil, &schema.FieldError{Field: field, Reason: err.Error()}
		}
	}
	c, err := Compare(both[0], both[1], tolerance)
	if err != nil {
		return nil, &schema.FieldError{Field: "new", Reason: err.Error()}
	}
	return c, nil
}

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
// timesWord are told only where they were measured undisturbed.
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
