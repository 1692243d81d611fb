package world_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// onDisk writes the small world to a folder.
func onDisk(t *testing.T, change map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, files(change)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func promotion() world.Promotion {
	return world.Promotion{ID: "gen:t1/0", Text: "The bridge fell at dawn. Nobody was hurt.", Author: "Ines",
		At: time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)}
}

func tree(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(p string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			out = append(out, strings.TrimPrefix(p, dir+"/"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAPromotedTextIsLore(t *testing.T) {
	dir := onDisk(t, map[string]string{"world.yaml": "name: test\nnow: 1402-05-03\n"})
	done, err := world.Promote(dir, promotion())
	if err != nil {
		t.Fatal(err)
	}
	w, problems, err := world.LoadDir(dir)
	if err != nil || len(problems) > 0 {
		t.Fatalf("%v, %s", err, lines(problems))
	}
	var got *world.Document
	for _, d := range w.Documents {
		if d.Path == done.Path {
			got = d
		}
	}
	if got == nil {
		t.Fatalf("%s is no document", done.Path)
	}
	if got.Author != "Ines" || got.Promoted != "gen:t1/0" || got.Type != "note" || !got.CreatedAt.Equal(w.Now) ||
		got.Summary != "The bridge fell at dawn." ||
		!reflect.DeepEqual(got.Keywords, []string{"bridge", "fell", "dawn", "hurt"}) ||
		!reflect.DeepEqual(texts(got.Passages), []string{"The bridge fell at dawn. Nobody was hurt."}) {
		t.Errorf("document = %+v", got)
	}
	audit, err := os.ReadFile(filepath.Join(dir, "lore", ".promotions.log"))
	if err != nil || strings.Count(string(audit), "\n") != 1 || !strings.Contains(string(audit), `"id":"gen:t1/0"`) ||
		!strings.Contains(string(audit), `"author":"Ines"`) ||
		!strings.Contains(string(audit), `"at":"2026-02-03T04:05:06Z"`) {
		t.Errorf("audit = %s, %v", audit, err)
	}
	if _, err := world.Promote(dir, promotion()); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("promoting it again: %v", err)
	}
}

func TestAPromotionThatIsRefusedLeavesNothing(t *testing.T) {
	cases := []struct {
		name string
		edit func(*world.Promotion)
		want string
	}{
		{"no author", func(p *world.Promotion) { p.Author = " " }, "has no author"},
		{"no text", func(p *world.Promotion) { p.Text = " \n" }, "has no text"},
		{"not UTF-8", func(p *world.Promotion) { p.Text = "\xff" }, "has no text that is UTF-8"},
		{"nothing to cite", func(p *world.Promotion) { p.Text = "***" }, "holds no sentence"},
		{"out of lore", func(p *world.Promotion) { p.Path = "lore/../npcs/mira/home/a.txt" }, "does not lie under lore/"},
		{"out of the world", func(p *world.Promotion) { p.Path = "../a.txt" }, "does not lie under lore/"},
		{"hidden", func(p *world.Promotion) { p.Path = "lore/.a/b.txt" }, "has a hidden part"},
		{"another kind of file", func(p *world.Promotion) { p.Path = "lore/a.sh" }, "does not end in .txt or .md"},
		{"over a file", func(p *world.Promotion) { p.Path = "lore/mill.txt" }, "is there already"},
		{"an audience of no kind", func(p *world.Promotion) { p.KnownBy = []string{"guild:x"} }, "`known_by` lists"},
		{"what the filter rejects", func(p *world.Promotion) {
			p.Reject = func(c protocol.Chunk) (string, bool) { return "MARKER", strings.Contains(c.Text, "fell") }
		}, "would never be evidence (MARKER)"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := onDisk(t, nil)
			before := tree(t, dir)
			p := promotion()
			c.edit(&p)
			if _, err := world.Promote(dir, p); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("err = %v, want %q", err, c.want)
			}
			if after := tree(t, dir); !reflect.DeepEqual(before, after) {
				t.Errorf("left %q", after)
			}
		})
	}
}

func TestLinksStayInsideTheWorld(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret.txt")
	if err := os.WriteFile(outside, []byte("Outside."), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := onDisk(t, map[string]string{"lore/out.txt.meta.yaml": meta, "lore/in.txt.meta.yaml": meta})
	for link, target := range map[string]string{"lore/out.txt": outside, "lore/in.txt": "mill.txt", "lore/loop": ".",
		"npcs/more": "mira"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skipf("links cannot be made here: %v", err)
		}
	}
	w, problems, err := world.LoadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range w.Documents {
		if d.Path == "lore/out.txt" {
			t.Error("a link led out of the world")
		}
	}
	for _, want := range []string{"lore/out.txt: error: cannot be read", "lore/loop: warning: is a link to a folder",
		"npcs/more: warning: is a link to a folder"} {
		if !hasProblem(problems, want) {
			t.Errorf("want %q in\n%s", want, lines(problems))
		}
	}
	if len(w.Documents) != 5 {
		t.Errorf("%d documents, want the link inside among 5", len(w.Documents))
	}
}
