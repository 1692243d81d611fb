package scan_test

import (
	"slices"
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// "My cousin" is Ulric where one cousin of this player's was told of, by that name: what
// is said of the one is said of the other. Of two cousins nobody can tell which.
func TestARelativeIsOneUnderEitherName(t *testing.T) {
	called := func(id, kin, name string, with ...func(*schema.Memory)) schema.Memory {
		return said(id, "player:p42", "kin_of", name, "Ansel told me that their "+kin+" is called "+name+".", day(0),
			append(with, kind(schema.MemoryRelation))...)
	}
	tannery := said("a", "ulric", "works_at", "the tannery", "Ansel told me that their cousin Ulric works at the tannery.",
		day(0))
	brewery := func(with ...func(*schema.Memory)) schema.Memory {
		return said("b", "cousin of player:p42", "works_at", "the brewery",
			"Ansel told me that their cousin works at the brewery.", day(3), with...)
	}
	now := words("my cousin works at the brewery now")
	for _, c := range []struct {
		name     string
		memories []schema.Memory
		want     []string
	}{
		{"a change", []schema.Memory{called("k", "cousin", "Ulric"), tannery, brewery(now)}, []string{"superseded a→b"}},
		{"no word of change", []schema.Memory{called("k", "cousin", "Ulric"), tannery, brewery()}, []string{"flagged a|b"}},
		{"nobody said what he is called", []schema.Memory{tannery, brewery(now)}, nil},
		{"two cousins", []schema.Memory{called("k", "cousin", "Ulric"), called("l", "cousin", "Perrin"), tannery,
			brewery(now)}, nil},
		{"told twice of one", []schema.Memory{called("k", "cousin", "Ulric"), called("l", "cousin", "ulric", of("p42")),
			tannery, brewery(now)}, []string{"merged k<l", "superseded a→b"}},
		{"another player's cousin", []schema.Memory{
			called("k", "cousin", "Ulric", of("p7"), func(m *schema.Memory) { m.Subject = "player:p7" }), tannery,
			brewery(now)}, nil},
		{"an uncle", []schema.Memory{called("k", "uncle", "Ulric"), tannery, brewery(now)}, nil},
	} {
		out := run(t, scanner(t), input(items(t, c.memories...)))
		if got := short(out.Events); !slices.Equal(got, c.want) && len(got)+len(c.want) > 0 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
