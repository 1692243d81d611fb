package main

import (
	"encoding/json"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
)

func TestUpSaysThatItIsReadyAndDrainsOnSIGTERM(t *testing.T) {
	s := newSite(t)
	p := s.start("up", "--world", s.village())
	p.says(`ready in .*retriever, monologue, reviewer, speaker, actions, memory, consistency on ` +
		`nats://127\.0\.0\.1:\d+, worlds village`)
	p.signal(syscall.SIGTERM)
	if code := p.end(); code != exitFine || p.err.text != "" {
		t.Errorf("exit code %d, it says %q", code, p.err.text)
	}
}

func TestCtrlCEndsCleanlyAtThePrompt(t *testing.T) {
	s := newSite(t)
	p := s.start("chat", "--world", s.village())
	p.says(`> $`)
	p.signal(os.Interrupt)
	if code := p.end(); code != exitFine || p.err.text != "" {
		t.Errorf("exit code %d, it says %q", code, p.err.text)
	}
}

func TestTheEndOfInputEndsATalk(t *testing.T) {
	s := newSite(t)
	p := s.start("chat", "--world", s.village())
	p.says(`> $`)
	if err := p.in.Close(); err != nil {
		t.Fatal(err)
	}
	if code := p.end(); code != exitFine {
		t.Errorf("exit code %d", code)
	}
}

// Whoever comes second to a data folder joins what runs there, and talks about
// the worlds that it serves.
func TestOthersJoinTheMeshOfTheDataFolder(t *testing.T) {
	s := newSite(t)
	village := s.village()
	up := s.start("up", "--world", village, "--json")
	var ready Ready
	if err := json.Unmarshal([]byte(up.says(`(?s)(\{.*\})\n`)[1]), &ready); err != nil || !ready.Ready {
		t.Fatalf("%+v, %v", ready, err)
	}
	r := s.run("chat", "--once", "Who owns the ferry?", "--json")
	r.wants(t, exitFine)
	o := r.object(t)
	if o["reply"] != "Teague owns the ferry." {
		t.Errorf("reply %v", o["reply"])
	}
	s.run("trace", o["turn_id"].(string)).wants(t, exitFine)
	doctor := s.run("doctor", "--json")
	doctor.wants(t, exitFine)
	if !strings.Contains(doctor.out, ready.NATS) || !strings.Contains(doctor.out, "consumers have workers") {
		t.Errorf("doctor says %s", doctor.out)
	}
	second := s.run("up", "--world", village)
	second.wants(t, exitDependency, "is in use by pid", ready.NATS, "--data")

	up.signal(syscall.SIGTERM)
	if code := up.end(); code != exitFine {
		t.Errorf("exit code %d: %s", code, up.err.text)
	}
	if _, err := os.Stat(s.path("data/forsooth/serving.json")); err == nil {
		t.Error("what is served is still said after the end")
	}
}

// Each service in a process of its own, on one server and one data folder.
func TestServicesRunApart(t *testing.T) {
	s := newSite(t)
	village := s.village()
	server, err := embedded.Start(t.Context(), embedded.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	var all []*process
	for _, services := range [][]string{{"retriever", "monologue"}, {"reviewer"}, {"speaker", "actions"}} {
		p := s.start(append(append([]string{"serve"}, services...), "--world", village, "--nats", server.URL())...)
		p.says("ready in .*" + strings.Join(services, ", "))
		all = append(all, p)
	}
	r := s.run("chat", "--world", village, "--nats", server.URL(), "--once", "Who owns the ferry?", "--json")
	r.wants(t, exitFine)
	if reply := r.object(t)["reply"]; reply != "Teague owns the ferry." {
		t.Errorf("reply %v", reply)
	}
	all[1].signal(syscall.SIGTERM)
	if code := all[1].end(); code != exitFine {
		t.Errorf("exit code %d: %s", code, all[1].err.text)
	}
	doctor := s.run("doctor", "--world", village, "--nats", server.URL(), "--json")
	doctor.wants(t, exitDependency)
	if !strings.Contains(doctor.out, "nobody works on pass-review-thought, pass-review-speech") {
		t.Errorf("doctor says %s", doctor.out)
	}
}
