package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
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
		AtMost("up_first_index_"+name, first.Seconds(), "s", 5),
		AtMost("up_indexed_"+name, again.Seconds(), "s", 1),
		AtMost("resident_at_rest_"+name, resident, "MB", 200),
	}, nil
}

// rest is how long a process is left alone before its memory is read.
const rest = 2 * time.Second

// up starts a process, waits until it says that it is ready, lets it rest, and
// stops it. It gives the time to ready and the resident memory in MB.
func up(
	ctx context.Context, binary, world, data string, log *os.File,
) (took time.Duration, resident float64, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	p, err := Begin(ctx, binary, log, nil, "up", "--world", world, "--data", data, "--port", "0")
	if err != nil {
		return 0, 0, err
	}
	select {
	case <-time.After(rest):
	case <-ctx.Done():
	}
	resident, _, err = p.Memory()
	if _, ended := p.Stop(); err == nil {
		err = ended
	}
	return p.Ready, resident, err
}

// InProcess runs a mesh in this process, on a data folder that is empty and goes with it.
func InProcess(ctx context.Context, o app.Options) (a *app.App, end func() error, err error) {
	o.Name = "forsooth bench"
	if o.Data, err = os.MkdirTemp("", "forsooth-bench-"); err != nil {
		return nil, nil, err
	}
	if a, err = app.Start(ctx, o); err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(o.Data))
	}
	running, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- a.Run(running) }()
	return a, func() error {
		stop()
		err := <-done
		a.Close()
		return errors.Join(err, os.RemoveAll(o.Data))
	}, nil
}
