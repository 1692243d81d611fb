package eval

import (
	"io/fs"
	"testing"

	"github.com/forsooth-npc/forsooth/evals"
	"github.com/forsooth-npc/forsooth/worlds"
)

// A single non-corpus citation under a fact of the world fails any suite of this
// repository.
func TestEverySuiteAsksForNoNonCorpusEvidence(t *testing.T) {
	n := 0
	for _, in := range []struct {
		files fs.FS
		names string
	}{{evals.FS, "*.yaml"}, {worlds.FS, "*/evals.yaml"}} {
		names, err := fs.Glob(in.files, in.names)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			data, err := fs.ReadFile(in.files, name)
			if err != nil {
				t.Fatal(err)
			}
			s, err := Parse(name, data)
			if err != nil {
				t.Fatal(err)
			}
			n++
			if limit := s.Thresholds["non_corpus_rate"]; limit.Max == nil || *limit.Max != 0 {
				t.Errorf("%s has no threshold non_corpus_rate: {max: 0}", name)
			}
		}
	}
	if n < 21 {
		t.Errorf("%d suites were read", n)
	}
}
