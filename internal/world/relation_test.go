package world_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/forsooth-npc/forsooth/internal/world"
)

func dweller(handle, rest string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte("handle: " + handle + "\nname: " + handle +
		"\nbackstory: \"One of the village.\"\npersonality: \"plain\"\n" + rest)}
}

// What a world says of relations is held against itself: each fault is one line.
func TestRelationsThatCannotBeAreErrors(t *testing.T) {
	for _, c := range []struct{ name, frame, mira, wren, want string }{
		{"all well", "factions: [guild]", "relations:\n  wren: {kind: niece, trust: 9}\nschedule:\n  zone: UTC\n  day:\n" +
			"    - {from: \"08:00\", to: \"12:00\", mood: tired}\n    - {from: \"22:00\", to: \"05:00\"}\n",
			"relations:\n  mira: {kind: aunt}\n", ""},
		{"an unknown NPC", "", "relations:\n  wrenn: {trust: 1}\n", "", "names no NPC of this world"},
		{"itself", "", "relations:\n  mira: {trust: 1}\n", "", "is the NPC itself"},
		{"a contradiction", "", "relations:\n  wren: {kind: daughter}\n", "relations:\n  mira: {kind: sister}\n",
			"one of them is wrong"},
		{"trust out of bounds", "", "relations:\n  wren: {trust: 900}\n", "", "from -100 to 100"},
		{"a number in an opinion", "", "relations:\n  wren: {says: \"Wren owns 3 boats.\"}\n", "", "states no fact"},
		{"no zone", "", "schedule:\n  day:\n    - {from: \"08:00\", to: \"12:00\"}\n", "", "`schedule.zone` is missing"},
		{"a zone that is none", "", "schedule:\n  zone: Mars\n", "", "write UTC, or an offset"},
		{"an overlap", "", "schedule:\n  zone: UTC\n  day:\n    - {from: \"08:00\", to: \"12:00\"}\n" +
			"    - {from: \"11:00\", to: \"13:00\"}\n", "", "overlaps"},
		{"an overlap over midnight", "", "schedule:\n  zone: UTC\n  day:\n    - {from: \"22:00\", to: \"05:00\"}\n" +
			"    - {from: \"04:00\", to: \"06:00\"}\n", "", "overlaps"},
		{"a time that is none", "", "schedule:\n  zone: UTC\n  day:\n    - {from: \"8\", to: \"12:00\"}\n", "",
			"time of day"},
		{"a cause that is none", "", "trust: {rises_on: {praise: 1}}\n", "", "is no cause"},
		{"a step too far", "", "trust: {rises_on: {thanks: 50}}\n", "", "from 1 to 10"},
		{"both ways", "", "trust: {rises_on: {thanks: 1}, falls_on: {thanks: 1}}\n", "", "keep one"},
		{"a favour of nobody", "", "favours: [{on: event.brought}]\n", "", "one of owes and settles"},
		{"a favour for talk", "", "favours: [{on: thanks, owes: npc}]\n", "", "action.NAME or event.PREDICATE"},
		{"an unknown faction in a rule", "factions: [guild]", "standing: [{on: event.helped, faction: gild, by: 1}]\n", "",
			"does not list; there are guild"},
		{"an unknown faction in a condition", "factions: [guild]",
			"secrets: [{text: \"I hid it.\", requires: \"standing.gild >= 2\"}]\n", "", "does not list"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, problems, err := world.Load(fstest.MapFS{"world.yaml": {Data: []byte("name: village\n" + c.frame + "\n")},
				"npcs/mira/npc.yaml": dweller("mira", c.mira), "npcs/wren/npc.yaml": dweller("wren", c.wren)}, ".")
			if err != nil {
				t.Fatal(err)
			}
			errs := world.Errors(world.Lint(w, problems, nil))
			if c.want == "" && len(errs) > 0 || c.want != "" && (len(errs) != 1 ||
				!strings.Contains(errs[0].String(), c.want)) {
				t.Errorf("%v; want one with %q", errs, c.want)
			}
		})
	}
}

func TestAnUnknownFactionOfAWorldKeepsItFromLoading(t *testing.T) {
	_, _, err := world.Load(fstest.MapFS{"world.yaml": {Data: []byte(
		"name: village\nfactions: [guild]\nstanding: [{on: event.helped, faction: gild, by: 1}]\n")}}, ".")
	if err == nil || !strings.Contains(err.Error(), "gild") {
		t.Errorf("%v", err)
	}
}
