package protocol

import (
	"fmt"

	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// asV1 has turns read and written as encoding/json does, which other builds use.
var asV1 = jsonv1.DefaultOptionsV1()

// extras are the fields of a turn that this build does not know; they travel on
// unchanged, so that a newer minor can pass through an older service.
type extras map[string]jsontext.Value

// plainTurn has Turn's fields and none of its methods.
type plainTurn Turn

// wire is the JSON of a turn. Its large lists stand beside the rest, as JSON: see list.
type wire struct {
	plainTurn
	Sources  jsontext.Value `json:"sources,omitempty"`
	Evidence jsontext.Value `json:"evidence,omitempty"`
	Extra    extras         `json:",unknown"`
}

// UnmarshalJSON reads a turn and keeps the fields it does not know.
func (t *Turn) UnmarshalJSON(data []byte) error {
	var w wire
	err := json.Unmarshal(data, &w, asV1)
	if err != nil {
		return err
	}
	out := Turn(w.plainTurn)
	out.extra = w.Extra
	if out.Sources, out.lists.sources, err = readSources.of(w.Sources); err != nil {
		return err
	}
	if out.Evidence, out.lists.evidence, err = readEvidence.of(w.Evidence); err != nil {
		return err
	}
	*t = out
	return nil
}

// MarshalJSON writes a turn with the unknown fields it came with.
func (t Turn) MarshalJSON() ([]byte, error) { return t.write() }

// write encodes the turn, and keeps its lists for the next time.
func (t *Turn) write() (_ []byte, err error) {
	var l Lists
	if l.sources, err = t.lists.sources.written(t.Sources); err != nil {
		return nil, err
	}
	if l.evidence, err = t.lists.evidence.written(t.Evidence); err != nil {
		return nil, err
	}
	t.lists = l
	return json.Marshal(&wire{plainTurn(*t), l.sources.raw(), l.evidence.raw(), t.extra}, asV1)
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

// unknownFields are the fields at the top of an object that a reader of a turn takes for
// none of its own, in any spelling of upper and lower case: such a field must not be
// read as evidence by the next pass.
func unknownFields(object []byte) (extras, error) {
	var all extras
	if err := json.Unmarshal(object, &all, asV1); err != nil {
		return nil, err
	}
	names := make(map[string]any, len(all)) // every field takes null
	for name := range all {
		names[name] = nil
	}
	data, err := json.Marshal(names, asV1)
	if err != nil {
		return nil, err
	}
	var w wire
	if err := json.Unmarshal(data, &w, asV1); err != nil {
		return nil, err
	}
	for name := range w.Extra {
		w.Extra[name] = all[name]
	}
	return w.Extra, nil
}

// invalid is an error of validation.
func invalid(field, format string, args ...any) error {
	return &schema.FieldError{Field: field, Reason: fmt.Sprintf(format, args...)}
}

// EncodeTurn writes a turn and refuses one that is over the limit.
func EncodeTurn(t *Turn) ([]byte, error) {
	t.SchemaVersion = schema.Version
	data, err := t.write()
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
	if err := t.UnmarshalJSON(data); err != nil {
		return nil, invalid("turn", "is not the JSON of a turn: %v", err)
	}
	if err := t.Validate(); err != nil {
		return nil, err
	}
	return &t, nil
}
