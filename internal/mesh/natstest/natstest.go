// Package natstest runs nats-server as a process of its own, for tests that need
// one as operators have it: with users, certificates or without JetStream, and
// to be stopped and started again. The server is built once, from the version
// that go.mod names. The package also does to a broker what broken clocks and strangers
// do to it. No service uses it.
package natstest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// build makes the server once for each version and user, and leaves it for the
// next run of the tests.
var build = sync.OnceValues(func() (string, error) {
	version, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "github.com/nats-io/nats-server/v2").Output()
	if err != nil {
		return "", fmt.Errorf("find nats-server: %w", err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "forsooth-natstest")
	path := filepath.Join(dir, "nats-server-"+strings.TrimSpace(string(version)))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	// Tests of several packages run at once: each builds under a name of its own.
	mine := fmt.Sprintf("%s.%d", path, os.Getpid())
	if out, err := exec.Command("go", "build", "-o", mine,
		"github.com/nats-io/nats-server/v2").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build nats-server: %w: %s", err, out)
	}
	return path, os.Rename(mine, path)
})

// Server is a running nats-server.
type Server struct {
	URL string

	t      testing.TB
	config string
	port   string
	cmd    *exec.Cmd
	log    string
}

// JetStream is the part of a configuration that enables it in a folder, whatever room
// the disk of the machine that tests has: streams reserve what they may come to hold.
func JetStream(t testing.TB) string {
	return fmt.Sprintf("jetstream { store_dir: %q, max_file_store: 64GB }\n", t.TempDir())
}

// Start runs a server with a configuration, to which the address is added, until
// the test ends.
func Start(t testing.TB, config string) *Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	_ = l.Close()
	dir := t.TempDir()
	s := &Server{URL: "nats://127.0.0.1:" + port, t: t, port: port, config: filepath.Join(dir, "nats.conf"),
		log: filepath.Join(dir, "log")}
	s.Configure(config)
	s.Run()
	t.Cleanup(s.Stop)
	return s
}

// Configure writes another configuration, for the next Run or Reload.
func (s *Server) Configure(config string) {
	s.t.Helper()
	if err := os.WriteFile(s.config, []byte("listen: 127.0.0.1:"+s.port+"\n"+config), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// Reload has the running server read its configuration again.
func (s *Server) Reload() {
	s.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		s.t.Fatal(err)
	}
}

// patience is how long a server may take to listen.
const patience = 20 * time.Second

// Run starts the server and waits until it listens.
func (s *Server) Run() {
	s.t.Helper()
	path, err := build()
	if err != nil {
		s.t.Fatal(err)
	}
	s.cmd = exec.Command(path, "-c", s.config, "-l", s.log)
	var refused bytes.Buffer // of a configuration that it cannot read
	s.cmd.Stderr = &refused
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		said, _ := os.ReadFile(s.log)
		if strings.Contains(string(said), "Server is ready") {
			return
		}
		if time.Now().After(end) || strings.Contains(string(said), "[FTL]") {
			_ = s.cmd.Process.Kill()
			_ = s.cmd.Wait()
			s.cmd = nil
			s.t.Fatalf("nats-server does not start: %s%s", said, refused.String())
		}
	}
}

// Stop ends the server as an operator does, and waits for it.
func (s *Server) Stop() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	_ = s.cmd.Wait()
	s.cmd = nil
	_ = os.Remove(s.log)
}

// Log is what the server has written.
func (s *Server) Log() string {
	said, _ := os.ReadFile(s.log)
	return string(said)
}

// change has a stream of a server changed by hand, as an older version or an
// operator would.
func change(t testing.TB, url, stream string, edit func(*jetstream.StreamConfig)) {
	t.Helper()
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	s, err := js.Stream(context.Background(), stream)
	if err != nil {
		t.Fatal(err)
	}
	config := s.CachedInfo().Config
	edit(&config)
	if _, err := js.UpdateStream(context.Background(), config); err != nil {
		t.Fatal(err)
	}
}

// Stamp gives a stream the schema version of another build.
func Stamp(t testing.TB, url, stream, version string) {
	t.Helper()
	change(t, url, stream, func(c *jetstream.StreamConfig) { c.Metadata["forsooth.schema"] = version })
}

// Age gives a stream a shorter life, and takes its version away.
func Age(t testing.TB, url, stream string, life time.Duration) {
	t.Helper()
	change(t, url, stream, func(c *jetstream.StreamConfig) {
		c.MaxAge = life
		delete(c.Metadata, "forsooth.schema")
	})
}
