package world

import (
	"github.com/goccy/go-yaml/ast"
)

func kindOf(n ast.Node) string {
	switch n.(type) {
	case *ast.NullNode:
		return "empty"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a number"
	case *ast.BoolNode:
		return "true or false"
	case *ast.AliasNode, *ast.AnchorNode:
		return "an alias or anchor, which is not taken here"
	case *ast.StringNode, *ast.LiteralNode:
		return "a text"
	}
	return "something else"
}

// nearest is the known key within two edits of a misspelt one, or "".
func nearest(s string, known []string) string {
	best, at := "", 3
	for _, k := range known {
		if d := editDistance(s, k); d < at && d < len(k) {
			best, at = k, d
		}
	}
	return best
}

func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		prev := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := prev
			if a[i] != b[j] {
				cost++
			}
			prev = row[j+1]
			row[j+1] = min(cost, row[j]+1, prev+1)
		}
	}
	return row[len(b)]
}
