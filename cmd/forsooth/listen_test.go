package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/natstest"
)

// ask is the status and the body of a page; 0 where nobody answers.
func ask(url string) (int, string) {
	answer, err := http.Get(url)
	if err != nil {
		return 0, ""
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, string(body)
}

// turns waits until a page answers with a status.
func (s *site) turns(url string, want int) string {
	s.t.Helper()
	var status int
	var body string
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if status, body = ask(url); status == want {
			return body
		}
	}
	s.t.Fatalf("%s answers %d, want %d: %s", url, status, want, body)
	return ""
}

// A service lives while it starts, is ready when everything it needs is there, is
// not while its broker is away, and is again by itself.
func TestAServiceSaysWhetherItLivesAndIsReady(t *testing.T) {
	server := natstest.Start(t, natstest.JetStream(t))
	s := newSite(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	s.write("forsooth.yaml", "listen: "+address+"\nnats: "+server.URL+"\n")
	p := s.start("serve", "reviewer", "--world", s.village())
	s.turns("http://"+address+"/healthz", http.StatusOK)
	p.says("ready in")
	var got Readiness
	status, page := ask("http://" + address + "/readyz") // as soon as it says so
	if err := json.Unmarshal([]byte(page), &got); err != nil || status != http.StatusOK || !got.Ready ||
		len(got.Checks) != 4 {
		t.Errorf("ready: %d, %+v, %v", status, got, err)
	}
	for i, name := range []string{"broker", "index", "verifier", "consumers"} {
		if c := got.Checks[i]; c.Name != name || !c.Fit {
			t.Errorf("check %+v, want %s", c, name)
		}
	}
	s.turns("http://"+address+"/metrics", http.StatusOK)
	server.Stop()
	body := s.turns("http://"+address+"/readyz", http.StatusServiceUnavailable)
	if err := json.Unmarshal([]byte(body), &got); err != nil || got.Ready || got.Checks[0].Fit {
		t.Errorf("the broker is away: %s", body)
	}
	s.turns("http://"+address+"/healthz", http.StatusOK)
	server.Run()
	s.turns("http://"+address+"/readyz", http.StatusOK)
	p.signal(syscall.SIGTERM)
	if code := p.end(); code != exitFine {
		t.Errorf("exit code %d: %s", code, p.err.text)
	}
}
