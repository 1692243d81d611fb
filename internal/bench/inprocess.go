package bench

import (
	"context"
	"errors"
	"os"

	"github.com/forsooth-npc/forsooth/internal/app"
)

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
