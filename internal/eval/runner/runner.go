// Package runner runs evaluation suites: every case is a turn through the whole
// mesh, on a data folder that is thrown away, several conversations at once. It
// judges nothing: internal/eval does.
package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/eval"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Options of a run. App brings what a command sets: worlds, folders and servers
// in it are overwritten.
type Options struct {
	App   app.Options
	Index string // the index's file, kept between runs
	Jobs  int    // conversations at once; default 8
	Done  func(*eval.Outcome)
}

// Run runs the cases of a suite over a world and gives their outcomes in the
// suite's order.
func Run(ctx context.Context, s *eval.Suite, w *world.World, o Options) (_ []eval.Outcome, err error) {
	dir, err := os.MkdirTemp("", "forsooth-eval-")
	if err != nil {
		return nil, fmt.Errorf("a folder for the run: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	watch := newObserver()
	opts := o.App
	opts.Worlds, opts.Data, opts.Index, opts.NATS, opts.Port, opts.Sync = []*world.World{w}, dir, o.Index, "", 0, false
	opts.Services, opts.Wrap, opts.Name, opts.Meaning = nil, watch.wrap, "forsooth eval", app.MeaningFirst
	a, err := app.Start(ctx, opts)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan error, 1)
	go func() { done <- a.Run(running) }()
	defer func() {
		stop()
		err = errors.Join(err, <-done)
	}()
	r := &run{app: a, suite: s, world: w, watch: watch, files: newFiles(w)}
	return r.all(ctx, o)
}

// run is one run of a suite.
type run struct {
	app   *app.App
	suite *eval.Suite
	world *world.World
	watch *observer
	files *files
}

func (r *run) all(ctx context.Context, o Options) ([]eval.Outcome, error) {
	jobs := o.Jobs
	if jobs <= 0 {
		jobs = 8
	}
	out := make([]eval.Outcome, len(r.suite.Cases))
	var mu sync.Mutex // Done is called by one case at a time
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(jobs)
	for i := range r.suite.Cases {
		g.Go(func() error {
			c := &r.suite.Cases[i]
			seen, err := r.turn(ctx, c, i)
			if err != nil {
				return fmt.Errorf("case %q: %w", c.Name, err)
			}
			out[i] = eval.Judge(c, seen)
			if o.Done != nil {
				mu.Lock()
				defer mu.Unlock()
				o.Done(&out[i])
			}
			return nil
		})
	}
	return out, g.Wait()
}

// turn runs one case to its end, each with a player of its own.
func (r *run) turn(ctx context.Context, c *eval.Case, n int) (eval.Seen, error) {
	id := fmt.Sprintf("case-%d", n+1)
	req := &schema.Request{TurnID: id, World: r.world.Name, NPC: c.NPC, Player: id, PlayerName: c.Player, Message: c.PlayerMessage,
		State: c.State, Flags: c.Flags, Trust: c.Trust, GameTime: c.GameTime, Locale: c.Locale, DeadlineMS: schema.MaxDeadlineMS}
	client := r.app.Client
	if doc := c.Conversation(req.Conversation(), time.Now()); doc != nil {
		if err := client.PutConversation(ctx, doc, 0); err != nil {
			return eval.Seen{}, err
		}
	}
	begin := time.Now()
	if _, err := client.Publish(ctx, req); err != nil {
		return eval.Seen{}, err
	}
	seen, err := r.follow(ctx, req, begin)
	if err != nil {
		return eval.Seen{}, err
	}
	if seen.Records, err = client.Records(ctx, req.Conversation(), id); err != nil {
		return eval.Seen{}, err
	}
	noted := r.watch.take(id)
	seen.Prompts, seen.ThoughtReviews, seen.Reviews = noted.shown, noted.thoughts, noted.speech
	seen.Foreign = r.files.foreign(seen.Reply)
	return seen, nil
}

// follow watches a turn until it is applied, and the clock with it.
func (r *run) follow(ctx context.Context, req *schema.Request, begin time.Time) (eval.Seen, error) {
	events, err := r.app.Client.Watch(ctx, req.Conversation(), req.TurnID)
	if err != nil {
		return eval.Seen{}, err
	}
	var seen eval.Seen
	for ev := range events {
		switch {
		case ev.Reply != nil:
			seen.Reply, seen.Took = ev.Reply, time.Since(begin)
		case ev.Said.Kind == schema.SaidSentence && seen.First == 0:
			seen.First = time.Since(begin)
		}
	}
	if ctx.Err() != nil {
		return eval.Seen{}, context.Cause(ctx)
	}
	return seen, nil
}
