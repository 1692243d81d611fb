package world_test

import (
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/world"
)

func TestLintWarns(t *testing.T) {
	reject := func(c protocol.Chunk) (string, bool) {
		return "CITATION_MARKER", strings.Contains(c.Text, "[E1]")
	}
	story := "The mill burned in spring and nobody saw who did it. The miller wept and the town was silent for a week."
	cases := []struct {
		name   string
		change map[string]string
		want   string // empty: no warning at all
	}{
		{"a known audience", map[string]string{"lore/mill.txt.meta.yaml": meta + "known_by: [mira]\n"}, ""},
		{"an unknown handle", map[string]string{"lore/mill.txt.meta.yaml": meta + "known_by: [mirra, mira]\n"},
			"lore/mill.txt.meta.yaml:6: warning: `known_by` lists \"mirra\", which means no NPC of this world; did " +
				"you mean \"mira\"?"},
		{"an unknown faction", map[string]string{"lore/mill.txt.meta.yaml": meta + "known_by: [faction:x, mira]\n"},
			"lore/mill.txt.meta.yaml:6: warning: `known_by` lists \"faction:x\""},
		{"out of reach", map[string]string{"lore/mill.txt.meta.yaml": meta + "known_by: [ada]\n"},
			"lore/mill.txt: warning: no NPC can know this"},
		{"a duplicate", map[string]string{"lore/mill.txt": story,
			"lore/tale.txt": strings.ToUpper(story[:1]) + strings.ToLower(story[1:]), "lore/tale.txt.meta.yaml": meta},
			"lore/tale.txt: warning: says nearly the same as lore/mill.txt"},
		{"only alike", map[string]string{"lore/mill.txt": story, "lore/tale.txt": strings.ReplaceAll(story, "wept",
			"laughed aloud"), "lore/tale.txt.meta.yaml": meta}, ""},
		{"two NPCs' own notes", map[string]string{"npcs/ada/npc.yaml": strings.ReplaceAll(person, "mira", "ada"),
			"npcs/ada/home/diary.txt": "I forged the gate.\n", "npcs/ada/home/diary.txt.meta.yaml": meta}, ""},
		{"rejected text", map[string]string{"lore/mill.txt": "It burned.\n\nAs [E1] says."},
			"lore/mill.txt:3: warning: this passage is never evidence (CITATION_MARKER): As [E1] says."},
		{"markup", map[string]string{"lore/a.md": "It **burned** down.", "lore/a.md.meta.yaml": meta},
			"lore/a.md:1: warning: markup inside a sentence"},
		{"a secret for nobody", map[string]string{"npcs/mira/npc.yaml": person + "secrets:\n  - text: She did it.\n"},
			"npcs/mira/npc.yaml:6: warning: this secret has no `requires`"},
		{"a lead that names somebody", map[string]string{"npcs/mira/npc.yaml": person +
			"lines:\n  unsure: [Ask Mira. This I know.]\n"}, "npcs/mira/npc.yaml: warning: `lines.unsure` states " +
			"something (mira)"},
		{"a lead with a figure", map[string]string{"npcs/mira/npc.yaml": person +
			"lines:\n  de: {unsure: [Das kostet 3 Heller.]}\n"},
			"npcs/mira/npc.yaml: warning: `lines.unsure` states something (3)"},
		{"a lead that states nothing", map[string]string{"npcs/mira/npc.yaml": person +
			"lines:\n  unsure: [\"Not that. This I know, though.\"]\n"}, ""},
		{"a doubt that names somebody", map[string]string{"npcs/mira/npc.yaml": person +
			"lines:\n  doubt: [\"Mira may know it better.\"]\n"},
			"npcs/mira/npc.yaml: warning: `lines.doubt` states something (mira), and an NPC says it after"},
		{"a doubt of two sentences", map[string]string{"npcs/mira/npc.yaml": person +
			"lines:\n  de: {doubt: [\"Ganz sicher bin ich nicht. Der Fluss steigt.\"]}\n"},
			"npcs/mira/npc.yaml: warning: `lines.doubt` is more than one sentence"},
		{"a doubt that states nothing", map[string]string{"npcs/mira/npc.yaml": person +
			"lines:\n  doubt: [\"Do not hang me for every word of that.\"]\n"}, ""},
		{"nobody at all", map[string]string{"npcs/mira/npc.yaml": absent, "npcs/mira/home/diary.txt": absent,
			"npcs/mira/home/diary.txt.meta.yaml": absent}, "world.yaml: warning: the world has no NPC"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w, problems, err := world.Load(files(c.change), ".")
			if err != nil {
				t.Fatal(err)
			}
			got := world.Lint(w, problems, reject)
			if c.want == "" && len(got) > 0 || c.want != "" && !hasProblem(got, c.want) {
				t.Errorf("want %q, got\n%s", c.want, lines(got))
			}
			for _, p := range got {
				if p.Severity != world.SeverityWarning {
					t.Errorf("not a warning: %s", p)
				}
			}
		})
	}
}
