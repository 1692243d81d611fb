package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// measured is a figure of docs/papers.md, with the suites and the metric that it is of.
var measured = regexp.MustCompile(`(\d+(?:\.\d)? %|\d+ of \d+) <!-- eval (\S+) (\w+) -->`)

// The figures of docs/papers.md are those of the last evaluations, which `make evals` keeps.
func TestThePapersPageShowsMeasuredFigures(t *testing.T) {
	reports := reportsOf(t)
	page := filepath.Join("..", "..", "docs", "papers.md")
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	anew := measured.ReplaceAllStringFunc(string(data), func(cell string) string {
		shown++
		m := measured.FindStringSubmatch(cell)
		want := figureOf(evaluations(t, filepath.Join(reports, m[2]+".json")), m[3])
		if want != m[1] && !*update {
			t.Errorf("docs/papers.md shows %s for %s of %s; the evaluation says %s", m[1], m[3], m[2], want)
		}
		return strings.Replace(cell, m[1], want, 1)
	})
	if shown < 8 {
		t.Errorf("the page shows %d figures; eight are wanted", shown)
	}
	if *update {
		if err := os.WriteFile(page, []byte(anew), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// The files and folders that docs/papers.md names are there.
func TestThePapersPageNamesWhatIsThere(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "papers.md"))
	if err != nil {
		t.Fatal(err)
	}
	paths := regexp.MustCompile("`((?:internal|services|pkg|weights|k8s|evals)/[^`]+)`").
		FindAllStringSubmatch(string(data), -1)
	for _, m := range paths {
		if found, err := filepath.Glob(filepath.Join("..", "..", m[1])); err != nil || len(found) == 0 {
			t.Errorf("the page names %s, which is not there", m[1])
		}
	}
	if len(paths) < 10 {
		t.Errorf("the page names %d paths only", len(paths))
	}
}

// reportsOf is the folder of the reports that `make evals` keeps. They take minutes to make, so
// that no other run of the tests makes them.
func reportsOf(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("FORSOOTH_EVALS")
	if folder == "" {
		t.Skip("it reads the reports of evaluations and benches; `make evals` makes them, and then runs this test")
	}
	return folder
}

// evaluated is what a test reads of a report in JSON.
type evaluated struct {
	Cases   int                `json:"cases"`
	Passed  int                `json:"passed"`
	Metrics map[string]float64 `json:"metrics"`
}

// evaluations are the reports whose files a pattern names.
func evaluations(t *testing.T, pattern string) []evaluated {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no report is called %s", pattern)
	}
	out := make([]evaluated, len(files))
	for i, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &out[i]); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	return out
}

// figureOf is a metric over several runs: a sum of cases that passed, else that of the worst run.
func figureOf(runs []evaluated, metric string) string {
	cases, passed, worst := 0, 0, runs[0].Metrics[metric]
	for _, r := range runs {
		cases, passed = cases+r.Cases, passed+r.Passed
		if metric == "citation_accuracy" {
			worst = min(worst, r.Metrics[metric])
		} else {
			worst = max(worst, r.Metrics[metric])
		}
	}
	if metric == "passed" {
		return fmt.Sprintf("%d of %d", passed, cases)
	}
	return strconv.FormatFloat(math.Round(1000*worst)/10, 'f', -1, 64) + " %"
}
