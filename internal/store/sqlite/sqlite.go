// Package sqlite keeps the corpus and the session in SQLite files, one for each,
// so that a damaged index can be thrown away without touching what was said. It
// is the only package that knows SQLite.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	sqlitelib "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/forsooth-npc/forsooth/internal/store"
)

// file is an open SQLite file of one kind.
type file struct {
	path string
	db   *sql.DB
}

// open opens or makes a file, checks that it is whole, of this kind and of a
// version this build reads, and lays out its tables.
func open(ctx context.Context, path, kind string, version int, layout string) (*file, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("%s: make its folder: %w", path, err)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: is a folder; name a file", path)
	}
	dsn := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: url.Values{
		"_pragma": {"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(NORMAL)"},
		"_txlock": {"immediate"},
	}.Encode()}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return nil, fmt.Errorf("%s: open: %w", path, err)
	}
	f := &file{path: path, db: db}
	if err := f.prepare(ctx, kind, version, layout); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return f, nil
}

func (f *file) prepare(ctx context.Context, kind string, version int, layout string) error {
	var verdict string
	if err := f.db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return f.wrap("check", err)
	}
	if verdict != "ok" {
		return f.wrap("check", fmt.Errorf("%w: %s", store.ErrCorrupt, strings.Join(strings.Fields(verdict), " ")))
	}
	return f.write(ctx, "lay out", func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS about (kind TEXT NOT NULL, version INTEGER NOT NULL)"); err != nil {
			return err
		}
		var k string
		var v int
		switch err := tx.QueryRowContext(ctx, "SELECT kind, version FROM about").Scan(&k, &v); {
		case errors.Is(err, sql.ErrNoRows):
			if _, err := tx.ExecContext(ctx, layout); err != nil {
				return err
			}
			_, err := tx.ExecContext(ctx, "INSERT INTO about VALUES (?, ?)", kind, version)
			return err
		case err != nil:
			return err
		case k != kind:
			return fmt.Errorf("holds a %s, not a %s; name another file", k, kind)
		case v > version:
			return fmt.Errorf("has version %d and this build reads up to %d; use a newer forsooth", v, version)
		case v < version:
			return fmt.Errorf("has version %d and this build reads %d: %w", v, version, errOld)
		}
		return nil
	})
}

var errOld = errors.New("is of an older version")

// write runs one transaction.
func (f *file) write(ctx context.Context, what string, do func(*sql.Tx) error) error {
	tx, err := f.db.BeginTx(ctx, nil)
	if err != nil {
		return f.wrap(what, err)
	}
	if err := do(tx); err != nil {
		if back := tx.Rollback(); back != nil && !errors.Is(back, sql.ErrTxDone) {
			err = errors.Join(err, back)
		}
		return f.wrap(what, err)
	}
	return f.wrap(what, tx.Commit())
}

// wrap names the file and, where one is known, the mend.
func (f *file) wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	var se *sqlitelib.Error
	if errors.As(err, &se) {
		switch se.Code() & 0xff {
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
			err = fmt.Errorf("%w: %w", store.ErrCorrupt, err)
		case sqlite3.SQLITE_FULL:
			return fmt.Errorf("%s: %s: the disk is full; free some space and start again: %w", f.path, what, err)
		case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN:
			return fmt.Errorf("%s: %s: cannot be written; check the rights of the file and its folder: %w", f.path, what, err)
		case sqlite3.SQLITE_BUSY:
			return fmt.Errorf("%s: %s: another process is writing it; try again: %w", f.path, what, err)
		}
	}
	if errors.Is(err, store.ErrCorrupt) {
		return fmt.Errorf("%s: %s: %w; move the file away and start again, it is built anew", f.path, what, err)
	}
	return fmt.Errorf("%s: %s: %w", f.path, what, err)
}

// Close closes the file.
func (f *file) Close() error { return f.wrap("close", f.db.Close()) }

// setAside renames a file and its journal so that a new one can be made.
func setAside(path string) error {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		err := os.Rename(path+suffix, path+".damaged"+suffix)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: set aside: %w", path+suffix, err)
		}
	}
	return nil
}
