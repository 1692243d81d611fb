package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// collector is a stand-in for what takes traces by OTLP over HTTP.
type collector struct {
	*httptest.Server
	mu   sync.Mutex
	body bytes.Buffer
}

func newCollector(t *testing.T) *collector {
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.body.Write(body)
	}))
	t.Cleanup(c.Close)
	return c
}

// A turn leaves one line in the log, metrics with exemplars, and a trace, and in none
// of them a word of what was said.
func TestATurnIsSeenAndNotHeard(t *testing.T) {
	traces := newCollector(t)
	s := newSite(t)
	s.extra = append(s.extra, "FORSOOTH_TRACES_URL="+traces.URL, "FORSOOTH_LOG_LEVEL=info", "FORSOOTH_LOG_FORMAT=json")
	up := s.start("up", "--world", s.village(), "--listen", "127.0.0.1:0")
	url := up.says(`metrics at (http://127\.0\.0\.1:\d+/metrics)\n`)[1]
	reply := s.run("chat", "--once", "Who owns the ferry?", "--json")
	reply.wants(t, exitFine)
	turn := reply.object(t)["turn_id"].(string)
	page := openMetrics(t, url)
	for _, want := range []string{
		`forsooth_turns_total\{status="extractive"\} 1`, `forsooth_turn_seconds_bucket\{status="extractive",le="[^"]+"\} ` +
			`1(\.0)? # \{.*turn_id="` + turn + `"`,
		`forsooth_turn_seconds_bucket\{status="extractive",le="[^"]+"\} 1(\.0)? # \{.*trace_id="[0-9a-f]{32}"`,
		`forsooth_turn_first_sentence_seconds_count 1`, `forsooth_pass_messages_total\{outcome="done",pass="speak"\} [1-9]`,
		`forsooth_pass_lag\{pass="speak"\} 0`,
		`forsooth_evidence_source_total\{kind="world",source="corpus"\} [1-9]`,
		`forsooth_evidence_source_total\{kind="world",source="user"\} 0`,
		`forsooth_dead_letters_total\{pass="think"\} 0`, `forsooth_claims_total\{kind="world",verdict="supported"\} [1-9]`,
		`go_goroutines [1-9]`, `forsooth_build_info\{version=`,
	} {
		if !regexp.MustCompile(`(?m)^` + want).MatchString(page) {
			t.Errorf("no line %s in\n%s", want, page)
		}
	}
	up.signal(syscall.SIGTERM)
	if code := up.end(); code != exitFine {
		t.Fatalf("exit code %d: %s", code, up.err.text)
	}
	if n := strings.Count(up.err.text, `"message":"turn"`); n != 1 ||
		!regexp.MustCompile(`"turn":"`+turn+`","world":"village".*"status":"extractive".*"trace":"[0-9a-f]{32}","ms":\d+`+
			`,"first_sentence_ms":\d+`).MatchString(up.err.text) {
		t.Errorf("%d lines of turns in %s", n, up.err.text)
	}
	sent := traces.body.String()
	for _, span := range []string{"turn", "intake", "retrieve", "think", "review-speech", "act", "finisher", "memory",
		turn} {
		if !strings.Contains(sent, span) {
			t.Errorf("no span %s was sent", span)
		}
	}
	for where, text := range map[string]string{"log": up.err.text, "traces": sent, "metrics": page} {
		if strings.Contains(text, "ferry") || strings.Contains(text, "Teague") {
			t.Errorf("the %s holds what was said: %q", where, text)
		}
	}
}

// openMetrics asks as a Prometheus does that keeps exemplars.
func openMetrics(t *testing.T, url string) string {
	t.Helper()
	ask, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	ask.Header.Set("Accept", "application/openmetrics-text; version=1.0.0")
	answer, err := http.DefaultClient.Do(ask)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || !strings.HasPrefix(answer.Header.Get("Content-Type"), "application/openmetrics-text") ||
		!bytes.HasSuffix(body, []byte("# EOF\n")) {
		t.Fatalf("%s, %v: %s", answer.Header.Get("Content-Type"), err, body)
	}
	return string(body)
}
