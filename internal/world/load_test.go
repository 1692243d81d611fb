package world_test

import (
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/forsooth-npc/forsooth/internal/world"
)

// files is a small valid world with one file each of what matters.
func files(change map[string]string) fstest.MapFS {
	all := map[string]string{
		"world.yaml":                         "name: test\n",
		"npcs/mira/npc.yaml":                 "handle: mira\nname: Mira\nbackstory: Mira is a smith.\npersonality: blunt\n",
		"npcs/mira/home/diary.txt":           "I forged the gate.\n",
		"npcs/mira/home/diary.txt.meta.yaml": meta,
		"lore/mill.txt":                      "The mill burned in spring.\n",
		"lore/mill.txt.meta.yaml":            meta,
	}
	maps.Copy(all, change)
	fsys := fstest.MapFS{}
	for name, content := range all {
		if content != absent {
			fsys[name] = &fstest.MapFile{Data: []byte(content)}
		}
	}
	return fsys
}

const (
	absent = "\x00absent"
	meta   = "created_at: 1402-01-01\nauthor: Mira\ntype: note\nsummary: a note\nkeywords: [mill]\n"
	person = "handle: mira\nname: Mira\nbackstory: Mira is a smith.\npersonality: blunt\n"
)

func TestAValidWorldHasNoProblem(t *testing.T) {
	w, problems, err := world.Load(files(nil), ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range world.Lint(w, problems, nil) {
		t.Error(p)
	}
	if len(w.Documents) != 4 || w.NPCs["mira"].Name != "Mira" || w.Title != "test" || w.Language != "en" {
		t.Errorf("loaded %d documents, %+v", len(w.Documents), w)
	}
}

// Only the world's own frame keeps it from loading.
func TestFrameErrors(t *testing.T) {
	for name, c := range map[string]struct{ frame, want string }{
		"missing file":      {absent, "world.yaml is missing"},
		"not YAML":          {"name: [a", "world.yaml"},
		"empty":             {"", "world.yaml:1: error: is empty"},
		"a list":            {"- a\n", "not a list of `key: value` lines"},
		"no name":           {"title: x\n", "`name` is missing"},
		"a name with a dot": {"name: a.b\n", "world.yaml:1: error: `name` holds '.'"},
		"model in policy": {"name: a\nsource_policy:\n  world: [corpus, model]\n",
			"world.yaml:3: error: `source_policy.world` lists model"},
		"a wider policy": {"name: a\nsource_policy: {world: [user]}\n", "may only narrow"},
		"lore in a recap": {"name: a\nsource_policy:\n  recap: [corpus]\n",
			"world.yaml:3: error: `source_policy.recap` lists corpus; a world may only narrow"},
		"a recap of one word": {"name: a\nsource_policy:\n  recap: none\n", "world.yaml:3: error: `source_policy.recap`"},
		"an unknown policy":   {"name: a\nsource_policy: {rumour: [user]}\n", "is no policy"},
		"now is no time":      {"name: a\nnow: yesterday\n", "world.yaml:2: error: `now` is \"yesterday\""},
		"strict is no bool":   {"name: a\nstrict: very\n", "write true or false"},
		"threshold is a word": {"name: a\nthresholds:\n  unknown: low\n",
			"world.yaml:3: error: `thresholds.unknown` is not a number"},
		"threshold out of range": {"name: a\nthresholds:\n  entailment_threshold: 1.2\n",
			"world.yaml:3: error: `thresholds` entailment_threshold is 1.2; it must lie between 0 and 1"},
		"a merge key": {"name: a\n<<: {title: x}\n", "merge key"},
		"a key twice": {"name: a\nname: b\n", "world.yaml:2"},
		"huge":        {"name: a\n#" + strings.Repeat("x", 1<<20), "is over 1048576 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := world.Load(files(map[string]string{"world.yaml": c.frame}), ".")
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("err = %v, want one line with %q", err, c.want)
			}
		})
	}
}

func TestPolicyMayNarrow(t *testing.T) {
	w, _, err := world.Load(files(
		map[string]string{"world.yaml": "name: a\nsource_policy: {shared_past: [system]}\n"}), ".")
	if err != nil {
		t.Fatal(err)
	}
	for policy, want := range map[string]map[string]bool{
		"shared_past": {"user": false, "system": true, "model": false},
		"world":       {"corpus": true, "user": false, "model": false},
	} {
		for origin, ok := range want {
			if w.Grounds(policy, schemaOrigin(origin)) != ok {
				t.Errorf("%s grounds %s: %v, want %v", origin, policy, !ok, ok)
			}
		}
	}
}

// A world may refuse recaps, wholly or of one side; a recap of what the shared past may
// not rest on is of no use, and lint says so.
func TestRecapMayBeRefused(t *testing.T) {
	for policy, want := range map[string]struct {
		user, system bool
		warns        string
	}{
		"recap: []":     {},
		"recap: [user]": {user: true},
		"{}":            {user: true, system: true},
		"shared_past: []\n  recap: [user]": {user: true,
			warns: "world.yaml:4: warning: `source_policy.recap` lists user"},
		"shared_past: [user]\n  recap: []":   {},
		"shared_past: []":                    {user: true, system: true},
		"recap: [system]\n  state: [system]": {system: true},
	} {
		w, problems, err := world.Load(
			files(map[string]string{"world.yaml": "name: a\nsource_policy:\n  " + policy + "\n"}), ".")
		if err != nil {
			t.Fatal(err)
		}
		if w.Grounds(world.PolicyRecap, "user") != want.user || w.Grounds(world.PolicyRecap,
			"system") != want.system {
			t.Errorf("%s: %v", policy, w.SourcePolicy)
		}
		said := ""
		for _, p := range problems {
			if strings.Contains(p.String(), "source_policy") {
				said += p.String()
			}
		}
		if want.warns == "" && said != "" || !strings.HasPrefix(said, want.warns) {
			t.Errorf("%s: lint says %q, want %q", policy, said, want.warns)
		}
	}
}

// Every other fault costs its own file and nothing else.
func TestFileErrors(t *testing.T) {
	cases := []struct {
		name   string
		change map[string]string
		want   string // a problem begins so
		lost   string // a document that must be gone
	}{
		{"no companion", map[string]string{"lore/mill.txt.meta.yaml": absent}, "lore/mill.txt: error: has no companion",
			"lore/mill.txt"},
		{"companion is not YAML", map[string]string{"lore/mill.txt.meta.yaml": "a: [\n"}, "lore/mill.txt.meta.yaml",
			"lore/mill.txt"},
		{"companion is empty", map[string]string{"lore/mill.txt.meta.yaml": ""}, "lore/mill.txt.meta.yaml:1: error: is empty",
			"lore/mill.txt"},
		{"no author", map[string]string{"lore/mill.txt.meta.yaml": "created_at: 1\ntype: a\nsummary: b\nkeywords: []\n"},
			"lore/mill.txt.meta.yaml:1: error: `author` is missing", "lore/mill.txt"},
		{"no created_at", map[string]string{"lore/mill.txt.meta.yaml": "author: a\ntype: a\nsummary: b\nkeywords: []\n"},
			"lore/mill.txt.meta.yaml:1: error: `created_at` is missing", "lore/mill.txt"},
		{"created_at is no time", map[string]string{"lore/mill.txt.meta.yaml": strings.Replace(meta, "1402-01-01", "spring",
			1)}, "lore/mill.txt.meta.yaml:1: error: `created_at` is \"spring\"", "lore/mill.txt"},
		{"created_at in year 10000",
			map[string]string{"lore/mill.txt.meta.yaml": strings.Replace(meta, "1402-01-01", "253402300800", 1)},
			"lore/mill.txt.meta.yaml:1: error: `created_at` is 253402300800 seconds", "lore/mill.txt"},
		{"known_by is empty", map[string]string{"lore/mill.txt.meta.yaml": meta + "known_by: []\n"},
			"lore/mill.txt.meta.yaml:6: error: `known_by` is empty", "lore/mill.txt"},
		{"known_by is null", map[string]string{"lore/mill.txt.meta.yaml": meta + "known_by:\n"},
			"lore/mill.txt.meta.yaml:6: error: `known_by` is empty", "lore/mill.txt"},
		{"known_by of no kind", map[string]string{"lore/mill.txt.meta.yaml": meta + "known_by: [guild:smiths]\n"},
			"lore/mill.txt.meta.yaml:6: error: `known_by` lists \"guild:smiths\"", "lore/mill.txt"},
		{"allowed_for of no kind", map[string]string{"lore/mill.txt.meta.yaml": meta + "allowed_for: [gossip]\n"},
			"lore/mill.txt.meta.yaml:6: error: `allowed_for` lists \"gossip\"", "lore/mill.txt"},
		{"bad condition", map[string]string{"lore/mill.txt.meta.yaml": meta + "requires: trust >\n"},
			"lore/mill.txt.meta.yaml:6: error: `requires` is not a condition: column 8", "lore/mill.txt"},
		{"empty condition", map[string]string{"lore/mill.txt.meta.yaml": meta + "requires: ''\n"},
			"lore/mill.txt.meta.yaml:6: error: `requires` is empty", "lore/mill.txt"},
		{"null condition", map[string]string{"lore/mill.txt.meta.yaml": meta + "requires:\n"},
			"lore/mill.txt.meta.yaml:6: error: `requires` is empty", "lore/mill.txt"},
		{"never valid", map[string]string{"lore/mill.txt.meta.yaml": meta + "valid_from: 1402-05-01\nvalid_to: 1402-04-01\n"},
			"lore/mill.txt.meta.yaml:7: error: `valid_to` lies before", "lore/mill.txt"},
		{"not UTF-8", map[string]string{"lore/mill.txt": "The mill.\nCaf\xe9 is shut.\n"},
			"lore/mill.txt:2: error: is not UTF-8", "lore/mill.txt"},
		{"huge", map[string]string{"lore/mill.txt": strings.Repeat("The mill burned. ", 70_000)},
			"lore/mill.txt: error: is over 1048576 bytes", "lore/mill.txt"},
		{"no mail", map[string]string{"lore/a.eml": "just text", "lore/a.eml.meta.yaml": meta}, "lore/a.eml:1: error:",
			"lore/a.eml"},
		{"records are not YAML", map[string]string{"lore/a.yaml": "a: [", "lore/a.yaml.meta.yaml": meta},
			"lore/a.yaml:1: error: is not valid YAML", "lore/a.yaml"},
		{"a name that cannot be an id", map[string]string{"lore/a#1.txt": "x", "lore/a#1.txt.meta.yaml": meta},
			"lore: error: holds a file named \"a#1.txt\"", "lore/a#1.txt"},
		{"a name that does not show", map[string]string{"lore/a\u200b.txt": "x"},
			"lore: error: holds a file named \"a\\u200b.txt\"", ""},
		{"no personality", map[string]string{"npcs/mira/npc.yaml": strings.Replace(person, "personality: blunt\n", "", 1)},
			"npcs/mira/npc.yaml:1: error: `personality` is missing", "npcs/mira/npc.yaml"},
		{"handle is not the folder",
			map[string]string{"npcs/mira/npc.yaml": strings.Replace(person, "handle: mira", "handle: myra", 1)},
			"npcs/mira/npc.yaml:1: error: `handle` is \"myra\" in the folder \"mira\"", "npcs/mira/npc.yaml"},
		{"two of one handle", map[string]string{"npcs/ada/npc.yaml": person},
			"npcs/ada/npc.yaml:1: error: `handle` is \"mira\", and so it is in npcs/mira/npc.yaml", "npcs/ada/npc.yaml"},
		{"no npc.yaml", map[string]string{"npcs/ada/home/a.txt": "x", "npcs/ada/home/a.txt.meta.yaml": meta},
			"npcs/ada/npc.yaml: error: is missing", ""},
		{"bad condition of a secret", map[string]string{"npcs/mira/npc.yaml": person + "secrets:\n  - text: a\n    " +
			"requires: loyalty\n"}, "npcs/mira/npc.yaml:7: error: `secrets[0].requires` is not a condition",
			"npcs/mira/npc.yaml"},
		{"an action with a bad name", map[string]string{"npcs/mira/npc.yaml": person + "actions: [{name: give item}]\n"},
			"npcs/mira/npc.yaml:5: error: `actions[0].name` holds ' '", "npcs/mira/npc.yaml"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w, problems, err := world.Load(files(c.change), ".")
			if err != nil {
				t.Fatal(err)
			}
			if !hasProblem(problems, c.want) {
				t.Errorf("no problem begins with %q in\n%v", c.want, lines(problems))
			}
			kept := 0
			for _, d := range w.Documents {
				if d.Path == c.lost {
					t.Errorf("%s is still citable", c.lost)
				}
				if d.Path == "npcs/mira/home/diary.txt" {
					kept++
				}
			}
			if kept != 1 {
				t.Error("a fault of one file cost another")
			}
		})
	}
}

func TestFileWarnings(t *testing.T) {
	cases := []struct {
		name   string
		change map[string]string
		want   string
	}{
		{"unknown key in the frame", map[string]string{"world.yaml": "name: a\ntitel: b\n"},
			"world.yaml:2: warning: `titel` is not a key of this file; did you mean `title`?"},
		{"unknown threshold", map[string]string{"world.yaml": "name: a\nthresholds:\n  entailment: 0.9\n"},
			"world.yaml:3: warning: `thresholds.entailment` is no threshold and is ignored"},
		{"unknown key of an NPC", map[string]string{"npcs/mira/npc.yaml": person + "mood: sour\n"},
			"npcs/mira/npc.yaml:5: warning: `mood` is not a key of this file; it is ignored"},
		{"unknown kind of line", map[string]string{"npcs/mira/npc.yaml": person + "lines:\n  welcome: [hi]\n"},
			"npcs/mira/npc.yaml:6: warning: `lines.welcome` is not a key"},
		{"unknown key of a companion", map[string]string{"lore/mill.txt.meta.yaml": meta + "know_by: [mira]\n"},
			"lore/mill.txt.meta.yaml:6: warning: `know_by` is not a key of this file; did you mean `known_by`?"},
		{"a year as seconds", map[string]string{"lore/mill.txt.meta.yaml": strings.Replace(meta, "1402-01-01", "1402", 1)},
			"lore/mill.txt.meta.yaml:1: warning: `created_at` 1402 is read as unix seconds, which is 1970-01-01 00:23:22; " +
				"for a year write \"1402-01-01\""},
		{"an unknown belief", map[string]string{"lore/mill.txt.meta.yaml": meta + "belief: maybe\n"},
			"lore/mill.txt.meta.yaml:6: warning: `belief` is \"maybe\""},
		{"nothing to cite", map[string]string{"lore/mill.txt": "\n***\n"}, "lore/mill.txt: warning: holds no sentence"},
		{"no document", map[string]string{"lore/map.png": "x"}, "lore/map.png: warning: is no document"},
		{"a companion alone", map[string]string{"lore/a.txt.meta.yaml": meta},
			"lore/a.txt.meta.yaml: warning: belongs to no file"},
		{"default_npc is nobody", map[string]string{"world.yaml": "name: a\ndefault_npc: ada\n"},
			"world.yaml: warning: `default_npc` names \"ada\""},
		{"a backstory with escapes",
			map[string]string{"npcs/mira/npc.yaml": strings.Replace(person, "Mira is a smith.", `"Mira is a \"smith\"."`, 1)},
			"npcs/mira/npc.yaml:3: warning: `backstory` does not stand in the file as it reads"},
		{"goals with escapes", map[string]string{"npcs/mira/npc.yaml": person + "goals: [\"Be called \\\"smith\\\".\"]\n"},
			"npcs/mira/npc.yaml:5: warning: `goals` does not stand in the file as it reads"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w, problems, err := world.Load(files(c.change), ".")
			if err != nil {
				t.Fatal(err)
			}
			if !hasProblem(problems, c.want) {
				t.Errorf("no problem begins with %q in\n%v", c.want, lines(problems))
			}
			if len(world.Errors(problems)) > 0 || len(w.Documents) < 3 {
				t.Errorf("a warning cost something: %v", lines(problems))
			}
		})
	}
}

func TestHiddenFilesAreNoDocuments(t *testing.T) {
	w, problems, err := world.Load(
		files(map[string]string{"lore/.git/x.txt": "x", "lore/.DS_Store": "x", "lore/a.txt~": "x", "README.md": "x"}), ".")
	if err != nil || len(problems) > 0 || len(w.Documents) != 4 {
		t.Errorf("%d documents, %v, %v", len(w.Documents), lines(problems), err)
	}
}

func TestTimes(t *testing.T) {
	for in, want := range map[string]string{
		"946684800":                 "2000-01-01T00:00:00Z",
		"-17924025600":              "1402-01-05T00:00:00Z",
		"1402-05-03":                "1402-05-03T00:00:00Z",
		"1402-05-03T18:00:00Z":      "1402-05-03T18:00:00Z",
		"1402-05-03T18:00:00+02:00": "1402-05-03T16:00:00Z",
		"0987-01-01":                "0987-01-01T00:00:00Z",
		"1402-05-03 18:00":          "1402-05-03T18:00:00Z",
		"0000-01-01":                "",
		"1402":                      "1970-01-01T00:23:22Z",
		"1402-13-01":                "",
		"May 1402":                  "",
		"1e9":                       "",
		"9223372036854775807":       "",
		"":                          "",
	} {
		got, err := world.ParseTime(in)
		if want == "" {
			if err == nil {
				t.Errorf("ParseTime(%q) took it as %v", in, got)
			}
			continue
		}
		if err != nil || got.Format("2006-01-02T15:04:05Z07:00") != want {
			t.Errorf("ParseTime(%q) = %v, %v; want %s", in, got, err, want)
		}
	}
}

func hasProblem(problems []world.Problem, prefix string) bool {
	for _, p := range problems {
		if strings.HasPrefix(p.String(), prefix) {
			return true
		}
	}
	return false
}

func lines(problems []world.Problem) string {
	var b strings.Builder
	for _, p := range problems {
		b.WriteString(p.String() + "\n")
	}
	return b.String()
}
