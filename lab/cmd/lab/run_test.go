package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// site is a folder of its own for what a test writes: no settings, no data and no cache
// of the user who tests.
type site struct {
	t   *testing.T
	dir string
}

func newSite(t *testing.T) *site {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"} {
		t.Setenv(name, dir)
	}
	return &site{t: t, dir: dir}
}

func (s *site) write(name, body string) string {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// result is what a command left.
type result struct {
	code     int
	out, err string
}

func (s *site) run(args ...string) result {
	s.t.Helper()
	var out bytes.Buffer
	errOut, err := os.CreateTemp(s.dir, "stderr") // a file, for the processes that a command starts write to it too
	if err != nil {
		s.t.Fatal(err)
	}
	defer errOut.Close() // it is read by its name
	code := run(s.t.Context(), args, &out, errOut)
	told, err := os.ReadFile(errOut.Name())
	if err != nil {
		s.t.Fatal(err)
	}
	return result{code, out.String(), string(told)}
}

// wants checks the exit code and that an error has these words.
func (r result) wants(t *testing.T, code int, words ...string) {
	t.Helper()
	if r.code != code {
		t.Errorf("exit code %d, want %d; it says %q and prints %q", r.code, code, r.err, r.out)
	}
	for _, w := range words {
		if !strings.Contains(r.err, w) {
			t.Errorf("it says %q, want %q in it", r.err, w)
		}
	}
}

// object reads an output that is one JSON object.
func (r result) object(t *testing.T) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal([]byte(r.out), &out); err != nil {
		t.Fatalf("no JSON: %v in %q (it says %q)", err, r.out, r.err)
	}
	return out
}
