// Package runner runs evaluation suites: every case is a turn through the whole
// mesh, on a data folder that is thrown away, several conversations at once. It
// judges nothing: internal/eval does.
package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/eval"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/protocol"
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
func Run(ctx context.Context, s *eval.Suite, w *world.World, o Options) ([]eval.Outcome, error) {
	all := &outcomes{list: make([]eval.Outcome, len(s.Cases)), done: o.Done}
	var turns, stories []int
	for i := range s.Cases {
		if s.Cases[i].Story() {
			stories = append(stories, i)
		} else {
			turns = append(turns, i)
		}
	}
	if len(turns) > 0 {
		if err := runTurns(ctx, s, w, o, turns, all); err != nil {
			return nil, err
		}
	}
	if len(stories) > 0 {
		if err := runStories(ctx, s, w, o, stories, all); err != nil {
			return nil, err
		}
	}
	return all.list, nil
}

// outcomes takes them in as they come, one at a time.
type outcomes struct {
	mu   sync.Mutex
	list []eval.Outcome
	done func(*eval.Outcome)
}

func (all *outcomes) take(i int, o eval.Outcome) {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.list[i] = o
	if all.done != nil {
		all.done(&all.list[i])
	}
}

// runTurns runs the single turns, all on one mesh.
func runTurns(ctx context.Context, s *eval.Suite, w *world.World, o Options, cases []int, all *outcomes) (err error) {
	st, err := raise(ctx, w, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.strike()) }()
	r := &run{stage: st, suite: s, world: w, files: newFiles(w)}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(o.jobs())
	for _, i := range cases {
		g.Go(func() error {
			c := &s.Cases[i]
			seen, err := r.turn(ctx, c, i)
			if err != nil {
				return fmt.Errorf("case %q: %w", c.Name, err)
			}
			all.take(i, eval.Judge(c, seen))
			return nil
		})
	}
	return g.Wait()
}

func (o *Options) jobs() int {
	if o.Jobs <= 0 {
		return 8
	}
	return o.Jobs
}

// run is one run of the single turns of a suite.
type run struct {
	*stage
	suite *eval.Suite
	world *world.World
	files *files
}

// turn runs one case to its end, each with a player of its own.
func (r *run) turn(ctx context.Context, c *eval.Case, n int) (eval.Seen, error) {
	id := fmt.Sprintf("case-%d", n+1)
	req := &schema.Request{TurnID: id, World: r.world.Name, NPC: c.NPC, Player: id, PlayerName: c.Player,
		Message: c.PlayerMessage,
		State:   c.State, Flags: c.Flags, Trust: c.Trust, GameTime: c.GameTime, Locale: c.Locale,
		DeadlineMS: schema.MaxDeadlineMS}
	if doc := c.Conversation(req.Conversation(), time.Now()); doc != nil {
		if err := r.app.Client.PutConversation(ctx, doc, 0); err != nil {
			return eval.Seen{}, err
		}
	}
	seen, err := r.play(ctx, req)
	seen.Foreign = r.files.foreign(seen.Reply)
	return seen, err
}

// observer stands between the mesh and the passes and notes what a reply does
// not tell: what a speaker was shown, and what the reviews said of each draft.
type observer struct {
	mu    sync.Mutex
	turns map[string]*notes
}

type notes struct {
	shown            []string
	thoughts, speech []protocol.Review
	model            bool // a model has spoken
}

func newObserver() *observer { return &observer{turns: map[string]*notes{}} }

func (o *observer) wrap(pass schema.Pass, h mesh.Handler) mesh.Handler {
	return func(ctx context.Context, t *protocol.Turn) (schema.Pass, error) {
		next, err := h(ctx, t)
		if err == nil {
			o.note(pass, t)
		}
		return next, err
	}
}

func (o *observer) note(pass schema.Pass, t *protocol.Turn) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := o.turns[t.TurnID]
	if n == nil {
		n = &notes{}
		o.turns[t.TurnID] = n
	}
	for _, e := range t.Evidence {
		if !slices.Contains(n.shown, e.Path) {
			n.shown = append(n.shown, e.Path)
		}
	}
	switch {
	case t.Part > 0: // one sentence of a speech under way; the review of all of it follows
	case pass == schema.PassReviewSpeech && n.model && t.Speech != nil && !t.Speech.ByModel():
		// The extractive answer in place of a model's: no further draft of the model's.
	case pass == schema.PassReviewSpeech && t.SpeechReview != nil:
		n.speech = append(n.speech, *t.SpeechReview)
		n.model = t.Speech != nil && t.Speech.ByModel()
	case pass == schema.PassReviewThought && t.ThoughtReview != nil:
		n.thoughts = append(n.thoughts, *t.ThoughtReview)
	}
}

// take gives what was noted of a turn, once.
func (o *observer) take(turn string) notes {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := o.turns[turn]
	delete(o.turns, turn)
	if n == nil {
		return notes{}
	}
	return *n
}
