package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/memory"
)

type memoryCmd struct {
	List       memoryListCmd       `cmd:"" help:"List memories."`
	Show       memoryShowCmd       `cmd:"" help:"Show a memory with the words that prove it, and what became of it."`
	Export     memoryExportCmd     `cmd:"" help:"Print memories, or the log they are made of, as JSON lines."`
	Rebuild    memoryRebuildCmd    `cmd:"" help:"Make the index of memories anew from the log."`
	Scan       memoryScanCmd       `cmd:"" help:"Look for memories that repeat, contradict or lack proof."`
	Resolve    memoryResolveCmd    `cmd:"" help:"Settle a contradiction, or take back what was set aside."`
	Undo       memoryUndoCmd       `cmd:"" help:"Take back what was done to a memory, whatever it was."`
	Report     memoryReportCmd     `cmd:"" help:"What the guards of memory did in a week."`
	Predicates memoryPredicatesCmd `cmd:"" help:"The predicates of a world's memories."`
	Erase      memoryEraseCmd      `cmd:"" help:"Erase a player from everything that is kept, with a receipt."`
}

// whose names memories.
type whose struct {
	NPC    string `help:"Of this NPC alone." placeholder:"HANDLE"`
	Player string `help:"Of this player alone; _ for none." placeholder:"ID"`
	Status string `help:"Of this status alone: pending, active, superseded, flagged." placeholder:"STATUS"`
}

func (w *whose) names(m *schema.Memory) bool {
	return (w.NPC == "" || w.NPC == m.NPC) && (w.Player == "" || w.Player == cmp.Or(m.Player, "_")) &&
		(w.Status == "" || w.Status == string(m.Status))
}

var statuses = []schema.MemoryStatus{schema.MemoryPending, schema.MemoryActive, schema.MemorySuperseded,
	schema.MemoryFlagged, schema.MemoryErased}

func (w *whose) check() error {
	if w.Status != "" && !slices.Contains(statuses, schema.MemoryStatus(w.Status)) {
		return usage(fmt.Errorf("%q is no status of a memory; these are: %v", w.Status, statuses))
	}
	if w.NPC != "" {
		return usage(schema.CheckToken("npc", w.NPC))
	}
	return nil
}

// kept reads the memory log of the mesh or of the data folder.
func (e *env) kept(npc string) (kept memory.Kept, err error) {
	err = e.withLog(func(log *transport.MemoryLog) error {
		kept, err = memory.ReadAll(e.ctx, log, "", npc)
		return dependency(err)
	})
	for _, p := range kept.Problems {
		e.log.Warn().Msg(p + "; it is passed over")
	}
	return kept, err
}

func (e *env) withLog(f func(*transport.MemoryLog) error) error {
	return e.joining(func(t *talk) error {
		return f(t.client.MemoryLog())
	})
}

type memoryListCmd struct{ whose }

// Run lists memories.
func (c *memoryListCmd) Run(e *env) error {
	if err := c.check(); err != nil {
		return err
	}
	kept, err := e.kept(c.NPC)
	if err != nil {
		return err
	}
	n := 0
	for i := range kept.Memories {
		m := &kept.Memories[i]
		if !c.names(m) {
			continue
		}
		n++
		if e.json {
			if err := e.printJSON(m); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(e.out, "%s  %-10s %.2f  %s of %s: %s\n", m.ID, m.Status, m.Confidence, m.NPC, cmp.Or(m.Player, "nobody"),
			m.Content)
	}
	if n == 0 && !e.json {
		fmt.Fprintln(e.out, "nothing is remembered there")
	}
	return nil
}

type memoryShowCmd struct {
	ID string `arg:"" help:"The memory's id, as memory list prints it."`
}

// shownMemory is a memory with its history.
type shownMemory struct {
	Memory schema.Memory        `json:"memory"`
	Events []schema.MemoryEvent `json:"events"`
}

// Run shows a memory.
func (c *memoryShowCmd) Run(e *env) error {
	kept, err := e.kept("")
	if err != nil {
		return err
	}
	shown := shownMemory{Events: kept.Of(c.ID)}
	i := slices.IndexFunc(kept.Memories, func(m schema.Memory) bool { return m.ID == c.ID })
	switch {
	case i >= 0:
		shown.Memory = kept.Memories[i]
	case len(shown.Events) > 0 && shown.Events[len(shown.Events)-1].Memory != nil: // dropped
		shown.Memory = *shown.Events[len(shown.Events)-1].Memory
	default:
		return failed(fmt.Errorf("no memory has the id %q; forsooth memory list prints them", c.ID))
	}
	if e.json {
		return e.printJSON(shown)
	}
	printMemory(e.out, &shown)
	return nil
}

func printMemory(w io.Writer, s *shownMemory) {
	m := &s.Memory
	fmt.Fprintf(w, "%s\n", m.Content)
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "  %-13s %s\n", name, value)
		}
	}
	line("id", m.ID)
	line("who", fmt.Sprintf("%s of %s, in %s", m.NPC, cmp.Or(m.Player, "nobody"), m.World))
	line("says", fmt.Sprintf("%s %s %s (%s)", m.Subject, m.Pred, m.Object, m.Kind))
	line("status", string(m.Status))
	line("confidence", fmt.Sprintf("%.2f, proved %d times", m.Confidence, m.Count))
	line("source", string(m.Source))
	line("heard from", m.HeardFrom)
	line("held", span(m.ValidFrom, m.ValidTo))
	line("superseded by", m.SupersededBy)
	line("contradicts", strings.Join(m.Contradicts, ", "))
	line("tags", strings.Join(m.Tags, ", "))
	for _, p := range m.Spans {
		line("words", fmt.Sprintf("%s: %q (%s%s, %s)", p.Speaker, p.Text, p.TurnID, p.EventID, date(p.At)))
	}
	for _, e := range s.Events {
		why := e.Why
		if e.Verdict != nil {
			why = strings.TrimSpace(string(e.Verdict.Label) + " " + why)
		}
		line(e.At.UTC().Format(time.DateTime), fmt.Sprintf("%s by %s: %s (%s)", e.Type, e.By, why, e.ID))
	}
}

func span(from, to time.Time) string {
	if from.IsZero() && to.IsZero() {
		return ""
	}
	until := "now"
	if !to.IsZero() {
		until = date(to)
	}
	return "from " + date(from) + " until " + until
}

func date(t time.Time) string {
	if t.IsZero() {
		return "no time given"
	}
	return t.UTC().Format(time.DateTime)
}

type memoryExportCmd struct {
	whose
	Log bool `help:"The entries of the log, and not what they make."`
}

// Run prints what is kept, one JSON object a line.
func (c *memoryExportCmd) Run(e *env) error {
	if err := c.check(); err != nil {
		return err
	}
	kept, err := e.kept(c.NPC)
	if err != nil {
		return err
	}
	if c.Log {
		for i := range kept.Events {
			if v := &kept.Events[i]; c.Player == "" || c.Player == cmp.Or(v.Player, "_") {
				if err := e.printJSON(v); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for i := range kept.Memories {
		if m := &kept.Memories[i]; c.names(m) {
			if err := e.printJSON(m); err != nil {
				return err
			}
		}
	}
	return nil
}

type memoryRebuildCmd struct{}

// Run makes the index of the data folder anew.
func (c *memoryRebuildCmd) Run(e *env) error {
	return e.withLog(func(log *transport.MemoryLog) error {
		session, note, err := app.OpenSession(e.ctx, e.options(nil, nil))
		if err != nil {
			return dependency(err)
		}
		defer session.Close() //nolint:errcheck // it was written in transactions
		if note != "" {
			e.log.Warn().Msg(note)
		}
		index, err := app.MemoryIndex(session, log, func(s string) { e.log.Warn().Msg(s) })
		if err != nil {
			return failed(err)
		}
		done, err := index.Rebuild(e.ctx)
		if err != nil {
			return dependency(err)
		}
		if e.json {
			return e.printJSON(done)
		}
		for _, p := range done.Problems {
			fmt.Fprintf(e.err, "%s; it is passed over\n", p)
		}
		_, err = fmt.Fprintf(e.out, "%d memories made from %d entries of the log; %d that it does not hold are gone\n",
			done.Memories, done.Entries, done.Removed)
		return err
	})
}
