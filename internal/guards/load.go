package guards

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// sections are the names that the settings stand under in a file.
var sections = []string{"guards", "hallucination_guards"}

// Load reads a file that holds the section: the defaults, changed by the preset
// that it names, changed by what is written. name is what errors call the file.
func Load(name string, data []byte) (Settings, error) {
	return Over(name, data, nil)
}

// Over is Load with values over what the file says, by their keys.
func Over(name string, data []byte, values map[string]any) (Settings, error) {
	written, err := read(name, data)
	if err != nil {
		return Settings{}, err
	}
	over, err := entries(values)
	if err != nil {
		return Settings{}, err
	}
	return of(name, append(written, over...))
}

// Of are the settings that values by their keys make: the defaults, changed by the
// preset among them, changed by the rest. A key may be another name of its setting.
func Of(values map[string]any) (Settings, error) {
	written, err := entries(values)
	if err != nil {
		return Settings{}, err
	}
	return of("", written)
}

func entries(values map[string]any) ([]entry, error) {
	var written []entry
	for _, key := range slices.Sorted(maps.Keys(values)) {
		name := Canonical(key)
		if !slices.Contains(Keys(), name) {
			return nil, fault(key, "is no setting; those there are: %s", strings.Join(beside(key), ", "))
		}
		written = append(written, entry{key: name, value: values[key]})
	}
	return written, nil
}

// Canonical is the key of a setting that may be called by another name.
func Canonical(key string) string {
	if alias := aliases[key]; alias != "" {
		return alias
	}
	return key
}

// of are the settings that are written. name is what errors call their place.
func of(name string, written []entry) (Settings, error) {
	preset := ""
	for _, w := range written {
		if w.key == "preset" {
			preset = spelled(w.key, strings.TrimSpace(fmt.Sprint(w.value)))
		}
	}
	s, err := Preset(preset)
	if err != nil {
		return Settings{}, located(name, err)
	}
	fields := s.fields()
	for _, w := range written {
		i := slices.IndexFunc(fields, func(f field) bool { return f.key == w.key })
		if err := fields[i].set(w.value); err != nil {
			return Settings{}, located(cmp.Or(w.where, name), err)
		}
	}
	if err := s.Check(); err != nil {
		return Settings{}, located(name, err)
	}
	return s, nil
}

// located puts the place before an error, where there is one.
func located(where string, err error) error {
	if where == "" {
		return err
	}
	return fmt.Errorf("%s: %w", where, err)
}

// entry is one setting as a file has it.
type entry struct {
	key, where string
	value      any
}

// read takes a file apart into settings.
func read(name string, data []byte) (out []entry, err error) {
	// The parser panics on some malformed input.
	defer func() {
		if recover() != nil {
			out, err = nil, &Error{name, "is not YAML that can be read"}
		}
	}()
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, notYAML(name, err)
	}
	for _, doc := range file.Docs {
		values, err := mapping(name, doc.Body)
		if err != nil {
			return nil, err
		}
		for _, v := range values {
			if key := v.Key.GetToken().Value; !slices.Contains(sections, key) {
				return nil, &Error{at(name, v.Key), fmt.Sprintf("%q is no section of this file; write guards:", key)}
			}
			if out, err = collect(name, "", v.Value, out); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func notYAML(name string, err error) error {
	var ye yaml.Error
	if errors.As(err, &ye) && ye.GetToken() != nil {
		return &Error{fmt.Sprintf("%s:%d", name, ye.GetToken().Position.Line), "is not YAML: " + oneLine(ye.GetMessage())}
	}
	return &Error{name, "is not YAML: " + oneLine(err.Error())}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// mapping are the lines of a mapping; nothing at all has none.
func mapping(name string, node ast.Node) ([]*ast.MappingValueNode, error) {
	switch n := node.(type) {
	case nil, *ast.NullNode, *ast.CommentGroupNode:
		return nil, nil
	case *ast.MappingNode:
		return n.Values, nil
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, nil
	}
	return nil, &Error{at(name, node), "is no mapping; write key: value lines"}
}

// collect walks a mapping down to its settings.
func collect(name, prefix string, node ast.Node, into []entry) ([]entry, error) {
	values, err := mapping(name, node)
	if err != nil {
		return nil, err
	}
	for _, v := range values {
		key := prefix + v.Key.GetToken().Value
		if above(key) {
			if into, err = collect(name, key+".", v.Value, into); err != nil {
				return nil, err
			}
			continue
		}
		key = Canonical(key)
		if !slices.Contains(Keys(), key) {
			return nil, &Error{at(name, v.Key),
				fmt.Sprintf("there is no setting guards.%s; those there are: %s", key, strings.Join(beside(key), ", "))}
		}
		if slices.ContainsFunc(into, func(e entry) bool { return e.key == key }) {
			return nil, &Error{at(name, v.Key), "guards." + key + " stands twice; keep one"}
		}
		var value any
		if err := yaml.NodeToValue(v.Value, &value); err != nil {
			return nil, &Error{at(name, v.Key), "guards." + key + " cannot be read: " + oneLine(err.Error())}
		}
		if value != nil {
			into = append(into, entry{key, at(name, v.Key), value})
		}
	}
	return into, nil
}

// above says whether settings lie below a key.
func above(key string) bool {
	return slices.ContainsFunc(Keys(), func(k string) bool { return strings.HasPrefix(k, key+".") })
}

// beside are the settings of the section in which a key was looked for.
func beside(key string) []string {
	prefix := key[:strings.LastIndexByte(key, '.')+1]
	var out []string
	for _, k := range Keys() {
		if rest, ok := strings.CutPrefix(k, prefix); ok {
			name, _, _ := strings.Cut(rest, ".")
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

func at(name string, node ast.Node) string {
	if t := node.GetToken(); t != nil && t.Position != nil {
		return fmt.Sprintf("%s:%d", name, t.Position.Line)
	}
	return name
}

// set takes a value as a file has it.
func (f field) set(value any) error {
	word := strings.TrimSpace(fmt.Sprint(value))
	var err error
	switch p := f.value.(type) {
	case *bool:
		if *p, err = strconv.ParseBool(word); err != nil {
			return fault(f.key, "is %q; write true or false", word)
		}
	case *int:
		if *p, err = strconv.Atoi(word); err != nil {
			return fault(f.key, "is %q; write a whole number", word)
		}
	case *float64:
		if *p, err = strconv.ParseFloat(word, 64); err != nil || *p != *p {
			return fault(f.key, "is %q; write a number", word)
		}
	case *[]string:
		if *p, err = list(f.key, value); err != nil {
			return err
		}
	case *string:
		switch value.(type) {
		case map[string]any, []any:
			return fault(f.key, "is no single value; write one word")
		}
		*p = spelled(f.key, word)
	}
	return nil
}

// list takes one word for a list of one.
func list(key string, value any) ([]string, error) {
	switch v := value.(type) {
	case []string:
		return v, nil
	case string:
		return []string{v}, nil
	case []any:
		out := []string{}
		for _, item := range v {
			word, ok := item.(string)
			if !ok {
				return nil, fault(key, "holds %v; write a list of words", item)
			}
			out = append(out, word)
		}
		return out, nil
	}
	return nil, fault(key, "is %v; write a list of words", value)
}

// spelled is a word of a setting in its one spelling: "Queue" is queue, and
// synchronous is sync.
func spelled(key, word string) string {
	switch key {
	case "grounding.mode":
		switch low := strings.ToLower(word); low {
		case "synchronous":
			return ModeSync
		case "asynchronous":
			return ModeAsync
		default:
			return low
		}
	case "preset", "grounding.on_verifier_failure", "faithfulness.on_hallucination":
		return strings.ToLower(word)
	}
	return word
}
