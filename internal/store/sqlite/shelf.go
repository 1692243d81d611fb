package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"sync"

	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// place is whose memories a shelf holds.
type place struct{ world, npc string }

// shelves are the vectors of NPCs in memory. A shelf is read from the file when
// it is first asked for, and again when its revision there is not the one here.
type shelves struct {
	mu sync.RWMutex
	of map[place]*shelf
}

type shelf struct {
	revision int64
	held     []held
	at       map[string]int // id to index in held
}

// held is a vector with what filters look at; the texts stay in the file.
type held struct {
	memory schema.Memory
	model  string
	vector []float32
}

func holding(m schema.Memory, model string, vector []float32) held {
	m.Content, m.Spans, m.Contradicts = "", nil, nil
	return held{memory: m, model: model, vector: vector}
}

func (s *shelf) put(h held) {
	if i, ok := s.at[h.memory.ID]; ok {
		s.held[i] = h
		return
	}
	s.at[h.memory.ID] = len(s.held)
	s.held = append(s.held, h)
}

func (s *shelf) remove(id string) {
	i, ok := s.at[id]
	if !ok {
		return
	}
	last := len(s.held) - 1
	s.held[i] = s.held[last]
	s.at[s.held[i].memory.ID] = i
	s.held[last] = held{}
	s.held = s.held[:last]
	delete(s.at, id)
}

// change is what one transaction does to the shelves.
type change struct {
	steps map[place][]step
}

// step lays a vector, or takes one away where there is none to lay.
type step struct {
	id  string
	lay *held
}

func (c *change) add(p place, s step) { c.steps[p] = append(c.steps[p], s) }

func (c *change) take(world, npc, id string) { c.add(place{world, npc}, step{id: id}) }

func (c *change) lay(p *store.MemoryPoint, unit []float32) {
	m := &p.Memory
	s := step{id: m.ID}
	if len(unit) > 0 {
		h := holding(*m, p.Model, unit)
		s.lay = &h
	}
	c.add(place{m.World, m.NPC}, s)
}

// change runs a transaction that writes memories, and then does to the shelves
// what it did to the file.
func (s *Session) change(ctx context.Context, what string, do func(*sql.Tx, *change) error) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	c := &change{steps: map[place][]step{}}
	revisions := map[place]int64{}
	err := s.file.write(ctx, what, func(tx *sql.Tx) error {
		if err := do(tx, c); err != nil {
			return err
		}
		for p := range c.steps {
			var revision int64
			err := tx.QueryRowContext(ctx, `INSERT INTO shelf VALUES (?, ?, 1)
				ON CONFLICT DO UPDATE SET revision = revision + 1 RETURNING revision`, p.world, p.npc).Scan(&revision)
			if err != nil {
				return err
			}
			revisions[p] = revision
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.shelves.follow(c, revisions)
	return nil
}

// follow brings the shelves that are in memory to their new revisions. One that
// missed a write of another process is let go, to be read again.
func (s *shelves) follow(c *change, revisions map[place]int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p, steps := range c.steps {
		sh := s.of[p]
		if sh == nil {
			continue
		}
		if sh.revision != revisions[p]-1 {
			delete(s.of, p)
			continue
		}
		for _, st := range steps {
			if st.lay == nil {
				sh.remove(st.id)
			} else {
				sh.put(*st.lay)
			}
		}
		sh.revision = revisions[p]
	}
}

// load reads the shelf of one NPC from the file, unless it is there already as
// it stands in revision or later.
func (s *Session) load(ctx context.Context, p place, revision int64) error {
	s.shelves.mu.RLock()
	have := s.shelves.of[p]
	current := have != nil && have.revision >= revision
	s.shelves.mu.RUnlock()
	if current {
		return nil
	}
	fresh, err := s.read(ctx, p)
	if err != nil {
		return s.wrap("read vectors", err)
	}
	s.shelves.mu.Lock()
	defer s.shelves.mu.Unlock()
	if have := s.shelves.of[p]; have == nil || have.revision < fresh.revision {
		s.shelves.of[p] = fresh
	}
	return nil
}

// read reads a shelf and its revision as they stand at one moment.
func (s *Session) read(ctx context.Context, p place) (*shelf, error) {
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	sh := &shelf{at: map[string]int{}}
	err = tx.QueryRowContext(ctx, "SELECT revision FROM shelf WHERE world = ? AND npc = ?", p.world,
		p.npc).Scan(&sh.revision)
	if err != nil {
		return nil, err
	}
	rows, err := tx.QueryContext(ctx, "SELECT id, model, sum, body, vector FROM memory WHERE world = ? AND npc = ? "+
		"AND model <> ''", p.world, p.npc)
	if err != nil {
		return nil, err
	}
	return sh, drain(rows, func(rows *sql.Rows) error {
		var r row
		if err := rows.Scan(&r.id, &r.model, &r.sum, &r.body, &r.vector); err != nil {
			return err
		}
		m, err := r.memory()
		if err != nil {
			return err
		}
		sh.put(holding(m, r.model, readFloats(r.vector)))
		return nil
	})
}

// Nearest are the points with the highest cosine.
func (s *Session) Nearest(
	ctx context.Context, f store.MemoryFilter, model string, v []float32, k int,
) ([]store.Scored, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	unit, err := store.Unit(v)
	if err != nil {
		return nil, fmt.Errorf("nearest memories: %w", err)
	}
	if k < 1 || f.NamesNone() {
		return nil, nil
	}
	best := leaders{k: k}
	where := clause{text: "world = ?", args: []any{f.World}}
	where.equal("npc", f.NPC)
	revisions := map[place]int64{}
	err = s.each(ctx, "read vectors", "SELECT npc, revision FROM shelf WHERE "+where.text, where.args,
		func(rows *sql.Rows) error {
			p := place{world: f.World}
			var revision int64
			err := rows.Scan(&p.npc, &revision)
			revisions[p] = revision
			return err
		})
	if err != nil {
		return nil, err
	}
	for p, revision := range revisions {
		for ranked := false; !ranked; {
			if err := s.load(ctx, p, revision); err != nil {
				return nil, err
			}
			if ranked, err = s.shelves.rank(&best, p, &f, model, unit); err != nil {
				return nil, err
			}
		}
	}
	return s.fetch(ctx, &f, best.done())
}

// rank offers what the filter names of one shelf, unless the shelf was let go
// since it was loaded.
func (s *shelves) rank(
	best *leaders, p place, f *store.MemoryFilter, model string, unit []float32,
) (ranked bool, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	sh := s.of[p]
	if sh == nil {
		return false, nil
	}
	for i := range sh.held {
		h := &sh.held[i]
		if h.model != model || !f.Match(&h.memory) {
			continue
		}
		if len(h.vector) != len(unit) {
			return false, fmt.Errorf("the vectors of model %q have %d numbers, the one asked with %d; embed the memories anew",
				model, len(h.vector), len(unit))
		}
		best.offer(leader{h.memory.ID, dot(h.vector, unit)})
	}
	return true, nil
}

// fetch reads the points of a ranking. One that a writer took away or changed in
// between, so that the filter names it no more, is left out.
func (s *Session) fetch(ctx context.Context, f *store.MemoryFilter, ranking []leader) ([]store.Scored, error) {
	if len(ranking) == 0 {
		return nil, nil
	}
	ids := make([]string, len(ranking))
	for i, l := range ranking {
		ids[i] = l.id
	}
	points, err := s.Scroll(ctx, store.MemoryFilter{World: f.World, IDs: ids}, "", 0)
	if err != nil {
		return nil, err
	}
	byID := map[string]store.MemoryPoint{}
	for _, p := range points {
		if f.Match(&p.Memory) {
			byID[p.Memory.ID] = p
		}
	}
	var out []store.Scored
	for _, l := range ranking {
		if p, ok := byID[l.id]; ok {
			out = append(out, store.Scored{MemoryPoint: p, Score: l.score})
		}
	}
	return out, nil
}

// leaders keeps the k best of what it is offered.
type leaders struct {
	k    int
	list []leader
	last *leader // what a new one must beat, once there are k
}

type leader struct {
	id    string
	score float64
}

func (a leader) compare(b leader) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id))
}

// offer sorts only every so often, so that a long list costs little more than a
// short one.
func (b *leaders) offer(l leader) {
	if b.last != nil && l.compare(*b.last) > 0 {
		return
	}
	if b.list = append(b.list, l); len(b.list) >= 2*b.k+64 {
		b.cut()
	}
}

func (b *leaders) cut() {
	slices.SortFunc(b.list, leader.compare)
	if len(b.list) >= b.k {
		b.list = b.list[:b.k]
		last := b.list[b.k-1]
		b.last = &last
	}
}

func (b *leaders) done() []leader {
	b.cut()
	return b.list
}

// dot is the cosine of two vectors of unit length. Four sums keep the processor
// from waiting for each addition.
func dot(a, b []float32) float64 {
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return max(-1, min(1, float64((s0+s1)+(s2+s3))))
}
