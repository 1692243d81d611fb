package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/consistency"
	"github.com/forsooth-npc/forsooth/services/memory"
)

type memoryScanCmd struct {
	DryRun bool `help:"Say what would be done, and change nothing."`
	Judge  bool `help:"Ask the model of llm.url what stays unclear: at most 50 calls a world."`
}

// withDesk opens the memories of the running mesh, or of the data folder, to work on
// them; with a judge it may ask the language model of the settings.
func (e *env) withDesk(judge bool, f func(*app.Desk, *talk, []*world.World) error) error {
	return e.joining(func(t *talk) error {
		if t.joined != "" && len(e.settings.World) == 0 {
			e.settings.World = app.Serving(e.settings.Data)
		}
		ws, err := e.worlds()
		if err != nil {
			return err
		}
		o := e.options(ws, nil)
		if judge {
			if o, err = e.withModels(o); err != nil {
				return err
			}
			o.Judge = true
		}
		d, err := app.OpenDesk(e.ctx, o, t.client, t.joined == "")
		if err != nil {
			return dependency(err)
		}
		defer d.Close()
		if err := f(d, t, ws); err != nil {
			return err
		}
		return dependency(d.Settle(e.ctx))
	})
}

// scanned is a scan as --json prints it.
type scanned struct {
	consistency.Run
	Events []schema.MemoryEvent `json:"events"`
}

// Run scans the worlds that are served, or those of --world.
func (c *memoryScanCmd) Run(e *env) error {
	if c.Judge && !e.settings.LLM.Configured() {
		return usage(errors.New("--judge asks a language model and none is named; give --llm-url, or write llm.url in " +
			"the settings"))
	}
	return e.withDesk(c.Judge, func(d *app.Desk, t *talk, ws []*world.World) error {
		kept, err := memory.ReadAll(e.ctx, t.client.MemoryLog(), "", "")
		if err != nil {
			return dependency(err)
		}
		for _, w := range ws {
			run, err := d.Scan.Scan(e.ctx, w.Name, consistency.Asked{DryRun: c.DryRun})
			if err != nil {
				return dependency(err)
			}
			if e.json {
				err = e.printJSON(scanned{run, append([]schema.MemoryEvent{}, run.Events...)})
			} else {
				c.print(e, &run, &kept)
			}
			if err != nil {
				return err
			}
		}
		for _, name := range notServed(&kept, ws) {
			e.log.Warn().Msgf("world %s has memories and is not served here, so they are not scanned; name its folder with "+
				"--world", name)
		}
		return nil
	})
}

func notServed(kept *memory.Kept, ws []*world.World) []string {
	var out []string
	for i := range kept.Memories {
		name := kept.Memories[i].World
		if !slices.Contains(out, name) && !slices.ContainsFunc(ws, func(w *world.World) bool { return w.Name == name }) {
			out = append(out, name)
		}
	}
	return out
}

// print is one line, and then each cluster with what becomes of it.
func (c *memoryScanCmd) print(e *env, run *consistency.Run, kept *memory.Kept) {
	done := ""
	switch {
	case c.DryRun:
		done = " (nothing was changed)"
	case run.Left > 0:
		done = fmt.Sprintf(" (%d left to the next run: their memories changed meanwhile)", run.Left)
	}
	fmt.Fprintf(e.out, "%s: %s%s\n", run.World, run.Report.Summary(), done)
	for _, x := range run.Report.Details {
		fmt.Fprintf(e.out, "%s (%s)%s\n", verdictName(x.Verdict), strings.Join(x.Signals, ", "), because(x.Why))
		for _, id := range x.Members {
			fmt.Fprintf(e.out, "  %s  %s\n", id, contentOf(kept, id))
		}
	}
	for i := range run.Events {
		if ev := &run.Events[i]; len(ev.Others) == 1 && strings.HasPrefix(ev.Others[0], "lore:") {
			fmt.Fprintf(e.out, "lore (%s)%s\n  %s  %s\n", ev.Others[0], because(ev.Why), ev.Target, contentOf(kept, ev.Target))
		}
	}
}

func verdictName(v scan.Verdict) string { return strings.ReplaceAll(string(v), "_", " ") }

func because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}

func contentOf(kept *memory.Kept, id string) string {
	i := slices.IndexFunc(kept.Memories, func(m schema.Memory) bool { return m.ID == id })
	if i < 0 {
		return ""
	}
	return kept.Memories[i].Content
}

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
