package eval

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Quarantine refuses a world whose evidence may be a leak of the suite's own
// answers: a chunk that a model wrote, a promoted text, or a document newer than
// the suite that repeats a case's message or an answer of an earlier report. The
// suite's expected documents are no leak. modified tells when a document was
// last written; zero means that nobody knows, and that it is not newer.
func Quarantine(s *Suite, w *world.World, earlier []string, modified func(path string) time.Time) error {
	for _, c := range w.Chunks() {
		if c.Source == schema.OriginModel {
			return fmt.Errorf("%s was written by a model; a suite is run on corpus alone: move it out of the world", c.Path)
		}
	}
	repeats := suspects(s, earlier)
	for _, d := range w.Documents {
		if d.Promoted != "" {
			return fmt.Errorf("%s was promoted from %s; a suite is not run on promoted texts: move it out of the world", d.Path,
				d.Promoted)
		}
		if !modified(d.Path).After(s.Modified) || expected(s, d.Path) {
			continue
		}
		for _, p := range d.Passages {
			for _, part := range append(text.Sentences(p.Text), p.Text) {
				if what, leak := repeats[text.Fold(part)]; leak {
					return fmt.Errorf("%s is newer than the suite and repeats %s; move it out of the world", d.Path, what)
				}
			}
		}
	}
	return nil
}

// leakWords is how many content words a text has at least before its likeness to
// another is no chance.
const leakWords = 3

// suspects are the texts that a new document may not repeat, folded.
func suspects(s *Suite, earlier []string) map[string]string {
	out := map[string]string{}
	put := func(t, what string) {
		if len(text.ContentWords(t)) >= leakWords {
			out[text.Fold(t)] = what
		}
	}
	for i := range s.Cases {
		c := &s.Cases[i]
		for _, message := range c.Told() {
			put(message, fmt.Sprintf("the message of case %q", c.Name))
		}
	}
	for _, answer := range earlier {
		put(answer, "an answer of an earlier report")
		for _, sentence := range text.Sentences(answer) {
			put(sentence, "an answer of an earlier report")
		}
	}
	return out
}

func expected(s *Suite, path string) bool {
	for i := range s.Cases {
		if matches(s.Cases[i].expect, path) {
			return true
		}
	}
	return false
}

// Modified reads when a world's files were written.
func Modified(w *world.World) func(path string) time.Time {
	return func(path string) time.Time {
		info, err := os.Stat(filepath.Join(w.Dir, filepath.FromSlash(path)))
		if err != nil {
			return time.Time{}
		}
		return info.ModTime()
	}
}

// Answers are the replies that an earlier report holds of failed cases. What
// passed quotes the world itself.
func Answers(report string) ([]string, error) {
	r, err := ReadReport(report)
	if err != nil {
		return nil, fmt.Errorf("earlier %w", err)
	}
	var out []string
	for _, f := range r.Failures {
		if f.Reply != "" {
			out = append(out, f.Reply)
		}
	}
	return out, nil
}
