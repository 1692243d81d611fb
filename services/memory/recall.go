package memory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Recaller answers what an NPC remembers of a player, from the index. It runs where
// turns are answered, which may be another process than the one that writes.
type Recaller struct {
	session store.Session
	embed   embed.Embedder
	preds   func(world string) *memory.PredicateTable
	now     func() time.Time
	quiet   bool
}

// Quiet is a recaller that counts no use: for a turn that is only replayed.
func (r *Recaller) Quiet() *Recaller {
	c := *r
	c.quiet = true
	return &c
}

// NewRecaller asks a session that somebody keeps in step with the log. preds are the
// predicates of each world, as they are when it is asked.
func NewRecaller(
	session store.Session, e embed.Embedder, preds func(world string) *memory.PredicateTable, now func() time.Time,
) *Recaller {
	return &Recaller{session: session, embed: e, preds: preds, now: now}
}

// considered is how many memories of a player are weighed for one question.
const considered = 128

// about the most that is told of one thing, and of "what did I tell you?".
const (
	toldOfOne = 2
	toldOfAll = 3
)

// Recall gives the memories that answer a question, best first, the sides of a
// contradiction together.
func (r *Recaller) Recall(
	ctx context.Context, q memory.Query, asked memory.Asked, question string,
) ([]memory.Recalled, error) {
	q.At = asked.At
	records, err := r.records(ctx, q, asked, question)
	if err != nil {
		return nil, err
	}
	if q.Limit = toldOfOne; asked.Told {
		q.Limit = toldOfAll
	}
	out := memory.Recall(records, q)
	if !asked.Told && len(out) > 1 { // one answer, or two stories of it
		first := out[0]
		out = slices.DeleteFunc(out, func(c memory.Recalled) bool {
			return c.Memory.ID != first.Memory.ID && !slices.Contains(first.Conflicts, c.Memory.ID)
		})
	}
	if len(out) > 0 && !r.quiet {
		ids := make([]string, len(out))
		for i := range out {
			ids[i] = out[i].Memory.ID
		}
		if err := r.session.Touch(ctx, q.World, ids, r.now()); err != nil {
			return out, fmt.Errorf("count the uses of memories: %w", err)
		}
	}
	return out, nil
}

// records are the memories near the question with how well each answers it, and
// what contradicts those that do.
func (r *Recaller) records(
	ctx context.Context, q memory.Query, asked memory.Asked, question string,
) ([]memory.Record, error) {
	f := store.MemoryFilter{World: q.World, NPC: q.NPC, Player: q.Player, NoPlayer: true,
		Statuses: []schema.MemoryStatus{schema.MemoryActive}}
	if !q.At.IsZero() {
		f.Statuses, f.ValidAt = append(f.Statuses, schema.MemorySuperseded), q.At
	}
	vectors, err := r.embed.Embed(ctx, []string{question})
	if err != nil {
		return nil, err
	}
	if _, err := store.Unit(vectors[0]); err != nil {
		return nil, nil // nothing but marks
	}
	near, err := r.session.Nearest(ctx, f, r.embed.ID(), vectors[0], considered)
	if err != nil {
		return nil, err
	}
	var out []memory.Record
	relevance, others := map[string]float64{}, []string{}
	preds := r.preds(q.World)
	for i := range near {
		m := &near[i].Memory
		if rel := asked.Relevance(m, q.Player, preds, near[i].Score); rel > 0 {
			relevance[m.ID] = rel
			others = append(others, m.Contradicts...)
			out = append(out, memory.Record{Memory: *m, Relevance: rel, Accessed: near[i].Accessed})
		}
	}
	others = slices.DeleteFunc(others, func(id string) bool { return relevance[id] > 0 })
	if len(others) == 0 {
		return out, nil
	}
	f.IDs = others // the other side of a story is told, whatever its words
	more, err := r.session.Scroll(ctx, f, "", 0)
	for i := range more {
		out = append(out, memory.Record{Memory: more[i].Memory, Relevance: memory.Enough, Accessed: more[i].Accessed})
	}
	return out, err
}

// mostWitnessed bounds what is read of one NPC and one player for a turn.
const mostWitnessed = 2048

// Witnessed gives what an NPC saw the game do, of one player and of nobody. A newer value
// does not undo that the older one happened: what was superseded is given too.
func (r *Recaller) Witnessed(ctx context.Context, world, npc, player string) ([]schema.Memory, error) {
	found, err := r.session.Scroll(ctx, store.MemoryFilter{World: world, NPC: npc, Player: player, NoPlayer: true,
		Sources:  []schema.Origin{schema.OriginSystem},
		Statuses: []schema.MemoryStatus{schema.MemoryActive, schema.MemorySuperseded}}, "", mostWitnessed)
	var out []schema.Memory
	for i := range found {
		m := &found[i].Memory
		if m.HeardFrom == "" && slices.ContainsFunc(m.Spans, func(s schema.MemorySpan) bool { return s.EventID != "" }) {
			out = append(out, *m)
		}
	}
	return out, err
}
