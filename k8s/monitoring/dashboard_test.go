package monitoring_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"
)

// dashboard is what of a Grafana dashboard is looked at.
type dashboard struct {
	UID, Title string
	Panels     []struct {
		Title   string
		Targets []struct{ Expr string }
	}
}

// A panel over a metric that nobody writes stays empty for ever.
func TestTheDashboardsShowWhatIsCounted(t *testing.T) {
	files, err := filepath.Glob("grafana/dashboards/*.json")
	if err != nil || len(files) < 2 {
		t.Fatalf("dashboards %v: %v", files, err)
	}
	seen := map[string]bool{}
	for _, file := range files {
		var d dashboard
		if err := json.Unmarshal(read(t, file), &d); err != nil || len(d.Panels) == 0 || d.UID == "" || seen[d.UID] {
			t.Fatalf("%s: %d panels, uid %q, %v", file, len(d.Panels), d.UID, err)
		}
		seen[d.UID] = true
		for _, p := range d.Panels {
			if len(p.Targets) == 0 {
				t.Errorf("%s: panel %q shows nothing", file, p.Title)
			}
			for _, target := range p.Targets {
				asksForWhatIsCounted(t, p.Title, target.Expr)
			}
		}
	}
}

func TestPromtoolReadsTheConfiguration(t *testing.T) {
	if out, err := exec.Command(promtool(t), "check", "config", "--syntax-only",
		"prometheus.yml").CombinedOutput(); err != nil {
		t.Errorf("promtool check config: %v\n%s", err, out)
	}
}
