package deed_test

import (
	"testing"

	"github.com/forsooth-npc/forsooth/internal/deed"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func TestWhyAnActionIsNotTaken(t *testing.T) {
	cases := []struct {
		requires string
		facts    world.Facts
		want     string
	}{
		{"", world.Facts{}, ""},
		{"trust >= 20", world.Facts{Trust: 20}, ""},
		{"trust >= 20", world.Facts{Trust: 19}, schema.RefusedTrust},
		{"trust >= 20 or flags.toll", world.Facts{}, schema.RefusedTrust},
		{"trust >= 20 and not flags.siege", world.Facts{Flags: []string{"siege"}}, schema.RefusedRequires},
		{"flags.toll", world.Facts{Trust: 100}, schema.RefusedRequires},
	}
	for _, c := range cases {
		if got := deed.Unmet(schema.ActionSpec{Requires: c.requires}, c.facts); got != c.want {
			t.Errorf("%q with %+v: %q, want %q", c.requires, c.facts, got, c.want)
		}
	}
}

func TestWhichParametersAreTheSame(t *testing.T) {
	text := map[string]any{"text": "the hinge of the north gate broke"}
	cases := []struct {
		want, got map[string]any
		same      bool
	}{
		{map[string]any{"n": 3}, map[string]any{"n": 3.0}, true},
		{map[string]any{"n": 3}, map[string]any{"n": 4.0}, false},
		{map[string]any{"item": "key"}, map[string]any{"item": "key", "price": 3.0}, false},
		{text, map[string]any{"text": "that the hinge of the north gate broke"}, true},
		{text, map[string]any{"text": "the hinge"}, false},
	}
	for _, c := range cases {
		if got := deed.SameParameters(c.want, c.got); got != c.same {
			t.Errorf("%v and %v: %v", c.want, c.got, got)
		}
	}
}
