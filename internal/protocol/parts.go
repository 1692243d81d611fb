package protocol

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"
)

// parts are the large parts of a turn as they were last read or written. Most
// passes leave them as they came, and to write them anew would be most of the
// cost of a hop. They are taken again only where the turn still says the same:
// a pass that changes them in place is heard.
type parts struct {
	evidence part[Evidence]
	sources  part[Source]
}

// part is a list with its JSON. Neither is ever changed.
type part[T any] struct {
	values []T // as a reader of the JSON gets them
	json   []byte
}

// kind is what a part must know of its values.
type kind[T any] struct {
	same func(a, b *T) bool
	own  func(*T) // has a value share nothing with the one that it was assigned from
}

var (
	evidences = kind[Evidence]{same: (*Evidence).same, own: (*Evidence).own}
	sources   = kind[Source]{same: (*Source).same, own: (*Source).own}
)

// of says whether the part is what values would be written as.
func (k kind[T]) of(p part[T], values []T) bool {
	if len(values) == 0 || len(p.values) != len(values) {
		return false
	}
	for i := range values {
		if !k.same(&p.values[i], &values[i]) {
			return false
		}
	}
	return true
}

// write gives the part that values are written as: the last one where it still holds.
func (k kind[T]) write(last part[T], values []T) (part[T], error) {
	if len(values) == 0 {
		return part[T]{}, nil
	}
	if k.of(last, values) {
		return last, nil
	}
	data, err := json.Marshal(values)
	if err != nil {
		return part[T]{}, err
	}
	p := part[T]{json: data}
	copierOf(reflect.TypeFor[[]T]())(reflect.ValueOf(&p.values).Elem(), reflect.ValueOf(values))
	return p, nil
}

// read gives the part of values that were read from data.
func (k kind[T]) read(values []T, data []byte) part[T] {
	if len(values) == 0 || len(data) == 0 {
		return part[T]{}
	}
	return part[T]{values: k.clone(values), json: data}
}

func (k kind[T]) clone(values []T) []T {
	out := slices.Clone(values)
	for i := range out {
		k.own(&out[i])
	}
	return out
}

// plain is the turn without the parts that stand beside it.
func (t *Turn) plain() plainTurn {
	p := plainTurn(*t)
	p.Evidence, p.Sources = nil, nil
	return p
}

// write encodes the turn, and keeps its parts for the next time.
func (t *Turn) write() ([]byte, error) {
	var p parts
	var err error
	if p.evidence, err = evidences.write(t.parts.evidence, t.Evidence); err != nil {
		return nil, err
	}
	if p.sources, err = sources.write(t.parts.sources, t.Sources); err != nil {
		return nil, err
	}
	t.parts = p
	plain := t.plain()
	data, err := json.Marshal(&plain)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(data)+t.partsLen())
	out = append(out, data[:len(data)-1]...)
	if len(t.extra) > 0 {
		more, err := json.Marshal(t.extra)
		if err != nil {
			return nil, err
		}
		out = append(append(out, ','), more[1:len(more)-1]...)
	}
	if len(t.Evidence) > 0 {
		out = append(append(out, evidenceKey...), p.evidence.json...)
	}
	if len(t.Sources) > 0 {
		out = append(append(out, sourcesKey...), p.sources.json...)
	}
	return append(out, '}'), nil
}

// How the parts begin, at the end of a turn's JSON.
const (
	evidenceKey = `,"evidence":`
	sourcesKey  = `,"sources":`
)

// partsLen is how long the parts are in the JSON that was written last.
func (t *Turn) partsLen() int {
	n := 0
	if len(t.Evidence) > 0 {
		n += len(evidenceKey) + len(t.parts.evidence.json)
	}
	if len(t.Sources) > 0 {
		n += len(sourcesKey) + len(t.parts.sources.json)
	}
	return n
}

// Parts stand for the evidence and the sources of a turn as they were read or
// written last.
type Parts struct{ parts }

// Parts are those of the turn now.
func (t *Turn) Parts() Parts { return Parts{t.parts} }

// Short is what EncodeTurn has just written of the turn without evidence and sources,
// where there are any and both are as they were before; else all of it, and false.
func (t *Turn) Short(data []byte, before Parts) ([]byte, bool) {
	n := t.partsLen()
	if n == 0 || !unchanged(len(t.Evidence), t.parts.evidence.json, before.evidence.json) ||
		!unchanged(len(t.Sources), t.parts.sources.json, before.sources.json) {
		return data, false
	}
	return append(bytes.Clone(data[:len(data)-n-1]), '}'), true
}

// unchanged: a part that was not written anew is the very same.
func unchanged(values int, now, before []byte) bool {
	if values == 0 {
		return len(before) == 0
	}
	return len(now) == len(before) && &now[0] == &before[0]
}

// readRest keeps of the turn's JSON what it does not know, and its parts.
func (t *Turn) readRest(data []byte) error {
	t.extra = nil
	raw := map[string][]byte{}
	spelled := true
	err := eachField(data, func(name string, value []byte) {
		switch _, twice := raw[name]; {
		case name == "evidence" || name == "sources":
			raw[name] = bytes.Clone(value)
			spelled = spelled && !twice
		case strings.EqualFold(name, "evidence") || strings.EqualFold(name, "sources"):
			spelled = false
		case !isTurnField(name):
			if t.extra == nil {
				t.extra = extras{}
			}
			t.extra[name] = bytes.Clone(value)
		}
	})
	t.parts = parts{}
	if err == nil && spelled { // otherwise a reader has made one list of several
		t.parts = parts{evidence: evidences.read(t.Evidence, raw["evidence"]),
			sources: sources.read(t.Sources, raw["sources"])}
	}
	return err
}

// copyParts gives a copied turn its evidence and sources.
func (t *Turn) copyParts(out *Turn) {
	out.parts = t.parts
	out.Evidence = copyPart(evidences, t.parts.evidence, t.Evidence)
	out.Sources = copyPart(sources, t.parts.sources, t.Sources)
}

func copyPart[T any](k kind[T], p part[T], values []T) []T {
	if len(values) == 0 {
		return nil // as it is left out of the JSON
	}
	if k.of(p, values) {
		return k.clone(p.values)
	}
	var out []T
	copierOf(reflect.TypeFor[[]T]())(reflect.ValueOf(&out).Elem(), reflect.ValueOf(values))
	return out
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
