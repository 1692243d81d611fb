package embedded

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// holdDir, set, makes this test binary a process that holds that folder.
const holdDir = "FORSOOTH_TEST_HOLD_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(holdDir); dir != "" {
		s, err := Start(context.Background(), Options{Dir: dir})
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(s.URL())
		select {}
	}
	goleak.VerifyTestMain(m)
}

func TestSecondProcessIsToldWhoHoldsTheFolder(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holdDir+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 256)
	n, err := out.Read(line)
	url := strings.TrimSpace(string(line[:n]))
	if err != nil || !strings.HasPrefix(url, "nats://127.0.0.1:") {
		t.Fatalf("holder: %q, %v", url, err)
	}

	_, err = Start(t.Context(), Options{Dir: dir})
	var used *InUseError
	if !errors.As(err, &used) || used.PID != cmd.Process.Pid || used.Address != url {
		t.Errorf("got %v, want pid %d at %s", err, cmd.Process.Pid, url)
	}
	want := fmt.Sprintf("data folder %s is in use by pid %d at %s", dir, cmd.Process.Pid, url)
	if !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("it says %q", err)
	}
	if address, held := Holder(dir); !held || address != url {
		t.Errorf("Holder: %q, %v", address, held)
	}

	// kill -9: the lock goes with the process.
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if address, held := Holder(dir); held || address != "" {
		t.Errorf("after kill -9 Holder says %q, %v", address, held)
	}
	s, err := Start(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatalf("after kill -9: %v", err)
	}
	s.Stop()
}

func TestHolderOfAFolderThatNobodyHolds(t *testing.T) {
	dir := t.TempDir()
	if address, held := Holder(filepath.Join(dir, "none")); held || address != "" {
		t.Errorf("no folder: %q, %v", address, held)
	}
	s, err := Start(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if address, held := Holder(dir); !held || address != s.URL() {
		t.Errorf("held here: %q, %v", address, held)
	}
	s.Stop()
	if address, held := Holder(dir); held || address != "" {
		t.Errorf("after Stop: %q, %v", address, held)
	}
}

func TestBadStarts(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	broken := t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, "nats"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		opts Options
		want string
	}{
		{"a store that is no folder", Options{Dir: broken}, "the NATS server did not start on " +
			filepath.Join(broken, "nats")},
		{"port in use", Options{Dir: t.TempDir(), Port: port}, fmt.Sprintf("port %d is in use at 127.0.0.1", port)},
		{"a file for a folder", Options{Dir: file}, "cannot be made"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Start(t.Context(), c.opts)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if _, held := Holder(c.opts.Dir); held {
				t.Error("a start that failed holds the folder")
			}
		})
	}
}

func TestGivenPortIsTaken(t *testing.T) {
	s, err := Start(t.Context(), Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	s.Stop()
	var port int
	if _, err := fmt.Sscanf(s.URL(), "nats://127.0.0.1:%d", &port); err != nil {
		t.Fatal(err)
	}
	again, err := Start(t.Context(), Options{Dir: t.TempDir(), Port: port})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Stop()
	if again.URL() != s.URL() {
		t.Errorf("listens at %s, want %s", again.URL(), s.URL())
	}
}
