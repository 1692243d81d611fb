package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Process is a forsooth that runs on.
type Process struct {
	cmd   *exec.Cmd
	NATS  string        // the address of its broker
	HTTP  string        // where its gateway is; empty where it has none
	Ready time.Duration // from its start until it said so
	ended chan error
}

// Begin starts `forsooth ARGS --json` and waits until it says that it is ready. When
// the context ends, so does the process.
func Begin(ctx context.Context, binary string, log io.Writer, env []string, args ...string) (*Process, error) {
	cmd := exec.CommandContext(ctx, binary, append(args, "--json")...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Stderr, cmd.Env = log, append(os.Environ(), env...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p := &Process{cmd: cmd, ended: make(chan error, 1)}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var said struct {
		Ready bool   `json:"ready"`
		NATS  string `json:"nats"`
		HTTP  string `json:"http"`
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	p.Ready = time.Since(began)
	if err == nil {
		err = json.Unmarshal(line, &said)
	}
	go func() {
		_, _ = io.Copy(io.Discard, out)
		p.ended <- cmd.Wait()
	}()
	if err != nil || !said.Ready {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		return nil, errors.Join(fmt.Errorf("%s %s did not say that it is ready", filepath.Base(binary),
			strings.Join(args, " ")), err, <-p.ended)
	}
	p.NATS, p.HTTP = said.NATS, said.HTTP
	return p, nil
}

// Index makes the index of Hollowmere in a data folder before a mesh runs on it: otherwise
// the first turns share the processor with the embedding, and are charged for it.
func Index(ctx context.Context, binary string, log io.Writer, data string) error {
	cmd := exec.CommandContext(ctx, binary, "lore", "index", "--world", "hollowmere", "--data", data, "--json")
	cmd.Stderr = log
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	return nil
}

// Stop has the process drain, and says how long that took.
func (p *Process) Stop() (time.Duration, error) {
	began := time.Now()
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	if err := <-p.ended; err != nil {
		return 0, fmt.Errorf("%s: %w", strings.Join(p.cmd.Args, " "), err)
	}
	return time.Since(began), nil
}

// Kill ends the process as a machine that fails does.
func (p *Process) Kill() error {
	_ = p.cmd.Process.Kill()
	if err := <-p.ended; err == nil {
		return fmt.Errorf("%s had ended by itself", strings.Join(p.cmd.Args, " "))
	}
	return nil
}

// Memory is the process's resident memory, now and at most, in MB.
func (p *Process) Memory() (now, most float64, err error) {
	kib, err := statusKiB(p.cmd.Process.Pid, "VmRSS")
	if err != nil {
		return 0, 0, err
	}
	peak, err := statusKiB(p.cmd.Process.Pid, "VmHWM")
	return float64(kib) / 1024, float64(peak) / 1024, err
}

// residentKiB reads the kernel's own count.
func residentKiB(pid int) (int64, error) { return statusKiB(pid, "VmRSS") }

func statusKiB(pid int, name string) (int64, error) {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0, fmt.Errorf("resident memory: %w", err)
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			return strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
		}
	}
	return 0, fmt.Errorf("resident memory: /proc/%d/status does not tell %s", pid, name)
}

// ticks is how often in a second the kernel counts processor time for /proc.
const ticks = 100

// cpu is the processor time that the process has used.
func (p *Process) cpu() (time.Duration, error) {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.cmd.Process.Pid), "stat"))
	if err != nil {
		return 0, fmt.Errorf("processor time: %w", err)
	}
	_, rest, _ := strings.Cut(string(data), ") ") // the name before it may hold spaces
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, fmt.Errorf("processor time: /proc/%d/stat does not tell", p.cmd.Process.Pid)
	}
	user, err := strconv.ParseInt(fields[11], 10, 64)
	system, err2 := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * time.Second / ticks, errors.Join(err, err2)
}
