package trials

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/examples/mmo/play"
	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
)

// RollingOptions size a rolling restart.
type RollingOptions struct {
	Kinds    int // of process, among which the services are shared out
	Replicas int // processes of each kind
	Players  int
	Rate     float64       // turns a second
	Deadline time.Duration // of each turn
	Pause    time.Duration // before each restart
	Seed     uint64
	Binary   string
	Log      io.Writer // what the processes say
	Said     func(string, ...any)
}

// RollingRun is what a rolling restart came to.
type RollingRun struct {
	Bench       string       `json:"bench"`
	Machine     string       `json:"machine"`
	Restarts    []Restart    `json:"restarts"`
	Play        *play.Report `json:"play"`
	DeadlineMS  float64      `json:"deadline_ms"`
	Redelivered int          `json:"redelivered"` // messages, at most at any look during the restarts by SIGTERM
	Violations  []string     `json:"violations"`  // never null
}

// Restart is that of one process.
type Restart struct {
	Service string  `json:"service"`  // or services, with commas between
	How     string  `json:"how"`      // SIGTERM, or kill -9
	EndMS   float64 `json:"end_ms"`   // from the signal to its end: the drain
	ReadyMS float64 `json:"ready_ms"` // from the new one's start until it was ready
}

// rolled are the services that a fleet of a rolling restart runs. The nightly scan is
// not in a turn's way.
var rolled = []string{"retriever", "monologue", "reviewer", "speaker", "actions", "memory"}

// RolledServices is how many of them there are.
var RolledServices = len(rolled)

// member is a place in the fleet.
type member struct {
	services []string
	*bench.Process
}

// Rolling restarts every process of a fleet in turn while players talk: each by
// SIGTERM, and at last one of each kind by kill -9.
func Rolling(ctx context.Context, o RollingOptions) (*RollingRun, error) {
	dir, err := os.MkdirTemp("", "forsooth-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	server, err := embedded.Start(ctx, embedded.Options{Dir: filepath.Join(dir, "broker")})
	if err != nil {
		return nil, err
	}
	defer server.Stop()
	f := &fleet{o: &o, url: server.URL(), data: filepath.Join(dir, "data")}
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	defer f.end()
	if err := f.start(running); err != nil {
		return nil, err
	}
	r := &RollingRun{Bench: "rolling", Machine: bench.Machine(), DeadlineMS: bench.Milliseconds(o.Deadline),
		Violations: []string{}}
	signals := make(chan os.Signal, 1)
	type played struct {
		report *play.Report
		err    error
	}
	over := make(chan played, 1)
	go func() {
		report, err := play.Play(running, &play.Options{NATS: f.url, World: "hollowmere", Players: o.Players, Shards: 2,
			Duration: 24 * time.Hour, Rate: o.Rate,
			Seed: o.Seed, Deadline: o.Deadline, Cancel: 2, Supersede: 3}, signals, io.Discard)
		over <- played{report, err}
	}()
	restarted := f.roll(running, r)
	signals <- os.Interrupt
	got := <-over
	if err := errors.Join(restarted, got.err); err != nil {
		return nil, err
	}
	r.Play = got.report
	r.judge()
	return r, nil
}

// fleet is its processes.
type fleet struct {
	o       *RollingOptions
	url     string
	data    string
	members []*member
}

// start starts the processes, one after the other.
func (f *fleet) start(ctx context.Context) error {
	if err := bench.Index(ctx, f.o.Binary, f.o.Log, f.data); err != nil {
		return err
	}
	for range f.o.Replicas {
		for kind := range f.o.Kinds {
			m := &member{}
			for i, service := range rolled {
				if i*f.o.Kinds/len(rolled) == kind {
					m.services = append(m.services, service)
				}
			}
			if err := f.begin(ctx, m); err != nil {
				return err
			}
			f.members = append(f.members, m)
		}
	}
	return nil
}

func (f *fleet) begin(ctx context.Context, m *member) (err error) {
	args := append([]string{"serve", "--world", "hollowmere", "--nats", f.url, "--data", f.data}, m.services...)
	m.Process, err = bench.Begin(ctx, f.o.Binary, f.o.Log, nil, args...)
	return err
}

func (f *fleet) end() {
	for _, m := range f.members {
		if m.Process != nil {
			_, _ = m.Stop() // its exit code was looked at where it was restarted
		}
	}
}

// roll restarts all of them, one after the other.
func (f *fleet) roll(ctx context.Context, r *RollingRun) error {
	conn, err := transport.Connect(ctx, transport.Dial{URL: f.url, Name: "lab rolling"})
	if err != nil {
		return err
	}
	defer conn.Close()
	client := mesh.NewClient(conn)
	for _, m := range f.members {
		if err := f.restart(ctx, r, m, "SIGTERM"); err != nil {
			return err
		}
		if r.Redelivered, err = redelivered(ctx, client, r.Redelivered); err != nil {
			return err
		}
	}
	for _, m := range f.members[:f.o.Kinds] {
		if err := f.restart(ctx, r, m, "kill -9"); err != nil {
			return err
		}
	}
	return pause(ctx, f.o.Pause)
}

func redelivered(ctx context.Context, client *mesh.Client, most int) (int, error) {
	_, consumers, err := client.Inspect(ctx)
	sum := 0
	for _, c := range consumers {
		sum += c.Redelivered
	}
	return max(most, sum), err
}

func (f *fleet) restart(ctx context.Context, r *RollingRun, m *member, how string) error {
	if err := pause(ctx, f.o.Pause); err != nil {
		return err
	}
	old, began := m.Process, time.Now()
	m.Process = nil
	var err error
	if how == "SIGTERM" {
		_, err = old.Stop()
	} else {
		err = old.Kill()
	}
	if err != nil {
		return err
	}
	x := Restart{Service: strings.Join(m.services, ","), How: how, EndMS: bench.Milliseconds(time.Since(began))}
	if err := f.begin(ctx, m); err != nil {
		return err
	}
	x.ReadyMS = bench.Milliseconds(m.Ready)
	r.Restarts = append(r.Restarts, x)
	f.o.Said("%-8s ended after %5.0f ms, ready after %5.0f ms: %s", x.How, x.EndMS, x.ReadyMS, x.Service)
	return nil
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

// judge holds the run against what a rolling restart promises.
func (r *RollingRun) judge() {
	broken := func(format string, args ...any) { r.Violations = append(r.Violations, fmt.Sprintf(format, args...)) }
	if n := r.Play.Unanswered; n > 0 {
		broken("%d turns lost: %v", n, r.Play.Lost)
	}
	if n := r.Play.Late; n > 0 {
		broken("%d turns after their deadline", n)
	}
	if r.Play.Replies != r.Play.Turns {
		broken("%d replies to %d turns", r.Play.Replies, r.Play.Turns)
	}
	if r.Play.InMesh.P99 >= r.DeadlineMS {
		broken("p99 is %.0f ms, the deadline %.0f", r.Play.InMesh.P99, r.DeadlineMS)
	}
}

// Print writes the run for people.
func (r *RollingRun) Print(w io.Writer) {
	fmt.Fprintf(w, "%s\n\nby       ended ms   ready ms  services\n", r.Machine)
	for _, x := range r.Restarts {
		fmt.Fprintf(w, "%-8s %8.0f %10.0f  %s\n", x.How, x.EndMS, x.ReadyMS, x.Service)
	}
	p := r.Play
	fmt.Fprintf(w, "\n%d turns in %.0f s, %s; %d messages redelivered while processes were restarted by SIGTERM\n",
		p.Turns, p.Seconds, bench.Counted(p.Statuses), r.Redelivered)
	fmt.Fprintf(w, "in the mesh: p50 %.0f ms, p95 %.0f ms, p99 %.0f ms; the deadline is %.0f ms\n", p.InMesh.P50,
		p.InMesh.P95, p.InMesh.P99, r.DeadlineMS)
	for _, v := range r.Violations {
		fmt.Fprintf(w, "broken: %s\n", v)
	}
	fmt.Fprintf(w, "rolling restarts=%d turns=%d lost=%d late=%d violations=%d\n", len(r.Restarts), p.Turns,
		p.Unanswered, p.Late, len(r.Violations))
}
