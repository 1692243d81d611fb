package eval

import (
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func story(t *testing.T, text string) (*Case, error) {
	t.Helper()
	s, err := Parse("s.yaml", []byte("world: w\ncases:\n"+text))
	if err != nil {
		return nil, err
	}
	return &s.Cases[0], s.Bind(&world.World{Name: "w", NPCs: map[string]*world.NPC{"mira": {}, "osric": {}}})
}

func TestAStoryIsRefusedWhereItCannotBeRun(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"two of them": {"- {name: a, npc: mira, player: p1, steps: [{say: Hello., ask: Who?}]}", "2 of say, ask"},
		"none":        {"- {name: a, npc: mira, player: p1, steps: [{at: 1402-05-03T10:00:00Z}]}", "0 of say, ask"},
		"nothing asked": {"- {name: a, npc: mira, player: p1, steps: [{say: Hello., expect_topic: coast}]}",
			"asks nothing"},
		"nothing wanted": {"- {name: a, npc: mira, player: p1, steps: [{say: Hello.}]}", "expects nothing"},
		"beside the step": {"- {name: a, npc: mira, player: p1, expect_topic: coast, steps: [{ask: Who?}]}",
			"beside its steps"},
		"both forms": {"- {name: a, npc: mira, player: p1, player_message: Hello., steps: [{ask: Who?}]}",
			"both player_message and steps"},
		"no player":      {"- {name: a, npc: mira, steps: [{ask: Who?}]}", "player is missing"},
		"a bad player":   {"- {name: a, npc: mira, player: p1, steps: [{ask: Who?, player: a b}]}", "step 1: player"},
		"a bad pattern":  {"- {name: a, npc: mira, player: p1, steps: [{ask: Who?, reject: (}]}", "no RE2 pattern"},
		"an unknown NPC": {"- {name: a, npc: mira, player: p1, steps: [{ask: Who?, npc: zed}]}", `no NPC "zed"`},
		"a wrong key":    {"- {name: a, npc: mira, player: p1, steps: [{asks: Who?}]}", "asks"},
		"of one turn":    {"- {name: a, npc: mira, player_message: Who?, count: 1}", "single turn"},
		"no text": {"- {name: a, npc: mira, player: p1, steps: [{event: {player: p1, witnesses: [mira]}}], count: 0}",
			"step 1: text"},
	} {
		if _, err := story(t, c.text); err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.HasPrefix(err.Error(), "s.yaml:3: ") {
			t.Errorf("%s: %v, want a line that says %q", name, err, c.want)
		}
	}
}

func TestAStoryIsJudgedByItsAnswersAndByWhatIsRemembered(t *testing.T) {
	c, err := story(t, `- name: facts/home
  npc: mira
  player: p1
  player_name: Ansel
  steps:
  - say: I live in Oakham.
  - ask: Where do I live?
    expect_topic: oakham
    reject: ferrytown
  - ask: Where do I live?
    npc: osric
    player: p2
    expect_uncertain: true
  memories: [{status: active, predicate: lives_in, object: OAK, source: user}]
  absent: [{object: ferrytown}]
  count: 1
`)
	if err != nil {
		t.Fatal(err)
	}
	if c.Kind != "facts" || c.Steps[1].PlayerName != "Ansel" || c.Steps[2].PlayerName != "" || c.Steps[0].NPC != "mira" ||
		len(c.Told()) != 3 {
		t.Errorf("%+v", c)
	}
	home := schema.Memory{NPC: "mira", Player: "p1", Pred: "lives_in", Object: "Oakham", Source: schema.OriginUser,
		Status: schema.MemoryActive}
	answer := func(status schema.Status, text string) Seen {
		return Seen{Reply: &schema.Reply{Status: status, Text: text}}
	}
	right := answer(schema.StatusExtractive, "You told me that you live in Oakham.")
	unknown := answer(schema.StatusUnknown, "I do not know.")
	with := func(change func(*schema.Memory)) schema.Memory { m := home; change(&m); return m }
	for _, x := range []struct {
		name    string
		first   Seen
		second  Seen
		records []schema.Memory
		want    string
	}{
		{"all holds", right, unknown,
			[]schema.Memory{home, with(func(m *schema.Memory) { m.NPC = "osric"; m.Object = "Ferrytown" })}, ""},
		{"another topic", answer(schema.StatusExtractive, "In the mill."), unknown, []schema.Memory{home},
			`"oakham" in the reply`},
		{"rejected", answer(schema.StatusExtractive, "Oakham, or Ferrytown."), unknown, []schema.Memory{home},
			"nothing like"},
		{"told to another", right, right, []schema.Memory{home}, "unknown or withheld"},
		{"no reply", Seen{}, unknown, []schema.Memory{home}, "a reply"},
		{"nothing kept", right, unknown, nil, "a memory status active"},
		{"kept by another NPC", right, unknown, []schema.Memory{with(func(m *schema.Memory) { m.NPC = "osric" })},
			"a memory status active"},
		{"kept superseded", right, unknown,
			[]schema.Memory{with(func(m *schema.Memory) { m.Status = schema.MemorySuperseded })}, "a memory status active"},
		{"kept too", right, unknown,
			[]schema.Memory{home, with(func(m *schema.Memory) { m.Object, m.Status = "Ferrytown", schema.MemorySuperseded })},
			"no memory object ferrytown"},
		{"one too many", right, unknown,
			[]schema.Memory{home, with(func(m *schema.Memory) { m.Pred, m.Object = "from", "the coast" })}, "1 active memories"},
	} {
		o := JudgeStory(c, Lived{Seen: []Seen{answer(schema.StatusAnswered, "Well met."), x.first, x.second},
			Records: x.records})
		if (x.want == "") != o.Passed() || !strings.Contains(o.Want, x.want) {
			t.Errorf("%s: want %q, got %q", x.name, o.Want, o.Got)
		}
	}
	o := JudgeStory(c, Lived{Seen: []Seen{answer(schema.StatusAnswered, "Well met."), right, right}})
	if o.Reply != right.Reply || o.Message() != "Where do I live?" || strings.Count(o.Want, ";") != 2 {
		t.Errorf("of three failures: %q, at %q", o.Want, o.Message())
	}
	r := Summarise(&Suite{Name: "s"}, []Outcome{o})
	if len(r.Failures) != 1 || r.Failures[0].Reply != right.Reply.Text || r.Results[0].Message != "Where do I live?" ||
		r.Met || len(r.Triage) != 0 {
		t.Errorf("%+v", r)
	}
}
