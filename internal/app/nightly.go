package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/lore"
	domain "github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/internal/memory/write"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/services/consistency"
	"github.com/forsooth-npc/forsooth/services/memory"
)

// nightly is Guard 2 with the schedule by which the broker calls it.
type nightly struct {
	service  *consistency.Service
	mesh     *mesh.Mesh
	library  *lore.Library
	settings guards.Consistency
	notice   func(string)
	kept     chan struct{} // closed when the schedules are as they should be
}

// openNightly makes the service and has it answer due scans.
func (a *App) openNightly(o Options, books *memory.Books, static *embed.Static, guard *write.Guard) {
	with := scanOptions(o, a.Library, books, a.memory.session, static, guard, a.Client)
	with.History = a.Conn.Scans()
	with.Scanner.Entail, with.Scanner.Judge = scanTiers(o, a.Model)
	with.Scanned = a.Metrics.Scanned
	n := &nightly{service: consistency.New(with), mesh: a.Mesh, library: a.Library, settings: o.guarded().Consistency,
		notice: o.notice, kept: make(chan struct{})}
	a.memory.nightly = n
	a.Mesh.OnScan(n.due)
}

// scanOptions are the service as the guards' settings have it. Guard 1 off means that
// nothing is read again either.
func scanOptions(
	o Options, library *lore.Library, books *memory.Books, session store.Session, static *embed.Static, guard *write.Guard,
	evidence consistency.Evidence,
) consistency.Options {
	g := o.guarded()
	with := consistency.Options{
		Library: library, Books: books, Session: session, Embed: static, Evidence: evidence, World: worldOnDisk(library),
		Now: o.Now, Notice: o.notice,
		Scanner: scan.Scanner{Settings: scan.From(g.Consistency, static.ID()), Rule: domain.Rule{Gap: WriteSettings(g).Gap},
			Predicates: domain.DefaultPredicates()},
	}
	if g.Grounding.Enabled {
		with.Prove = guard
	}
	return with
}

// worldOnDisk reads a world as its folder is now; one that the binary carries does
// not change.
func worldOnDisk(library *lore.Library) func(string) (*world.World, error) {
	return func(name string) (*world.World, error) {
		loaded := library.Get(name).World
		if _, err := os.Stat(filepath.Join(loaded.Dir, "world.yaml")); err != nil {
			return loaded, nil
		}
		w, _, err := world.LoadDir(loaded.Dir)
		return w, err
	}
}

// due scans a world. The schedule of one that is no longer served goes.
func (n *nightly) due(ctx context.Context, name, id string) error {
	run, err := n.service.Scan(ctx, name, consistency.Asked{ID: id})
	var gone *consistency.NotServed
	if errors.As(err, &gone) {
		n.notice(gone.Error() + "; its schedule is taken away")
		return n.mesh.UnscheduleScan(ctx, name)
	}
	if err != nil {
		n.notice(err.Error() + "; it is tried again")
		return err
	}
	if run.Left > 0 || run.Report.Failed > 0 {
		n.notice(fmt.Sprintf("scan of %s: %s; %d left to the next run, for their memories changed meanwhile", name,
			run.Report.Summary(), run.Left))
	}
	return nil
}

// schedule keeps the schedule of every world that is served, or takes it away where
// the scan is off. Other replicas keep the same ones.
func (n *nightly) schedule(ctx context.Context) error {
	return keepScheduled(ctx, "the nightly scan", n.scheduled, n.kept, n.notice)
}

// keepScheduled tries until the schedules stand, and closes kept then.
func keepScheduled(
	ctx context.Context, what string, scheduled func(context.Context) error, kept chan<- struct{}, notice func(string),
) error {
	for wait := time.Second; ; wait = min(2*wait, time.Minute) {
		err := scheduled(ctx)
		if err == nil {
			close(kept)
			return nil
		}
		if ctx.Err() != nil {
			return nil
		}
		notice(fmt.Sprintf("%s is not scheduled yet: %v; it is tried again", what, err))
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
	}
}

func (n *nightly) scheduled(ctx context.Context) error {
	for _, name := range n.library.Names() {
		if !n.settings.Enabled {
			if err := n.mesh.UnscheduleScan(ctx, name); err != nil {
				return err
			}
			continue
		}
		pattern, err := mesh.Nightly(n.settings.Schedule, name)
		if err != nil {
			return err
		}
		if err := n.mesh.ScheduleScan(ctx, name, pattern, n.settings.Zone); err != nil {
			return err
		}
		if err := n.service.Begin(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// ScanMemory scans a world of this process now.
func (a *App) ScanMemory(ctx context.Context, name string) (consistency.Run, error) {
	return a.memory.nightly.service.Scan(ctx, name, consistency.Asked{})
}
