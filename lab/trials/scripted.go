package trials

import (
	"context"
	"errors"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
)

// scripted is bench.InProcess beside a scripted model, which it asks.
func scripted(ctx context.Context, model llmtest.Options, o app.Options) (
	a *app.App, server *llmtest.Server, end func() error, err error,
) {
	if server, err = llmtest.Start(model); err != nil {
		return nil, nil, nil, err
	}
	o.LLM = llm.Config{Primary: llm.Provider{URL: server.URL(), Model: model.Persona}}
	a, ended, err := bench.InProcess(ctx, o)
	if err != nil {
		return nil, nil, nil, errors.Join(err, server.Close())
	}
	return a, server, func() error { return errors.Join(ended(), server.Close()) }, nil
}
