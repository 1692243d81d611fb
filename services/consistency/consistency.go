// Package consistency is Guard 2 as a service: it reads what the NPCs of a world
// remember, has the scanner look through it, and appends to the memory log what is
// to be done. The log alone decides: an event that is there already is not written
// again, one whose memories have changed since they were read is left to the next
// run. So two scans at once, or one that is killed half-way, change nothing twice.
//
// What an operator has settled stands in the log and outlives everything. What
// earlier runs have judged is only a saving, and lies beside the index as marks:
// where they are lost, the same is judged again, and gives the same events under the
// same ids. What a run came to is kept as counts, without a word of any memory.
package consistency

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/memory"
)

// Evidence is where the words stand that memories come from, while they are kept.
// mesh.Client is one.
type Evidence interface {
	Reply(ctx context.Context, convo schema.ConversationID, turn string) (*schema.Reply, error)
	// Since is from when on the words are kept whole: those of turns, and of events.
	Since(ctx context.Context) (turns, events time.Time, err error)
	Witnessed(ctx context.Context, world string, f func(*schema.Occurrence)) error
}

// History keeps what scans came to. transport.Scans is one.
type History interface {
	Add(ctx context.Context, world, id string, data []byte) error
}

// Options are what the service needs.
type Options struct {
	Library *lore.Library
	Books   *memory.Books
	Session store.Session // nil: vectors are made anew, and nothing that was judged is known
	Embed   embed.Embedder
	Scanner scan.Scanner
	Prove   Judgement // nil: memories are not held against their own words
	// World reads a world as it stands on the disk now; nil: as it was loaded.
	World    func(name string) (*world.World, error)
	Evidence Evidence // nil: whether it still stands is not looked at
	History  History  // nil: none
	Scanned  func(world string, r scan.Report, took time.Duration)
	Now      func() time.Time
	Notice   func(string) // one line of what was left out

	// Step is called before each event is written: a test ends a scan there.
	Step func()
}

// Service scans.
type Service struct{ o Options }

// New makes the service; it does nothing by itself.
func New(o Options) *Service {
	if o.Notice == nil {
		o.Notice = func(string) {}
	}
	if o.Step == nil {
		o.Step = func() {}
	}
	if o.Scanned == nil {
		o.Scanned = func(string, scan.Report, time.Duration) {}
	}
	return &Service{o: o}
}

// Asked is how a scan is asked for.
type Asked struct {
	ID     string // of the occasion; the same one twice is kept once
	DryRun bool   // look and say, and change nothing
}

// Run is what one scan came to.
type Run struct {
	World   string        `json:"world"`
	At      time.Time     `json:"at"` // its end
	Took    time.Duration `json:"took_ns"`
	DryRun  bool          `json:"dry_run,omitempty"`
	Written int           `json:"written"` // events
	Left    int           `json:"left"`    // to the next run, because their memories changed meanwhile
	Report  scan.Report   `json:"report"`

	Events []schema.MemoryEvent `json:"-"` // of this run, also those that the log had already
}

// NotServed is a world whose scan is due and which nobody serves here.
type NotServed struct{ World string }

func (e *NotServed) Error() string {
	return fmt.Sprintf("world %q is not served here, so its memories are not scanned", e.World)
}

// Scan scans a world once.
func (s *Service) Scan(ctx context.Context, name string, asked Asked) (Run, error) {
	x := s.o.Library.Get(name)
	if x == nil {
		return Run{}, &NotServed{name}
	}
	began := s.o.Now()
	v, err := s.look(ctx, x)
	if err != nil {
		return Run{}, fmt.Errorf("scan of %s: %w", name, err)
	}
	scanner := s.o.Scanner
	scanner.Predicates = s.o.Library.Predicates(name)
	if s.o.Prove != nil {
		scanner.Prove = &prover{judge: s.o.Prove, lore: x, wall: began}
	}
	result, err := scanner.Run(ctx, v.in)
	if err != nil {
		return Run{}, err
	}
	run := Run{World: name, DryRun: asked.DryRun, Report: result.Report, Events: append(v.first, result.Events...)}
	if !asked.DryRun {
		if err := s.act(ctx, v, &result, &run); err != nil {
			return run, fmt.Errorf("scan of %s: %w", name, err)
		}
		if err := s.keep(ctx, v, &result); err != nil {
			return run, fmt.Errorf("scan of %s: %w", name, err)
		}
	}
	run.At = s.o.Now()
	run.Took = run.At.Sub(began)
	if asked.DryRun {
		return run, nil
	}
	s.o.Scanned(name, run.Report, run.Took)
	return run, s.remember(ctx, run, asked.ID)
}

// remember keeps the counts of a run, and no word of it.
func (s *Service) remember(ctx context.Context, run Run, id string) error {
	if s.o.History == nil {
		return nil
	}
	run.Report.Details = nil
	data, err := json.Marshal(run)
	if err != nil {
		return fmt.Errorf("scan of %s: %w", run.World, err)
	}
	if id == "" {
		id = "at-" + run.At.UTC().Format(time.RFC3339Nano)
	}
	return s.o.History.Add(ctx, run.World, "scan-"+run.World+"-"+strings.ReplaceAll(id, " ", "-"), data)
}
