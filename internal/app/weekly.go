package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"time"

	"github.com/cenkalti/backoff/v4"

	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/limits"
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

const (
	webhookTimeout = 10 * time.Second // of one try
	webhookTries   = 3
	webhookPause   = time.Second // before the second try, on average; longer before the third
)

// webhook posts reports to an address.
type webhook struct {
	address string
	host    string // for errors: the address may hold a secret
	client  *http.Client
	pause   time.Duration
	failed  func() // counts a report that was not taken
}

func newWebhook(address string, hosts limits.Hosts) *webhook {
	host := "the webhook"
	if u, err := url.Parse(address); err == nil {
		host = u.Host
	}
	transport := hosts.Over(&http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true,
		DisableKeepAlives: true})
	return &webhook{address: address, host: host, pause: webhookPause, failed: func() {},
		client: &http.Client{Transport: transport, Timeout: webhookTimeout, CheckRedirect: limits.NoRedirect}}
}

// post sends a report. A server that fails or is not there is tried again; one that
// refuses is not.
func (w *webhook) post(ctx context.Context, data []byte) error {
	if w == nil {
		return nil
	}
	policy := backoff.NewExponentialBackOff(backoff.WithInitialInterval(w.pause), backoff.WithMultiplier(4))
	err := backoff.Retry(func() error { return w.try(ctx, data) },
		backoff.WithContext(backoff.WithMaxRetries(policy, webhookTries-1), ctx))
	if err != nil {
		w.failed()
		return fmt.Errorf("%s: %w", w.host, err)
	}
	return nil
}

func (w *webhook) try(ctx context.Context, data []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.address, bytes.NewReader(data))
	if err != nil {
		return backoff.Permanent(errors.New("the address cannot be used; mend guards.report.webhook"))
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := w.client.Do(request)
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err // without the address
	}
	if errors.Is(err, limits.ErrHost) || errors.Is(err, limits.ErrRedirect) {
		return backoff.Permanent(err)
	}
	if err != nil {
		return err
	}
	defer answer.Body.Close() //nolint:errcheck // it was only read
	_, _ = io.CopyN(io.Discard, answer.Body, 4<<10)
	switch {
	case answer.StatusCode < 300:
		return nil
	case answer.StatusCode >= 500, answer.StatusCode == http.StatusTooManyRequests:
		return fmt.Errorf("it answers %s", answer.Status)
	}
	return backoff.Permanent(fmt.Errorf("it answers %s; mend guards.report.webhook", answer.Status))
}
