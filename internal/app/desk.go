package app

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/consistency"
	"github.com/forsooth-npc/forsooth/services/memory"
)

// Desk is where an operator works on memories: over the log of a mesh that runs, or
// of a folder that nobody holds.
type Desk struct {
	Scan    *consistency.Service
	books   *memory.Books
	index   *memory.Index
	session store.Session // nil beside a mesh whose index is elsewhere
	tiers   *Tiers
	judging App // holds the language model, where one is asked
	alone   bool
	now     func() time.Time
}

// OpenDesk opens it. alone says that no mesh runs, so that nobody else keeps the index
// in step. Where the options name a language model, the scan asks it as the nightly one
// would.
func OpenDesk(ctx context.Context, o Options, client *mesh.Client, alone bool) (_ *Desk, err error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	d := &Desk{alone: alone, now: o.Now}
	defer func() {
		if err != nil {
			d.Close()
		}
	}()
	if _, missing := os.Stat(SessionFile(o.Data)); alone || missing == nil || o.Qdrant.Addr != "" {
		var note string
		if d.session, note, err = OpenSession(ctx, o); err != nil {
			return nil, err
		}
		if note != "" {
			o.notice(note)
		}
	}
	static, err := embed.NewStatic()
	if err != nil {
		return nil, err
	}
	var all []*lore.Lore
	for _, w := range o.Worlds {
		all = append(all, &lore.Lore{World: w})
	}
	library, err := lore.NewLibrary(all...)
	if err != nil {
		return nil, err
	}
	if d.tiers, err = NewVerifier(o.Verifying); err != nil {
		return nil, err
	}
	if err := d.openJudge(ctx, o, client); err != nil {
		return nil, err
	}
	guard, err := writeGuard(o, d.tiers, d.judging.Model, library)
	if err != nil {
		return nil, err
	}
	d.books = memory.NewBooks(client.MemoryLog(), o.Now, o.notice)
	if alone {
		d.index = memory.NewIndex(client.MemoryLog(), d.books, d.session, static, o.notice)
	}
	with := scanOptions(o, library, d.books, d.session, static, guard, client)
	with.Scanner.Entail, with.Scanner.Judge = scanTiers(o, d.judging.Model)
	with.History = client.Scans()
	d.Scan = consistency.New(with)
	return d, d.Settle(ctx)
}

// openJudge connects the language model under the switch and the account of the broker.
func (d *Desk) openJudge(ctx context.Context, o Options, client *mesh.Client) error {
	if o.LLM.Primary.URL == "" {
		return nil
	}
	word := o.guarded().Consistency.JudgeModel
	if tier := guards.Choose(word).Tier; tier != "" && tier != guards.TierLLM {
		return fmt.Errorf("guards.consistency_scan.judge_model is %s, so that no language model is asked in a scan; "+
			"name one there", word)
	}
	stored, err := client.Flag(ctx, FlagLLM)
	if err != nil {
		return fmt.Errorf("the switch of the models cannot be read: %w", err)
	}
	if stored == mesh.FlagOff {
		return errors.New("the switch of the models is off; forsooth llm on lets them be asked again")
	}
	return d.judging.openModels(o, llm.Options{Now: o.Now, Rand: rand.Float64, Report: o.Models, Ledger: client.Ledger()})
}

// Operator is the person of a name at this desk.
func (d *Desk) Operator(name string) *consistency.Operator {
	return &consistency.Operator{Books: d.books, Name: name, Now: d.now}
}

// Settle brings the index of a folder that nobody else holds in step with the log.
func (d *Desk) Settle(ctx context.Context) error {
	if !d.alone {
		return nil
	}
	run, stop := context.WithCancel(ctx)
	var following errgroup.Group
	following.Go(func() error { return d.index.Run(run) })
	defer func() {
		stop()
		_ = following.Wait() // it ends with its context, and what it lacks is asked below
	}()
	for {
		behind, err := d.index.Behind(ctx)
		if err != nil || behind == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the index of memories is %d entries behind: %w", behind, context.Cause(ctx))
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// Close ends the work.
func (d *Desk) Close() {
	d.tiers.Close()
	if d.judging.llm != nil {
		d.judging.llm.Close()
	}
	if d.session != nil {
		_ = d.session.Close()
	}
}

// resolver settles contradictions as `forsooth memory resolve` does, for whoever asks the
// mesh.
func resolver(log *transport.MemoryLog, books *memory.Books, now func() time.Time) func(context.Context, string,
	schema.ResolveQuery) (schema.MemoryEvent, error) {
	return func(ctx context.Context, world string, q schema.ResolveQuery) (schema.MemoryEvent, error) {
		kept, err := memory.ReadAll(ctx, log, world, "")
		if err != nil {
			return schema.MemoryEvent{}, err
		}
		i := slices.IndexFunc(kept.Memories, func(m schema.Memory) bool { return m.ID == q.Memory })
		if i < 0 {
			return schema.MemoryEvent{}, fmt.Errorf("no memory has the id %q: %w", q.Memory, transport.ErrNotFound)
		}
		who := consistency.Operator{Books: books, Name: q.By, Now: now}
		done, err := settle(ctx, &who, &kept, &kept.Memories[i], q)
		var refusal *consistency.Refusal
		if errors.As(err, &refusal) {
			return done, &schema.FieldError{Field: "memory", Reason: refusal.Reason}
		}
		return done, err
	}
}

func settle(ctx context.Context, who *consistency.Operator, kept *memory.Kept, m *schema.Memory,
	q schema.ResolveQuery) (schema.MemoryEvent, error) {
	if q.Undo == "" {
		return who.Resolve(ctx, m, q.Keep, q.Why)
	}
	history := kept.Of(m.ID)
	i := slices.IndexFunc(history, func(e schema.MemoryEvent) bool { return e.ID == q.Undo })
	if i < 0 {
		return schema.MemoryEvent{}, fmt.Errorf("the history of %s has no entry %q: %w", m.ID, q.Undo, transport.ErrNotFound)
	}
	return who.Undo(ctx, &history[i], q.Why)
}
