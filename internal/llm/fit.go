package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/kaptinlin/jsonrepair"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// ErrAnswer is a model that answers, and not with what was asked for.
var ErrAnswer = errors.New("the answer does not fit its schema")

// fit makes an answer JSON that fits the schema and the caller's own check: as it
// is, else as the one object in it, else repaired. An answer that broke off is
// not repaired, for half a sentence may say what the whole does not.
func (m *Models) fit(q Request, out spoken) ([]byte, error) {
	answer, err := m.parse(out)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	if err := m.schemas.check(q.Name, q.Schema, answer); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	if q.Validate != nil {
		if err := q.Validate(answer); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrAnswer, err)
		}
	}
	return answer, nil
}

func (m *Models) parse(out spoken) ([]byte, error) {
	text := strings.TrimSpace(out.text)
	if json.Valid([]byte(text)) {
		return []byte(text), nil
	}
	if out.cut {
		return nil, errors.New("it broke off before its end")
	}
	begin, end := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if begin < 0 {
		return nil, errors.New("it holds no JSON object")
	}
	if end > begin && json.Valid([]byte(text[begin:end+1])) {
		return []byte(text[begin : end+1]), nil
	}
	repaired, err := repair(text[begin:])
	if err != nil {
		return nil, errors.New("it is no JSON, and cannot be mended")
	}
	return []byte(repaired), nil
}

// repair keeps a library's panic from being ours.
func repair(text string) (out string, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("repair: %v", v)
		}
	}()
	if out, err = jsonrepair.Repair(text); err == nil && !json.Valid([]byte(out)) {
		err = errors.New("repair: not JSON")
	}
	return out, err
}

// schemas are compiled once each.
type schemas struct {
	mu       sync.Mutex
	compiled map[string]*jsonschema.Schema // by their text
}

// check holds an answer against a schema. What a schema does not know is let
// through: models like to explain themselves, and nobody reads it.
func (s *schemas) check(name string, schema json.RawMessage, answer []byte) error {
	if len(schema) == 0 {
		return nil
	}
	compiled, err := s.of(name, schema)
	if err != nil {
		return err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(answer))
	if err != nil {
		return err
	}
	if err := compiled.Validate(doc); err != nil {
		return errors.New(oneLine(err.Error()))
	}
	return nil
}

func (s *schemas) of(name string, schema json.RawMessage) (*jsonschema.Schema, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.compiled[string(schema)]; c != nil {
		return c, nil
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(loosened(schema)))
	if err != nil {
		return nil, fmt.Errorf("the schema of %s is no JSON: %w", name, err)
	}
	c := jsonschema.NewCompiler()
	url := name + ".json"
	if err := c.AddResource(url, doc); err != nil {
		return nil, fmt.Errorf("the schema of %s: %w", name, err)
	}
	compiled, err := c.Compile(url)
	if err != nil {
		return nil, fmt.Errorf("the schema of %s: %w", name, err)
	}
	if s.compiled == nil {
		s.compiled = map[string]*jsonschema.Schema{}
	}
	s.compiled[string(schema)] = compiled
	return compiled, nil
}

// loosened is a schema that lets unknown properties through.
func loosened(schema json.RawMessage) []byte {
	return bytes.ReplaceAll(schema, []byte(`"additionalProperties":false`), []byte(`"additionalProperties":true`))
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
