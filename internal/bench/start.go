package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Start measures `up` as a process of its own: from start to ready on an empty
// data folder and on an indexed one, and what it holds in memory when it waits.
func Start(ctx context.Context, binary, world string, log *os.File) ([]Figure, error) {
	dir, err := os.MkdirTemp("", "forsooth-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	first, _, err := up(ctx, binary, world, dir, log)
	if err != nil {
		return nil, fmt.Errorf("first start: %w", err)
	}
	again, resident, err := up(ctx, binary, world, dir, log)
	if err != nil {
		return nil, fmt.Errorf("second start: %w", err)
	}
	name := filepath.Base(world)
	return []Figure{
		atMost("up_first_index_"+name, first.Seconds(), "s", 5),
		atMost("up_indexed_"+name, again.Seconds(), "s", 1),
		atMost("resident_at_rest_"+name, float64(resident)/1024, "MB", 200),
	}, nil
}

// rest is how long a process is left alone before its memory is read.
const rest = 2 * time.Second

// up starts a process, waits until it says that it is ready, lets it rest, and
// stops it. It gives the time to ready and the resident memory in KiB.
func up(ctx context.Context, binary, world, data string, log *os.File) (time.Duration, int64, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "up", "--world", world, "--data", data, "--port", "0", "--json")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	var said struct {
		Ready bool `json:"ready"`
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	took := time.Since(began)
	if err == nil {
		err = json.Unmarshal(line, &said)
	}
	var kib int64
	if err == nil && said.Ready {
		select {
		case <-time.After(rest):
		case <-ctx.Done():
		}
		kib, err = residentKiB(cmd.Process.Pid)
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	if waitErr := cmd.Wait(); err == nil && waitErr != nil {
		err = fmt.Errorf("%s up: %w", filepath.Base(binary), waitErr)
	}
	if err == nil && !said.Ready {
		err = fmt.Errorf("%s up did not say that it is ready", filepath.Base(binary))
	}
	return took, kib, err
}

// residentKiB reads the kernel's own count.
func residentKiB(pid int) (int64, error) {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0, fmt.Errorf("resident memory: %w", err)
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			return strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
		}
	}
	return 0, fmt.Errorf("resident memory: /proc/%d/status does not tell", pid)
}
