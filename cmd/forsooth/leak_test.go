package main

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/mesh/natstest"
)

// secretsOf are what a site is configured with, by where each stands.
var secretsOf = map[string]string{
	"FORSOOTH_LLM_KEY":       "sk-first-4f1c9e0b7a5d4c3f",
	"the secondary key file": "sk-second-93be1d7702aa4410",
	"FORSOOTH_QDRANT_KEY":    "qd-third-0c57aa19e4b24d6e",
	"the NATS password":      "nats-fourth-b81f6c2d9e374a05",
}

// forms are a secret's bytes as logs, traces and errors might write them.
func forms(secret string) map[string]string {
	return map[string]string{"plain": secret, "base64": base64.StdEncoding.EncodeToString([]byte(secret))[:20],
		"hex":   hex.EncodeToString([]byte(secret)),
		"a URL": url.QueryEscape(secret), "quoted": fmt.Sprintf("%q", secret)[1:12],
		"its second half": secret[len(secret)-12:]}
}

// No byte of a configured secret stands in what a process logs at its most
// talkative, in traces, /metrics, what doctor says, or what it leaves on the disk,
// not even when a provider that fails sends the key back.
func TestNoSecretLeavesAProcess(t *testing.T) {
	server := natstest.Start(t, natstest.JetStream(t)+fmt.Sprintf("authorization { user: \"mesh\", password: %q }\n",
		secretsOf["the NATS password"]))
	var failures atomic.Int64
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := failures.Add(1)
		key := r.Header.Get("Authorization")
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Retry-After", key)
		w.WriteHeader([]int{401, 500, 429, 400, 403, 404}[n%6])
		fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %s. Header was %q.","type":"invalid","code":%q}}`,
			strings.TrimPrefix(key, "Bearer "), key, key)
	}))
	t.Cleanup(echo.Close)
	listen := freePort(t)
	s := newSite(t)
	village := s.village()
	s.write("password", secretsOf["the NATS password"])
	s.write("second-key", secretsOf["the secondary key file"])
	s.write("forsooth.yaml", fmt.Sprintf(`log: {level: debug, format: json}
listen: %q
nats: {url: %q, user: mesh, password_file: password}
llm:
  url: %s/v1
  model: first
  secondary: {url: "%s/v1/two", model: second, key_file: second-key}
`, listen, server.URL, echo.URL, echo.URL))
	s.extra = []string{"FORSOOTH_LLM_KEY=" + secretsOf["FORSOOTH_LLM_KEY"],
		"FORSOOTH_QDRANT_KEY=" + secretsOf["FORSOOTH_QDRANT_KEY"]}
	shown := map[string]string{}
	up := s.start("serve", "retriever", "monologue", "reviewer", "speaker", "actions", "memory", "consistency", "--world",
		village)
	up.says("ready")
	for i := range 4 {
		r := s.run("chat", "--world", village, "--nats", server.URL, "--once", "Who owns the ferry?", "--json", "--player",
			fmt.Sprint("p", i))
		shown[fmt.Sprint("chat ", i)] = r.out + r.err
		if r.code != exitFine {
			t.Fatalf("chat: %d, %s", r.code, r.err)
		}
		trace := s.run("trace", r.object(t)["turn_id"].(string), "--json", "--nats", server.URL, "--world", village)
		shown[fmt.Sprint("trace ", i)] = trace.out + trace.err
	}
	if failures.Load() == 0 {
		t.Error("no provider was asked; the test shows nothing")
	}
	for _, page := range []string{"/metrics", "/health", "/ready", "/healthz", "/readyz", "/debug/vars"} {
		resp, err := http.Get("http://" + listen + page)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		shown[page] = string(body)
	}
	for _, args := range [][]string{{"doctor"}, {"doctor", "--json"}} {
		r := s.run(append(args, "--world", village)...)
		shown[strings.Join(args, " ")] = r.out + r.err
	}
	broken := *s
	broken.extra = append([]string{}, s.extra...)
	broken.extra[0] = "FORSOOTH_LLM_KEY=" + secretsOf["FORSOOTH_LLM_KEY"] + "\nX-Other: 1"
	r := broken.run("doctor", "--world", village)
	shown["doctor with a key that cannot be sent"] = r.out + r.err
	up.signal(syscall.SIGTERM)
	up.end()
	shown["the log"] = up.out.text + up.err.text
	err := filepath.WalkDir(s.dir, func(path string, d os.DirEntry, err error) error {
		name, _ := filepath.Rel(s.dir, path)
		if err != nil || d.IsDir() || name == "password" || name == "second-key" {
			return err
		}
		data, err := os.ReadFile(path)
		shown["the file "+name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(shown["the log"], "provider") {
		t.Errorf("the log does not speak of the provider that failed: %s", shown["the log"])
	}
	for where, text := range shown {
		for name, secret := range secretsOf {
			for form, bytes := range forms(secret) {
				if strings.Contains(text, bytes) {
					t.Errorf("%s of %s stands in %s, in the form of %s", bytes, name, where, form)
				}
			}
		}
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// A host beside the list, and an address that hands out credentials, are refused in
// one line before anything is asked.
func TestOnlyHostsOfTheListAreAsked(t *testing.T) {
	s := newSite(t)
	village := s.village()
	s.extra = []string{"FORSOOTH_OUTBOUND_HOSTS=llm.example.com"}
	s.run("chat", "--world", village, "--llm-url", "http://127.0.0.1:9/v1", "--llm-model", "m", "--once", "hello").
		wants(t, exitUsage, "llm.url", "127.0.0.1", "outbound.hosts")
	s.extra = nil
	s.run("chat", "--world", village, "--llm-url", "http://169.254.169.254/v1", "--llm-model", "m", "--once", "hello").
		wants(t, exitUsage, "llm.url", "169.254.169.254", "credentials")
	s.extra = []string{"FORSOOTH_OUTBOUND_HOSTS=https://llm.example.com"}
	s.run("doctor", "--world", village).wants(t, exitUsage, "outbound.hosts")
}
