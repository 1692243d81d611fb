package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/eval"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

type evalCmd struct {
	Suite string `arg:"" help:"The suite's file." type:"path"`
	Jobs  int    `help:"Conversations at once." default:"8"`
}

// Run runs a suite on a throw-away data folder.
func (c *evalCmd) Run(e *env) error {
	suite, err := eval.Load(c.Suite)
	if err != nil {
		return usage(err)
	}
	w, problems, err := world.LoadDir(suite.WorldDir())
	if err != nil {
		return usage(err)
	}
	for _, p := range world.Errors(problems) {
		e.log.Warn().Msg(p.String())
	}
	if err := eval.Quarantine(suite, w); err != nil {
		return failed(err)
	}
	report, err := c.measure(e, suite, w)
	if err != nil {
		return err
	}
	if e.json {
		err = report.WriteJSON(e.out)
	} else {
		report.WriteTable(e.out)
	}
	if err != nil {
		return err
	}
	if !report.Met {
		return failed(errSilent)
	}
	return nil
}

// measure runs every case as a turn through the whole mesh.
func (c *evalCmd) measure(e *env, suite *eval.Suite, w *world.World) (*eval.Report, error) {
	dir, err := os.MkdirTemp("", "forsooth-eval-")
	if err != nil {
		return nil, dependency(err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a leftover folder of the system's temporary ones harms nothing
	index, err := indexFile(w)
	if err != nil {
		return nil, dependency(err)
	}
	o := e.options([]*world.World{w}, nil)
	o.Data, o.Index, o.NATS, o.Port = dir, index, "", 0
	a, err := app.Start(e.ctx, o)
	if err != nil {
		return nil, dependency(err)
	}
	defer a.Close()
	ctx, stop := context.WithCancel(e.ctx)
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	outcomes, err := c.runCases(ctx, a, suite, w)
	stop()
	if runErr := <-done; err == nil {
		err = runErr
	}
	if err != nil {
		return nil, failed(err)
	}
	return eval.Summarise(suite, outcomes), nil
}

// indexFile keeps the index of a world by its content, in the user's cache.
func indexFile(w *world.World) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no cache folder is known: %w; set XDG_CACHE_HOME", err)
	}
	dir := filepath.Join(cache, "forsooth", "eval")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("the index cannot be kept: %w", err)
	}
	return filepath.Join(dir, w.Version+".db"), nil
}

// runCases runs the cases side by side, each with a player of its own.
func (c *evalCmd) runCases(ctx context.Context, a *app.App, suite *eval.Suite, w *world.World) ([]eval.Outcome, error) {
	out := make([]eval.Outcome, len(suite.Cases))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, c.Jobs))
	for i := range suite.Cases {
		g.Go(func() error {
			o, err := runCase(ctx, a, &suite.Cases[i], w, i)
			if err != nil {
				return fmt.Errorf("case %s: %w", suite.Cases[i].Name, err)
			}
			out[i] = o
			return nil
		})
	}
	return out, g.Wait()
}

// runCase is one case as a turn.
func runCase(ctx context.Context, a *app.App, c *eval.Case, w *world.World, n int) (eval.Outcome, error) {
	req := &schema.Request{TurnID: fmt.Sprintf("case-%d", n+1), World: w.Name, NPC: c.NPC, Player: fmt.Sprintf("case-%d", n+1),
		Message: c.PlayerMessage, State: c.State, Flags: c.Flags, Trust: c.Trust, GameTime: c.GameTime, Locale: c.Locale, DeadlineMS: 30_000}
	if doc := c.Conversation(req.Conversation(), time.Now()); doc != nil {
		if err := a.Client.PutConversation(ctx, doc, 0); err != nil {
			return eval.Outcome{}, err
		}
	}
	if _, err := a.Client.Publish(ctx, req); err != nil {
		return eval.Outcome{}, err
	}
	events, err := a.Client.Watch(ctx, req.Conversation(), req.TurnID)
	if err != nil {
		return eval.Outcome{}, err
	}
	var reply *schema.Reply
	for ev := range events {
		if ev.Reply != nil {
			reply = ev.Reply
		}
	}
	if ctx.Err() != nil {
		return eval.Outcome{}, errors.New("stopped")
	}
	var shown []string
	if len(c.ForbidEvidence) > 0 {
		if shown, err = shownToSpeaker(ctx, a, req.TurnID); err != nil {
			return eval.Outcome{}, err
		}
	}
	return eval.Judge(c, reply, shown), nil
}

// shownToSpeaker are the paths of the evidence that a turn held at any pass.
func shownToSpeaker(ctx context.Context, a *app.App, turn string) ([]string, error) {
	traces, err := a.Client.Trace(ctx, turn)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, t := range traces {
		if t.Turn != nil {
			for _, ev := range t.Turn.Evidence {
				out = append(out, ev.Path)
			}
		}
	}
	return out, nil
}
