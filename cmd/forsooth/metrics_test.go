package main

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What the guards do in a running mesh is counted where Prometheus reads it.
func TestUpServesMetrics(t *testing.T) {
	s := newSite(t)
	// the limit of memory is to be ours
	s.extra = append(s.extra, "FORSOOTH_GUARDS_FAITHFULNESS_ENABLED=true", "GOMEMLIMIT=")
	up := s.start("up", "--world", s.village(), "--metrics", "127.0.0.1:0")
	url := up.says(`metrics at (http://127\.0\.0\.1:\d+/metrics)\n`)[1]
	s.run("chat", "--once", "Who owns the ferry?").wants(t, exitFine)
	s.run("chat", "--once", "I come from the coast.").wants(t, exitFine)
	want := []string{
		`forsooth_grounding_verdicts_total\{verdict="supported"\} [1-9]`, `forsooth_grounding_latency_seconds_count [1-9]`,
		`forsooth_hallucination_blocked_total 0`,
		`forsooth_faithfulness_scores_total\{risk="none"\} 1`, `forsooth_faithfulness_latency_seconds_count 1`,
		`forsooth_response_policy_applied_total\{policy="warn"\} 0`,
		`forsooth_consistency_clusters_found_total\{world="village"\} 0`,
		`forsooth_memory_funnel_total\{stage="turns"\} 2`, `forsooth_memory_funnel_total\{stage="stored"\} [1-9]`,
		`forsooth_memory_llm_calls_total\{stage="ground"\} 0`,
		`go_gc_gomemlimit_bytes [4-9]\.\d+e\+08`, // without a limit it is that of an int64
	}
	var page string
	for range 100 { // memories are written behind the reply
		if page = scrape(t, url); strings.Contains(page, `stage="turns"} 2`) {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	for _, line := range want {
		if !regexp.MustCompile(`(?m)^` + line).MatchString(page) {
			t.Errorf("no line %s in\n%s", line, page)
		}
	}
	up.signal(syscall.SIGTERM)
	if code := up.end(); code != exitFine || up.err.text != "" {
		t.Errorf("exit code %d, it says %q", code, up.err.text)
	}
	if answer, err := http.Get(url); err == nil {
		_ = answer.Body.Close()
		t.Error("metrics are served after the end")
	}
}

func scrape(t *testing.T, url string) string {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK ||
		!strings.HasPrefix(answer.Header.Get("Content-Type"), "text/plain; version=0.0.4") {
		t.Fatalf("%s %s: %v", answer.Status, answer.Header.Get("Content-Type"), err)
	}
	return string(body)
}

func TestAnAddressThatCannotServeMetricsIsRefused(t *testing.T) {
	s := newSite(t)
	s.run("up", "--world", s.village(), "--metrics", "nowhere").wants(t, exitUsage,
		"health and metrics cannot be served at nowhere", "--listen another address")
}
