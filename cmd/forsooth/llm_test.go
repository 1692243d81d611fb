package main

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
)

// switched runs forsooth llm and gives what it prints as JSON.
func (s *site) switched(t *testing.T, to string, more ...string) map[string]any {
	t.Helper()
	r := s.run(append([]string{"llm", to, "--json"}, more...)...)
	r.wants(t, exitFine)
	return r.object(t)
}

func TestTheSwitchOfARunningMesh(t *testing.T) {
	s := newSite(t)
	up := s.start("up", "--world", s.village())
	up.says("ready in")
	for _, c := range []struct {
		to, want string
		changed  bool
	}{{"status", "on", false}, {"off", "off", true}, {"status", "off", false}, {"off", "off", false}, {"on", "on", true},
		{"on", "on", false}} {
		o := s.switched(t, c.to)
		if o["llm"] != c.want || o["changed"] != c.changed || !strings.HasPrefix(o["mesh"].(string), "nats://127.0.0.1:") {
			t.Errorf("llm %s gives %v, want %s, changed %v", c.to, o, c.want, c.changed)
		}
	}
	for to, want := range map[string]string{"off": "models are off, on the mesh at nats://127.0.0.1:",
		"on": "models are on, on the mesh at nats://127.0.0.1:"} {
		r := s.run("llm", to)
		if r.wants(t, exitFine); !strings.HasPrefix(r.out, want) || strings.Count(r.out, "\n") != 1 {
			t.Errorf("llm %s prints %q, want one line with %q", to, r.out, want)
		}
	}
	if r := s.run("llm", "off"); r.code != exitFine {
		t.Fatal(r.err)
	}
	if doctor := s.run("doctor"); !strings.Contains(doctor.out, "the switch is off") ||
		!strings.Contains(doctor.out, "forsooth llm on") {
		t.Errorf("doctor says %s", doctor.out)
	}
	up.signal(syscall.SIGTERM)
	if code := up.end(); code != exitFine {
		t.Errorf("exit code %d: %s", code, up.err.text)
	}
	if o := s.switched(t, "status"); o["llm"] != "off" || o["mesh"] != "" {
		t.Errorf("after the mesh has ended: %v", o)
	}
}

func TestASwitchThatIsNowhere(t *testing.T) {
	s := newSite(t)
	for _, to := range []string{"on", "off", "status"} {
		s.run("llm", to).wants(t, exitDependency, "no mesh runs on the data folder", "forsooth up", "--nats")
		s.run("llm", to, "--nats", "nats://127.0.0.1:1").wants(t, exitDependency,
			"no NATS server answers at nats://127.0.0.1:1")
	}
	s.run("llm", "of").wants(t, exitUsage, "of")
	s.run("llm").wants(t, exitUsage, "on", "off", "status")
}

// Whoever names a model to a mesh that runs is told that it is not asked.
func TestAModelNamedToAMeshThatRunsIsNotAskedAndSaid(t *testing.T) {
	s := newSite(t)
	up := s.start("up", "--world", s.village())
	up.says("ready in")
	s.run("chat", "--once", "Who owns the ferry?", "--llm-url", "http://127.0.0.1:1/v1").wants(t, exitFine, "the mesh at",
		"--llm-url", "forsooth up", "--data")
	if r := s.run("chat", "--once", "Who owns the ferry?"); strings.Contains(r.err, "the mesh at") {
		t.Errorf("said although no model was named: %s", r.err)
	}
}

// While the switch is off no model is called, and turns are answered all the same.
func TestNoModelIsCalledWhileTheSwitchIsOff(t *testing.T) {
	model, err := llmtest.Start(llmtest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = model.Close() })
	s := newSite(t)
	up := s.start("up", "--world", s.village(), "--llm-url", model.URL(), "--llm-model", "big")
	up.says("ready in")
	called := func() bool {
		before := model.Stats().Calls
		s.run("chat", "--once", "Who owns the ferry?", "--json").wants(t, exitFine)
		return model.Stats().Calls > before
	}
	for _, to := range []string{"off", "on", "off"} {
		set := time.Now()
		s.switched(t, to)
		for called() != (to == "on") {
			if time.Since(set) > 5*time.Second { // a second, and turns that began within it
				t.Fatalf("the switch is %s and not in force", to)
			}
		}
		if called() != (to == "on") {
			t.Errorf("the switch is %s and does not stay in force", to)
		}
	}
}
