package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// row is a memory as the file holds it.
type row struct {
	id, model, used string
	accessed        int
	body, vector    []byte
	sum             uint32

	unit []float32 // the vector before it was encoded; of a row to be written
}

// rowOf checks and encodes a point.
func rowOf(p *store.MemoryPoint) (row, error) {
	if err := store.CheckPoint(p); err != nil {
		return row{}, err
	}
	r := row{id: p.Memory.ID, accessed: p.Accessed, used: stamp(p.LastUsed), vector: []byte{}}
	var err error
	if r.body, err = json.Marshal(&p.Memory); err != nil {
		return row{}, fmt.Errorf("encode memory %s: %w", r.id, err)
	}
	if len(p.Vector) > 0 {
		if r.unit, err = store.Unit(p.Vector); err != nil {
			return row{}, fmt.Errorf("memory %s: %w", r.id, err)
		}
		r.model, r.vector = p.Model, appendFloats(nil, r.unit)
	}
	r.sum = checksum(r.body, r.vector)
	return r, nil
}

func (r *row) check() error {
	if checksum(r.body, r.vector) != r.sum {
		return fmt.Errorf("%w: the row of memory %s does not match its checksum", store.ErrCorrupt, r.id)
	}
	return nil
}

func (r *row) memory() (m schema.Memory, err error) {
	if err := r.check(); err != nil {
		return m, err
	}
	if err := json.Unmarshal(r.body, &m); err != nil {
		return m, fmt.Errorf("%w: memory %s: %w", store.ErrCorrupt, r.id, err)
	}
	return m, nil
}

func (r *row) point() (store.MemoryPoint, error) {
	m, err := r.memory()
	if err != nil {
		return store.MemoryPoint{}, err
	}
	p := store.MemoryPoint{Memory: m, Model: r.model, Accessed: r.accessed}
	if len(r.vector) > 0 {
		p.Vector = readFloats(r.vector)
	}
	if p.LastUsed, err = unstamp(r.used); err != nil {
		return p, fmt.Errorf("%w: memory %s: %w", store.ErrCorrupt, r.id, err)
	}
	return p, nil
}

// writer holds the statements that one transaction writes points with.
type writer struct{ find, add, alter, unlabel, label *sql.Stmt }

func newWriter(ctx context.Context, tx *sql.Tx) (*writer, error) {
	w := &writer{}
	for _, s := range []struct {
		at   **sql.Stmt
		text string
	}{
		{&w.find, "SELECT key, npc FROM memory WHERE world = ? AND id = ?"},
		{&w.add, `INSERT INTO memory (npc, player, kind, status, source, subject, predicate, object, turn, heard_from,
			event_at, valid_from, valid_to, model, sum, body, vector, world, id, accessed, used)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`},
		{&w.alter, `UPDATE memory SET npc = ?, player = ?, kind = ?, status = ?, source = ?, subject = ?, predicate = ?,
			object = ?, turn = ?, heard_from = ?, event_at = ?, valid_from = ?, valid_to = ?, model = ?, sum = ?, body = ?,
			vector = ? WHERE key = ?`},
		{&w.unlabel, "DELETE FROM label WHERE memory = ?"},
		{&w.label, "INSERT OR IGNORE INTO label VALUES (?, ?, ?)"},
	} {
		var err error
		if *s.at, err = tx.PrepareContext(ctx, s.text); err != nil {
			w.close()
			return nil, err
		}
	}
	return w, nil
}

func (w *writer) close() {
	for _, s := range []*sql.Stmt{w.find, w.add, w.alter, w.unlabel, w.label} {
		if s != nil {
			s.Close() //nolint:errcheck,gosec // the commit tells what went wrong
		}
	}
}

// put writes one point and says whose memory it was before; empty where it is
// new.
func (w *writer) put(ctx context.Context, p *store.MemoryPoint, r *row) (was string, err error) {
	m := &p.Memory
	columns := []any{
		m.NPC, m.Player, string(m.Kind), string(m.Status), string(m.Source), m.Subject, m.Pred, m.Object, m.TurnID,
		m.HeardFrom,
		stamp(m.EventTime), stamp(m.ValidFrom), stamp(m.ValidTo), r.model, r.sum, r.body, r.vector,
	}
	var key int64
	switch err := w.find.QueryRowContext(ctx, m.World, m.ID).Scan(&key, &was); {
	case errors.Is(err, sql.ErrNoRows):
		res, err := w.add.ExecContext(ctx, append(columns, m.World, m.ID, r.accessed, r.used)...)
		if err != nil {
			return "", err
		}
		if key, err = res.LastInsertId(); err != nil {
			return "", err
		}
	case err != nil:
		return "", err
	default:
		if _, err := w.alter.ExecContext(ctx, append(columns, key)...); err != nil {
			return "", err
		}
		if _, err := w.unlabel.ExecContext(ctx, key); err != nil {
			return "", err
		}
	}
	for kind, values := range labelsOf(m) {
		for _, v := range values {
			if _, err := w.label.ExecContext(ctx, kind, v, key); err != nil {
				return "", err
			}
		}
	}
	return was, nil
}
