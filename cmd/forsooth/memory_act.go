package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/consistency"
	"github.com/forsooth-npc/forsooth/services/memory"
)

// signed is who an action is by, and why.
type signed struct {
	By  string `help:"Who decides; the log keeps it. The user's name otherwise." placeholder:"NAME"`
	Why string `help:"Why; the log keeps it." placeholder:"TEXT"`
}

func (s *signed) name() string { return cmp.Or(s.By, os.Getenv("USER"), "unnamed") }

// act does something as an operator and prints the event that the log has of it.
func (e *env) act(
	s *signed, f func(context.Context, *consistency.Operator, *memory.Kept) (schema.MemoryEvent, error),
	say func(*schema.MemoryEvent) string,
) error {
	return e.withDesk(false, func(d *app.Desk, t *talk, _ []*world.World) error {
		kept, err := memory.ReadAll(e.ctx, t.client.MemoryLog(), "", "")
		if err != nil {
			return dependency(err)
		}
		done, err := f(e.ctx, d.Operator(s.name()), &kept)
		var refusal *consistency.Refusal
		switch {
		case errors.As(err, &refusal):
			return failed(err)
		case err != nil:
			return dependency(err)
		case e.json:
			return e.printJSON(done)
		}
		_, err = fmt.Fprintf(e.out, "%s; forsooth memory undo %s takes it back\n", say(&done), done.ID)
		return err
	})
}

type memoryResolveCmd struct {
	ID       string `arg:"" help:"A memory that contradicts another, or that was set aside as unproven."`
	Keep     string `help:"The one that holds; the others are superseded by it." placeholder:"ID" xor:"how" required:""`
	Both     bool   `help:"Both hold." xor:"how" required:""`
	Distinct bool   `help:"They are of two things, and contradict nothing." xor:"how" required:""`
	signed
}

// Run settles a contradiction.
func (c *memoryResolveCmd) Run(e *env) error {
	why := c.Why
	if why == "" && c.Both {
		why = "both hold"
	}
	if why == "" && c.Distinct {
		why = "of two things"
	}
	return e.act(&c.signed, func(ctx context.Context, o *consistency.Operator, kept *memory.Kept) (schema.MemoryEvent,
		error) {
		i := slices.IndexFunc(kept.Memories, func(m schema.Memory) bool { return m.ID == c.ID })
		if i < 0 {
			return schema.MemoryEvent{}, &consistency.Refusal{Reason: fmt.Sprintf("no memory has the id %q; forsooth "+
				"memory list prints them", c.ID)}
		}
		return o.Resolve(ctx, &kept.Memories[i], c.Keep, why)
	}, func(done *schema.MemoryEvent) string {
		if done.Keep != "" {
			return done.Keep + " holds"
		}
		return "both stay, and contradict each other no more"
	})
}

type memoryUndoCmd struct {
	Event string `arg:"" help:"The event's id, as memory show, scan --json and export --log print it."`
	signed
}

// Run takes an event of the log back.
func (c *memoryUndoCmd) Run(e *env) error {
	return e.act(&c.signed, func(ctx context.Context, o *consistency.Operator, kept *memory.Kept) (schema.MemoryEvent,
		error) {
		i := slices.IndexFunc(kept.Events, func(ev schema.MemoryEvent) bool { return ev.ID == c.Event })
		if i < 0 {
			return schema.MemoryEvent{}, &consistency.Refusal{Reason: fmt.Sprintf("the log has no event %q; forsooth "+
				"memory show ID and forsooth memory export --log print them", c.Event)}
		}
		return o.Undo(ctx, &kept.Events[i], c.Why)
	}, func(done *schema.MemoryEvent) string { return done.Undoes + " is undone" })
}
