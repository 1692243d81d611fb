package sqlite_test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/store/sqlite"
	"github.com/forsooth-npc/forsooth/internal/store/storetest"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// writerVar names a session file; the test binary started with it set writes to
// that file until it is killed.
const writerVar = "FORSOOTH_TEST_SESSION_WRITER"

func TestMain(m *testing.M) {
	if path := os.Getenv(writerVar); path != "" {
		fmt.Fprintln(os.Stderr, writeOn(path))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func TestSession(t *testing.T) {
	storetest.Session(t, func(t *testing.T) func() (store.Session, error) {
		path := filepath.Join(t.TempDir(), "a b?c%d.db")
		return func() (store.Session, error) { return sqlite.OpenSession(context.Background(), path) }
	})
}

func TestCorpusAndSessionAreApart(t *testing.T) {
	storetest.Apart(t, func(t *testing.T) func() (storetest.Both, error) {
		dir := t.TempDir()
		return func() (storetest.Both, error) {
			c, err := sqlite.OpenCorpus(context.Background(), filepath.Join(dir, "index.db"))
			if err != nil {
				return storetest.Both{}, err
			}
			s, err := sqlite.OpenSession(context.Background(), filepath.Join(dir, "session.db"))
			return storetest.Both{Corpus: c, Session: s}, err
		}
	})
}

func session(t *testing.T, path string) *sqlite.Session {
	t.Helper()
	s, err := sqlite.OpenSession(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, s) })
	return s
}

// remembered is a point whose object and words hold a text.
func remembered(id, npc, player, text string) store.MemoryPoint {
	return storetest.Point(id, []float32{1, 2, 3}, func(m *schema.Memory) {
		m.NPC, m.Player, m.Subject, m.Object, m.Content = npc, player, "player:"+player, text, "It is "+text+"."
		m.Spans[0].Text, m.Tags = text, []string{text}
	})
}

// writeOn writes batches of ten and tells each that is written.
func writeOn(path string) error {
	ctx := context.Background()
	s, err := sqlite.OpenSession(ctx, path)
	if err != nil {
		return err
	}
	n, err := s.Count(ctx, store.MemoryFilter{World: "w"})
	if err != nil {
		return err
	}
	for batch := n / 10; ; batch++ {
		var points []store.MemoryPoint
		for i := range 10 {
			points = append(points, remembered(fmt.Sprintf("m%d", batch*10+i), "mira", "p1", strings.Repeat("word ", 200)))
		}
		if err := s.Put(ctx, points); err != nil {
			return err
		}
		if err := s.Mark(ctx, "log", strconv.Itoa(batch)); err != nil {
			return err
		}
		fmt.Println(batch)
	}
}

func TestKilledWriterLosesNothingItWasToldIsWritten(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "session.db")
	told := -1
	for range 3 {
		told = killWriter(t, path, told+8)
		s, note, err := sqlite.MendSession(ctx, path)
		if err != nil || note != "" {
			t.Fatalf("note %q, err %v", note, err)
		}
		n, err := s.Count(ctx, store.MemoryFilter{World: "w"})
		if err != nil || n%10 != 0 || n < 10*(told+1) {
			t.Errorf("%d points, %v; want whole batches of ten, at least %d", n, err, told+1)
		}
		mark, err := s.Marked(ctx, "log")
		if at, _ := strconv.Atoi(mark); err != nil || at < told || at >= n/10 {
			t.Errorf("mark %q, %v; want one of the batches that are there, from %d on", mark, err, told)
		}
		near, err := s.Nearest(ctx, store.MemoryFilter{World: "w", NPC: "mira"}, "m1", []float32{1, 2, 3}, n+1)
		if err != nil || len(near) != n {
			t.Errorf("nearest = %d points, %v; want %d", len(near), err, n)
		}
		closed(t, s)
	}
}

// killWriter starts a writer, waits until it has told of a batch, kills it in
// the midst of a later one and says of which it told last.
func killWriter(t *testing.T, path string, until int) (told int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var complaint bytes.Buffer
	cmd := exec.Command(self)
	cmd.Env, cmd.Stderr = append(os.Environ(), writerVar+"="+path), &complaint
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	guard := time.AfterFunc(3*time.Minute, func() { _ = cmd.Process.Kill() })
	defer guard.Stop()
	told = -1
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if told, err = strconv.Atoi(lines.Text()); err != nil {
			t.Fatal(err)
		}
		if told == until {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	err = cmd.Wait()
	if told < until {
		t.Fatalf("the writer ended after batch %d, want %d: %v: %s", told, until, err, complaint.String())
	}
	return told
}

// TestScrubLeavesNoByteOfWhatWasDeleted looks in every file of the folder, while
// the session is open and once it is closed.
func TestScrubLeavesNoByteOfWhatWasDeleted(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	path := filepath.Join(dir, "session.db")
	const secret, kept, before = "xylophone-heirloom", "quartz-lantern", "harpsichord-cellar"
	s := session(t, path)
	var points []store.MemoryPoint
	for i := range 300 {
		points = append(points, remembered(fmt.Sprintf("s%d", i), "mira", "p1", secret+strings.Repeat(" and so on", i)),
			remembered(fmt.Sprintf("k%d", i), "mira", "p2", kept))
	}
	points = append(points, remembered("altered", "mira", "p2", before))
	if err := s.Put(ctx, points); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(ctx, []store.MemoryPoint{remembered("altered", "mira", "p2", kept)}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".damaged", []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Delete(ctx, store.MemoryFilter{World: "w", Mentions: "p1"}); n != 300 || err != nil {
		t.Fatalf("deleted %d, %v; want 300", n, err)
	}
	if holding(t, dir, secret) == nil {
		t.Fatal("nothing holds the text even before the scrub: the test proves nothing")
	}
	full := sizeOf(t, path)
	if err := s.Scrub(ctx); err != nil {
		t.Fatal(err)
	}
	if left := sizeOf(t, path); left >= full {
		t.Errorf("the file has %d bytes, and had %d before", left, full)
	}
	for _, text := range []string{secret, before} {
		if in := holding(t, dir, text); in != nil {
			t.Errorf("%q is still in %v", text, in)
		}
	}
	if n, err := s.Count(ctx, store.MemoryFilter{World: "w", Object: kept}); n != 301 || err != nil {
		t.Errorf("%d kept, %v; want 301", n, err)
	}
	closed(t, s)
	if in := holding(t, dir, secret); in != nil {
		t.Errorf("after it was closed it is in %v", in)
	}
	if holding(t, dir, kept) == nil {
		t.Error("what was to be kept is gone from the disk")
	}
}

func sizeOf(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// TestDeletedTextIsWrittenOver shows what holds before any scrub, once the
// journal is gone.
func TestDeletedTextIsWrittenOver(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	const secret = "xylophone-heirloom"
	s, err := sqlite.OpenSession(ctx, filepath.Join(dir, "session.db"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		if err := s.Put(ctx, []store.MemoryPoint{remembered(fmt.Sprintf("m%d", i), "mira", "p1", secret)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Delete(ctx, store.MemoryFilter{World: "w"}); err != nil {
		t.Fatal(err)
	}
	closed(t, s)
	if in := holding(t, dir, secret); in != nil {
		t.Errorf("it is still in %v", in)
	}
}

// holding names the files of a folder that hold a text.
func holding(t *testing.T, dir, text string) (names []string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte(text)) {
			names = append(names, f.Name())
		}
	}
	return names
}

func TestScrubSaysThatAReaderIsInTheWay(t *testing.T) {
	t.Parallel() // it waits out the time that SQLite gives a reader
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "session.db")
	s := session(t, path)
	if err := s.Put(ctx, []store.MemoryPoint{remembered("a", "mira", "p1", "one")}); err != nil {
		t.Fatal(err)
	}
	db := raw(t, path)
	reader, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := reader.QueryRow("SELECT count(*) FROM memory").Scan(&n); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(ctx, []store.MemoryPoint{remembered("a", "mira", "p1", "two")}); err != nil {
		t.Fatal(err)
	}
	if err := s.Scrub(ctx); err == nil || !strings.Contains(err.Error(), "try again") {
		t.Errorf("err = %v, want one that says to try again", err)
	}
	if err := reader.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := s.Scrub(ctx); err != nil {
		t.Error(err)
	}
}

// raw opens a file past the store.
func raw(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, db) })
	return db
}

func TestDamagedSessionIsSetAside(t *testing.T) {
	cases := []struct {
		name  string
		spoil func(b []byte) []byte
	}{
		{"not a database", func([]byte) []byte { return []byte(strings.Repeat("not a database. ", 300)) }},
		{"half-written", func(b []byte) []byte { return b[:len(b)/2] }},
		{"a page of noise", func(b []byte) []byte {
			return append(b[:4096], append(bytes.Repeat([]byte{0xA5}, 4096), b[8192:]...)...)
		}},
		{"one letter of a memory changed", func(b []byte) []byte {
			b[bytes.LastIndex(b, []byte("It is word"))] = 'i'
			return b
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			ctx, path := context.Background(), filepath.Join(t.TempDir(), "session.db")
			s := session(t, path)
			for i := range 100 {
				if err := s.Put(ctx, []store.MemoryPoint{remembered(fmt.Sprintf("m%d", i), "mira", "p1", "word")}); err != nil {
					t.Fatal(err)
				}
			}
			if err := errors.Join(s.Mark(ctx, "log", "17"), s.Scrub(ctx)); err != nil {
				t.Fatal(err)
			}
			closed(t, s)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, c.spoil(data), 0o600); err != nil {
				t.Fatal(err)
			}
			checkSessionRefused(t, path)
			mended, note, err := sqlite.MendSession(ctx, path)
			if err != nil {
				t.Fatal(err)
			}
			defer closed(t, mended)
			if !strings.Contains(note, path+".damaged") || !strings.Contains(note, "memory log") ||
				strings.Contains(note, "\n") {
				t.Errorf("note = %q, want one line with where the file went and what it is built from", note)
			}
			n, err := mended.Count(ctx, store.MemoryFilter{World: "w"})
			mark, markErr := mended.Marked(ctx, "log")
			if n != 0 || mark != "" || err != nil || markErr != nil {
				t.Errorf("%d points, mark %q, %v, %v; want an empty session", n, mark, err, markErr)
			}
		})
	}
}

// checkSessionRefused opens a damaged file and reads it: one of both says so in
// a line that names the file.
func checkSessionRefused(t *testing.T, path string) {
	t.Helper()
	s, err := sqlite.OpenSession(context.Background(), path)
	if err == nil {
		_, err = s.Scroll(context.Background(), store.MemoryFilter{World: "w"}, "", 0)
		if _, near := s.Nearest(context.Background(), store.MemoryFilter{World: "w"}, "m1", []float32{1, 2, 3},
			1); !errors.Is(near, store.ErrCorrupt) {
			t.Errorf("nearest: err = %v, want %v", near, store.ErrCorrupt)
		}
		closed(t, s)
	}
	if !errors.Is(err, store.ErrCorrupt) {
		t.Fatalf("err = %v, want %v", err, store.ErrCorrupt)
	}
	if line := err.Error(); !strings.Contains(line, path) || !strings.Contains(line, "move the file away") ||
		strings.Contains(line, "\n") {
		t.Errorf("err = %q, want one line with the file and the mend", line)
	}
}

func TestFirstVersionIsBroughtUp(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "session.db")
	db := raw(t, path)
	for _, line := range []string{
		"CREATE TABLE about (kind TEXT NOT NULL, version INTEGER NOT NULL)", "INSERT INTO about VALUES ('session', 1)",
		"CREATE TABLE remark (world TEXT NOT NULL, player TEXT NOT NULL)",
		"CREATE INDEX remark_player ON remark (world, player)",
	} {
		if _, err := db.Exec(line); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		s, note, err := sqlite.MendSession(ctx, path)
		if err != nil || note != "" {
			t.Fatalf("note %q, err %v", note, err)
		}
		if err := s.Put(ctx, []store.MemoryPoint{remembered("a", "mira", "p1", "one")}); err != nil {
			t.Error(err)
		}
		closed(t, s)
	}
}

func TestVersionOfALaterBuildIsRefused(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "session.db")
	closed(t, session(t, path))
	if _, err := raw(t, path).Exec("UPDATE about SET version = 99"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := sqlite.MendSession(ctx, path); err == nil || !strings.Contains(err.Error(), "use a newer forsooth") {
		t.Errorf("err = %v", err)
	}
}

func TestOneKindOfFileIsNotTakenForAnother(t *testing.T) {
	_, err := sqlite.OpenSession(context.Background(), written(t))
	if err == nil || !strings.Contains(err.Error(), "holds a corpus index, not a session") {
		t.Errorf("err = %v", err)
	}
}
