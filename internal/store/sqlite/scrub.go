package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

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
