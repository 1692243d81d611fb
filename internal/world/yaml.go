package world

import (
	"encoding/json"
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

// parseYAML reads one YAML document. The parser's own panics on malformed input
// become errors, so that one bad file stops nothing else.
func parseYAML(data []byte) (node ast.Node, line int, err error) {
	defer func() {
		if r := recover(); r != nil {
			node, line, err = nil, 0, errors.New("is not YAML that can be read")
		}
	}()
	if line := tooDeep(data); line > 0 {
		return nil, line, fmt.Errorf("nests deeper than %d; write it flatter", maxNesting)
	}
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		var ye yaml.Error
		if errors.As(err, &ye) && ye.GetToken() != nil && ye.GetToken().Position != nil {
			line = ye.GetToken().Position.Line
			return nil, line, fmt.Errorf("is not valid YAML: %s", oneLine(ye.GetMessage()))
		}
		return nil, 0, fmt.Errorf("is not valid YAML: %s", oneLine(err.Error()))
	}
	var docs []*ast.DocumentNode
	for _, d := range file.Docs {
		if d != nil && d.Body != nil {
			docs = append(docs, d)
		}
	}
	switch len(docs) {
	case 0:
		return nil, 1, errors.New("is empty")
	case 1:
		return docs[0].Body, 0, nil
	}
	return nil, lineOf(docs[1].Body), errors.New("holds more than one YAML document; keep one")
}

const maxNesting = 64

// tooDeep is the line at which brackets or indentation nest deeper than the
// recursive parser should follow, or 0.
func tooDeep(data []byte) int {
	depth, line, indent := 0, 1, 0
	inIndent := true
	for _, c := range data {
		switch c {
		case '\n':
			line, indent, inIndent = line+1, 0, true
			continue
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(0, depth-1)
		case ' ', '-', '?', '\t':
			if inIndent {
				indent++
			}
		}
		if c != ' ' && c != '-' && c != '?' && c != '\t' {
			inIndent = false
		}
		if depth > maxNesting || indent > 4*maxNesting {
			return line
		}
	}
	return 0
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func lineOf(n ast.Node) int {
	if n == nil {
		return 0
	}
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 && !m.IsFlowStyle {
		return lineOf(m.Values[0].Key)
	}
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 0
}

// fields is a YAML mapping that is read key by key; what is left over at the end
// is unknown. A value of the wrong kind is a problem with its line.
type fields struct {
	log   *log
	where string // prefix of field names in problems, such as "voice."
	line  int
	keys  []string
	nodes map[string]ast.Node
	read  map[string]bool
}

// newFields reads a file whose top is a mapping.
func newFields(l *log, data []byte) (*fields, bool) {
	node, line, err := parseYAML(data)
	if err != nil {
		l.errorf(line, "%v", err)
		return nil, false
	}
	return fieldsOf(l, "", node)
}

func fieldsOf(l *log, where string, node ast.Node) (*fields, bool) {
	f := &fields{log: l, where: where, line: lineOf(node), nodes: map[string]ast.Node{}, read: map[string]bool{}}
	for _, v := range mappingValues(node) {
		key := v.Key.GetToken().Value
		if v.Key.IsMergeKey() {
			l.errorf(lineOf(v.Key), "%suses a merge key; write the values out", where)
			return nil, false
		}
		f.keys = append(f.keys, key)
		f.nodes[key] = v.Value
	}
	if len(f.keys) == 0 && !isEmptyMapping(node) {
		name := strings.TrimSuffix(where, ".")
		if name == "" {
			name = "the file"
		}
		l.errorf(lineOf(node), "%s is not a list of `key: value` lines", name)
		return nil, false
	}
	return f, true
}

func isEmptyMapping(n ast.Node) bool {
	m, ok := n.(*ast.MappingNode)
	return ok && len(m.Values) == 0
}

func mappingValues(n ast.Node) []*ast.MappingValueNode {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	}
	return nil
}

func (f *fields) has(key string) bool { _, ok := f.nodes[key]; return ok }

// at is the line of a key's value, or of the mapping.
func (f *fields) at(key string) int {
	if n, ok := f.nodes[key]; ok && lineOf(n) > 0 {
		return lineOf(n)
	}
	return max(f.line, 1)
}

func (f *fields) wrong(key, format string, args ...any) {
	f.log.errorf(f.at(key), "`%s%s` "+format, append([]any{f.where, key}, args...)...)
}

// take marks a key as known and gives its value, nil when absent.
func (f *fields) take(key string) ast.Node {
	f.read[key] = true
	return f.nodes[key]
}

// scalar is the text of a scalar node.
func scalar(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, true
	}
	return "", false
}

// text is a scalar as written; a number or a boolean is taken as its letters.
func (f *fields) text(key string) string {
	n := f.take(key)
	if n == nil {
		return ""
	}
	s, ok := scalar(n)
	if !ok {
		f.wrong(key, "is %s; write a text", kindOf(n))
		return ""
	}
	return strings.TrimSpace(s)
}

// need is a text that must be there.
func (f *fields) need(key, hint string) string {
	s := f.text(key)
	if !f.has(key) {
		f.log.errorf(f.line, "`%s%s` is missing; add `%s: %s`", f.where, key, key, hint)
	} else if _, ok := scalar(f.nodes[key]); ok && s == "" {
		f.wrong(key, "is empty; write `%s: %s`", key, hint)
	}
	return s
}

// list is a list of texts; one text stands for a list of one.
func (f *fields) list(key string) []string {
	n := f.take(key)
	if n == nil {
		return nil
	}
	if s, ok := scalar(n); ok {
		return []string{strings.TrimSpace(s)}
	}
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		f.wrong(key, "is %s; write a list such as [one, two]", kindOf(n))
		return nil
	}
	out := make([]string, 0, len(seq.Values))
	for i, v := range seq.Values {
		s, ok := scalar(v)
		if !ok || strings.TrimSpace(s) == "" {
			f.log.errorf(lineOf(v), "`%s%s[%d]` is %s; write a text", f.where, key, i, kindOf(v))
			continue
		}
		out = append(out, strings.TrimSpace(s))
	}
	return out
}

func (f *fields) boolean(key string) *bool {
	n := f.take(key)
	if n == nil {
		return nil
	}
	b, ok := n.(*ast.BoolNode)
	if !ok {
		f.wrong(key, "is %s; write true or false", kindOf(n))
		return nil
	}
	return &b.Value
}

// numbers is a mapping of names to numbers.
func (f *fields) numbers(key string) map[string]float64 {
	sub, ok := f.mapping(key)
	if !ok {
		return nil
	}
	out := map[string]float64{}
	for _, k := range sub.keys {
		s, _ := scalar(sub.take(k))
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || v != v {
			sub.wrong(k, "is not a number")
			continue
		}
		out[k] = v
	}
	return out
}

// thresholds are the numbers of that key, each within what it can be.
func (f *fields) thresholds() map[string]float64 {
	out := f.numbers("thresholds")
	for _, name := range slices.Sorted(maps.Keys(out)) {
		low, high := 0.0, 1.0
		switch name {
		case "confidence_threshold", "model", "unknown_threshold", "unknown", "entailment_threshold",
			"contradiction_threshold", "max_unverifiable_ratio":
		case "max_sources_per_claim":
			low, high = 1, 32
		default:
			f.log.warnf(f.at("thresholds"), "`thresholds.%s` is no threshold and is ignored; there are "+
				"confidence_threshold, unknown_threshold, entailment_threshold, contradiction_threshold, "+
				"max_unverifiable_ratio and max_sources_per_claim", name)
			continue
		}
		if v := out[name]; v < low || v > high {
			f.wrong("thresholds", "%s is %v; it must lie between %v and %v", name, v, low, high)
		}
	}
	return out
}

// mapping is a nested mapping; false when absent or of another kind.
func (f *fields) mapping(key string) (*fields, bool) {
	n := f.take(key)
	if n == nil {
		return nil, false
	}
	if _, null := n.(*ast.NullNode); null {
		return nil, false
	}
	return fieldsOf(f.log, f.where+key+".", n)
}

// mappings is a list of mappings.
func (f *fields) mappings(key string) []*fields {
	n := f.take(key)
	if n == nil {
		return nil
	}
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		f.wrong(key, "is %s; write a list of `- key: value` entries", kindOf(n))
		return nil
	}
	var out []*fields
	for i, v := range seq.Values {
		if sub, ok := fieldsOf(f.log, fmt.Sprintf("%s%s[%d].", f.where, key, i), v); ok {
			out = append(out, sub)
		}
	}
	return out
}

// json is a value of any shape, as JSON.
func (f *fields) json(key string) json.RawMessage {
	n := f.take(key)
	if n == nil {
		return nil
	}
	var v any
	err := yaml.NodeToValue(n, &v)
	if err == nil {
		var data []byte
		if data, err = json.Marshal(v); err == nil {
			return data
		}
	}
	f.wrong(key, "cannot be written as JSON: %s", oneLine(err.Error()))
	return nil
}

// condition is a condition over trust, flags and state.
func (f *fields) condition(key string) (string, Condition) {
	if !f.has(key) {
		f.take(key)
		return "", Condition{}
	}
	s := f.text(key)
	if s == "" {
		f.wrong(key, "is empty; write a condition such as `trust >= 20` or leave it out")
		return "", Condition{}
	}
	c, err := ParseCondition(s)
	if err != nil {
		f.wrong(key, "is not a condition: %v", err)
		return "", Condition{}
	}
	return s, c
}

// warnUnknown names the keys that nobody read.
func (f *fields) warnUnknown() {
	for _, k := range f.keys {
		if f.read[k] {
			continue
		}
		known := make([]string, 0, len(f.read))
		for r := range f.read {
			known = append(known, r)
		}
		slices.Sort(known)
		line := f.at(k)
		if near := nearest(k, known); near != "" {
			f.log.warnf(line, "`%s%s` is not a key of this file; did you mean `%s`?", f.where, k, near)
			continue
		}
		f.log.warnf(line, "`%s%s` is not a key of this file; it is ignored", f.where, k)
	}
}
