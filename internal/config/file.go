package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// parse reads a settings file into dotted keys. An error names file and line.
func parse(name string, data []byte) (out map[string]any, err error) {
	// The parser panics on some malformed input.
	defer func() {
		if recover() != nil {
			out, err = nil, &Error{name, "is not YAML that can be read"}
		}
	}()
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		var ye yaml.Error
		if errors.As(err, &ye) && ye.GetToken() != nil {
			return nil, &Error{fmt.Sprintf("%s:%d", name, ye.GetToken().Position.Line),
				"is not YAML: " + oneLine(errors.New(ye.GetMessage()))}
		}
		return nil, &Error{name, "is not YAML: " + oneLine(err)}
	}
	out = map[string]any{}
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if err := collect(name, "", doc.Body, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// collect walks a mapping: a key of a setting takes its value, a key above
// settings is walked into, any other is an error.
func collect(name, prefix string, node ast.Node, into map[string]any) error {
	var values []*ast.MappingValueNode
	switch n := node.(type) {
	case *ast.MappingNode:
		values = n.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{n}
	case *ast.NullNode, *ast.CommentGroupNode:
		return nil
	default:
		return &Error{at(name, node), "is no mapping; write key: value lines"}
	}
	for _, v := range values {
		key := canonical(prefix + v.Key.GetToken().Value)
		if _, single := v.Value.(ast.ScalarNode); single && plain[key] != "" && v.Value.Type() != ast.NullType {
			key = plain[key]
		}
		if isGroup(key) {
			if err := collect(name, key+".", v.Value, into); err != nil {
				return err
			}
			continue
		}
		if err := known(key); err != nil {
			return &Error{at(name, v.Key), err.Error()}
		}
		if _, twice := into[key]; twice {
			return &Error{at(name, v.Key), key + " stands twice; keep one"}
		}
		var value any
		err := yaml.NodeToValue(v.Value, &value)
		if err != nil {
			return &Error{at(name, v.Key), key + " cannot be read: " + oneLine(err)}
		}
		if value == nil {
			continue
		}
		if into[key], err = fit(key, value); err != nil {
			return &Error{at(name, v.Key), err.Error()}
		}
	}
	return nil
}

func at(name string, node ast.Node) string {
	if t := node.GetToken(); t != nil && t.Position != nil {
		return fmt.Sprintf("%s:%d", name, t.Position.Line)
	}
	return name
}

// isGroup says whether settings lie below a key.
func isGroup(key string) bool {
	return slices.ContainsFunc(Keys(), func(k string) bool { return strings.HasPrefix(k, key+".") })
}

// known refuses a key that no setting has.
func known(key string) error {
	keys := Keys()
	if slices.Contains(keys, key) {
		return nil
	}
	if err := mendKey(key); err != nil {
		return err
	}
	return fmt.Errorf("there is no setting %q; did you mean %s?", key,
		nearest(key, slices.AppendSeq(keys, maps.Keys(plain))))
}

// fit is a value in the kind that its setting has.
func fit(key string, value any) (any, error) {
	word := strings.TrimSpace(fmt.Sprint(value))
	switch profiles["dev"][key].(type) {
	case int:
		n, err := strconv.Atoi(word)
		if err != nil {
			return nil, fmt.Errorf("%s is %q; write a whole number", key, word)
		}
		return n, nil
	case bool:
		b, err := strconv.ParseBool(word)
		if err != nil {
			return nil, fmt.Errorf("%s is %q; write true or false", key, word)
		}
		return b, nil
	case float64:
		x, err := strconv.ParseFloat(word, 64)
		if err != nil || x != x {
			return nil, fmt.Errorf("%s is %q; write a number", key, word)
		}
		return x, nil
	case []string:
		return fitList(key, value)
	}
	switch value.(type) {
	case map[string]any, []any:
		return nil, fmt.Errorf("%s is no single value; write one word", key)
	}
	return word, nil
}

// fitList takes one word for a list of one.
func fitList(key string, value any) (any, error) {
	switch v := value.(type) {
	case []string:
		return v, nil
	case string:
		return []string{v}, nil
	case []any:
		var out []string
		for _, item := range v {
			word, ok := item.(string)
			if !ok {
				return nil, fmt.Errorf("%s holds %v; write a list of words", key, item)
			}
			out = append(out, word)
		}
		return out, nil
	}
	return nil, fmt.Errorf("%s is %v; write a list of words", key, value)
}

// nearest is the key with the fewest edits.
func nearest(key string, keys []string) string {
	return slices.MinFunc(keys, func(a, b string) int { return edits(key, a) - edits(key, b) })
}

// edits is the Levenshtein distance.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := last
			if a[i] != b[j] {
				cost++
			}
			last = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}

// Secret is a text that no log, trace, error or dump shows: whoever needs it asks
// for it by Reveal.
type Secret struct{ value string }

// NewSecret hides a text.
func NewSecret(value string) Secret { return Secret{value} }

const redacted = "[redacted]"

// Reveal is the text itself, for the one place that sends it.
func (s Secret) Reveal() string { return s.value }

// IsZero says whether there is nothing to hide.
func (s Secret) IsZero() bool { return s.value == "" }

func (s Secret) String() string { return redacted }

// Format hides the text from every verb, %#v and %x among them.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// MarshalJSON hides the text.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }

// MarshalText hides the text.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// maxKeyBytes is more than any key has.
const maxKeyBytes = 16 << 10

// keyFromFile reads a key. An error does not repeat the name: who writes the key
// itself where its file belongs would see it in a log.
func keyFromFile(setting, path string) (Secret, error) {
	f, err := os.Open(path)
	if err != nil {
		return Secret{}, &Error{setting, "names a file that cannot be read: " + reason(err) +
			"; mend the path or its permissions"}
	}
	defer f.Close() //nolint:errcheck // it was only read
	data, err := io.ReadAll(io.LimitReader(f, maxKeyBytes+1))
	if err != nil {
		return Secret{}, &Error{setting, "names a file that cannot be read: " + reason(err)}
	}
	return checkKey(setting, string(data))
}

// keyFromVariable reads a key from the environment.
func keyFromVariable(setting, name string) (Secret, error) {
	value, ok := os.LookupEnv(name)
	if !ok || strings.TrimSpace(value) == "" {
		return Secret{}, &Error{setting, "names a variable of the environment that is not set; export it, or name another"}
	}
	return checkKey(setting, value)
}

// checkKey refuses what no server takes for a key, before an HTTP library
// refuses it with the key in its error.
func checkKey(setting, raw string) (Secret, error) {
	key := strings.TrimSpace(strings.TrimPrefix(raw, "\ufeff"))
	switch {
	case key == "":
		return Secret{}, &Error{setting, "holds no key; write the key alone, on one line"}
	case len(key) > maxKeyBytes, strings.ContainsFunc(key,
		func(r rune) bool { return r > unicode.MaxASCII || r <= ' ' || r == 0x7f }):
		return Secret{}, &Error{setting, "holds more than a key; write the key alone, on one line"}
	}
	return NewSecret(key), nil
}

// reason is what went wrong with a file, without its name.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return oneLine(err)
}
