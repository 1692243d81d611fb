package clients_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The example of each client talks with Mira as its README says, and says in one line why a key is not taken.
func TestEachExampleTalks(t *testing.T) {
	s := open(t, &transcript{})
	for _, example := range examples {
		t.Run(example.name, func(t *testing.T) {
			command := append(example.command(t), example.args...)
			for key, want := range map[string]string{s.key: "Mira: ", "fsk_none": "UNAUTHORIZED: "} {
				ctx, stop := context.WithTimeout(t.Context(), time.Minute)
				run := exec.CommandContext(ctx, command[0], command[1:]...)
				run.Env = append(os.Environ(), "FORSOOTH_URL="+s.url, "FORSOOTH_KEY="+key)
				out, err := run.CombinedOutput()
				if !strings.Contains(string(out), want) || ctx.Err() != nil || (err == nil) != (key == s.key) {
					t.Errorf("not %q: %v\n%s", want, err, out)
				}
				stop()
			}
		})
	}
}

// Godot 4 is on no machine of ours: its client is parsed at least.
func TestTheGodot4ClientParses(t *testing.T) {
	scripts, err := filepath.Glob("godot4/*.gd")
	must(t, err)
	parse := exec.CommandContext(t.Context(), need(t, "../.venv/engines/python/bin/gdparse"), scripts...)
	if out, err := parse.CombinedOutput(); err != nil || len(scripts) != 3 {
		t.Errorf("%v\n%s", err, out)
	}
}

// The Python client is installed with all of its parts: elsewhere than in its folder it can be imported.
func TestThePythonClientInstalls(t *testing.T) {
	try := exec.CommandContext(t.Context(), need(t, "../.venv/engines/python/bin/python"), "-c",
		"import forsooth; assert forsooth.AsyncForsooth('http://127.0.0.1:1').session()")
	try.Dir = t.TempDir()
	if out, err := try.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// The Python client keeps to its types.
func TestThePythonClientIsTyped(t *testing.T) {
	check := exec.CommandContext(t.Context(), need(t, "../.venv/engines/python/bin/mypy"), "--cache-dir=/dev/null",
		"--python-executable="+need(t, "../.venv/engines/python/bin/python"),
		"forsooth", "conformance.py", "example.py", "scene.py")
	check.Dir = "python"
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
