package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/mesh/natstest"
)

// say posts a turn at doors, with a key or none, and gives the status and the answer.
func say(t *testing.T, doors, key, message string) (int, string) {
	t.Helper()
	body, err := json.Marshal(map[string]string{"player": "p1", "message": message})
	if err != nil {
		t.Fatal(err)
	}
	url := doors + "/v1/worlds/village/npcs/mira/turns"
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(data)
}

// askDoors asks doors for something, and gives the answer.
func askDoors(t *testing.T, method, url string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// dev opens the doors beside the mesh; Ctrl-C ends both, and they open again.
func TestDevOpensTheDoors(t *testing.T) {
	s := newSite(t)
	for range 2 {
		p := s.start("dev", "--http", "127.0.0.1:0", "--world", s.village())
		doors := p.says(`HTTP at (http://127\.0\.0\.1:\d+)/v1`)[1]
		if status, body := say(t, doors, "", "Who owns the ferry?"); status != http.StatusOK ||
			!strings.Contains(body, "Teague owns the ferry.") {
			t.Errorf("%d %s", status, body)
		}
		plan := askDoors(t, http.MethodGet, doors+"/v1/worlds/village/players/p1")
		if !strings.Contains(plan, `"replies":1`) {
			t.Errorf("what would be erased: %s", plan)
		}
		if receipt := askDoors(t, http.MethodDelete, doors+"/v1/worlds/village/players/p1"); !strings.Contains(receipt,
			`"replies":1`) || !strings.Contains(receipt, `"worlds":["village"]`) {
			t.Errorf("the receipt: %s", receipt)
		}
		if page := askDoors(t, http.MethodGet, doors+"/studio/"); !strings.Contains(page, "Forsooth inspector") {
			t.Errorf("the inspector: %s", page)
		}
		p.signal(syscall.SIGINT)
		if code := p.end(); code != exitFine {
			t.Errorf("ends with %d", code)
		}
	}
	got := s.run("up", "--http", "0.0.0.0:0", "--world", s.village())
	got.wants(t, exitUsage, "reached from elsewhere")
}

// serve gateway runs the doors alone: no world, and no data but the keys.
func TestTheGatewayAlone(t *testing.T) {
	server := natstest.Start(t, natstest.JetStream(t))
	s := newSite(t)
	s.write("forsooth.yaml", "nats: "+server.URL+"\n")
	services := []string{"retriever", "monologue", "reviewer", "speaker", "actions", "memory"}
	s.start(append([]string{"serve", "--world", s.village()}, services...)...).says("ready in")
	p := s.start("serve", "gateway", "--http", "127.0.0.1:0", "--listen", "127.0.0.1:0")
	said := p.says(`health at (http://\S+)/readyz, metrics at (\S+), HTTP at (http://127\.0\.0\.1:\d+)/v1`)
	health, metrics, doors := said[1], said[2], said[3]
	if status, body := say(t, doors, "", "Who owns the ferry?"); status != http.StatusOK {
		t.Errorf("%d %s", status, body)
	}
	s.turns(health+"/readyz", http.StatusOK)
	if body := s.turns(metrics, http.StatusOK); !strings.Contains(body, `forsooth_http_answers_total{code="200"} 1`) {
		t.Errorf("the turn is not counted:\n%s", body)
	}
	made := s.run("keys", "add", "game", "--in", "village", "--may", "play", "--json")
	var key madeKey
	if err := json.Unmarshal([]byte(made.out), &key); err != nil || key.Key == "" {
		t.Fatalf("%s: %v", made.out, err)
	}
	if listed := s.run("keys", "list"); !strings.Contains(listed.out, "game: play in village") ||
		strings.Contains(listed.out, key.Key) {
		t.Errorf("%s", listed.out)
	}
	s.turns(doors+"/v1/worlds", http.StatusUnauthorized) // within a second
	if status, body := say(t, doors, key.Key, "Who owns the ferry?"); status != http.StatusOK {
		t.Errorf("with the key: %d %s", status, body)
	}
	s.run("keys", "remove", "game").wants(t, exitFine)
	s.run("keys", "remove", "game").wants(t, exitFailed, "no key has the id or name")
	s.run("keys", "add", "x", "--may", "all").wants(t, exitUsage, "is no right")
	s.run("serve", "kitchen", "--nats", server.URL).wants(t, exitUsage, "gateway")
	p.signal(syscall.SIGTERM)
	if code := p.end(); code != exitFine {
		t.Errorf("ends with %d", code)
	}
}
