package app_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/limits"
)

// published waits until a world has so many weekly reports, and gives them.
func (tb *table) published(n int) (out [][]byte) {
	tb.t.Helper()
	for until := time.Now().Add(20 * time.Second); time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
		out = nil
		must(tb.t, tb.app.Client.Reports().Each(tb.t.Context(), "village", func(data []byte) error {
			out = append(out, slices.Clone(data))
			return nil
		}))
		if len(out) >= n {
			return out
		}
	}
	tb.t.Fatalf("there are %d reports, want %d", len(out), n)
	return nil
}

// The report comes by itself: on its subject, in a file, and at the webhook, the same
// each time; the next one has this one beside it.
func TestTheWeeklyReportComesByItself(t *testing.T) {
	posted := make(chan []byte, 100)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		posted <- data
	}))
	defer server.Close()
	tb := sit(t, func(s *guards.Settings) { s.Report.Webhook = server.URL })
	select {
	case <-app.ReportsScheduled(tb.app):
	case <-time.After(10 * time.Second):
		t.Fatal("the reports are never scheduled")
	}
	if got, err := tb.app.Mesh.ScheduledReports(t.Context()); err != nil || !slices.Contains(got, "village") {
		t.Fatalf("scheduled are %v, %v", got, err)
	}
	tb.say("mira", "p1", "Ansel", "My cousin Ulric works at the mill.", dayOne)
	tb.settle()
	must(t, tb.app.Mesh.ScheduleReport(t.Context(), "village", "* * * * * *", "UTC"))
	first := tb.published(1)[0]
	must(t, tb.app.Mesh.UnscheduleReport(t.Context(), "village"))
	var r struct {
		WorldName string `json:"world_name"`
		To        time.Time
		Grounding struct{ Supported int }
		Trend     []struct{ From time.Time }
	}
	if err := json.Unmarshal(first, &r); err != nil || r.WorldName != "village" || r.Grounding.Supported == 0 ||
		len(r.Trend) != 4 {
		t.Fatalf("%v: %s", err, first)
	}
	select {
	case data := <-posted:
		if string(data) != string(first) {
			t.Errorf("posted was %s, published %s", data, first)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("nothing was posted")
	}
	base := filepath.Join(app.ReportsFolder(tb.dir), "village", r.To.UTC().Format(time.DateOnly))
	if page, err := os.ReadFile(base + ".md"); err != nil || !strings.Contains(string(page), "## Four weeks") ||
		!strings.Contains(string(page), "\n| from   ") || !strings.Contains(string(page), "\n| grounded ") {
		t.Errorf("%v: %s", err, page)
	}
	if data, err := os.ReadFile(base + ".json"); err != nil || !json.Valid(data) {
		t.Errorf("%v: %s", err, data)
	}
}

// A report that was switched off does not come.
func TestAReportThatIsOffIsNotScheduled(t *testing.T) {
	tb := sit(t)
	<-app.ReportsScheduled(tb.app)
	tb.guards.Report.Enabled = false
	tb.restart()
	<-app.ReportsScheduled(tb.app)
	if got, err := tb.app.Mesh.ScheduledReports(t.Context()); err != nil || len(got) > 0 {
		t.Errorf("scheduled are %v, %v", got, err)
	}
}

// A server that fails is tried three times, one that refuses once; either is counted
// once, and the error tells no secret of the address.
func TestAWebhookIsTriedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		answers []int // the last one stays
		tries   int32
		says    string
	}{
		"it takes it":          {[]int{200}, 1, ""},
		"it fails once":        {[]int{503, 204}, 2, ""},
		"it fails":             {[]int{503}, 3, "503"},
		"it refuses":           {[]int{403}, 1, "403 Forbidden; mend guards.report.webhook"},
		"it sends us away":     {[]int{302}, 1, "it redirects"},
		"it has too many asks": {[]int{429, 200}, 2, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var tries, failures atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				n := int(tries.Add(1))
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(c.answers[min(n, len(c.answers))-1])
			}))
			defer server.Close()
			post := app.Webhook(server.URL+"/?token=secret", limits.Hosts{}, func() { failures.Add(1) })
			err := post(t.Context(), []byte("{}"))
			if (err != nil) != (c.says != "") || tries.Load() != c.tries || (failures.Load() == 1) != (err != nil) {
				t.Fatalf("%v after %d tries, %d failures", err, tries.Load(), failures.Load())
			}
			if err != nil && (!strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "secret")) {
				t.Errorf("it says %v", err)
			}
		})
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := app.Webhook("http://127.0.0.1:1/?token=secret", limits.Hosts{}, func() {})(ended, nil); err == nil ||
		strings.Contains(err.Error(), "secret") {
		t.Errorf("it says %v", err)
	}
}
