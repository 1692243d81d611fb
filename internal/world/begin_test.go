package world_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/forsooth-npc/forsooth/internal/world"
)

const trusting = "trust: {rises_on: {event.rescued: 3}}"

func beginner(t *testing.T, rest string) (*world.World, []world.Problem) {
	t.Helper()
	w, problems, err := world.Load(fstest.MapFS{"world.yaml": {Data: []byte("name: village\nfactions: [guild]\n" +
		trusting + "\n")}, "npcs/mira/npc.yaml": dweller("mira", rest)}, ".")
	if err != nil {
		t.Fatal(err)
	}
	return w, world.Lint(w, problems, nil)
}

// A rule by which an NPC speaks first is read whole.
func TestAnNPCSpeaksOnEvents(t *testing.T) {
	w, problems := beginner(t, "speaks_on:\n"+
		"  - {event: event.rescued, cooldown: 10m, lines: [\"You came.\", \"There you are.\"]}\n"+
		"  - {event: visited, requires: \"trust >= 5\", cooldown: 1h, per_hour: 2, topic: \"Who owns the ferry?\"}\n")
	if len(world.Errors(problems)) > 0 {
		t.Fatal(problems)
	}
	line, topic := w.NPCs["mira"].Beginning("rescued"), w.NPCs["mira"].Beginning("visited")
	if line == nil || line.Cooldown != 10*time.Minute || line.PerHour != 4 || len(line.Lines) != 2 {
		t.Errorf("rescued: %+v", line)
	}
	if topic == nil || topic.PerHour != 2 || topic.Topic == "" || topic.Condition.Holds(world.Facts{Trust: 4}) ||
		!topic.Condition.Holds(world.Facts{Trust: 5}) {
		t.Errorf("visited: %+v", topic)
	}
	if w.NPCs["mira"].Beginning("robbed") != nil {
		t.Error("she speaks on what her file does not name")
	}
}

// Each fault of such a rule is one line, with the way to mend it.
func TestBeginningsThatCannotBeAreNamed(t *testing.T) {
	for _, c := range []struct{ name, rule, want string }{
		{"a misspelt kind", `event: resqued, cooldown: 1m, lines: ["Well."]`, "did you mean rescued?"},
		{"an unknown kind", `event: exploded_loudly, cooldown: 1m, lines: ["Well."]`, "no rule of this world names"},
		{"no kind", `cooldown: 1m, lines: ["Well."]`, ".event` is missing"},
		{"a kind that is none", `event: "it rained", cooldown: 1m, lines: ["Well."]`, "write the predicate of an event"},
		{"no cooldown", `event: rescued, lines: ["Well."]`, "cooldown` is missing"},
		{"a cooldown that is none", `event: rescued, cooldown: soon, lines: ["Well."]`, "write a duration"},
		{"a cooldown of nothing", `event: rescued, cooldown: 0s, lines: ["Well."]`, "write a duration"},
		{"too much", `event: rescued, cooldown: 1m, per_hour: 99, lines: ["Well."]`, "between 1 and 12"},
		{"nothing to say", `event: rescued, cooldown: 1m`, "needs one of topic and lines"},
		{"two things to say", `event: rescued, cooldown: 1m, topic: "Who?", lines: ["Well."]`,
			"needs one of topic and lines"},
		{"a condition that is none", `event: rescued, cooldown: 1m, requires: "trust >", lines: ["Well."]`,
			"is not a condition"},
		{"an unknown faction", `event: rescued, cooldown: 1m, requires: "standing.gild > 1", lines: ["Well."]`,
			"does not list; there are guild"},
		{"a flag", `event: rescued, cooldown: 1m, requires: "flags.quest.done", lines: ["Well."]`,
			"asks for the flag quest.done, which an event does not bring"},
		{"state of the game", `event: rescued, cooldown: 1m, requires: "state.player.level >= 3", lines: ["Well."]`,
			"asks for the state player.level"},
		{"a fact in a line", `event: rescued, cooldown: 1m, lines: ["I owe you 3 bits."]`, "nothing verifies it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, problems := beginner(t, "speaks_on:\n  - {"+c.rule+"}\n")
			of := slices.DeleteFunc(problems, func(p world.Problem) bool { return p.File != "npcs/mira/npc.yaml" })
			if len(of) != 1 || !strings.Contains(of[0].String(), c.want) {
				t.Errorf("%v; want one with %q", of, c.want)
			}
		})
	}
}
