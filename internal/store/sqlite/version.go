package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
)

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
