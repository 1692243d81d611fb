// Package monitoring_test proves the alert rules of this folder.
package monitoring_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

const root = "../.."

type rules struct {
	Groups []struct {
		Rules []struct {
			Record, Alert, Expr string
			Labels, Annotations map[string]string
		}
	}
}

type tests struct {
	Tests []struct {
		Name  string
		Rules []struct {
			Alert string           `yaml:"alertname"`
			Want  []map[string]any `yaml:"exp_alerts"`
		} `yaml:"alert_rule_test"`
	}
}

func load[T any](t *testing.T, file string) T {
	t.Helper()
	var out T
	data, err := os.ReadFile(file)
	if err == nil {
		err = yaml.Unmarshal(data, &out)
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return out
}

// ruleFiles are the files that Prometheus reads.
func ruleFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*-alerts.yaml")
	if err != nil || len(files) < 2 {
		t.Fatalf("rules in %v: %v", files, err)
	}
	return files
}

// allRules are the rules of all files.
func allRules(t *testing.T) (out rules) {
	t.Helper()
	for _, file := range ruleFiles(t) {
		out.Groups = append(out.Groups, load[rules](t, file).Groups...)
	}
	return out
}

func testFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.test.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests of rules: %v", err)
	}
	return files
}

func TestPromtoolProvesTheRules(t *testing.T) {
	tool := promtool(t)
	for _, args := range append([][]string{append([]string{"check", "rules"}, ruleFiles(t)...)}, tested(t)...) {
		if out, err := exec.Command(tool, args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

func tested(t *testing.T) (out [][]string) {
	for _, file := range testFiles(t) {
		out = append(out, []string{"test", "rules", file})
	}
	return out
}

func TestPromtoolReadsWhatIsCounted(t *testing.T) {
	tool := promtool(t)
	check := exec.Command(tool, "check", "metrics")
	check.Stdin = strings.NewReader(page(t))
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("promtool check metrics: %v\n%s", err, out)
	}
}

// promtool is the one that `make promtool` installs. Without it the test skips;
// under FORSOOTH_TEST_ALL, which `make test` sets, that is a failure.
func promtool(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(root, "bin", "tools", "promtool"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if os.Getenv("FORSOOTH_TEST_ALL") != "" {
		t.Fatal("promtool is not installed; run make promtool")
	}
	t.Skip("promtool is not installed; run make promtool")
	return ""
}

// An alert says what happened, what it means and what to do first.
func TestEveryAlertTellsWhatToDo(t *testing.T) {
	for _, g := range allRules(t).Groups {
		for _, r := range g.Rules {
			if r.Alert == "" {
				continue
			}
			for _, name := range []string{"summary", "description", "runbook"} {
				if text := r.Annotations[name]; len(text) < 20 || strings.Contains(text, "\n") {
					t.Errorf("%s: %s is %q; write one line", r.Alert, name, text)
				}
			}
			if s := r.Labels["severity"]; s != "page" && s != "ticket" {
				t.Errorf("%s: severity is %q; write page or ticket", r.Alert, s)
			}
		}
	}
}

// The tests prove of each alert that it fires and that it stays silent.
func TestEveryAlertIsProvedBothWays(t *testing.T) {
	fires, silent := map[string]bool{}, map[string]bool{}
	for _, file := range testFiles(t) {
		for _, c := range load[tests](t, file).Tests {
			for _, r := range c.Rules {
				if len(r.Want) > 0 {
					fires[r.Alert] = true
				} else {
					silent[r.Alert] = true
				}
			}
		}
	}
	for _, g := range allRules(t).Groups {
		for _, r := range g.Rules {
			if r.Alert != "" && (!fires[r.Alert] || !silent[r.Alert]) {
				t.Errorf("%s: proved to fire: %v, to stay silent: %v", r.Alert, fires[r.Alert], silent[r.Alert])
			}
		}
	}
}

// A rule about a metric that nobody writes, or about a label that it does not have,
// would stay silent for ever.
func TestTheRulesAskForWhatIsCounted(t *testing.T) {
	for _, g := range allRules(t).Groups {
		for _, r := range g.Rules {
			asksForWhatIsCounted(t, r.Alert+r.Record, r.Expr)
		}
	}
}

// An operator who is woken finds what it means, where to look and what to do under the alert's
// name, and nothing of an alert that is gone.
func TestEveryAlertHasItsSection(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for _, s := range strings.Split(string(data), "\n### ")[1:] {
		name, text, _ := strings.Cut(s, "\n")
		text, _, _ = strings.Cut(text, "\n#")
		sections[name] = strings.TrimSpace(text)
	}
	rules := map[string]bool{}
	for _, g := range allRules(t).Groups {
		for _, r := range g.Rules {
			if r.Alert == "" {
				continue
			}
			rules[r.Alert] = true
			says := sections[r.Alert]
			for _, part := range []string{"- **Means**: ", "- **Look**: ", "- **Do**: "} {
				if _, text, found := strings.Cut(says, part); !found || len(text) < 20 {
					t.Errorf("docs/operations.md lacks %q of %s", part, r.Alert)
				}
			}
			if severity := r.Labels["severity"]; !strings.HasPrefix(strings.ToLower(says), severity+".") {
				t.Errorf("docs/operations.md does not begin with %s for %s", severity, r.Alert)
			}
		}
	}
	for name, says := range sections {
		if strings.Contains(says, "- **Means**: ") && !rules[name] {
			t.Errorf("docs/operations.md has an entry for %s, which is no alert", name)
		}
	}
}
