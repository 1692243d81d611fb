package world

import (
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// readRecords reads a .yaml document, such as an inventory or a price list. A
// value of whole sentences is cut like prose; any other scalar is the line
// "key: value" as it stands in the file, under its parents' keys as heading.
func readRecords(l *log, _ *Document, data []byte) []Passage {
	s, ok := decodeText(l, data)
	if !ok {
		return nil
	}
	root, line, err := parseYAML([]byte(s))
	if err != nil {
		l.errorf(line, "%v", err)
		return nil
	}
	r := &recordReader{}
	r.walk(root, nil, "")
	return keepVerbatim(l, r.out, s)
}

type recordReader struct{ out []Passage }

// walk goes down to the scalars; key is the source text of the scalar's key.
func (r *recordReader) walk(n ast.Node, parents []string, key string) {
	switch n := n.(type) {
	case *ast.MappingNode:
		for _, v := range n.Values {
			r.pair(v, parents)
		}
	case *ast.MappingValueNode:
		r.pair(n, parents)
	case *ast.SequenceNode:
		if written := flowList(n, key); written != "" {
			r.line(written, lineOf(n), parents)
			return
		}
		if key != "" {
			parents = append(parents[:len(parents):len(parents)], key)
		}
		for _, v := range n.Values {
			r.walk(v, parents, "")
		}
	case *ast.AnchorNode:
		r.walk(n.Value, parents, key)
	case *ast.TagNode:
		r.walk(n.Value, parents, key)
	default:
		r.scalar(n, parents, key)
	}
}

func (r *recordReader) pair(v *ast.MappingValueNode, parents []string) {
	key := v.Key.GetToken().Value
	switch v.Value.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		r.walk(v.Value, append(parents[:len(parents):len(parents)], key), "")
	default:
		r.walk(v.Value, parents, key)
	}
}

func (r *recordReader) scalar(n ast.Node, parents []string, key string) {
	value, ok := scalar(n)
	if !ok || strings.TrimSpace(value) == "" {
		return
	}
	if endsSentence(strings.TrimSpace(value)) || len(text.Sentences(value)) > 1 {
		for _, p := range cutText(value, lineOf(n)) {
			p.Heading = strings.TrimSpace(strings.Join(parents, " ") + " " + key)
			r.out = append(r.out, p)
		}
		return
	}
	written := strings.TrimSpace(value)
	if _, literal := n.(*ast.LiteralNode); !literal && n.GetToken() != nil {
		written = strings.TrimSpace(n.GetToken().Origin)
	}
	if key != "" {
		written = key + ": " + written
	}
	r.line(written, lineOf(n), parents)
}

// line takes "key: value" as one sentence, whatever stands in it.
func (r *recordReader) line(written string, line int, parents []string) {
	for _, part := range splitLong(strings.Join(strings.Fields(written), " ")) {
		if isCitable(part) {
			r.out = append(r.out, Passage{Text: part, Page: 1, Line: line, Heading: strings.Join(parents, " ")})
		}
	}
}

// flowList is "key: [a, b]" for a short list in brackets, or "".
func flowList(n *ast.SequenceNode, key string) string {
	if !n.IsFlowStyle || key == "" {
		return ""
	}
	items := make([]string, 0, len(n.Values))
	for _, v := range n.Values {
		if _, ok := scalar(v); !ok {
			return ""
		}
		items = append(items, strings.TrimSpace(v.GetToken().Origin))
	}
	if s := key + ": [" + strings.Join(items, ", ") + "]"; len(s) <= maxPassage {
		return s
	}
	return ""
}
