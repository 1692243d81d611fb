package memory

import (
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

//go:embed predicates.yaml
var shipped []byte

// ErrPredicates is wrapped by every refusal of a predicates file.
var ErrPredicates = errors.New("predicates are not sound")

// Predicate is one line of the file.
type Predicate struct {
	Name     string            `yaml:"name"`
	Kind     schema.MemoryKind `yaml:"kind"`
	Stateful bool              `yaml:"stateful"`
	Inverse  string            `yaml:"inverse"`
	Aliases  []string          `yaml:"aliases"`
	Words    []string          `yaml:"words"` // empty: any words may express it
	// Days of game time between two values that are a change by themselves; 0: as the
	// guards' settings say.
	Days int `yaml:"minimum_days"`

	line int
}

// PredicateError is a refusal of a file: where, why, and which names there are for one that is
// not known.
type PredicateError struct {
	File    string
	Line    int // 0: of no single line
	Reason  string
	Unknown string
	Known   []string
}

// Error is the refusal in one line.
func (e *PredicateError) Error() string {
	where := e.File
	if e.Line > 0 {
		where = fmt.Sprintf("%s:%d", e.File, e.Line)
	}
	return fmt.Sprintf("%v: %s: %s", ErrPredicates, where, e.Reason)
}

// Unwrap is ErrPredicates.
func (e *PredicateError) Unwrap() error { return ErrPredicates }

// PredicateTable is a set of predicates. It is safe to share once made.
type PredicateTable struct {
	byName map[string]*Predicate // canonical names and aliases
	names  []string              // canonical, in the file's order
	stems  map[string]map[string]bool
}

// DefaultPredicates is the table that the binary brings.
func DefaultPredicates() *PredicateTable { return shippedTable() }

var shippedTable = sync.OnceValue(func() *PredicateTable {
	t, err := LoadPredicates(nil, shipped, "predicates.yaml")
	if err != nil {
		panic(err) // the shipped file is checked by a test
	}
	for _, p := range t.byName {
		p.line = 0
	}
	return t
})

// LoadPredicates reads a file of predicates on top of another table, or of none. A
// predicate of the same name takes the other's place. file is how errors name it.
func LoadPredicates(base *PredicateTable, data []byte, file string) (*PredicateTable, error) {
	list, err := read(data, file)
	if err != nil {
		return nil, err
	}
	t := &PredicateTable{byName: map[string]*Predicate{}, stems: map[string]map[string]bool{}}
	var all []Predicate
	if base != nil {
		for _, name := range base.names {
			if !slices.ContainsFunc(list, func(p Predicate) bool { return p.Name == name }) {
				p := *base.byName[name]
				p.line = 0
				all = append(all, p)
			}
		}
	}
	for _, p := range append(all, list...) {
		if err := t.add(p, file); err != nil {
			return nil, err
		}
	}
	return t, t.checkInverses(file)
}

// fields are the keys of an entry.
var fields = []string{"name", "kind", "stateful", "inverse", "aliases", "words", "minimum_days"}

var (
	yamlPlace    = regexp.MustCompile(`^\[(\d+):\d+\] `)
	unknownField = regexp.MustCompile(`unknown field "([^"]*)"`)
)

// read takes the entries of a file, each with its line.
func read(data []byte, file string) ([]Predicate, error) {
	var list []Predicate
	if err := yaml.UnmarshalWithOptions(data, &list, yaml.Strict()); err != nil {
		reason, _, _ := strings.Cut(err.Error(), "\n")
		out := &PredicateError{File: file, Reason: reason}
		if m := yamlPlace.FindStringSubmatch(reason); m != nil {
			out.Line, _ = strconv.Atoi(m[1]) // the pattern holds digits alone
			out.Reason = strings.TrimPrefix(reason, m[0])
		}
		if m := unknownField.FindStringSubmatch(reason); m != nil {
			out.Unknown, out.Known = m[1], fields
		}
		return nil, out
	}
	parsed, err := parser.ParseBytes(data, 0)
	if err != nil || len(parsed.Docs) == 0 {
		return list, nil
	}
	if entries, ok := parsed.Docs[0].Body.(*ast.SequenceNode); ok && len(entries.Values) == len(list) {
		for i, n := range entries.Values {
			list[i].line = n.GetToken().Position.Line
		}
	}
	return list, nil
}

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9_]{0,47}$`)

// maxDays bounds minimum_days: a hundred years.
const maxDays = 36500

func (t *PredicateTable) add(p Predicate, file string) error {
	bad := func(format string, args ...any) *PredicateError {
		reason := fmt.Sprintf("predicate %q: %s", p.Name, fmt.Sprintf(format, args...))
		return &PredicateError{File: file, Line: p.line, Reason: reason}
	}
	if p.Kind == "" {
		p.Kind = schema.MemoryFact
	}
	if !slices.Contains(kinds, p.Kind) {
		e := bad("kind is %q; write one of %v", p.Kind, kinds)
		e.Unknown = string(p.Kind)
		for _, k := range kinds {
			e.Known = append(e.Known, string(k))
		}
		return e
	}
	if p.Days < 0 || p.Days > maxDays {
		return bad("minimum_days is %d; it lies between 0 and %d", p.Days, maxDays)
	}
	if p.Days > 0 && !p.Stateful {
		return bad("minimum_days is of use for a stateful predicate alone; add stateful: true, or take it out")
	}
	for _, name := range append([]string{p.Name}, p.Aliases...) {
		if !nameForm.MatchString(name) {
			return bad("%q is no name; write lower-case letters, digits and _, beginning with a letter", name)
		}
		if other := t.byName[name]; other != nil {
			return bad("%q is a name of %s already", name, other.Name)
		}
		t.byName[name] = &p
	}
	t.names = append(t.names, p.Name)
	t.stems[p.Name] = map[string]bool{}
	for _, w := range p.Words {
		if strings.TrimSpace(w) == "" {
			return bad("words holds an empty word")
		}
		t.stems[p.Name][text.Stem(strings.ToLower(w))] = true
	}
	return nil
}

func (t *PredicateTable) checkInverses(file string) error {
	for _, name := range t.names {
		p := t.byName[name]
		if p.Inverse == "" {
			continue
		}
		if inv := t.byName[p.Inverse]; inv == nil || inv.Name != p.Inverse {
			return &PredicateError{File: file, Line: p.line, Unknown: p.Inverse, Known: t.names,
				Reason: fmt.Sprintf("predicate %q: inverse %q is no predicate of this file, nor one that is shipped",
					p.Name, p.Inverse)}
		} else if inv.Inverse != name {
			return &PredicateError{File: file, Line: max(p.line, inv.line),
				Reason: fmt.Sprintf("predicate %q: its inverse %q names %q as inverse", p.Name, p.Inverse, inv.Inverse)}
		}
	}
	return nil
}

// Names are the canonical names in order.
func (t *PredicateTable) Names() []string { return slices.Clone(t.names) }

// Get is a predicate by its name or an alias, in whatever spelling: "WorksAt",
// "works at" and "works-at" are works_at.
func (t *PredicateTable) Get(name string) (Predicate, bool) {
	p, ok := t.byName[spell(name)]
	if !ok {
		return Predicate{}, false
	}
	return *p, true
}

// Canonical is the name under which a memory with this predicate is kept. An
// unknown one is given in the same spelling, and not found.
func (t *PredicateTable) Canonical(name string) (string, bool) {
	if p, ok := t.Get(name); ok {
		return p.Name, true
	}
	return spell(name), false
}

// Stateful says whether a predicate has one value at a time. An unknown one may
// have several: nothing is replaced by guess.
func (t *PredicateTable) Stateful(name string) bool {
	p, ok := t.Get(name)
	return ok && p.Stateful
}

// Gap is how much game time between two values is a change by itself, where the table
// says so of this predicate.
func (t *PredicateTable) Gap(name string) (time.Duration, bool) {
	p, ok := t.Get(name)
	return time.Duration(p.Days) * 24 * time.Hour, ok && p.Days > 0
}

// Own says whether a predicate is of the file that was read last, and not of the table
// below it.
func (p *Predicate) Own() bool { return p.line > 0 }

// Expressed says whether the words of a text can express a predicate, and is true
// where any words can. An unknown predicate is expressed by its own name only.
func (t *PredicateTable) Expressed(name, in string) bool {
	p, ok := t.Get(name)
	if ok && len(p.Words) == 0 {
		return true
	}
	want := t.stems[p.Name]
	if !ok {
		want = map[string]bool{}
		for _, part := range strings.Split(spell(name), "_") {
			if !text.IsStop(part) {
				want[text.Stem(part)] = true
			}
		}
	}
	for _, w := range text.Words(in) {
		if want[text.Stem(w)] || want[w] {
			return true
		}
		if cut := strings.IndexByte(w, '\''); cut > 0 && want[w[cut:]] {
			return true
		}
	}
	return false
}

var (
	humps = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	gaps  = regexp.MustCompile(`[\s\-_.]+`)
)

// spell writes a name in snake case.
func spell(name string) string {
	name = humps.ReplaceAllString(strings.TrimSpace(name), "${1}_${2}")
	return strings.ToLower(gaps.ReplaceAllString(name, "_"))
}
