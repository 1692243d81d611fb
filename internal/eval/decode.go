package eval

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// lines are where things stand in a suite's file.
type lines struct {
	cases      []int
	thresholds int
}

// decode reads the YAML strictly: an unknown key is an error with its line.
func decode(name string, data []byte) (s *Suite, where lines, err error) {
	// The parser panics on some malformed input.
	defer func() {
		if recover() != nil {
			s, err = nil, fmt.Errorf("%s: is not YAML that can be read", name)
		}
	}()
	s = &Suite{}
	if err := yaml.UnmarshalWithOptions(data, s, yaml.Strict()); err != nil {
		return nil, where, located(name, err)
	}
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, where, located(name, err)
	}
	if len(file.Docs) > 0 {
		where = linesOf(file.Docs[0].Body)
	}
	return s, where, nil
}

// located words an error of the YAML library on one line with its place.
func located(name string, err error) error {
	var ye yaml.Error
	if errors.As(err, &ye) && ye.GetToken() != nil && ye.GetToken().Position != nil {
		return fmt.Errorf("%s:%d: %s", name, ye.GetToken().Position.Line, oneLine(ye.GetMessage()))
	}
	return fmt.Errorf("%s: %s", name, oneLine(err.Error()))
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func linesOf(body ast.Node) lines {
	var out lines
	top, ok := body.(*ast.MappingNode)
	if !ok {
		return out
	}
	for _, v := range top.Values {
		switch v.Key.GetToken().Value {
		case "thresholds":
			out.thresholds = lineOf(v.Key)
		case "cases":
			if seq, ok := v.Value.(*ast.SequenceNode); ok {
				for _, c := range seq.Values {
					out.cases = append(out.cases, lineOf(c))
				}
			}
		}
	}
	return out
}

func lineOf(n ast.Node) int {
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 {
		n = m.Values[0].Key
	}
	if n != nil && n.GetToken() != nil && n.GetToken().Position != nil {
		return n.GetToken().Position.Line
	}
	return 1
}
