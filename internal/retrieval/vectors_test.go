package retrieval_test

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/retrieval"
)

// TestTheFileOfVectorsIsMadeAnewWhereItIsNotWhole opens one index again and again, after
// something has happened to the file of its vectors: it answers as at first.
func TestTheFileOfVectorsIsMadeAnewWhereItIsNotWhole(t *testing.T) {
	dir, folder := files(t, many(20)), t.TempDir()
	c, w := corpus(t, filepath.Join(t.TempDir(), "index.db")), load(t, dir)
	path := filepath.Join(folder, "many.words")
	open := func() (retrieval.Result, []string) {
		var notes []string
		x, err := retrieval.Open(context.Background(), c, &wordHash{}, w,
			retrieval.Options{Now: func() time.Time { return wall },
				Vectors: folder, Notice: func(line string) { notes = append(notes, line) }})
		if err != nil {
			t.Fatal(err)
		}
		r, err := x.CitationQuery(context.Background(),
			retrieval.Query{NPC: w.NPCs["ann"], Message: "How long is the rope on page 17?"})
		if err != nil {
			t.Fatal(err)
		}
		return r, notes
	}
	want, _ := open()
	for _, s := range []struct {
		name   string
		change func([]byte) []byte
		noted  bool
	}{
		{"nothing", func(b []byte) []byte { return b }, false},
		{"a bit is turned", func(b []byte) []byte { b[len(b)/2] ^= 1; return b }, true},
		{"it is cut short", func(b []byte) []byte { return b[:100] }, true},
		{"it is gone", func([]byte) []byte { return nil }, false},
	} {
		t.Run(s.name, func(t *testing.T) {
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if changed := s.change(append([]byte(nil), whole...)); changed == nil {
				err = os.Remove(path)
			} else {
				err = os.WriteFile(path+".other", changed, 0o600)
				if err == nil {
					err = os.Rename(path+".other", path)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			got, notes := open()
			if !reflect.DeepEqual(got, want) {
				t.Error("it answers otherwise than before")
			}
			if (len(notes) == 1) != s.noted || s.noted && !strings.Contains(notes[0], path+".damaged") {
				t.Errorf("notices %q, want one: %v", notes, s.noted)
			}
			if again, err := os.ReadFile(path); err != nil || !reflect.DeepEqual(again, whole) {
				t.Errorf("the file was not made anew: %v", err)
			}
		})
	}
}
