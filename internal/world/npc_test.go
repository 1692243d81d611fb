package world_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// mira loads a world in which mira's npc.yaml goes on with more.
func mira(t *testing.T, more string) (*world.World, *world.NPC, []world.Problem) {
	t.Helper()
	w, problems, err := world.Load(files(map[string]string{"npcs/mira/npc.yaml": person + more}), ".")
	if err != nil {
		t.Fatal(err)
	}
	n := w.NPCs["mira"]
	if n == nil {
		t.Fatalf("mira is not loaded: %s", lines(problems))
	}
	return w, n, problems
}

func TestAnNPCIsReadWhole(t *testing.T) {
	_, n, problems := mira(t, `style: short
region: docks
factions: [smiths, "region:vane"]
goals: [finish the gate]
greeting: Well met.
farewell: [Go well., Mind the step.]
strict: true
streaming: false
depth: lean
thresholds: {unknown: 0.3}
voice:
  openers: [Hm.]
  hedges: [I reckon]
  lowercase: true
  replacements: {friend: mate, hello: hullo}
secrets:
  - {text: She owes the guild., requires: trust >= 30}
actions:
  - name: give_item
    parameters: {type: object, properties: {item: {type: string}}}
    requires: trust >= 20
    confirm: true
    speech_acts: [take this]
model: {speech: {model: big}}
`)
	if len(problems) > 0 {
		t.Error(lines(problems))
	}
	yes, no := true, false
	want := world.NPC{Strict: &yes, Streaming: &no}
	if *n.Strict != *want.Strict || *n.Streaming != *want.Streaming || n.Depth != world.DepthLean ||
		n.Thresholds["unknown"] != 0.3 ||
		n.Style != "short" || n.Region != "docks" || n.Greeting != "Well met." || n.Farewell != "Go well." ||
		n.Goals[0] != "finish the gate" {
		t.Errorf("read %+v", n)
	}
	if v := (world.Voice{Openers: []string{"Hm."}, Hedges: []string{"I reckon"}, Lowercase: true,
		Replacements: map[string]string{"friend": "mate", "hello": "hullo"}}); !reflect.DeepEqual(n.Voice, v) {
		t.Errorf("voice = %+v", n.Voice)
	}
	a := schema.ActionSpec{Name: "give_item", Parameters: []byte(`{"properties":{"item":{"type":"string"}}` +
		`,"type":"object"}`),
		Requires: "trust >= 20", Confirm: true, SpeechActs: []string{"take this"}}
	if !reflect.DeepEqual(n.Actions, []schema.ActionSpec{a}) {
		t.Errorf("actions = %+v, parameters %s", n.Actions, n.Actions[0].Parameters)
	}
	if n.Model["speech"] != (world.Call{Model: "big"}) {
		t.Errorf("model = %+v", n.Model)
	}
}

func TestSettingsFallFromTheNPCToTheWorld(t *testing.T) {
	w, _, err := world.Load(files(map[string]string{
		"world.yaml": "name: a\nstrict: true\nstreaming: false\ndepth: full\nthresholds: {unknown: 0.2, model: 0.7}\n",
		"npcs/ada/npc.yaml": strings.ReplaceAll(person, "mira", "ada") +
			"strict: false\nstreaming: true\ndepth: lean\nthresholds: {unknown: 0.4}\n",
		"npcs/mira/npc.yaml": person,
	}), ".")
	if err != nil {
		t.Fatal(err)
	}
	ada, mira := w.NPCs["ada"], w.NPCs["mira"]
	if w.StrictFor(ada) || !w.StrictFor(mira) || !w.StreamingFor(ada) || w.StreamingFor(mira) ||
		w.DepthFor(ada) != world.DepthLean || w.DepthFor(mira) != world.DepthFull {
		t.Error("a setting does not fall through")
	}
	for _, c := range []struct {
		npc  *world.NPC
		name string
		want float64
	}{{ada, "unknown", 0.4}, {mira, "unknown", 0.2}, {ada, "model", 0.7}, {ada, "other", 0.9}, {nil, "unknown", 0.2}} {
		if got := w.Threshold(c.npc, c.name, 0.9); got != c.want {
			t.Errorf("%s = %v, want %v", c.name, got, c.want)
		}
	}
}

func TestLines(t *testing.T) {
	_, n, problems := mira(t, `greeting: Well met.
lines:
  unknown: [No idea., Ask the miller.]
  who_are_you: "{name} the smith."
  de:
    unknown: [Keine Ahnung.]
  en-GB:
    unknown: [Not a clue.]
`)
	if len(problems) > 0 {
		t.Error(lines(problems))
	}
	for _, c := range []struct {
		kind, locale string
		want         []string
	}{
		{"unknown", "", []string{"No idea.", "Ask the miller."}},
		{"unknown", "en", []string{"No idea.", "Ask the miller."}},
		{"unknown", "en-GB", []string{"Not a clue."}},
		{"unknown", "en_US", []string{"No idea.", "Ask the miller."}},
		{"unknown", "de-AT", []string{"Keine Ahnung."}},
		{"thanks", "de", []string{"Gern geschehen.", "Nicht der Rede wert.", "Jederzeit.", "Keine Ursache."}},
		{"who_are_you", "es_MX", []string{"Me llamo Mira.", "Mi nombre es Mira.", "Me llaman Mira."}},
		{"unknown", "pt", []string{"No idea.", "Ask the miller."}},
		{"who_are_you", "", []string{"Mira the smith."}},
		{"greeting", "", []string{"Well met."}},
	} {
		if got := n.Line(c.kind, c.locale); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s in %q = %q, want %q", c.kind, c.locale, got, c.want)
		}
	}
}

// What an NPC lacks comes from the binary, in each language that it speaks: several
// lines of every kind, none twice, each one short and a whole sentence.
func TestEveryKindHasDefaultLines(t *testing.T) {
	_, n, _ := mira(t, "")
	var all []string
	for _, locale := range []string{"", "de", "fr", "es"} {
		for _, kind := range world.LineKinds {
			got := n.Line(kind, locale)
			if len(got) < 3 {
				t.Errorf("%d lines of %s in %q, want several", len(got), kind, locale)
			}
			for _, s := range got {
				if slices.Contains(all, s) || strings.Contains(s, "{") || len(strings.Fields(s)) > 15 ||
					!strings.ContainsAny(s[len(s)-1:], ".?!") {
					t.Errorf("%s in %q: %q", kind, locale, s)
				}
				all = append(all, s)
			}
		}
	}
}

func TestAVoiceMayNotChangeWhatIsSaid(t *testing.T) {
	for replacement, what := range map[string]string{
		"two: twa":              "a number (two)",
		"coin: 2 coins":         "a number",
		"is not: ain't":         "a negation (not)",
		"yes: don't know":       "a negation (don't)",
		"might: will":           "a modal (might)",
		"sure: perhaps":         "a modal (perhaps)",
		"all: the lot":          "a quantifier (all)",
		"folk: most folk":       "a quantifier (most)",
		"friend: Harald":        "a name (Harald)",
		"the smith: the Miller": "a name (Miller)",
		"smith: mira":           "a name (mira)",
		"smith: vane":           "a name (vane)",
	} {
		w, problems, err := world.Load(files(map[string]string{
			"npcs/mira/npc.yaml": person + "voice:\n  replacements:\n    " + replacement + "\n    friend of mine: mate\n",
			"lore/mill.txt":      "The road to Vane is shut.",
		}), ".")
		if err != nil {
			t.Fatal(err)
		}
		from, _, _ := strings.Cut(replacement, ":")
		if !hasProblem(problems, "npcs/mira/npc.yaml:7: error: `voice.replacements."+from+"` touches "+what) {
			t.Errorf("%s: want %q in\n%s", replacement, what, lines(problems))
		}
		if n := w.NPCs["mira"]; n == nil ||
			!reflect.DeepEqual(n.Voice.Replacements, map[string]string{"friend of mine": "mate"}) {
			t.Errorf("%s: the NPC must stay, without it", replacement)
		}
	}
}

func TestScope(t *testing.T) {
	npc := func(handle, region string, factions ...string) *world.NPC {
		return &world.NPC{Handle: handle, Region: region, Factions: factions}
	}
	cases := []struct {
		name    string
		owner   string
		knownBy []string
		npc     *world.NPC
		want    bool
	}{
		{"lore is for all", "", nil, npc("mira", ""), true},
		{"home is for its owner", "mira", nil, npc("mira", ""), true},
		{"home is for nobody else", "mira", nil, npc("bob", ""), false},
		{"all of a home", "mira", []string{"all"}, npc("bob", ""), true},
		{"an owner is never shut out", "mira", []string{"bob"}, npc("mira", ""), true},
		{"a handle", "", []string{"bob"}, npc("bob", ""), true},
		{"another handle", "", []string{"bob"}, npc("bo", ""), false},
		{"a faction", "", []string{"faction:smiths"}, npc("a", "", "smiths"), true},
		{"a faction, qualified", "", []string{"faction:smiths"}, npc("a", "", "faction:smiths"), true},
		{"no faction of a region's name", "", []string{"faction:docks"}, npc("a", "docks"), false},
		{"a region", "", []string{"region:docks"}, npc("a", "docks"), true},
		{"a region among factions", "", []string{"region:docks"}, npc("a", "", "region:docks"), true},
		{"a faction of a region's name", "", []string{"region:docks"}, npc("a", "", "docks"), false},
		{"a handle of a region's name", "", []string{"region:docks"}, npc("docks", ""), false},
		{"no NPC", "", nil, nil, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := world.ScopeOf(protocol.Chunk{NPC: c.owner, KnownBy: c.knownBy}, c.npc); got != c.want {
				t.Errorf("chunk: %v, want %v", got, c.want)
			}
			var w world.World
			if got := w.InScope(&world.Document{NPC: c.owner, KnownBy: c.knownBy}, c.npc); got != c.want {
				t.Errorf("document: %v, want %v", got, c.want)
			}
		})
	}
}
