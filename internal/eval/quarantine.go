package eval

import (
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Quarantine refuses a world whose evidence may be a leak of the suite's own
// answers: a chunk that a model wrote, a promoted text, or a document that
// repeats a case's message. The suite's expected documents are no leak.
func Quarantine(s *Suite, w *world.World) error {
	asked := map[string]string{}
	for _, c := range s.Cases {
		if len(text.ContentWords(c.PlayerMessage)) >= 4 {
			asked[text.Fold(c.PlayerMessage)] = c.Name
		}
	}
	for _, d := range w.Documents {
		if d.Promoted != "" {
			return fmt.Errorf("%s was promoted from %s; a suite is not run on promoted texts: move it out of the world", d.Path, d.Promoted)
		}
		for _, p := range d.Passages {
			if name, ok := asked[text.Fold(p.Text)]; ok && !expected(s, d.Path) {
				return fmt.Errorf("%s repeats the message of case %s; take one of them out", d.Path, name)
			}
		}
	}
	for _, c := range w.Chunks() {
		if c.Source == schema.OriginModel {
			return fmt.Errorf("%s was written by a model; a suite is run on corpus alone: move it out of the world", c.Path)
		}
	}
	return nil
}

func expected(s *Suite, path string) bool {
	for i := range s.Cases {
		if matches(s.Cases[i].expect, path) {
			return true
		}
	}
	return false
}
