package world

import (
	"strconv"
	"strings"

	"encoding/json"
)

// Condition is a parsed condition over trust, flags and state, such as
//
//	trust >= 20 and flags.quest.mill.started and not flags.mira.betrayed
//	state.player.level >= 5 or mira.shop_open == true
//	flag("quest.mill") && state["mira.mood"] != "sour"
//
// The zero Condition always holds. A state key that is missing, or of another
// kind than what it is compared with, is unknown: every comparison with it is
// unknown, so is its negation, and a condition that comes out unknown does not
// hold. A flag that is not set is false, not unknown.
type Condition struct{ root node }

// Facts are what a condition is judged by: all of them come with the turn.
type Facts struct {
	Trust int
	Flags []string
	State map[string]any // flat keys such as "player.level", or nested maps
}

// Holds says whether the condition is true of these facts.
func (c Condition) Holds(f Facts) bool {
	return c.root == nil || c.root.eval(f) == yes
}

// IsZero says whether there is no condition at all.
func (c Condition) IsZero() bool { return c.root == nil }

// String writes the condition in a form that parses to the same condition.
func (c Condition) String() string {
	if c.root == nil {
		return ""
	}
	return c.root.print(0)
}

// truth is Kleene's third value beside true and false.
type truth int

const (
	no truth = iota
	unknown
	yes
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// node is a part of a condition that comes out true, false or unknown.
type node interface {
	eval(Facts) truth
	print(outer int) string // outer is the binding power around it
}

type (
	andNode     struct{ left, right node }
	orNode      struct{ left, right node }
	notNode     struct{ of node }
	flagNode    struct{ name string }
	truthNode   struct{ key string } // a state key that stands for itself
	literalNode struct{ value bool }
	compareNode struct {
		op          string
		left, right operand
	}
)

func (n andNode) eval(f Facts) truth { return min(n.left.eval(f), n.right.eval(f)) }
func (n orNode) eval(f Facts) truth  { return max(n.left.eval(f), n.right.eval(f)) }
func (n notNode) eval(f Facts) truth { return yes - n.of.eval(f) }

func (n flagNode) eval(f Facts) truth { return truthOf(hasFlag(f, n.name)) }

func (n truthNode) eval(f Facts) truth {
	if b, ok := lookup(f.State, n.key).(bool); ok {
		return truthOf(b)
	}
	return unknown
}

func (n literalNode) eval(Facts) truth { return truthOf(n.value) }

func (n compareNode) eval(f Facts) truth {
	a, b := n.left.value(f), n.right.value(f)
	switch x := a.(type) {
	case float64:
		if y, ok := b.(float64); ok {
			return truthOf(compareNumbers(n.op, x, y))
		}
	case string:
		if y, ok := b.(string); ok && isEquality(n.op) {
			return truthOf((x == y) == (n.op == "=="))
		}
	case bool:
		if y, ok := b.(bool); ok && isEquality(n.op) {
			return truthOf((x == y) == (n.op == "=="))
		}
	}
	return unknown
}

func isEquality(op string) bool { return op == "==" || op == "!=" }

func compareNumbers(op string, a, b float64) bool {
	switch op {
	case "==":
		return a == b
	case "!=":
		return a != b
	case "<":
		return a < b
	case "<=":
		return a <= b
	case ">":
		return a > b
	}
	return a >= b
}

// operand is one side of a comparison.
type operand struct {
	kind   operandKind
	name   string // of a flag or a state key, or a text
	number float64
	truth  bool
}

type operandKind int

const (
	isNumber operandKind = iota
	isText
	isTruth
	isTrust
	isFlag
	isState
)

// value is a float64, a string, a bool, or nil where nothing is known.
func (o operand) value(f Facts) any {
	switch o.kind {
	case isNumber:
		return o.number
	case isText:
		return o.name
	case isTruth:
		return o.truth
	case isTrust:
		return float64(f.Trust)
	case isFlag:
		return hasFlag(f, o.name)
	}
	return plain(lookup(f.State, o.name))
}

func hasFlag(f Facts, name string) bool {
	for _, v := range f.Flags {
		if v == name {
			return true
		}
	}
	return false
}

// lookup finds a flat key first and then descends into nested maps.
func lookup(state map[string]any, key string) any {
	if v, ok := state[key]; ok {
		return v
	}
	for i := 0; i < len(key); i++ {
		if key[i] != '.' {
			continue
		}
		if inner, ok := state[key[:i]].(map[string]any); ok {
			if v := lookup(inner, key[i+1:]); v != nil {
				return v
			}
		}
	}
	return nil
}

// plain brings the numbers that JSON, YAML and Go callers use to one kind.
func plain(v any) any {
	switch v := v.(type) {
	case int:
		return float64(v)
	case int32:
		return float64(v)
	case int64:
		return float64(v)
	case uint64:
		return float64(v)
	case float32:
		return float64(v)
	case json.Number:
		if f, err := v.Float64(); err == nil {
			return f
		}
		return nil
	}
	return v
}

// Binding powers, weakest first.
const (
	bindOr = iota + 1
	bindAnd
	bindNot
)

func parens(s string, own, outer int) string {
	if own < outer {
		return "(" + s + ")"
	}
	return s
}

func (n orNode) print(outer int) string {
	return parens(n.left.print(bindOr)+" or "+n.right.print(bindOr+1), bindOr, outer)
}

func (n andNode) print(outer int) string {
	return parens(n.left.print(bindAnd)+" and "+n.right.print(bindAnd+1), bindAnd, outer)
}

func (n notNode) print(outer int) string {
	return parens("not "+n.of.print(bindNot), bindNot, outer)
}

func (n flagNode) print(int) string    { return printFlag(n.name) }
func (n truthNode) print(int) string   { return printState(n.key) }
func (n literalNode) print(int) string { return strconv.FormatBool(n.value) }

func (n compareNode) print(int) string {
	return n.left.print() + " " + n.op + " " + n.right.print()
}

func (o operand) print() string {
	switch o.kind {
	case isNumber:
		return strconv.FormatFloat(o.number, 'f', -1, 64)
	case isText:
		return quoteText(o.name)
	case isTruth:
		return strconv.FormatBool(o.truth)
	case isTrust:
		return "trust"
	case isFlag:
		return printFlag(o.name)
	}
	return printState(o.name)
}

func printFlag(name string) string {
	if isPath(name) {
		return "flags." + name
	}
	return "flag(" + quoteText(name) + ")"
}

func printState(key string) string {
	if isPath(key) {
		return "state." + key
	}
	return "state[" + quoteText(key) + "]"
}

func quoteText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// isPath says whether a name can be written with dots and without quotes.
func isPath(name string) bool {
	for _, part := range strings.Split(name, ".") {
		if part == "" {
			return false
		}
		for i := range len(part) {
			if !isPathByte(part[i]) {
				return false
			}
		}
	}
	return true
}

func isPathByte(c byte) bool {
	return c == '_' || c == '-' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
