package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/console"
	"github.com/forsooth-npc/forsooth/internal/eval/runner"
	"github.com/forsooth-npc/forsooth/internal/mesh"
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

type traceCmd struct {
	Turn string `arg:"" help:"The turn's id, as the reply carries it."`
}

// Run prints the passes of a turn that is kept.
func (c *traceCmd) Run(e *env) error {
	if err := schema.CheckToken("turn", c.Turn); err != nil {
		return usage(err)
	}
	return e.joining(func(t *talk) error {
		traces, err := t.client.Trace(e.ctx, c.Turn)
		if err != nil {
			return dependency(err)
		}
		if len(traces) == 0 {
			return failed(fmt.Errorf("turn %s has aged out, or was never run here; passes are kept for seven days, in the "+
				"data folder %s", c.Turn, e.settings.Data))
		}
		if !e.json {
			console.Trace(e.out, traces)
			return nil
		}
		for _, tr := range traces {
			if err := e.printJSON(tr); err != nil {
				return err
			}
		}
		return nil
	})
}

type auditCmd struct {
	Since    time.Duration `help:"How far back, such as 24h; replies are kept for seven days." default:"168h"`
	Examples int           `help:"Examples of each check." default:"3"`
	Strict   bool          `help:"Count it as a violation too where the lore was edited after the reply."`
}

// Run holds the stored replies against their evidence, and against the lore as it is
// now.
func (c *auditCmd) Run(e *env) error {
	if c.Since <= 0 || c.Examples < 0 {
		return usage(errors.New("give --since a time above 0, such as 24h, and --examples 0 or more"))
	}
	named := len(e.settings.World) > 0
	if !named {
		e.settings.World = app.Serving(e.settings.Data) // of the process that holds the folder, if any
	}
	ws, err := e.worlds()
	if err != nil {
		return err
	}
	settings := replay.DefaultAudit
	settings.Examples = c.Examples
	auditor, of := replay.NewAuditor(ws, settings), map[string]bool{}
	for _, w := range ws {
		of[w.Name] = true
	}
	since := time.Now().Add(-c.Since)
	err = e.joining(func(t *talk) error {
		return dependency(t.client.StoredReplies(e.ctx, "", func(s mesh.StoredReply) {
			switch {
			case named && !of[s.Conversation.World]:
				return
			case s.At.Before(since):
				auditor.Heard(s.Reply)
				return
			}
			auditor.Take(replay.StoredReply{Conversation: s.Conversation, Turn: s.Turn, At: s.At, Reply: s.Reply,
				Bad: s.Bad})
		}))
	})
	if err != nil {
		return err
	}
	r := auditor.Report()
	r.Since = since.UTC()
	return c.print(e, r)
}

func (c *auditCmd) print(e *env, r *replay.AuditReport) error {
	if e.json {
		if err := e.printJSON(r); err != nil {
			return err
		}
	} else if err := r.Write(e.out); err != nil {
		return err
	}
	if r.Unchecked > 0 {
		e.log.Warn().Msgf("%d replies are of other worlds; their lore was not looked at: name the worlds with --world",
			r.Unchecked)
	}
	switch {
	case r.Violations > 0:
		return failed(fmt.Errorf("%d violations in %d replies; forsooth trace TURN shows a turn", r.Violations,
			r.Replies))
	case c.Strict && r.LoreMoved > 0:
		return failed(fmt.Errorf("%d citations do not fit the lore of today, which was edited after the replies",
			r.LoreMoved))
	}
	return nil
}
