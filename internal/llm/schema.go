package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemas are compiled once each.
type schemas struct {
	mu       sync.Mutex
	compiled map[string]*compiled // by their text
}

// maxSchemas bounds how many are kept; those of a game's actions may be many.
const maxSchemas = 256

type compiled struct {
	schema *jsonschema.Schema
	doc    any
}

// check gives the answer as it fits the schema. Properties that the schema does
// not know are taken out where it forbids them: models like to explain themselves.
func (s *schemas) check(name string, schema json.RawMessage, answer []byte) ([]byte, error) {
	if len(schema) == 0 {
		return answer, nil
	}
	c, err := s.of(name, schema)
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(answer))
	if err != nil {
		return nil, err
	}
	if prune(c.doc, doc) {
		if answer, err = json.Marshal(doc); err != nil {
			return nil, err
		}
	}
	if err := c.schema.Validate(doc); err != nil {
		return nil, errors.New(misfit(err))
	}
	return answer, nil
}

// prune takes properties out of doc that its schema forbids, and says whether
// there were any.
func prune(schema, doc any) (pruned bool) {
	s, _ := schema.(map[string]any)
	switch d := doc.(type) {
	case []any:
		for _, element := range d {
			pruned = prune(s["items"], element) || pruned
		}
	case map[string]any:
		known, _ := s["properties"].(map[string]any)
		for key, value := range d {
			if of, ok := known[key]; ok {
				pruned = prune(of, value) || pruned
			} else if s["additionalProperties"] == false && s["patternProperties"] == nil {
				delete(d, key)
				pruned = true
			}
		}
	}
	return pruned
}

func (s *schemas) of(name string, schema json.RawMessage) (*compiled, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.compiled[string(schema)]; c != nil {
		return c, nil
	}
	c, err := compile(schema)
	if err != nil {
		return nil, fmt.Errorf("the schema of %s is none: %w", name, err)
	}
	if s.compiled == nil || len(s.compiled) >= maxSchemas {
		s.compiled = map[string]*compiled{}
	}
	s.compiled[string(schema)] = c
	return c, nil
}

func compile(schema json.RawMessage) (*compiled, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	const url = "schema:answer"
	if err := c.AddResource(url, doc); err != nil {
		return nil, err
	}
	s, err := c.Compile(url)
	return &compiled{s, doc}, err
}

// noLoader keeps a schema from making this process fetch a URL or read a file.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("$ref to %s is not followed; write the schema in one piece", url)
}

// maxMisfits is how many faults of an answer are named.
const maxMisfits = 3

// misfit says in one line where an answer does not fit its schema.
func misfit(err error) string {
	var v *jsonschema.ValidationError
	if !errors.As(err, &v) {
		return oneLine(err.Error())
	}
	var out []string
	for _, u := range v.BasicOutput().Errors {
		if u.Error == nil || len(out) == maxMisfits {
			continue
		}
		where := u.InstanceLocation
		if where == "" {
			where = "/"
		}
		out = append(out, fmt.Sprintf("at %s: %s", where, oneLine(u.Error.String())))
	}
	if len(out) == 0 {
		return oneLine(err.Error())
	}
	return strings.Join(out, "; ")
}
