package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/memory/report"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/store"
)

// ReportsFolder is where a data folder keeps the weekly reports, a folder a world.
func ReportsFolder(data string) string { return filepath.Join(data, "reports") }

// weeklyReport is what is published once a week: the report under its world's name.
type weeklyReport struct {
	Name string `json:"world_name"`
	*report.Report
}

// weekly reports what the guards did when the broker says that it is due.
type weekly struct {
	client   *mesh.Client
	reports  *transport.Reports
	mesh     *mesh.Mesh
	library  *lore.Library
	settings guards.Settings
	folder   string
	webhook  *webhook // nil: none
	now      func() time.Time
	notice   func(string)
	kept     chan struct{} // closed when the schedules are as they should be
}

// openWeekly has this process answer due reports.
func (a *App) openWeekly(o Options) {
	w := &weekly{client: a.Client, reports: a.Conn.Reports(), mesh: a.Mesh, library: a.Library, settings: o.guarded(),
		folder: ReportsFolder(o.Data), now: o.Now, notice: o.notice, kept: make(chan struct{})}
	if address := w.settings.Report.Webhook; address != "" {
		w.webhook = newWebhook(address, o.Hosts)
		w.webhook.failed = a.Metrics.ReportUnsent
	}
	a.memory.weekly = w
	a.Mesh.OnReport(w.due)
}

// due reports on a world. What was published before it was filed or posted is what is
// filed and posted: a report that is made again is the same one.
func (w *weekly) due(ctx context.Context, name, id string) error {
	served := w.library.Get(name)
	if served == nil {
		w.notice(fmt.Sprintf("the report of %s is due and the world is not served here; its schedule is taken away", name))
		return w.mesh.UnscheduleReport(ctx, name)
	}
	read, err := ReadReported(ctx, w.client, w.settings, served.World.Title, []string{name}, w.now())
	if err != nil {
		return fmt.Errorf("weekly report of %s: %w", name, err)
	}
	read.Propose(func(_, pred string) bool { _, known := served.World.Predicates.Get(pred); return known })
	data, err := json.Marshal(weeklyReport{Name: name, Report: read.Week(w.now())})
	if err != nil {
		return fmt.Errorf("weekly report of %s: %w", name, err)
	}
	if data, err = w.reports.Add(ctx, name, id, data); err != nil {
		return err
	}
	if err := w.file(data); err != nil {
		w.notice(fmt.Sprintf("the weekly report of %s is on its subject and in no file: %v", name, err))
	}
	if err := w.webhook.post(ctx, data); err != nil {
		w.notice(fmt.Sprintf("the weekly report of %s is on its subject and not posted: %v", name, err))
	}
	return nil
}

// file writes a published report for people, and as it was published.
func (w *weekly) file(data []byte) error {
	var r weeklyReport
	if err := json.Unmarshal(data, &r); err != nil {
		return fmt.Errorf("weekly report: %w", err)
	}
	var page bytes.Buffer
	if err := r.Markdown(&page); err != nil {
		return err
	}
	path := filepath.Join(w.folder, r.Name, r.To.UTC().Format(time.DateOnly))
	if err := store.WriteFile(path+".md", page.Bytes()); err != nil {
		return err
	}
	return store.WriteFile(path+".json", append(data, '\n'))
}

// scheduled keeps the schedule of every world that is served, or takes it away where
// no report is wanted. Other replicas keep the same ones.
func (w *weekly) scheduled(ctx context.Context) error {
	for _, name := range w.library.Names() {
		if !w.settings.Report.Enabled {
			if err := w.mesh.UnscheduleReport(ctx, name); err != nil {
				return err
			}
			continue
		}
		pattern, err := mesh.Nightly(w.settings.Report.Schedule, name)
		if err != nil {
			return err
		}
		if err := w.mesh.ScheduleReport(ctx, name, pattern, w.settings.Report.Zone); err != nil {
			return err
		}
	}
	return nil
}

// schedule keeps the schedules until they stand.
func (w *weekly) schedule(ctx context.Context) error {
	return keepScheduled(ctx, "the weekly report", w.scheduled, w.kept, w.notice)
}
