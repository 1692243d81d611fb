// Package sayings measures what Guard 1's extraction keeps of what players say: sayings
// with the facts that a person would keep of each, and with what it must not be taken for.
// It plays each saying through the rules, the readings and the guard as the service does,
// and compares what is stored by one stated matcher.
package sayings

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Saying is what a player says in one turn or several, and what is to be kept of it.
type Saying struct {
	ID     string   `json:"id"`
	Before string   `json:"before,omitempty"` // what the NPC said before
	Said   []string `json:"said"`
	Keep   []Kept   `json:"keep"`
	Not    []string `json:"not"`
	Ask    string   `json:"ask,omitempty"` // a later question that what is kept answers
}

// Kept is one fact, with how sure the player was and of what time it is.
type Kept struct {
	Text  string `json:"text"`
	Hedge string `json:"hedge,omitempty"`
	When  string `json:"when,omitempty"`
}

// Pair is a memory with its words beside a text, and what a person says of them: of a fact
// to keep, whether the memory supports it; of what must not come of a saying, whether the
// memory says it.
type Pair struct {
	Of     string `json:"of"` // "keep" or "not"
	Memory string `json:"memory"`
	Words  string `json:"words"`
	Text   string `json:"text"`
	Holds  bool   `json:"holds"`
}

// Read reads sayings or pairs, one JSON object a line.
func Read[T any](name string, from io.Reader) ([]T, error) {
	var out []T
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		var one T
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&one); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", name, n, err)
		}
		if s, ok := any(one).(Saying); ok {
			if err := s.check(); err != nil {
				return nil, fmt.Errorf("%s, line %d: %w", name, n, err)
			}
		}
		out = append(out, one)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return out, nil
}

func (s *Saying) check() error {
	switch {
	case s.ID == "":
		return fmt.Errorf("id is missing; give each saying one of its own")
	case len(s.Said) == 0:
		return fmt.Errorf("%s: said is empty; give what the player says", s.ID)
	}
	for _, k := range s.Keep {
		if strings.TrimSpace(k.Text) == "" {
			return fmt.Errorf("%s: a fact of keep has no text", s.ID)
		}
	}
	return nil
}
