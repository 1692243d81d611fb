package bench

import (
	"context"
	"errors"
	"os"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
)

// inProcess runs a mesh in this process, on a data folder that is empty and goes with it.
func inProcess(ctx context.Context, o app.Options) (a *app.App, end func() error, err error) {
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

// scriptedInProcess is inProcess beside a scripted model, which it asks.
func scriptedInProcess(ctx context.Context, model llmtest.Options, o app.Options) (a *app.App, server *llmtest.Server, end func() error, err error) {
	if server, err = llmtest.Start(model); err != nil {
		return nil, nil, nil, err
	}
	o.LLM = llm.Config{Primary: llm.Provider{URL: server.URL(), Model: model.Persona}}
	a, ended, err := inProcess(ctx, o)
	if err != nil {
		return nil, nil, nil, errors.Join(err, server.Close())
	}
	return a, server, func() error { return errors.Join(ended(), server.Close()) }, nil
}
