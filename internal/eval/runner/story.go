package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/forsooth-npc/forsooth/internal/eval"
	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// lanes is how many meshes run stories beside each other at most.
const lanes = 4

// settleLimit is how long a step may take to be remembered.
const settleLimit = 60 * time.Second

// runStories runs stories in lanes, each a mesh of its own, one story of a lane
// after another: a restart and a scan disturb nobody then. The stories of a lane
// are kept apart by their players, who bear the number of the story; what a game
// saw that concerns no player is known to all, so the mesh is made anew behind
// such a story.
func runStories(ctx context.Context, s *eval.Suite, w *world.World, o Options, cases []int, all *outcomes) error {
	todo := make(chan int, len(cases))
	for _, i := range cases {
		todo <- i
	}
	close(todo)
	g, ctx := errgroup.WithContext(ctx)
	for range min(o.jobs(), lanes, len(cases)) {
		g.Go(func() error { return lane(ctx, s, w, o, todo, all) })
	}
	return g.Wait()
}

func lane(ctx context.Context, s *eval.Suite, w *world.World, o Options, todo <-chan int, all *outcomes) (err error) {
	var st *stage
	defer func() {
		if st != nil {
			err = errors.Join(err, st.strike())
		}
	}()
	for i := range todo {
		if st == nil {
			if st, err = raise(ctx, w, o); err != nil {
				return err
			}
		}
		t := &tale{stage: st, world: w, c: &s.Cases[i], prefix: fmt.Sprintf("s%d-", i+1), at: w.Now}
		lived, err := t.tell(ctx)
		if err != nil {
			return fmt.Errorf("case %q: %w", t.c.Name, err)
		}
		all.take(i, eval.JudgeStory(t.c, lived))
		if t.public() {
			if err := st.strike(); err != nil {
				return err
			}
			st = nil
		}
	}
	return nil
}

// tale is one story while it is told.
type tale struct {
	*stage
	world  *world.World
	c      *eval.Case
	prefix string // of the ids of its players, turns and events
	at     time.Time
}

// public says whether something happened in the story that concerns no player.
func (t *tale) public() bool {
	return slices.ContainsFunc(t.c.Steps, func(s eval.Step) bool { return s.Event != nil && s.Event.Player == "" })
}

func (t *tale) tell(ctx context.Context) (eval.Lived, error) {
	out := eval.Lived{Seen: make([]eval.Seen, len(t.c.Steps))}
	for i := range t.c.Steps {
		s := &t.c.Steps[i]
		if s.At != nil {
			t.at = *s.At
		}
		var err error
		if out.Seen[i], err = t.step(ctx, s, fmt.Sprintf("%s%d", t.prefix, i+1)); err != nil {
			return out, fmt.Errorf("step %d: %w", i+1, err)
		}
		if err := t.settle(ctx); err != nil {
			return out, fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	var err error
	out.Records, err = t.records(ctx)
	return out, err
}

// step does what a step says. It is a turn where something was seen.
func (t *tale) step(ctx context.Context, s *eval.Step, id string) (eval.Seen, error) {
	switch {
	case s.Event != nil:
		return eval.Seen{}, t.witness(ctx, s.Event, id)
	case s.Scan:
		_, err := t.app.ScanMemory(ctx, t.world.Name)
		return eval.Seen{}, err
	case s.Restart:
		return eval.Seen{}, t.restart(ctx)
	}
	req := &schema.Request{TurnID: id, World: t.world.Name, NPC: s.NPC, Player: t.prefix + s.Player,
		PlayerName: s.PlayerName, Message: s.Message(),
		State: t.c.State, Flags: t.c.Flags, Trust: t.c.Trust, Locale: t.c.Locale, DeadlineMS: schema.MaxDeadlineMS}
	if !t.at.IsZero() {
		at := t.at
		req.GameTime = &at
	}
	return t.play(ctx, req)
}

// witness publishes an event. One that nobody saw is refused.
func (t *tale) witness(ctx context.Context, e *eval.Event, id string) error {
	err := t.app.Client.Witness(ctx, t.event(e, id))
	if len(e.Witnesses) > 0 {
		return err
	}
	if err == nil {
		return errors.New("an event without witnesses was taken")
	}
	return nil
}

// event is what the game saw, of the players of this story.
func (t *tale) event(e *eval.Event, id string) *schema.Occurrence {
	o := e.Occurrence(t.world.Name, id)
	o.GameTime = t.at
	if o.Player != "" {
		o.Player = t.prefix + o.Player
	}
	o.Subject, o.Object = t.mine(o.Subject), t.mine(o.Object)
	for i, w := range o.Witnesses {
		if t.world.NPCs[w] == nil {
			o.Witnesses[i] = t.prefix + w
		}
	}
	return o
}

// mine puts the story's number before a player's id, where an entity is a player.
func (t *tale) mine(entity string) string {
	if id, ok := strings.CutPrefix(entity, memory.PlayerPrefix); ok {
		return memory.PlayerPrefix + t.prefix + id
	}
	return entity
}

// theirs takes it off again.
func (t *tale) theirs(entity string) string {
	if id, ok := strings.CutPrefix(entity, memory.PlayerPrefix+t.prefix); ok {
		return memory.PlayerPrefix + id
	}
	return entity
}

func (t *tale) settle(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, settleLimit)
	defer stop()
	return t.app.MemorySettled(ctx)
}

// records are the memories of the story's players and of no player, under the ids
// that the story has for them.
func (t *tale) records(ctx context.Context) ([]schema.Memory, error) {
	points, err := t.app.Session().Scroll(ctx, store.MemoryFilter{World: t.world.Name}, "", 0)
	if err != nil {
		return nil, err
	}
	var out []schema.Memory
	for i := range points {
		m := points[i].Memory
		player, mine := strings.CutPrefix(m.Player, t.prefix)
		if m.Player != "" && !mine {
			continue
		}
		m.Player, m.Subject, m.Object = player, t.theirs(m.Subject), t.theirs(m.Object)
		out = append(out, m)
	}
	return out, nil
}
