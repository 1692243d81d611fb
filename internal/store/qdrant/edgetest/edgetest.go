// Package edgetest starts something that answers like a Qdrant server, for tests
// only. It is Qdrant's own engine as a Python package with a thin gRPC server
// before it, so what a filter finds and how a vector scores is the engine's doing
// and nobody's imitation. It is not a cluster: what several nodes do to each
// other, and what a full server does beyond the requests that
// internal/store/qdrant sends, is not shown by it. Where FORSOOTH_TEST_QDRANT
// names a server as host:port, tests run against that one.
package edgetest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Server is a running server.
type Server struct {
	Addr string // host:port

	process *exec.Cmd
	hold    io.Closer // its standard input: the server ends with it
	data    string
	args    []string
}

// Start gives the server that FORSOOTH_TEST_QDRANT names, or one of its own that
// ends with the test. Its collections may be shared: a test takes a prefix of its own.
func Start(t testing.TB) *Server {
	t.Helper()
	if addr := os.Getenv("FORSOOTH_TEST_QDRANT"); addr != "" {
		return &Server{Addr: addr}
	}
	return Own(t)
}

// Own starts a server that the test may stop, kill and start again. Args are
// further ones of server.py.
func Own(t testing.TB, args ...string) *Server {
	t.Helper()
	s := &Server{args: args}
	s.start(t)
	t.Cleanup(func() {
		s.Stop(t)
		if err := os.RemoveAll(s.data); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Stop ends the server as an operator would; what was written is on disk.
func (s *Server) Stop(t testing.TB) {
	t.Helper()
	if s.process == nil {
		return
	}
	if err := errors.Join(s.hold.Close(), s.process.Wait()); err != nil {
		t.Errorf("stop the server at %s: %v", s.Addr, err)
	}
	s.process = nil
}

// Kill ends it without a warning.
func (s *Server) Kill(t testing.TB) {
	t.Helper()
	if err := s.process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := s.process.Wait(); err == nil {
		t.Fatal("the server was killed and says that it ended well")
	}
	s.process = nil
}

// Restart starts it again at the same address over the same data.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	s.RestartWith(t)
}

// RestartWith gives it further arguments of server.py.
func (s *Server) RestartWith(t testing.TB, args ...string) {
	t.Helper()
	_, port, _ := strings.Cut(s.Addr, ":")
	s.start(t, append([]string{"--data", s.data, "--port", port}, args...)...)
}

const startTime = 60 * time.Second // an import on a busy machine takes its time

func (s *Server) start(t testing.TB, args ...string) {
	t.Helper()
	root := moduleRoot(t)
	python := filepath.Join(root, ".venv", "qdrant-edge", "bin", "python")
	needs(t, python)
	script := filepath.Join(root, "internal", "store", "qdrant", "edgetest", "server.py")
	s.process = exec.Command(python, slices.Concat([]string{script}, s.args, args)...)
	s.process.Stderr = os.Stderr
	in, err := s.process.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.hold = in
	out, err := s.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.process.Start(); err != nil {
		t.Fatal(err)
	}
	overdue := time.AfterFunc(startTime, func() { _ = s.process.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	overdue.Stop()
	said, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	s.Addr, s.data, _ = strings.Cut(said, " with ")
	if !ok {
		err = errors.Join(err, s.process.Process.Kill(), s.process.Wait())
		s.process = nil
		t.Fatalf("%s printed %q in place of its address: %v", script, line, err)
	}
}

// needs skips the test where what `make test` installs is missing; under
// FORSOOTH_TEST_ALL that is a failure.
func needs(t testing.TB, python string) {
	t.Helper()
	_, err := os.Stat(filepath.Join(filepath.Dir(python), "..", "ready"))
	if err == nil {
		return
	}
	say := t.Skip
	if os.Getenv("FORSOOTH_TEST_ALL") != "" {
		say = t.Fatal
	}
	why := "is not installed"
	if !errors.Is(err, fs.ErrNotExist) {
		why = fmt.Sprintf("cannot be read (%v)", err)
	}
	say("Qdrant's engine in Python " + why + "; run `make qdrant-edge`, or set FORSOOTH_TEST_QDRANT=host:port")
}

func moduleRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the test's folder")
		}
		dir = up
	}
}
