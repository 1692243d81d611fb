package retrieval

import (
	"slices"
	"testing"
)

// A passage that lacks a name of the question is told from one that holds it. A name that
// none holds, or all, tells nothing.
func TestAPassageThatLacksANameOfTheQuestionIsTold(t *testing.T) {
	named := func(words ...string) name {
		n := name{}
		for _, w := range words {
			n.words = append(n.words, word{written: w})
		}
		return n
	}
	blocks := []string{"The current version is 1.1.", "Alice answered that an AMIGA version is not planned."}
	for _, c := range []struct {
		about string
		names []name
		want  []bool
	}{
		{"one holds it", []name{named("Amiga")}, []bool{true, false}},
		{"none holds it", []name{named("Atari")}, []bool{false, false}},
		{"a part of a long name is enough", []name{named("Commodore", "Amiga")}, []bool{true, false}},
		{"no name", nil, []bool{false, false}},
	} {
		s := &search{names: c.names}
		if got := s.lackNames(blocks); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.about, got, c.want)
		}
	}
}
