package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

const sessionVersion = 1

const sessionLayout = `CREATE TABLE remark (
	world TEXT NOT NULL, npc TEXT NOT NULL, player TEXT NOT NULL, id TEXT NOT NULL,
	turn TEXT NOT NULL, source TEXT NOT NULL, at TEXT NOT NULL, text TEXT NOT NULL, vector BLOB NOT NULL,
	PRIMARY KEY (world, npc, player, id)) WITHOUT ROWID;
	CREATE INDEX remark_player ON remark (world, player)`

// Session is the session in a SQLite file.
type Session struct{ *file }

var _ store.Session = (*Session)(nil)

// OpenSession opens or makes the session file.
func OpenSession(ctx context.Context, path string) (*Session, error) {
	f, err := open(ctx, path, "session", sessionVersion, sessionLayout)
	if err != nil {
		return nil, err
	}
	return &Session{f}, nil
}

// Put writes remarks; one with a known id is replaced.
func (s *Session) Put(ctx context.Context, remarks []store.Remark) error {
	for _, r := range remarks {
		if err := store.CheckRemark(r); err != nil {
			return err
		}
	}
	return s.write(ctx, "write remarks", func(tx *sql.Tx) error {
		for _, r := range remarks {
			_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO remark VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
				r.World, r.NPC, r.Player, r.ID, r.TurnID, string(r.Source),
				r.At.UTC().Format(time.RFC3339Nano), r.Text, appendFloats(nil, r.Vector))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Remarks are those of one conversation, oldest first.
func (s *Session) Remarks(ctx context.Context, c schema.ConversationID) ([]store.Remark, error) {
	rows, err := s.db.QueryContext(ctx,
		"SELECT id, turn, source, at, text, vector FROM remark WHERE world = ? AND npc = ? AND player = ? ORDER BY at, id",
		c.World, c.NPC, c.Player)
	if err != nil {
		return nil, s.wrap("read remarks", err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells what went wrong
	var out []store.Remark
	for rows.Next() {
		r := store.Remark{World: c.World, NPC: c.NPC, Player: c.Player}
		var at string
		var vector []byte
		if err := rows.Scan(&r.ID, &r.TurnID, &r.Source, &at, &r.Text, &vector); err != nil {
			return nil, s.wrap("read remarks", err)
		}
		if r.At, err = time.Parse(time.RFC3339Nano, at); err != nil {
			return nil, s.wrap("read remarks", err)
		}
		if len(vector) > 0 {
			r.Vector = readFloats(vector)
		}
		out = append(out, r)
	}
	return out, s.wrap("read remarks", rows.Err())
}

// Erase removes every remark of a player in a world and says how many.
func (s *Session) Erase(ctx context.Context, world, player string) (int, error) {
	var n int64
	err := s.write(ctx, "erase", func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, "DELETE FROM remark WHERE world = ? AND player = ?", world, player)
		if err != nil {
			return err
		}
		n, err = res.RowsAffected()
		return err
	})
	return int(n), err
}
