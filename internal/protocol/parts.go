package protocol

import (
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	lru "github.com/hashicorp/golang-lru/v2"
)

// Lists are the large parts of a turn as they were last read or written. Most passes
// leave them as they came, and to write and read them anew would be most of the cost of
// a hop. They are taken again only where the turn still says the same: a pass that
// changes them in place is heard.
type Lists struct {
	evidence *list[Evidence, *Evidence]
	sources  *list[Source, *Source]
}

// Lists are those that the turn was read from, or written as last.
func (t *Turn) Lists() Lists { return t.lists }

// Holds says whether the large parts of the turn are, now, those that l was taken from.
func (t *Turn) Holds(l Lists) bool { return l.evidence.holds(t.Evidence) && l.sources.holds(t.Sources) }

// list holds values with their JSON. Neither is ever changed; nil: there are none.
type list[T any, P element[T]] struct {
	values []T
	json   jsontext.Value
}

// element is what a list must know of its values.
type element[T any] interface {
	*T
	same(*T) bool
	own() // has it share nothing with the value that it was assigned from
}

func (l *list[T, P]) raw() jsontext.Value {
	if l == nil {
		return nil
	}
	return l.json
}

// written is the list that values are written as: this one where it still holds.
func (l *list[T, P]) written(values []T) (*list[T, P], error) {
	switch {
	case len(values) == 0:
		return nil, nil
	case l.holds(values):
		return l, nil
	}
	data, err := json.Marshal(values, asV1)
	return &list[T, P]{cloned[T, P](values), data}, err
}

func (l *list[T, P]) holds(values []T) bool {
	if l == nil || len(l.values) != len(values) {
		return l == nil && len(values) == 0
	}
	for i := range values {
		if !P(&l.values[i]).same(&values[i]) {
			return false
		}
	}
	return true
}

func cloned[T any, P element[T]](values []T) []T {
	out := slices.Clone(values)
	for i := range out {
		P(&out[i]).own()
	}
	return out
}

// reader reads lists, and keeps those it read last by their JSON: a process meets the
// same one at every pass of a turn.
type reader[T any, P element[T]] struct {
	*lru.Cache[string, *list[T, P]]
}

// What a reader keeps: lists, and the bytes of each at most.
const (
	keptLists     = 256
	keptListBytes = 32 << 10
)

var (
	readEvidence = newReader[Evidence]()
	readSources  = newReader[Source]()
)

func newReader[T any, P element[T]]() reader[T, P] {
	kept, err := lru.New[string, *list[T, P]](keptLists)
	if err != nil {
		panic(err) // only for a size below one
	}
	return reader[T, P]{kept}
}

// of gives the values of a list in JSON, which nothing else holds.
func (r reader[T, P]) of(data jsontext.Value) ([]T, *list[T, P], error) {
	if len(data) == 0 {
		return nil, nil, nil
	}
	if l, ok := r.Get(string(data)); ok {
		return cloned[T, P](l.values), l, nil
	}
	l := &list[T, P]{json: data}
	if err := json.Unmarshal(data, &l.values, asV1); err != nil {
		return nil, nil, err
	}
	if len(data) <= keptListBytes {
		r.Add(string(data), l)
	}
	return cloned[T, P](l.values), l, nil
}

func (e *Evidence) same(o *Evidence) bool {
	return e.ID == o.ID && e.SourceID == o.SourceID && e.ChunkID == o.ChunkID && e.Path == o.Path &&
		e.Page == o.Page && e.Type == o.Type &&
		e.Text == o.Text && e.Start == o.Start && e.Speaker == o.Speaker && e.Author == o.Author && sameTime(e.At, o.At) &&
		e.Belief == o.Belief && slices.Equal(e.AllowedFor, o.AllowedFor) &&
		slices.Equal(e.Heard, o.Heard) && e.Private == o.Private && e.Score == o.Score &&
		e.Provenance.same(&o.Provenance)
}

func (e *Evidence) own() {
	e.AllowedFor, e.Heard = slices.Clone(e.AllowedFor), slices.Clone(e.Heard)
	e.Provenance.KnownBy = slices.Clone(e.Provenance.KnownBy)
}

func (s *Source) same(o *Source) bool {
	return s.ID == o.ID && s.Path == o.Path && s.Page == o.Page && s.ChunkID == o.ChunkID && s.Type == o.Type &&
		s.Summary == o.Summary &&
		s.Content == o.Content && slices.Equal(s.Keywords, o.Keywords) && slices.Equal(s.AllowedFor, o.AllowedFor) &&
		s.Score == o.Score && s.Author == o.Author && s.Speaker == o.Speaker && sameTime(s.At, o.At) &&
		s.Belief == o.Belief &&
		s.Private == o.Private && s.Beside == o.Beside && s.Provenance.same(&o.Provenance)
}

func (s *Source) own() {
	s.Keywords, s.AllowedFor, s.Provenance.KnownBy = slices.Clone(s.Keywords), slices.Clone(s.AllowedFor),
		slices.Clone(s.Provenance.KnownBy)
}

func (p *Provenance) same(o *Provenance) bool {
	return p.Source == o.Source && sameTime(p.IndexedAt, o.IndexedAt) && sameTime(p.CreatedAt, o.CreatedAt) &&
		sameTime(p.ValidFrom, o.ValidFrom) &&
		sameTime(p.ValidTo, o.ValidTo) && p.World == o.World && p.NPC == o.NPC && p.Hash == o.Hash &&
		slices.Equal(p.KnownBy, o.KnownBy) && p.Requires == o.Requires
}

// sameTime: the same moment, written the same.
func sameTime(a, b time.Time) bool { return a.Equal(b) && a.Location() == b.Location() }
