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
	"time"

	"github.com/cenkalti/backoff/v4"
	sqlitelib "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/forsooth-npc/forsooth/internal/store"
)

// file is an open SQLite file of one kind.
type file struct {
	path string
	db   *sql.DB
}

// plan is what a kind of file holds.
type plan struct {
	kind    string
	version int
	layout  string
	older   map[int]string // what brings a file of that version to this one
	pragmas []string       // besides those of every file
}

// open opens or makes a file, checks that it is whole, of this kind and of a
// version this build reads, and lays out its tables.
func open(ctx context.Context, path string, p plan) (*file, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("%s: make its folder: %w", path, err)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: is a folder; name a file", path)
	}
	dsn := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: url.Values{
		"_pragma": append([]string{fmt.Sprintf("busy_timeout(%d)", busyFor.Milliseconds()), "journal_mode(WAL)",
			"synchronous(NORMAL)"}, p.pragmas...),
		"_txlock": {"immediate"},
	}.Encode()}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return nil, fmt.Errorf("%s: open: %w", path, err)
	}
	f := &file{path: path, db: db}
	if err := patiently(ctx, func() error { return f.prepare(ctx, p) }); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return f, nil
}

// busyFor is how long a file that others write is waited for.
const busyFor = 5 * time.Second

// patiently tries again while others write the file. SQLite does not wait by itself where several processes make
// one file at once: while the first turns its journal into a log, it tells the others at once that it is locked.
func patiently(ctx context.Context, do func() error) error {
	wait := backoff.NewExponentialBackOff(backoff.WithInitialInterval(5*time.Millisecond),
		backoff.WithMaxInterval(250*time.Millisecond), backoff.WithMaxElapsedTime(busyFor))
	return backoff.Retry(func() error {
		err := do()
		var se *sqlitelib.Error
		if err != nil && !(errors.As(err, &se) && se.Code()&0xff == sqlite3.SQLITE_BUSY) {
			return backoff.Permanent(err)
		}
		return err
	}, backoff.WithContext(wait, ctx))
}

func (f *file) prepare(ctx context.Context, p plan) error {
	var verdict string
	if err := f.db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return f.wrap("check", err)
	}
	if verdict != "ok" {
		return f.wrap("check", fmt.Errorf("%w: %s", store.ErrCorrupt, strings.Join(strings.Fields(verdict), " ")))
	}
	return f.write(ctx, "lay out", func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx,
			"CREATE TABLE IF NOT EXISTS about (kind TEXT NOT NULL, version INTEGER NOT NULL)"); err != nil {
			return err
		}
		var k string
		var v int
		switch err := tx.QueryRowContext(ctx, "SELECT kind, version FROM about").Scan(&k, &v); {
		case errors.Is(err, sql.ErrNoRows):
			if _, err := tx.ExecContext(ctx, p.layout); err != nil {
				return err
			}
			_, err := tx.ExecContext(ctx, "INSERT INTO about VALUES (?, ?)", p.kind, p.version)
			return err
		case err != nil:
			return err
		case k != p.kind:
			return fmt.Errorf("holds a %s, not a %s; name another file", k, p.kind)
		case v > p.version:
			return newer(v, p.version)
		case v < p.version:
			return p.migrate(ctx, tx, v)
		}
		return nil
	})
}

func (p plan) migrate(ctx context.Context, tx *sql.Tx, from int) error {
	steps, ok := p.older[from]
	if !ok {
		return fmt.Errorf("has version %d and this build reads %d: %w", from, p.version, errOld)
	}
	if _, err := tx.ExecContext(ctx, steps); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "UPDATE about SET version = ?", p.version)
	return err
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

// checked is a store that can read every one of its rows to see that it is whole.
type checked interface {
	verify(ctx context.Context) error
	Close() error
}

// mend opens a file; one that is damaged or of a version that cannot be brought
// up is set aside as NAME.damaged and an empty one takes its place, to be built
// anew from its source. The note says so and is empty otherwise.
func mend[T checked](
	ctx context.Context, path, source string, open func(context.Context, string) (T, error),
) (s T, note string, err error) {
	var none T
	s, err = open(ctx, path)
	if err == nil {
		if err = s.verify(ctx); err == nil {
			return s, "", nil
		}
		err = errors.Join(err, s.Close())
	}
	if !errors.Is(err, store.ErrCorrupt) && !errors.Is(err, errOld) {
		return none, "", err
	}
	why := err
	if err := setAside(path); err != nil {
		return none, "", err
	}
	if s, err = open(ctx, path); err != nil {
		return none, "", err
	}
	return s, fmt.Sprintf("set aside as %s%s, built anew from %s: %v", path, damaged, source, why), nil
}

// damaged ends the name of a file that was set aside.
const damaged = ".damaged"

// journals are the ends of the names of the files that make up one SQLite file.
var journals = []string{"", "-wal", "-shm"}

// setAside renames a file and its journal so that a new one can be made.
func setAside(path string) error {
	for _, suffix := range journals {
		err := os.Rename(path+suffix, path+damaged+suffix)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: set aside: %w", path+suffix, err)
		}
	}
	return nil
}

// State is how a file stands to what this build reads.
type State struct {
	Missing    bool // there is no such file: the first start makes it
	Have, Want int
	InPlace    bool // an older one is brought up as it is; else it is built anew from its source
}

// Current says whether nothing is to be done.
func (s State) Current() bool { return s.Missing || s.Have == s.Want }

// LookSession and LookCorpus look at a file and change nothing.
func LookSession(ctx context.Context, path string) (State, error) {
	return look(ctx, path, sessionPlan)
}

// LookCorpus is as LookSession.
func LookCorpus(ctx context.Context, path string) (State, error) { return look(ctx, path, corpusPlan) }

func look(ctx context.Context, path string, p plan) (_ State, err error) {
	s := State{Want: p.version}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		s.Missing = true
		return s, nil
	}
	dsn := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(),
		RawQuery: "mode=ro&_pragma=busy_timeout(5000)"}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return s, fmt.Errorf("%s: open: %w", path, err)
	}
	f := &file{path: path, db: db}
	defer func() { err = errors.Join(err, db.Close()) }()
	var kind string
	if err := db.QueryRowContext(ctx, "SELECT kind, version FROM about").Scan(&kind, &s.Have); err != nil {
		return s, f.wrap("read its version", err)
	}
	switch _, s.InPlace = p.older[s.Have]; {
	case kind != p.kind:
		return s, f.wrap("look", fmt.Errorf("holds a %s, not a %s; name another file", kind, p.kind))
	case s.Have > s.Want:
		return s, f.wrap("look", newer(s.Have, s.Want))
	}
	return s, nil
}

func newer(have, want int) error {
	return fmt.Errorf("has version %d and this build reads up to %d; use a newer forsooth", have, want)
}

// Scrub rids the disk of what was deleted: the journal's copies of it, the pages
// that it lay on, and a damaged file that was set aside, which may hold it too.
// What is kept stays as it is. It fails while another process reads the file.
func (s *Session) Scrub(ctx context.Context) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.checkpoint(ctx); err != nil {
		return err
	}
	if _, err := s.db.ExecContext(ctx, "VACUUM"); err != nil {
		return s.wrap("scrub", err)
	}
	if err := s.checkpoint(ctx); err != nil { // VACUUM itself goes through the journal
		return err
	}
	for _, suffix := range journals {
		if err := os.Remove(s.path + damaged + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: scrub: %w", s.path+damaged+suffix, err)
		}
	}
	return nil
}

// checkpoint moves the journal into the file and empties it.
func (s *Session) checkpoint(ctx context.Context) error {
	var busy, inJournal, moved int
	if err := s.db.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &inJournal, &moved); err != nil {
		return s.wrap("scrub", err)
	}
	if busy != 0 {
		return s.wrap("scrub", errors.New("another reader holds the journal open, so that deleted text may still be in "+
			"it; try again"))
	}
	return nil
}
