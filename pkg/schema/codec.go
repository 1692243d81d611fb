package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
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

// plainTurn has Turn's fields and none of its methods.
type plainTurn Turn

// UnmarshalJSON reads a turn and keeps the fields it does not know.
func (t *Turn) UnmarshalJSON(data []byte) error {
	var p plainTurn
	if err := json.Unmarshal(data, &p); err != nil {
		return err
	}
	*t = Turn(p)
	unknown, err := unknownFields(data)
	if err != nil {
		return err
	}
	t.extra = unknown
	return nil
}

// MarshalJSON writes a turn with the unknown fields it came with.
func (t Turn) MarshalJSON() ([]byte, error) {
	data, err := json.Marshal(plainTurn(t))
	if err != nil || len(t.extra) == 0 {
		return data, err
	}
	more, err := json.Marshal(t.extra)
	if err != nil {
		return nil, err
	}
	data[len(data)-1] = ','
	return append(data, more[1:]...), nil
}

// unknownFields walks the top level of an object only; values of known keys are
// skipped without being parsed into anything.
func unknownFields(data []byte) (extras, error) {
	known := turnFields()
	dec := json.NewDecoder(bytes.NewReader(data))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	var out extras
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name, _ := key.(string)
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, err
		}
		if !known[name] {
			if out == nil {
				out = extras{}
			}
			out[name] = bytes.Clone(raw)
		}
	}
	return out, nil
}

// EncodeTurn writes a turn and refuses one that is over the limit.
func EncodeTurn(t *Turn) ([]byte, error) {
	t.SchemaVersion = Version
	data, err := json.Marshal(t)
	if err != nil {
		return nil, fmt.Errorf("encode turn %s: %w", t.TurnID, err)
	}
	if len(data) > MaxTurnBytes {
		return nil, invalid("turn", "is %d bytes; at most %d travel", len(data), MaxTurnBytes)
	}
	return data, nil
}

// DecodeTurn reads a turn that another service wrote.
func DecodeTurn(data []byte) (*Turn, error) {
	if len(data) > MaxTurnBytes {
		return nil, invalid("turn", "is %d bytes; at most %d are taken", len(data), MaxTurnBytes)
	}
	var t Turn
	if err := json.Unmarshal(data, &t); err != nil {
		return nil, invalid("turn", "is not the JSON of a turn: %v", err)
	}
	if err := t.Validate(); err != nil {
		return nil, err
	}
	return &t, nil
}
