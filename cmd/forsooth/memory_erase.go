package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/mesh/admin"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

type memoryEraseCmd struct {
	Player       string `help:"The player's id." placeholder:"ID" xor:"who" required:""`
	FromReceipts string `help:"Erase again, after a restore." placeholder:"DIR|FILE" type:"path" xor:"who" required:""`
	DryRun       bool   `help:"Say what would be erased, and change nothing."`
}

// Run erases a player, or those of receipts.
func (c *memoryEraseCmd) Run(e *env) error {
	if c.Player != "" {
		if err := schema.CheckToken("player", c.Player); err != nil {
			return usage(err)
		}
	} else if c.DryRun {
		return usage(errors.New("--dry-run goes with --player: a receipt does not say what of the player came back"))
	}
	return e.joining(func(t *talk) error {
		o, done, err := e.erasure(t)
		if err != nil {
			return err
		}
		defer done()
		switch {
		case c.DryRun:
			return c.look(e, o)
		case c.Player != "":
			return c.erase(e, o)
		}
		return c.again(e, o)
	})
}

// erasure are the options of an erasure from a folder, or in a running mesh.
func (e *env) erasure(t *talk) (o admin.Erasure, done func(), err error) {
	o = admin.Erasure{Conn: t.conn, Data: e.settings.Data, Now: time.Now,
		NewID: func() string { return ulid.Make().String() }, Progress: e.steps(), Replicas: t.conn.Replicas(e.ctx),
		Running: t.app == nil}
	if len(e.settings.World) > 0 {
		ws, err := e.worlds()
		if err != nil {
			return o, nil, err
		}
		for _, w := range ws {
			o.Worlds = append(o.Worlds, w.Name)
			if o.Handles == nil {
				o.Handles = admin.Handles{}
			}
			o.Handles[w.Name] = slices.Collect(maps.Keys(w.NPCs))
		}
	}
	if t.app != nil && t.app.Server != nil {
		o.Scrub = func(ctx context.Context, _ string) (int, error) { return t.app.ScrubStreams(ctx) }
	} else if can, err := admin.Scrubs(e.ctx, t.conn); err != nil {
		return o, nil, dependency(err)
	} else if can {
		o.Scrub = func(ctx context.Context, id string) (int, error) { return admin.Scrub(ctx, t.conn, id) }
	}
	with := e.options(nil, nil)
	o.Qdrant = with.Qdrant.Addr
	if _, err := os.Stat(app.SessionFile(e.settings.Data)); err != nil && with.Qdrant.Addr == "" {
		return o, func() {}, nil
	}
	session, note, err := app.OpenSession(e.ctx, with)
	if err != nil {
		return o, nil, dependency(err)
	}
	if note != "" {
		e.log.Warn().Msg(note)
	}
	done = func() { _ = session.Close() }
	index, err := app.NewErasedIndex(session, t.client.MemoryLog(), t.app == nil)
	if err != nil {
		done()
		return o, nil, failed(err)
	}
	index.Among(o.Handles)
	o.Index = index
	return o, done, nil
}

// steps shows what is being done, on a terminal only.
func (e *env) steps() func(string) {
	f, ok := e.err.(*os.File)
	if !ok || !isTerminal(f) {
		return nil
	}
	return func(step string) { fmt.Fprintf(f, "\r\x1b[K%s", step) }
}

func (c *memoryEraseCmd) look(e *env, o admin.Erasure) error {
	plan, err := admin.PlanErasure(e.ctx, c.Player, o)
	e.endSteps()
	if err != nil {
		return c.failed(e, err)
	}
	if e.json {
		return e.printJSON(plan)
	}
	fmt.Fprintf(e.out, "would erase player %s:\n", c.Player)
	printCounts(e.out, plan.Erased)
	_, err = fmt.Fprintf(e.out, "  %6d memories in the index\n  %6d turns under way, which would be ended first\n",
		plan.Memories, plan.Turns)
	return err
}

func (c *memoryEraseCmd) erase(e *env, o admin.Erasure) error {
	receipt, err := admin.ErasePlayer(e.ctx, c.Player, o)
	e.endSteps()
	if err != nil {
		return c.failed(e, err)
	}
	if e.json {
		return e.printJSON(receipt)
	}
	printReceipt(e.out, &receipt)
	return nil
}

func (c *memoryEraseCmd) again(e *env, o admin.Erasure) error {
	list, err := admin.FromReceipts(e.ctx, c.FromReceipts, o)
	e.endSteps()
	if err != nil {
		return failed(err)
	}
	if e.json {
		for i := range list {
			if err := e.printJSON(list[i]); err != nil {
				return err
			}
		}
		return nil
	}
	for i := range list {
		printReceipt(e.out, &list[i])
	}
	if len(list) == 0 {
		fmt.Fprintln(e.out, "nobody of whom there is a receipt is kept here")
	}
	return nil
}

func (c *memoryEraseCmd) failed(e *env, err error) error {
	switch {
	case errors.Is(err, admin.ErrNothingKept):
		return failed(fmt.Errorf("nothing is kept of player %s in %s; forsooth memory list shows of whom there is", c.Player,
			e.settings.Data))
	case e.ctx.Err() != nil:
		return failed(errors.New("stopped half-way; run the same command again, and it goes on"))
	}
	return dependency(err)
}

// endSteps wipes the line of the last step.
func (e *env) endSteps() {
	if step := e.steps(); step != nil {
		step("")
	}
}

func printReceipt(w io.Writer, r *admin.Receipt) {
	if r.Again {
		fmt.Fprintf(w, "nothing is left of this player: erased at %s; the receipt is %s\n", r.Ended.Format(time.RFC3339),
			r.Path())
		return
	}
	fmt.Fprintln(w, "erased:")
	printCounts(w, r.Erased)
	fmt.Fprintf(w, "  %6d records that were deleted before overwritten on the disk\n", r.Scrubbed)
	if len(r.Left) > 0 {
		fmt.Fprintln(w, "left, because it belongs to others:")
	}
	for _, l := range r.Left {
		until := ""
		if l.Until != "" {
			until = " (gone by " + l.Until + ")"
		}
		fmt.Fprintf(w, "  %6d %s%s: %s\n", l.Count, l.Place, until, l.Why)
	}
	fmt.Fprintln(w, "out of reach:")
	for _, b := range r.Beyond {
		fmt.Fprintf(w, "  %s\n", b)
	}
	fmt.Fprintln(w, "to do:")
	for _, d := range r.Operator {
		fmt.Fprintf(w, "  %s\n", d)
	}
	fmt.Fprintf(w, "the receipt is %s\n", r.Path())
}

func printCounts(w io.Writer, counts map[string]int) {
	for _, place := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(w, "  %6d %s\n", counts[place], place)
	}
}
