package monitoring_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// docs/metrics.md is made from what a process serves on /metrics.

var update = flag.Bool("update", false, "write docs/metrics.md anew")

// opening has ' for what marks code.
const opening = `<!-- Made by make generate: change the help texts of internal/telemetry and internal/memory/report. -->
# Metrics

A process with 'listen' serves these on '/metrics', for what it does itself. No label holds what a player or a model
wrote. [Operations](operations.md#metrics) says which to watch. Besides, each process serves the metrics ` +
	`'process_…' and
'go_…' of the Prometheus client.

| metric | type | labels | what |
|---|---|---|---|
`

var (
	help   = regexp.MustCompile(`(?m)^# HELP (forsooth_\w+) (.*)\n# TYPE \w+ (\w+)$`)
	labels = regexp.MustCompile(`(\w+)="`)
)

func metricsPage(t *testing.T) []byte {
	t.Helper()
	text := page(t)
	b := bytes.NewBufferString(strings.ReplaceAll(opening, "'", "`"))
	for _, m := range help.FindAllStringSubmatch(text, -1) {
		name, what, kind := m[1], m[2], m[3]
		sample := regexp.MustCompile(`(?m)^` + name + `(?:_bucket)?\{(.*)\}`).FindStringSubmatch(text)
		var names []string
		if sample != nil {
			for _, l := range labels.FindAllStringSubmatch(sample[1], -1) {
				if l[1] != "le" {
					names = append(names, "`"+l[1]+"`")
				}
			}
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", name, kind, strings.Join(names, ", "), what)
	}
	return b.Bytes()
}

func TestThePageOfMetricsIsCurrent(t *testing.T) {
	file, want := filepath.Join(root, "docs", "metrics.md"), metricsPage(t)
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("docs/metrics.md is not current (%v); run make generate", err)
	}
}

// A metric that the code names and no process serves in these tests would be missing.
func TestThePageOfMetricsHasAll(t *testing.T) {
	listed := string(metricsPage(t))
	for _, dir := range []string{"internal/telemetry", "internal/memory/report"} {
		files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		files = slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, "_test.go") })
		for _, f := range files {
			for _, m := range regexp.MustCompile(`"(forsooth_\w+)"`).FindAllSubmatch(read(t, f), -1) {
				if !strings.Contains(listed, "| `"+string(m[1])+"` |") {
					t.Errorf("docs/metrics.md has no row for %s", m[1])
				}
			}
		}
	}
}
