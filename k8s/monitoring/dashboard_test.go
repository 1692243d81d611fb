package monitoring_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/memory/metrics"
)

// A panel over a metric that nobody writes stays empty for ever.
func TestTheDashboardShowsWhatIsCounted(t *testing.T) {
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	data, err := os.ReadFile("grafana/dashboards/forsooth.json")
	if err == nil {
		err = json.Unmarshal(data, &dashboard)
	}
	if err != nil || len(dashboard.Panels) == 0 {
		t.Fatalf("%d panels, %v", len(dashboard.Panels), err)
	}
	var text bytes.Buffer
	if _, err := metrics.New("hollowmere").WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile(`forsooth_\w+`)
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			for _, m := range name.FindAllString(target.Expr, -1) {
				if !strings.Contains(text.String(), "# TYPE "+strings.TrimSuffix(m, "_bucket")+" ") {
					t.Errorf("panel %q shows %s, which is not counted", p.Title, m)
				}
			}
		}
	}
}

func TestPromtoolReadsTheConfiguration(t *testing.T) {
	if out, err := exec.Command(promtool(t), "check", "config", "--syntax-only", "prometheus.yml").CombinedOutput(); err != nil {
		t.Errorf("promtool check config: %v\n%s", err, out)
	}
}
