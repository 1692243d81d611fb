package main

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/mesh/admin"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
)

// migrateCmd brings streams and stores of an older version to this build.
type migrateCmd struct {
	DryRun bool `xor:"how" required:"" help:"Say each step and take none."`
	Apply  bool `xor:"how" required:"" help:"Take the steps."`
}

// Migrated is what `migrate --json` prints.
type Migrated struct {
	Mesh    string       `json:"mesh"` // its address; empty: the data folder's
	Applied bool         `json:"applied"`
	Steps   []admin.Step `json:"steps"`
	Changes int          `json:"changes"` // steps that make or change something
	Blocked int          `json:"blocked"` // steps that cannot be taken
}

// migrateLimit bounds the command.
const migrateLimit = 5 * time.Minute

// Run says or takes every step. A step that is blocked ends in exit code 3; those
// before and behind it are taken all the same.
func (c *migrateCmd) Run(e *env) (err error) {
	ctx, cancel := context.WithTimeout(e.ctx, migrateLimit)
	defer cancel()
	out := Migrated{Applied: c.Apply, Steps: []admin.Step{}}
	stores, err := app.MigrateStores(ctx, e.settings.Data, c.DryRun)
	if err != nil {
		return dependency(err)
	}
	out.Steps = append(out.Steps, stores...)
	if err := e.migrateBroker(ctx, c.DryRun, &out); err != nil {
		return err
	}
	for _, s := range out.Steps {
		switch s.Action {
		case admin.StepMake, admin.StepChange:
			out.Changes++
		case admin.StepBlocked:
			out.Blocked++
		}
	}
	if err := e.printMigration(out); err != nil {
		return err
	}
	if out.Blocked > 0 {
		return dependency(errSilent)
	}
	return nil
}

// migrateBroker looks at the streams of --nats, of the mesh that runs on the data
// folder, or of the folder itself; where there are none yet there is nothing to do.
func (e *env) migrateBroker(ctx context.Context, dry bool, out *Migrated) error {
	address, err := e.running()
	if err != nil {
		return err
	}
	if address == "" && !app.IsFolder(natsFolder(e.settings.Data)) {
		return nil
	}
	t, err := e.join()
	if err != nil {
		return err
	}
	out.Mesh = t.joined
	steps, err := admin.NewMigration(t.conn, e.migrated(t), time.Now).Run(ctx, dry)
	out.Steps = append(out.Steps, steps...)
	if closed := t.close(); err == nil {
		err = closed
	}
	return dependency(err)
}

// migrated are the sizes of the streams of a server; on a data folder the disk has a say.
func (e *env) migrated(t *talk) transport.Settings {
	switch {
	case e.settings.NATS.URL != "":
		return e.streams()
	case t.app == nil: // another process holds the folder, and made all its streams
		return e.streams().Within(math.MaxInt64)
	default:
		return e.streams().Within(t.app.Server.StoreLimit())
	}
}

func (e *env) printMigration(m Migrated) error {
	if e.json {
		return e.printJSON(m)
	}
	for _, s := range m.Steps {
		if s.Action == admin.StepKeep {
			continue
		}
		fmt.Fprintf(e.out, "%-8s %s\n", s.Action, strings.TrimSuffix(s.What+": "+strings.Join(s.Detail, "; "), ": "))
	}
	done := "would be changed; --apply does it"
	if m.Applied {
		done = "changed"
	}
	_, err := fmt.Fprintf(e.out, "%d of %d steps %s, %d blocked\n", m.Changes, len(m.Steps), done, m.Blocked)
	return err
}
