package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/services/servicetest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// binary is the forsooth that the tests run, built once.
var binary string

func TestMain(m *testing.M) {
	flag.Parse()
	dir, err := os.MkdirTemp("", "forsooth-test-")
	if err == nil {
		binary = filepath.Join(dir, "forsooth")
		var out []byte
		if out, err = exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

// site is a folder of its own in which forsooth runs: no settings, no data and no
// cache of the user who tests.
type site struct {
	t     *testing.T
	dir   string
	extra []string
}

func newSite(t *testing.T) *site {
	t.Helper()
	return &site{t: t, dir: t.TempDir()}
}

func (s *site) path(name string) string { return filepath.Join(s.dir, name) }

func (s *site) write(name, body string) string {
	s.t.Helper()
	path := s.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// village writes the small world of the services' tests and gives its folder.
func (s *site) village() string {
	s.t.Helper()
	for path, f := range servicetest.Village() {
		s.write(filepath.Join("village", path), string(f.Data))
	}
	return s.path("village")
}

func (s *site) command(args ...string) *exec.Cmd {
	cmd := exec.Command(binary, args...)
	cmd.Dir = s.dir
	cmd.Env = append([]string{"HOME=" + s.dir, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.Getenv("TMPDIR"),
		"XDG_DATA_HOME=" + s.path("data"), "XDG_CACHE_HOME=" + s.path("cache")}, s.extra...)
	return cmd
}

// result is what a command left.
type result struct {
	code     int
	out, err string
}

func (s *site) run(args ...string) result { return s.runWith("", args...) }

func (s *site) runWith(input string, args ...string) result {
	s.t.Helper()
	cmd := s.command(args...)
	var out, errOut bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &out, &errOut
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), out.String(), errOut.String()}
}

// wants checks the exit code, and that an error is one line with these words.
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
	if len(words) > 0 && strings.Count(strings.TrimSpace(r.err), "\n") > 0 {
		t.Errorf("it says more than one line:\n%s", r.err)
	}
}

// object reads an output that is one JSON object and nothing else.
func (r result) object(t *testing.T) map[string]any {
	t.Helper()
	var out map[string]any
	dec := json.NewDecoder(strings.NewReader(r.out))
	if err := dec.Decode(&out); err != nil {
		t.Fatalf("no JSON: %v in %q (it says %q)", err, r.out, r.err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		t.Fatalf("more than one object in %q", r.out)
	}
	return out
}

// process is a command that runs on.
type process struct {
	t    *testing.T
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *watched
	err  *watched
	done chan struct{}
}

// watched collects what a process writes, for waiting until it has said something.
type watched struct {
	ch   chan []byte
	text string
}

func (w *watched) Write(p []byte) (int, error) {
	w.ch <- bytes.Clone(p)
	return len(p), nil
}

func (s *site) start(args ...string) *process {
	s.t.Helper()
	cmd := s.command(args...)
	p := &process{t: s.t, cmd: cmd, out: &watched{ch: make(chan []byte, 4096)}, err: &watched{ch: make(chan []byte, 4096)},
		done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p.out, p.err
	in, err := cmd.StdinPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	p.in = in
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	go func() {
		_ = cmd.Wait() // its exit code is looked at by end
		close(p.done)
	}()
	s.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-p.done
	})
	return p
}

const patience = 30 * time.Second

// says waits until the process has written something that matches.
func (p *process) says(pattern string) []string {
	p.t.Helper()
	re := regexp.MustCompile(pattern)
	limit := time.After(patience)
	for {
		if m := re.FindStringSubmatch(p.out.text); m != nil {
			return m
		}
		select {
		case b := <-p.out.ch:
			p.out.text += string(b)
		case b := <-p.err.ch:
			p.err.text += string(b)
		case <-limit:
			p.t.Fatalf("it never said %q; it printed %q and said %q", pattern, p.out.text, p.err.text)
		}
	}
}

func (p *process) signal(sig os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil {
		p.t.Fatal(err)
	}
}

// end waits for the exit code.
func (p *process) end() int {
	p.t.Helper()
	select {
	case <-p.done:
	case <-time.After(patience):
		p.t.Fatal("it does not end")
	}
	for len(p.err.ch) > 0 {
		p.err.text += string(<-p.err.ch)
	}
	for len(p.out.ch) > 0 {
		p.out.text += string(<-p.out.ch)
	}
	return p.cmd.ProcessState.ExitCode()
}

// golden holds what people would look at against a file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; go test ./cmd/forsooth -update writes it", err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got:\n%s\nwant:\n%s", path, got, want)
	}
}

var changing = regexp.MustCompile(`[0-9]+(\.[0-9]+)?(ms|s| ms| s)\b|\b[0-9]+\.[0-9]{2,3}\b|\b01[0-9A-Z]{24}\b`)

// steady blanks times, scores and ids.
func (s *site) steady(out string) string {
	out = strings.ReplaceAll(out, s.dir, "SITE")
	return changing.ReplaceAllString(out, "#")
}
