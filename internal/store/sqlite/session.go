package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// A memory lies whole in body; the columns before it are what filters look at.
// A label is a tag of a memory or a player that it mentions. The revision of a
// shelf, which is one NPC's memories, grows with every write to it: by it the
// vectors in memory are known to be in step with the file, whoever wrote it.
const sessionLayout = `CREATE TABLE memory (
	key INTEGER PRIMARY KEY, world TEXT NOT NULL, id TEXT NOT NULL, npc TEXT NOT NULL, player TEXT NOT NULL,
	kind TEXT NOT NULL, status TEXT NOT NULL, source TEXT NOT NULL, subject TEXT NOT NULL, predicate TEXT NOT NULL,
	object TEXT NOT NULL, turn TEXT NOT NULL, heard_from TEXT NOT NULL,
	event_at TEXT NOT NULL, valid_from TEXT NOT NULL, valid_to TEXT NOT NULL,
	accessed INTEGER NOT NULL, used TEXT NOT NULL, model TEXT NOT NULL, sum INTEGER NOT NULL,
	body BLOB NOT NULL, vector BLOB NOT NULL, UNIQUE (world, id));
	CREATE INDEX memory_npc ON memory (world, npc, player, status);
	CREATE INDEX memory_player ON memory (world, player);
	CREATE INDEX memory_subject ON memory (world, subject, predicate);
	CREATE INDEX memory_turn ON memory (world, turn);
	CREATE INDEX memory_event ON memory (world, event_at);
	CREATE TABLE label (kind TEXT NOT NULL, value TEXT NOT NULL, memory INTEGER NOT NULL,
		PRIMARY KEY (kind, value, memory)) WITHOUT ROWID;
	CREATE INDEX label_memory ON label (memory);
	CREATE TRIGGER memory_gone AFTER DELETE ON memory BEGIN DELETE FROM label WHERE memory = old.key; END;
	CREATE TABLE shelf (world TEXT NOT NULL, npc TEXT NOT NULL, revision INTEGER NOT NULL,
		PRIMARY KEY (world, npc)) WITHOUT ROWID;
	CREATE TABLE mark (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID`

// The first version held remarks, which nothing ever wrote.
var sessionPlan = plan{
	kind: "session", version: 2, layout: sessionLayout,
	older:   map[int]string{1: "DROP TABLE IF EXISTS remark; " + sessionLayout},
	pragmas: []string{"secure_delete(ON)"},
}

// Session is the session in a SQLite file, with the vectors of the NPCs that
// were asked for held in memory.
type Session struct {
	*file
	writing sync.Mutex // one writer at a time, so that shelves follow the file in its order
	shelves shelves
}

var _ store.Session = (*Session)(nil)

// OpenSession opens or makes the session file. A damaged one is an error that
// wraps store.ErrCorrupt.
func OpenSession(ctx context.Context, path string) (*Session, error) {
	f, err := open(ctx, path, sessionPlan)
	if err != nil {
		return nil, err
	}
	return &Session{file: f, shelves: shelves{of: map[place]*shelf{}}}, nil
}

// MendSession opens the session file; one that is damaged is set aside as
// NAME.damaged and an empty one takes its place. The returned note says so and
// is empty otherwise. The marks are gone with the file, so that whoever reads
// the log from its mark on builds the session anew.
func MendSession(ctx context.Context, path string) (s *Session, note string, err error) {
	return mend(ctx, path, "the memory log", OpenSession)
}

// verify reads every row's checksum.
func (s *Session) verify(ctx context.Context) error {
	return s.each(ctx, "verify", "SELECT id, model, sum, body, vector FROM memory", nil, func(rows *sql.Rows) error {
		var r row
		if err := rows.Scan(&r.id, &r.model, &r.sum, &r.body, &r.vector); err != nil {
			return err
		}
		return r.check()
	})
}

// Put writes points.
func (s *Session) Put(ctx context.Context, points []store.MemoryPoint) error {
	rows := make([]row, len(points))
	for i := range points {
		var err error
		if rows[i], err = rowOf(&points[i]); err != nil {
			return err
		}
	}
	return s.change(ctx, "write memories", func(tx *sql.Tx, c *change) error {
		w, err := newWriter(ctx, tx)
		if err != nil {
			return err
		}
		defer w.close()
		for i := range points {
			was, err := w.put(ctx, &points[i], &rows[i])
			if err != nil {
				return err
			}
			m := &points[i].Memory
			if was != "" && was != m.NPC {
				c.take(m.World, was, m.ID)
			}
			c.lay(&points[i], rows[i].unit)
		}
		return nil
	})
}

// Get is one point.
func (s *Session) Get(ctx context.Context, world, id string) (store.MemoryPoint, error) {
	got, err := s.Scroll(ctx, store.MemoryFilter{World: world, IDs: []string{id}}, "", 1)
	if err != nil {
		return store.MemoryPoint{}, err
	}
	if len(got) == 0 {
		return store.MemoryPoint{}, fmt.Errorf("memory %s of world %s: %w", id, world, store.ErrNotFound)
	}
	return got[0], nil
}

// Scroll is a page of points in order of id.
func (s *Session) Scroll(
	ctx context.Context, f store.MemoryFilter, after string, limit int,
) ([]store.MemoryPoint, error) {
	where, args, err := condition(&f)
	if err != nil {
		return nil, err
	}
	if limit < 1 {
		limit = -1
	}
	id := "id"
	if f.NPC != "" && f.IDs == nil {
		id = "+id" // found by NPC and player, and sorted; in order of id the whole world would be read through
	}
	var out []store.MemoryPoint
	err = s.each(ctx, "read memories",
		"SELECT id, accessed, used, model, sum, body, vector FROM memory WHERE "+where+" AND "+id+" > ? ORDER BY "+id+
			" LIMIT ?",
		append(args, after, limit), func(rows *sql.Rows) error {
			var r row
			if err := rows.Scan(&r.id, &r.accessed, &r.used, &r.model, &r.sum, &r.body, &r.vector); err != nil {
				return err
			}
			p, err := r.point()
			out = append(out, p)
			return err
		})
	return out, err
}

// Count is how many points the filter names.
func (s *Session) Count(ctx context.Context, f store.MemoryFilter) (int, error) {
	where, args, err := condition(&f)
	if err != nil {
		return 0, err
	}
	var n int
	err = s.db.QueryRowContext(ctx, "SELECT count(*) FROM memory WHERE "+where, args...).Scan(&n)
	return n, s.wrap("count memories", err)
}

// Touch counts one use of each of the memories.
func (s *Session) Touch(ctx context.Context, world string, ids []string, at time.Time) error {
	list, err := json.Marshal(ids)
	if err != nil {
		return fmt.Errorf("count uses: %w", err)
	}
	return s.write(ctx, "count uses", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx,
			"UPDATE memory SET accessed = accessed + 1, used = max(used, ?) WHERE world = ? AND id IN (SELECT value FROM "+
				"json_each(?))",
			stamp(at), world, string(list))
		return err
	})
}

// Gather counts the uses of some memories as another's.
func (s *Session) Gather(ctx context.Context, world, into string, from []string) error {
	from = slices.DeleteFunc(slices.Clone(from), func(id string) bool { return id == into })
	list, err := json.Marshal(from)
	if err != nil {
		return fmt.Errorf("gather uses: %w", err)
	}
	return s.write(ctx, "gather uses", func(tx *sql.Tx) error {
		const these = "world = ? AND id IN (SELECT value FROM json_each(?))"
		moved, err := tx.ExecContext(ctx, `UPDATE memory SET
			accessed = accessed + (SELECT coalesce(sum(accessed), 0) FROM memory WHERE `+these+`),
			used = max(used, (SELECT coalesce(max(used), '') FROM memory WHERE `+these+`))
			WHERE world = ? AND id = ?`, world, string(list), world, string(list), world, into)
		if err != nil {
			return err
		}
		if n, err := moved.RowsAffected(); err != nil || n == 0 {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE memory SET accessed = 0 WHERE "+these, world, string(list))
		return err
	})
}

// Delete removes points and says how many. Their bytes are written over; see
// Scrub for the copies that the journal still holds.
func (s *Session) Delete(ctx context.Context, f store.MemoryFilter) (int, error) {
	where, args, err := condition(&f)
	if err != nil {
		return 0, err
	}
	n := 0
	err = s.change(ctx, "delete memories", func(tx *sql.Tx, c *change) error {
		rows, err := tx.QueryContext(ctx, "DELETE FROM memory WHERE "+where+" RETURNING npc, id", args...)
		if err != nil {
			return err
		}
		return drain(rows, func(rows *sql.Rows) error {
			var npc, id string
			if err := rows.Scan(&npc, &id); err != nil {
				return err
			}
			c.take(f.World, npc, id)
			n++
			return nil
		})
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// Mark keeps a value beside the points.
func (s *Session) Mark(ctx context.Context, key, value string) error {
	return s.write(ctx, "set a mark", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO mark VALUES (?, ?)", key, value)
		return err
	})
}

// Marked is the value of a key.
func (s *Session) Marked(ctx context.Context, key string) (string, error) {
	var value string
	err := s.db.QueryRowContext(ctx, "SELECT value FROM mark WHERE key = ?", key).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return value, s.wrap("read a mark", err)
}

// write runs one transaction while no other writer of this process does.
func (s *Session) write(ctx context.Context, what string, do func(*sql.Tx) error) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.file.write(ctx, what, do)
}

// each runs a query and hands on its rows.
func (s *Session) each(ctx context.Context, what, query string, args []any, do func(*sql.Rows) error) error {
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return s.wrap(what, err)
	}
	return s.wrap(what, drain(rows, do))
}

func drain(rows *sql.Rows, do func(*sql.Rows) error) error {
	defer rows.Close() //nolint:errcheck // rows.Err tells what went wrong
	for rows.Next() {
		if err := do(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// condition is a filter in SQL, with its arguments.
func condition(f *store.MemoryFilter) (string, []any, error) {
	if err := f.Check(); err != nil {
		return "", nil, err
	}
	c := clause{text: "world = ?", args: []any{f.World}}
	switch {
	case f.NoPlayer && f.Player != "":
		c.and("player IN ('', ?)", f.Player)
	case f.NoPlayer:
		c.and("player = ''")
	default:
		c.equal("player", f.Player)
	}
	c.equal("npc", f.NPC)
	c.equal("subject", f.Subject)
	c.equal("predicate", f.Predicate)
	c.equal("object", f.Object)
	c.equal("turn", f.TurnID)
	c.equal("heard_from", f.HeardFrom)
	in(&c, "id", f.IDs)
	in(&c, "kind", f.Kinds)
	in(&c, "status", f.Statuses)
	in(&c, "source", f.Sources)
	c.labelled(labelTag, f.Tag)
	c.labelled(labelPlayer, f.Mentions)
	if !f.EventFrom.IsZero() {
		c.and("event_at >= ?", stamp(f.EventFrom))
	}
	if !f.EventTo.IsZero() {
		c.and("event_at < ? AND event_at <> ''", stamp(f.EventTo))
	}
	if !f.ValidAt.IsZero() {
		c.and("valid_from <= ? AND (valid_to = '' OR valid_to > ?)", stamp(f.ValidAt), stamp(f.ValidAt))
	}
	return c.text, c.args, nil
}

// clause is a condition that grows.
type clause struct {
	text string
	args []any
}

func (c *clause) and(text string, args ...any) {
	c.text += " AND " + text
	c.args = append(c.args, args...)
}

func (c *clause) equal(column, value string) {
	if value != "" {
		c.and(column+" = ?", value)
	}
}

func (c *clause) labelled(kind, value string) {
	if value != "" {
		c.and("key IN (SELECT memory FROM label WHERE kind = ? AND value = ?)", kind, value)
	}
}

func in[T ~string](c *clause, column string, values []T) {
	if values == nil {
		return
	}
	list, _ := json.Marshal(values) //nolint:errchkjson // strings always encode
	c.and(column+" IN (SELECT value FROM json_each(?))", string(list))
}

// The kinds of label.
const (
	labelTag    = "tag"
	labelPlayer = "player"
)

// stamp writes a time so that the order of texts is the order of times; an
// absent one is empty. A filter may ask for a time beyond those that are kept.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	switch t = t.UTC(); {
	case t.Year() < 1:
		return "0"
	case t.Year() > 9999:
		return "9999-12-31~"
	}
	return t.Format(stampLayout)
}

const stampLayout = "2006-01-02T15:04:05.000000000"

func unstamp(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	return time.Parse(stampLayout, s)
}

func labelsOf(m *schema.Memory) map[string][]string {
	return map[string][]string{labelTag: m.Tags, labelPlayer: store.Mentioned(m)}
}
