package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/eval/runner"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/replay"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

type replayCmd struct {
	Turn   string `arg:"" help:"The turn's id, as the reply carries it."`
	Strict *bool  `help:"Skip stripping: one unsupported claim makes the whole reply extractive." negatable:""`
	Depth  string `help:"full: a call each for thoughts, decision, speech; lean: one." enum:"full,lean," default:""`
}

// change is what the flags ask for.
func (c *replayCmd) change() *replay.Change { return &replay.Change{Strict: c.Strict, Depth: c.Depth} }

// past is what is kept of a turn.
type past struct {
	turn   *protocol.Turn // as it came
	traces []protocol.Trace
	reply  *schema.Reply
}

// Run runs a kept turn again and prints both answers. It writes nothing that the
// mesh keeps.
func (c *replayCmd) Run(e *env) error {
	if err := schema.CheckToken("turn", c.Turn); err != nil {
		return usage(err)
	}
	p, err := c.read(e)
	if err != nil {
		return err
	}
	w, err := c.world(e, p.turn)
	if err != nil {
		return err
	}
	reply, err := c.again(e, p, w)
	if err != nil {
		return err
	}
	comparison := replay.Compare(p.turn, p.reply, reply)
	comparison.Change = *c.change()
	if e.json {
		return e.printJSON(comparison)
	}
	comparison.Write(e.out)
	return nil
}

// read takes the turn from the mesh, and lets go of the mesh.
func (c *replayCmd) read(e *env) (_ *past, err error) {
	if len(e.settings.World) == 0 && e.settings.NATS.URL == "" {
		e.settings.World = app.Serving(e.settings.Data) // of the process that holds the folder, if any
	}
	t, err := e.join()
	if err != nil {
		return nil, err
	}
	defer func() {
		if closeErr := t.close(); err == nil {
			err = closeErr
		}
	}()
	p := &past{}
	if p.traces, err = t.client.Trace(e.ctx, c.Turn); err != nil {
		return nil, dependency(err)
	}
	if p.turn, err = replay.Stored(p.traces); err != nil {
		return nil, failed(fmt.Errorf(
			"turn %s cannot be run again: %w; passes are kept for seven days, in the data folder %s", c.Turn, err,
			e.settings.Data))
	}
	p.reply, err = t.client.Reply(e.ctx, p.turn.Conversation(), c.Turn)
	switch {
	case errors.Is(err, transport.ErrNotFound):
		return nil, failed(fmt.Errorf("turn %s has no reply yet; wait until it has ended", c.Turn))
	case err != nil:
		return nil, dependency(err)
	}
	return p, nil
}

// world is the turn's world, with the settings of the flags.
func (c *replayCmd) world(e *env, t *protocol.Turn) (*world.World, error) {
	ws, err := e.worlds()
	if err != nil {
		return nil, err
	}
	for _, w := range ws {
		if w.Name != t.World {
			continue
		}
		npc, err := findNPC(w, t.NPC)
		if err != nil {
			return nil, err
		}
		return c.change().Over(w, npc.Handle), nil
	}
	return nil, usage(fmt.Errorf("turn %s is of the world %s; name its folder with --world", t.TurnID, t.World))
}

// again runs the turn, on an index of its own: the data folder's stays as it is.
func (c *replayCmd) again(e *env, p *past, w *world.World) (*schema.Reply, error) {
	index, err := runner.IndexFile(w, time.Now())
	if err != nil {
		return nil, dependency(err)
	}
	o, err := e.withModels(e.options([]*world.World{w}, nil))
	if err != nil {
		return nil, err
	}
	o.Index, o.Alert = index, nil
	log := replay.NewLog(p.traces[len(p.traces)-1].Turn)
	passes, done, err := app.OffMesh(e.ctx, o, log)
	if err != nil {
		return nil, dependency(err)
	}
	defer done()
	reply, err := replay.Again(e.ctx, passes, log, p.turn, !w.Now.IsZero(), time.Now)
	switch {
	case e.ctx.Err() != nil:
		return nil, failed(errors.New("stopped"))
	case err != nil:
		return nil, failed(fmt.Errorf("replay of turn %s: %w", c.Turn, err))
	}
	return reply, nil
}
