package monitoring_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/memory/report"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/telemetry"
)

func read(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// pages is what page has made, once.
var pages sync.Map

// page is what a process serves on /metrics that has asked a model once, tried a judge,
// lost an acknowledgement and scanned a world: what has labels that it learns stands there
// only then.
func page(t *testing.T) string {
	t.Helper()
	if made, ok := pages.Load(0); ok {
		return made.(string) //nolint:forcetypeassert // nothing else is put there
	}
	guards := report.NewMetrics("hollowmere")
	guards.Scanned("hollowmere", scan.Report{}, time.Second)
	m := telemetry.NewMeters("1.0", guards)
	m.Watch(telemetry.Watched{
		Lags:     func(context.Context) []mesh.Lag { return []mesh.Lag{{Consumer: "speak", Waiting: 1}} },
		Breakers: func() map[string]bool { return map[string]bool{"primary": true} },
		LLMOff:   func() bool { return false },
	}, "speak")
	m.Reported(mesh.Report{Where: "pass-speak", Outcome: "lost"})
	m.Skilled(1, 1, true)
	m.Asked(telemetry.Asked{Provider: "primary", Call: "speech", Outcome: "ok"}, telemetry.Example{})
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", http.NoBody))
	if w.Code != http.StatusOK {
		t.Fatalf("/metrics answers %d: %s", w.Code, w.Body)
	}
	pages.Store(0, w.Body.String())
	return w.Body.String()
}

var (
	selected = regexp.MustCompile(`\b((?:forsooth|process|go)_\w+)(?:\{([^}]*)\})?`)
	matcher  = regexp.MustCompile(`(\w+)\s*(?:=~|!~|!=|=)`)
)

// asksForWhatIsCounted holds a query against what a process exports: every metric, and
// every label that a selector names but those that Prometheus adds.
func asksForWhatIsCounted(t *testing.T, where, query string) {
	t.Helper()
	text := page(t)
	for _, s := range selected.FindAllStringSubmatch(query, -1) {
		family := s[1]
		for _, part := range []string{"_bucket", "_count", "_sum"} {
			if strings.Contains(text, "# TYPE "+strings.TrimSuffix(s[1], part)+" histogram") {
				family = strings.TrimSuffix(s[1], part)
			}
		}
		if !strings.Contains(text, "# TYPE "+family+" ") {
			t.Errorf("%s asks for %s, which is not counted", where, s[1])
			continue
		}
		for _, label := range matcher.FindAllStringSubmatch(s[2], -1) {
			if label[1] != "job" && label[1] != "instance" &&
				!regexp.MustCompile(`(?m)^`+s[1]+`\{(.*,)?`+label[1]+`="`).MatchString(text) {
				t.Errorf("%s asks for the label %s of %s, which it does not have", where, label[1], s[1])
			}
		}
	}
}
