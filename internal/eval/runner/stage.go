package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/eval"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// stage is a mesh on a data folder of its own, which is thrown away with it.
type stage struct {
	opts  app.Options
	watch *observer
	app   *app.App
	stop  func() error
}

// raise starts a mesh over a world on a fresh folder.
func raise(ctx context.Context, w *world.World, o Options) (*stage, error) {
	dir, err := os.MkdirTemp("", "forsooth-eval-")
	if err != nil {
		return nil, fmt.Errorf("a folder for the run: %w", err)
	}
	st := &stage{opts: o.App, watch: newObserver()}
	st.opts.Worlds, st.opts.Data, st.opts.Index, st.opts.NATS, st.opts.Port, st.opts.Sync = []*world.World{w}, dir,
		o.Index, "", 0, false
	st.opts.Services, st.opts.Wrap, st.opts.Name, st.opts.Meaning = nil, st.watch.wrap, "forsooth eval", app.MeaningFirst
	st.opts.JudgeFirst = true // no case is luckier than another
	if err := st.start(ctx); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return st, nil
}

func (st *stage) start(ctx context.Context) error {
	a, err := app.Start(ctx, st.opts)
	if err != nil {
		return err
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan error, 1)
	go func() { done <- a.Run(running) }()
	st.app, st.stop = a, func() error {
		cancel()
		err := <-done
		a.Close()
		return err
	}
	return nil
}

// restart stops the mesh and starts it again on the same folder.
func (st *stage) restart(ctx context.Context) error {
	if err := st.halt(); err != nil {
		return err
	}
	return st.start(ctx)
}

func (st *stage) halt() error {
	if st.stop == nil {
		return nil
	}
	stop := st.stop
	st.stop = nil
	return stop()
}

// strike stops the mesh and removes its folder.
func (st *stage) strike() error { return errors.Join(st.halt(), os.RemoveAll(st.opts.Data)) }

// play runs a turn and gives what was seen of it.
func (st *stage) play(ctx context.Context, req *schema.Request) (eval.Seen, error) {
	begin := time.Now()
	if _, err := st.app.Client.Publish(ctx, req); err != nil {
		return eval.Seen{}, err
	}
	seen, err := st.follow(ctx, req, begin)
	if err != nil {
		return eval.Seen{}, err
	}
	if seen.Records, err = st.app.Client.Records(ctx, req.Conversation(), req.TurnID); err != nil {
		return eval.Seen{}, err
	}
	noted := st.watch.take(req.TurnID)
	seen.Prompts, seen.ThoughtReviews, seen.Reviews = noted.shown, noted.thoughts, noted.speech
	return seen, nil
}

// follow watches a turn until it is applied, and the clock with it.
func (st *stage) follow(ctx context.Context, req *schema.Request, begin time.Time) (eval.Seen, error) {
	events, err := st.app.Client.Watch(ctx, req.Conversation(), req.TurnID)
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
