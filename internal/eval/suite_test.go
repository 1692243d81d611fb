package eval

import (
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

const head = "suite: s\nworld: w\ncases:\n"

func TestWhatIsWrongWithASuiteIsNamedByLine(t *testing.T) {
	one := "  - name: a\n    npc: mira\n    player_message: hm\n"
	for _, c := range []struct{ name, body, want string }{
		{"not YAML", "suite: [\n", "s.yaml:1: "},
		{"a list at the top", "- a\n", "s.yaml:1: "},
		{"no world", "suite: s\ncases:\n" + one, "s.yaml:1: world is missing"},
		{"no cases", "suite: s\nworld: w\n", "s.yaml:1: there are no cases"},
		{"an unknown key", head + one + "    expect: x\n", `s.yaml:7: unknown field "expect"`},
		{"an unknown key at the top", head + one + "colour: red\n", `s.yaml:7: unknown field "colour"`},
		{"a word for a number", head + one + "    trust: many\n", "s.yaml:7: "},
		{"a word for a list", head + one + "    flags: {a: b}\n", "s.yaml:7: "},
		{"no name", head + one + "  - player_message: hm\n", "s.yaml:7: case 2: name is missing"},
		{"no message", head + "  - name: a\n", "s.yaml:4: case 1: player_message is missing"},
		{"a name twice", head + one + one, "s.yaml:7: the name \"a\" stands at line 4 already"},
		{"no pattern", head + one + "    reject_patterns: ['(']\n", "no RE2 pattern"},
		{"too much trust", head + one + "    trust: 400\n", "trust: is 400"},
		{"a threshold of nothing", "thresholds: {speed: {min: 1}}\n" + head + one, `s.yaml:1: threshold "speed" is neither`},
		{"a threshold without a bound", "thresholds:\n  passed: {}\n" + head + one, "neither min nor max"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse("s.yaml", []byte(c.body))
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("it says %v, want one line with %q", err, c.want)
			}
		})
	}
}

func TestWhatASuiteImplies(t *testing.T) {
	s, err := Parse("dir/s.yaml", []byte(`world: ..
cases:
  - {name: a, player_message: hm}
  - {name: b, player_message: hm, expect_uncertain: true}
  - {name: c, player_message: hm, kind: fake, expect_uncertain: true}
`))
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "s" {
		t.Errorf("name %q", s.Name)
	}
	for i, want := range []string{"known", "unknown", "fake"} {
		if got := s.Cases[i].Kind; got != want {
			t.Errorf("case %d is %s, want %s", i, got, want)
		}
	}
	if s.Path = "dir/s.yaml"; s.WorldDir() != "." {
		t.Errorf("world in %s", s.WorldDir())
	}
}

func TestGlobs(t *testing.T) {
	for _, c := range []struct {
		glob, path string
		want       bool
	}{
		{"lore/mill.txt", "lore/mill.txt", true},
		{"lore/mill.txt", "lore/mill_txt", false},
		{"lore/*", "lore/mill.txt", true},
		{"lore/*", "lore/a/mill.txt", false},
		{"lore/**", "lore/a/b/mill.txt", true},
		{"**/diary.txt", "npcs/mira/home/diary.txt", true},
		{"**/diary.txt", "diary.txt", true},
		{"npcs/*/home/**", "npcs/osric/home/a.txt", true},
		{"npcs/osric/**", "npcs/mira/home/a.txt", false},
		{"npcs/mira/npc.yaml#backstory", "npcs/mira/npc.yaml", true},
		{"lore/mill.t?t", "lore/mill.txt", true},
	} {
		if got := matches(globs([]string{c.glob}), c.path); got != c.want {
			t.Errorf("%s against %s: %v", c.glob, c.path, got)
		}
	}
}

func TestHistoryBecomesTheConversation(t *testing.T) {
	c := Case{History: []Exchange{{Player: "I am Ansel.", NPC: "So you say."}, {Player: "Well?"}}}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	doc := c.Conversation(schema.ConversationID{World: "w", NPC: "n", Player: "p"}, at)
	if len(doc.Memory) != 3 || doc.Memory[0].Source != schema.OriginUser || doc.Memory[1].Source != schema.OriginSystem ||
		doc.Memory[1].Speaker != "npc" {
		t.Errorf("%+v", doc.Memory)
	}
	if (&Case{}).Conversation(schema.ConversationID{}, at) != nil {
		t.Error("no history makes a document")
	}
}

// Whatever stands in a file, reading it ends with a suite or with one line.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{head + "  - {name: a, player_message: b}\n", "cases: {}", "- x", "world: &a [*a]",
		"suite: [", "\x00", "cases:\n  - [a]\n",
		head + "  - name: a\n    player_message: |\n      x\n    trust: 4\n    history: [{player: a}]\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse("s.yaml", data)
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%q gives %q", data, err)
		}
		if err == nil && len(s.Cases) == 0 {
			t.Errorf("%q is a suite without cases", data)
		}
	})
}
