package protocol

import (
	"encoding"
	"encoding/json"
	"maps"
	"reflect"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Copy gives the turn that a reader of its encoding would get, without the
// cost of one: it shares with t nothing that can be changed. t must have been
// encoded without an error.
func (t *Turn) Copy() *Turn {
	out := new(Turn)
	plain := t.plain()
	copierOf(reflect.TypeFor[plainTurn]())(reflect.ValueOf((*plainTurn)(out)).Elem(), reflect.ValueOf(&plain).Elem())
	t.copyParts(out)
	out.extra = maps.Clone(t.extra) // the values are never changed
	return out
}

// copier sets dst to what decoding the encoding of src gives.
type copier func(dst, src reflect.Value)

var copiers sync.Map // reflect.Type to copier

// copierOf makes a copier once per type. The types of the contract hold no
// cycles, so this ends.
func copierOf(t reflect.Type) copier {
	if c, ok := copiers.Load(t); ok {
		return c.(copier)
	}
	c := newCopier(t)
	copiers.Store(t, c)
	return c
}

var (
	timeType   = reflect.TypeFor[time.Time]()
	marshalers = []reflect.Type{reflect.TypeFor[json.Marshaler](), reflect.TypeFor[encoding.TextMarshaler]()}
)

func newCopier(t reflect.Type) copier {
	if t == timeType {
		return copyTime
	}
	for _, m := range marshalers {
		if t.Implements(m) || reflect.PointerTo(t).Implements(m) {
			return copyByJSON
		}
	}
	switch t.Kind() {
	case reflect.String:
		return copyString
	case reflect.Pointer:
		return pointerCopier(t)
	case reflect.Slice:
		return sliceCopier(t)
	case reflect.Array:
		elem := copierOf(t.Elem())
		return func(dst, src reflect.Value) {
			for i := range src.Len() {
				elem(dst.Index(i), src.Index(i))
			}
		}
	case reflect.Map:
		return mapCopier(t)
	case reflect.Interface:
		return copyAny
	case reflect.Struct:
		return structCopier(t)
	default:
		return func(dst, src reflect.Value) { dst.Set(src) }
	}
}

func copyString(dst, src reflect.Value) { dst.SetString(wireString(src.String())) }

// wireString is a string as JSON carries it: what is not UTF-8 is replaced byte
// by byte.
func wireString(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

// copyTime drops the monotonic clock and, for times in UTC, nothing else.
func copyTime(dst, src reflect.Value) {
	t := src.Interface().(time.Time)
	if t.Location() != time.UTC {
		copyByJSON(dst, src)
		return
	}
	dst.Set(reflect.ValueOf(t.Round(0).UTC()))
}

// copyByJSON is for what says itself how it is written.
func copyByJSON(dst, src reflect.Value) {
	if data, err := json.Marshal(src.Interface()); err == nil {
		_ = json.Unmarshal(data, dst.Addr().Interface())
	}
}

func pointerCopier(t reflect.Type) copier {
	elem := copierOf(t.Elem())
	return func(dst, src reflect.Value) {
		if src.IsNil() {
			return
		}
		dst.Set(reflect.New(t.Elem()))
		elem(dst.Elem(), src.Elem())
	}
}

func sliceCopier(t reflect.Type) copier {
	elem := copierOf(t.Elem())
	plain := isPlain(t.Elem().Kind())
	return func(dst, src reflect.Value) {
		if src.IsNil() {
			return
		}
		n := src.Len()
		dst.Set(reflect.MakeSlice(t, n, n))
		if plain {
			reflect.Copy(dst, src)
			return
		}
		for i := range n {
			elem(dst.Index(i), src.Index(i))
		}
	}
}

// isPlain: copied by assignment.
func isPlain(k reflect.Kind) bool { return k >= reflect.Bool && k <= reflect.Float64 }

func mapCopier(t reflect.Type) copier {
	elem := copierOf(t.Elem())
	return func(dst, src reflect.Value) {
		if src.IsNil() {
			return
		}
		dst.Set(reflect.MakeMapWithSize(t, src.Len()))
		for it := src.MapRange(); it.Next(); {
			key := it.Key()
			if s := key.String(); !utf8.ValidString(s) {
				key = reflect.ValueOf(wireString(s)).Convert(t.Key())
			}
			value := reflect.New(t.Elem()).Elem()
			elem(value, it.Value())
			dst.SetMapIndex(key, value)
		}
	}
}

// copyAny copies what JSON makes of a value of no fixed type; numbers become
// float64, as a decoder makes them.
func copyAny(dst, src reflect.Value) {
	if src.IsNil() {
		return
	}
	if v := wireAny(src.Interface()); v != nil {
		dst.Set(reflect.ValueOf(v))
	}
}

func wireAny(v any) any {
	switch v := v.(type) {
	case nil, bool, float64:
		return v
	case string:
		return wireString(v)
	case int:
		return float64(v)
	case []any:
		if v == nil {
			return nil
		}
		out := make([]any, len(v))
		for i := range v {
			out[i] = wireAny(v[i])
		}
		return out
	case map[string]any:
		if v == nil {
			return nil
		}
		out := make(map[string]any, len(v))
		for key, value := range v {
			out[wireString(key)] = wireAny(value)
		}
		return out
	}
	var out any
	if data, err := json.Marshal(v); err == nil {
		_ = json.Unmarshal(data, &out)
	}
	return out
}

// structCopier assigns the whole and then mends the fields that assignment
// would share or that the wire leaves out.
func structCopier(t reflect.Type) copier {
	type field struct {
		index     int
		copy      copier
		omitEmpty bool
		skip      bool
	}
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case !f.IsExported() && !f.Anonymous:
			continue
		case name == "-" && options == "":
			fields = append(fields, field{index: i, skip: true})
		case !isPlain(f.Type.Kind()):
			fields = append(fields, field{index: i, copy: copierOf(f.Type), omitEmpty: strings.Contains(options, "omitempty")})
		}
	}
	return func(dst, src reflect.Value) {
		dst.Set(src)
		for _, f := range fields {
			d, s := dst.Field(f.index), src.Field(f.index)
			switch {
			case s.Kind() == reflect.String:
				if text := s.String(); !utf8.ValidString(text) {
					d.SetString(wireString(text))
				}
				continue
			case f.skip, s.IsZero():
				d.SetZero()
				continue
			case f.omitEmpty && (s.Kind() == reflect.Slice || s.Kind() == reflect.Map) && s.Len() == 0:
				d.SetZero()
				continue
			}
			d.SetZero()
			f.copy(d, s)
		}
	}
}
