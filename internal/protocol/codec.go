package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// extras are the fields of a turn that this build does not know; they travel on
// unchanged, so that a newer minor can pass through an older service.
type extras map[string]json.RawMessage

// turnFields are the JSON names this build knows at the top of a turn.
var turnFields = sync.OnceValue(func() map[string]bool {
	known := map[string]bool{}
	var walk func(t reflect.Type)
	walk = func(t reflect.Type) {
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case f.Anonymous && name == "":
				walk(f.Type)
			case f.IsExported() && name != "-" && name != "":
				known[name] = true
			}
		}
	}
	walk(reflect.TypeFor[Turn]())
	return known
})

// isTurnField says whether a reader takes a name for a field of a turn, which it does
// in any spelling of upper and lower case: an unknown field must not be read as
// evidence by the next pass.
func isTurnField(name string) bool {
	known := turnFields()
	if known[name] {
		return true
	}
	for field := range known {
		if strings.EqualFold(field, name) {
			return true
		}
	}
	return false
}

// plainTurn has Turn's fields and none of its methods.
type plainTurn Turn

// UnmarshalJSON reads a turn and keeps the fields it does not know.
func (t *Turn) UnmarshalJSON(data []byte) error {
	var p plainTurn
	if err := json.Unmarshal(data, &p); err != nil {
		return err
	}
	*t = Turn(p)
	return t.readRest(data)
}

// KeepUnknown takes over from a request the fields that this build does not
// know, and none that it does: a request cannot bring its own evidence.
func (t *Turn) KeepUnknown(request []byte) error {
	unknown, err := unknownFields(request)
	if err == nil {
		t.extra = unknown
	}
	return err
}

// MarshalJSON writes a turn with the unknown fields it came with.
func (t Turn) MarshalJSON() ([]byte, error) { return t.write() }

// unknownFields are the fields at the top of an object that a turn has not.
func unknownFields(data []byte) (extras, error) {
	var out extras
	err := eachField(data, func(name string, value []byte) {
		if !isTurnField(name) {
			if out == nil {
				out = extras{}
			}
			out[name] = bytes.Clone(value)
		}
	})
	return out, err
}

// eachField walks the top level of an object only. The data has been parsed
// once already, so values are skipped by their brackets and quotes: a turn is
// read on every hop, and parsing it twice would be most of the cost of one.
func eachField(data []byte, f func(name string, value []byte)) error {
	i := skipSpace(data, 0)
	if i == len(data) || data[i] != '{' {
		return nil
	}
	for i = skipSpace(data, i+1); i < len(data) && data[i] == '"'; {
		end := skipString(data, i)
		value := skipSpace(data, end)
		if value == len(data) || data[value] != ':' {
			return errNotObject
		}
		value = skipSpace(data, value+1)
		next := skipValue(data, value)
		if next == value || next > len(data) {
			return errNotObject
		}
		name := string(data[i+1 : end-1])
		if strings.ContainsRune(name, '\\') { // it was written with escapes
			if err := json.Unmarshal(data[i:end], &name); err != nil {
				return err
			}
		}
		f(name, bytes.TrimSpace(data[value:next]))
		if i = skipSpace(data, next); i < len(data) && data[i] == ',' {
			i = skipSpace(data, i+1)
		}
	}
	if i == len(data) || data[i] != '}' {
		return errNotObject
	}
	return nil
}

var errNotObject = errors.New("is not a JSON object")

func skipSpace(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\t' || data[i] == '\n' || data[i] == '\r') {
		i++
	}
	return i
}

// skipString gives the place after the string that begins at i.
func skipString(data []byte, i int) int {
	for i++; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(data)
}

// skipValue gives the place after the value that begins at i, or one of white
// space, a comma or a closing bracket after it.
func skipValue(data []byte, i int) int {
	depth := 0
	for i < len(data) {
		switch data[i] {
		case '"':
			i = skipString(data, i)
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				if depth == 0 {
					i++
				}
				return i
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return i
}

// invalid is an error of validation.
func invalid(field, format string, args ...any) error {
	return &schema.FieldError{Field: field, Reason: fmt.Sprintf(format, args...)}
}

// EncodeTurn writes a turn and refuses one that is over the limit.
func EncodeTurn(t *Turn) ([]byte, error) {
	t.SchemaVersion = schema.Version
	data, err := t.write() // by itself: the library would read its output once more
	if err != nil {
		return nil, fmt.Errorf("encode turn %s: %w", t.TurnID, err)
	}
	if len(data) > schema.MaxTurnBytes {
		return nil, invalid("turn", "is %d bytes; at most %d travel", len(data), schema.MaxTurnBytes)
	}
	return data, nil
}

// DecodeTurn reads a turn that another service wrote.
func DecodeTurn(data []byte) (*Turn, error) {
	if len(data) > schema.MaxTurnBytes {
		return nil, invalid("turn", "is %d bytes; at most %d are taken", len(data), schema.MaxTurnBytes)
	}
	var t Turn
	if err := t.UnmarshalJSON(data); err != nil { // by itself: the library would read its input twice more
		return nil, invalid("turn", "is not the JSON of a turn: %v", err)
	}
	if err := t.Validate(); err != nil {
		return nil, err
	}
	return &t, nil
}
