package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	mmo "github.com/forsooth-npc/forsooth/examples/mmo/play"
	"github.com/forsooth-npc/forsooth/internal/store/qdrant/edgetest"
)

// The program of examples/mmo plays against the composed fleet as its README says: as the
// backend of its world, with the password in a file. Each service has a data folder of its
// own, as each container has, and all start at once on an empty Qdrant; none takes more
// memory than it reserves on Kubernetes. Another world's password is refused.
func TestTheExampleBackendPlaysWithTheComposedFleet(t *testing.T) {
	qdrant := edgetest.Own(t)
	s := newSite(t)
	server := s.broker(t)
	running := s.compose(t, server, func(service string) map[string]string {
		return map[string]string{"FORSOOTH_QDRANT_URL": "http://" + qdrant.Addr, "FORSOOTH_DATA": s.path(service),
			"XDG_CACHE_HOME": s.path(service)}
	})
	program := s.path("mmo")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program,
		filepath.Join(checkout, "examples", "mmo")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	game := func(user, password string, more ...string) (int, string, string) {
		args := append([]string{"-nats", server.URL, "-user", user, "-password-file", s.write("password", password+"\n"),
			"-deadline", "60s"}, more...)
		cmd := exec.CommandContext(t.Context(), program, args...)
		var out, errOut bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errOut
		_ = cmd.Run() // its exit code is looked at
		return cmd.ProcessState.ExitCode(), out.String(), errOut.String()
	}

	code, out, said := game("backend-hollowmere", "local-backend-hollowmere", "-players", "6", "-turns", "20", "-rate",
		"4", "-duration", "5m", "-restart", "2s", "-json")
	var r mmo.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("exit %d, %v in %q; it says %q", code, err, out, said)
	}
	t.Logf("%s", out)
	if code != exitFine || !r.Kept() || r.Turns < 20 || r.Replies != r.Turns || r.Statuses["extractive"] == 0 ||
		said != "" {
		t.Errorf("exit %d, %d replies to %d turns, %v; it says %q", code, r.Replies, r.Turns, r.Statuses, said)
	}
	for _, c := range deployed(t) {
		p := running[c.name]
		if took := residentMost(t, p.cmd.Process.Pid); took > c.memory {
			t.Errorf("%s took %d MiB, and k8s/base/services.yaml reserves %d", c.name, took, c.memory)
		} else {
			t.Logf("%s took %d MiB of the %d that it reserves", c.name, took, c.memory)
		}
		for len(p.err.ch) > 0 {
			if line := string(<-p.err.ch); strings.Contains(line, `"level":"error"`) {
				t.Errorf("%s says %s", c.name, line)
			}
		}
	}
	if code, _, said := game("backend-hollowmere", "local-backend-shadowwatch"); code != exitDependency ||
		strings.Count(said, "\n") != 1 {
		t.Errorf("with another's password: exit %d, it says %q", code, said)
	}
}

// residentMost is the most memory that a process has held, in MiB.
func residentMost(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	if m == nil {
		t.Fatalf("/proc/%d/status does not tell what it took", pid)
	}
	kib, err := strconv.Atoi(string(m[1]))
	if err != nil {
		t.Fatal(err)
	}
	return kib >> 10
}
