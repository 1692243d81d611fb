package world_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// A draft waits beside the world and is no lore: the world stays what it was. What lint
// warns of is told, and a person promotes it.
func TestADraftWaitsForAPerson(t *testing.T) {
	dir := onDisk(t, nil)
	before, _, err := world.LoadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	p := promotion()
	p.KnownBy = []string{"nobody-at-all"}
	done, err := world.WriteDraft(dir, "bridge", p)
	if err != nil {
		t.Fatal(err)
	}
	if done.Path != "drafts/bridge.txt" || done.Target != "lore/bridge.txt" ||
		!strings.Contains(lines(done.Findings), "nobody-at-all") {
		t.Errorf("%+v", done)
	}
	after, problems, err := world.LoadDir(dir)
	if err != nil || after.Version != before.Version || len(after.Documents) != len(before.Documents) {
		t.Errorf("the draft is lore: %v, %v", err, problems)
	}
	text, err := os.ReadFile(filepath.Join(dir, done.Path))
	if err != nil || string(text) != p.Text+"\n" {
		t.Errorf("%q, %v", text, err)
	}
	_, err = world.WriteDraft(dir, "bridge", promotion())
	if err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("a second of the name: %v", err)
	}
	promoted := promotion()
	promoted.ID, promoted.Text, promoted.Path = "draft:bridge", string(text), done.Target
	if _, err := world.Promote(dir, promoted); err != nil {
		t.Errorf("promoting it: %v", err)
	}
	_, err = world.WriteDraft(dir, "bridge", promotion())
	if err == nil || !strings.Contains(err.Error(), "is lore already") {
		t.Errorf("a draft of what is lore: %v", err)
	}
}

// No name leads out of the folder of drafts, and nothing that could not be lore is kept.
func TestADraftThatIsRefusedLeavesNothing(t *testing.T) {
	for _, c := range []struct {
		name, draft string
		change      func(*world.Promotion)
		want        string
	}{
		{"up", "../lore/bridge", nil, "name"},
		{"absolute", "/tmp/bridge", nil, "name"},
		{"a folder", "lore/bridge", nil, "name"},
		{"another system's", `..\lore\bridge`, nil, "name"},
		{"hidden", ".bridge", nil, "name"},
		{"an ending", "bridge.txt", nil, "name"},
		{"no name", "", nil, "name"},
		{"a zero byte", "bridge\x00", nil, "name"},
		{"a long name", strings.Repeat("a", 5000), nil, "name"},
		{"no text", "bridge", func(p *world.Promotion) { p.Text = " \n" }, "no text"},
		{"broken UTF-8", "bridge", func(p *world.Promotion) { p.Text = "\xff" }, "no text that is UTF-8"},
		{"no author", "bridge", func(p *world.Promotion) { p.Author = "" }, "no author"},
		{"a huge text", "bridge", func(p *world.Promotion) { p.Text = strings.Repeat("a ", 4<<20) }, "at most"},
		{"never evidence", "bridge", func(p *world.Promotion) {
			p.Reject = func(protocol.Chunk) (string, bool) { return "signature", true }
		}, "would never be evidence"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := onDisk(t, nil)
			before := tree(t, dir)
			p := promotion()
			if c.change != nil {
				c.change(&p)
			}
			_, err := world.WriteDraft(dir, c.draft, p)
			var field *schema.FieldError
			if !errors.As(err, &field) {
				t.Errorf("%v is not for the caller to mend", err)
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 400 {
				t.Errorf("%v, want %q", err, c.want)
			}
			if after := tree(t, dir); !slices.Equal(before, after) {
				t.Errorf("%v was %v", after, before)
			}
		})
	}
}

// A folder of drafts that is a link is not written to: it could lead among the lore.
func TestDraftsFollowNoLink(t *testing.T) {
	for _, target := range []string{"lore", t.TempDir()} {
		dir := onDisk(t, nil)
		before := tree(t, dir)
		if err := os.Symlink(target, filepath.Join(dir, "drafts")); err != nil {
			t.Fatal(err)
		}
		_, err := world.WriteDraft(dir, "bridge", promotion())
		if err == nil || errors.Is(err, schema.ErrInvalid) || !strings.Contains(err.Error(), "no folder of its own") {
			t.Errorf("to %s: %v", target, err)
		}
		if after := tree(t, dir); len(after) != len(before)+1 {
			t.Errorf("%v was %v", after, before)
		}
	}
}

func TestDraftsThatWaitAreBounded(t *testing.T) {
	dir := onDisk(t, nil)
	if err := os.Mkdir(filepath.Join(dir, "drafts"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range 500 {
		name := filepath.Join(dir, "drafts", "d"+string(rune('a'+i%26))+strings.Repeat("x", i/26)+".txt")
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, err := world.WriteDraft(dir, "bridge", promotion())
	if err == nil || !strings.Contains(err.Error(), "500 drafts wait") {
		t.Errorf("%v", err)
	}
}
