package world

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxCondition bounds a condition's length, and with it the parser's recursion.
const maxCondition = 1024

// ParseCondition reads a condition; an empty one always holds. An error names
// the column where reading stopped.
func ParseCondition(s string) (Condition, error) {
	if strings.TrimSpace(s) == "" {
		return Condition{}, nil
	}
	if len(s) > maxCondition {
		return Condition{}, fmt.Errorf("it is %d bytes long; at most %d are read", len(s), maxCondition)
	}
	tokens, err := scan(s)
	if err != nil {
		return Condition{}, err
	}
	p := &conditionParser{tokens: tokens}
	root, err := p.parse(0)
	if err != nil {
		return Condition{}, err
	}
	if t := p.peek(); t.kind != endToken {
		return Condition{}, t.errorf("%s is not expected here; join conditions with `and` or `or`", t)
	}
	return Condition{root: root}, nil
}

type tokenKind int

const (
	endToken    tokenKind = iota
	wordToken             // a name with dots
	numberToken           // value in number
	textToken             // value in text, quotes taken off
	signToken             // an operator or a bracket
)

type condToken struct {
	kind   tokenKind
	text   string
	number float64
	column int
}

func (t condToken) String() string {
	if t.kind == endToken {
		return "the end"
	}
	return "`" + t.text + "`"
}

func (t condToken) is(sign string) bool { return t.kind == signToken && t.text == sign }

func (t condToken) errorf(format string, args ...any) error {
	return fmt.Errorf("column %d: %s", t.column, fmt.Sprintf(format, args...))
}

// scan cuts a condition into tokens; `&&`, `||` and `!` become their words.
func scan(s string) ([]condToken, error) {
	var out []condToken
	for i := 0; i < len(s); {
		c := s[i]
		t := condToken{column: utf8.RuneCountInString(s[:i]) + 1}
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
			continue
		case c == '"' || c == '\'':
			text, size, err := scanText(s[i:])
			if err != nil {
				return nil, t.errorf("%v", err)
			}
			t.kind, t.text = textToken, text
			i += size
		case isDigit(c) || c == '-' && i+1 < len(s) && isDigit(s[i+1]):
			size := scanNumber(s[i:])
			n, err := strconv.ParseFloat(s[i:i+size], 64)
			if err != nil {
				return nil, t.errorf("`%s` is not a number", s[i:i+size])
			}
			t.kind, t.text, t.number = numberToken, s[i:i+size], n
			i += size
		case isPathByte(c) && c != '-':
			size := 0
			for i+size < len(s) && (isPathByte(s[i+size]) || s[i+size] == '.') {
				size++
			}
			t.kind, t.text = wordToken, s[i:i+size]
			i += size
		default:
			sign := scanSign(s[i:])
			if sign == "" {
				r, _ := utf8.DecodeRuneInString(s[i:])
				return nil, t.errorf("%q has no meaning in a condition", r)
			}
			i += len(sign)
			t.kind, t.text = signToken, sign
			if word, ok := wordSigns[sign]; ok {
				t.kind, t.text = wordToken, word
			}
		}
		out = append(out, t)
	}
	return append(out, condToken{column: utf8.RuneCountInString(s) + 1}), nil
}

var wordSigns = map[string]string{"&&": "and", "||": "or", "!": "not"}

func scanSign(s string) string {
	for _, sign := range []string{"==", "!=", "<=", ">=", "&&", "||", "<", ">", "!", "(", ")", "[", "]", "="} {
		if strings.HasPrefix(s, sign) {
			return sign
		}
	}
	return ""
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func scanNumber(s string) int {
	i := 1
	for i < len(s) && (isDigit(s[i]) || s[i] == '.') {
		i++
	}
	return i
}

func scanText(s string) (text string, size int, err error) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == s[0]:
			if !utf8.ValidString(b.String()) {
				return "", 0, fmt.Errorf("the text is not UTF-8")
			}
			return b.String(), i + 1, nil
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return "", 0, fmt.Errorf("the text that begins here has no closing %c", s[0])
}

// conditionParser is a Pratt parser: parse(power) reads everything that binds
// tighter than power.
type conditionParser struct {
	tokens []condToken
	at     int
	depth  int
}

func (p *conditionParser) peek() condToken { return p.tokens[p.at] }

func (p *conditionParser) next() condToken {
	t := p.tokens[p.at]
	if t.kind != endToken {
		p.at++
	}
	return t
}

func (p *conditionParser) word(w string) bool {
	if t := p.peek(); t.kind == wordToken && strings.EqualFold(t.text, w) {
		p.at++
		return true
	}
	return false
}

func (p *conditionParser) parse(power int) (node, error) {
	if p.depth++; p.depth > maxNesting {
		return nil, p.peek().errorf("nests deeper than %d; write it flatter", maxNesting)
	}
	defer func() { p.depth-- }()
	left, err := p.prefix()
	for err == nil {
		var right node
		switch {
		case power < bindAnd && p.word("and"):
			right, err = p.parse(bindAnd)
			left = andNode{left, right}
		case power < bindOr && p.word("or"):
			right, err = p.parse(bindOr)
			left = orNode{left, right}
		default:
			return left, nil
		}
	}
	return nil, err
}

func (p *conditionParser) prefix() (node, error) {
	if p.word("not") {
		of, err := p.parse(bindNot)
		return notNode{of}, err
	}
	if p.peek().is("(") {
		p.next()
		inner, err := p.parse(0)
		if err != nil {
			return nil, err
		}
		if t := p.next(); !t.is(")") {
			return nil, t.errorf("a closing ) is missing before %s", t)
		}
		return inner, nil
	}
	start := p.peek()
	left, err := p.operand()
	if err != nil {
		return nil, err
	}
	t := p.peek()
	if t.kind == signToken && isComparison(t.text) {
		return p.comparison(left)
	}
	if t.is("=") {
		return nil, t.errorf("`=` is not a comparison; write `==`")
	}
	switch left.kind {
	case isFlag:
		return flagNode{left.name}, nil
	case isState:
		return truthNode{left.name}, nil
	case isTruth:
		return literalNode{left.truth}, nil
	}
	return nil, start.errorf("%s alone is neither true nor false; compare it, as in `trust >= 20`", start)
}

func isComparison(sign string) bool {
	switch sign {
	case "==", "!=", "<", "<=", ">", ">=":
		return true
	}
	return false
}

func (p *conditionParser) comparison(left operand) (node, error) {
	op := p.next()
	right, err := p.operand()
	if err != nil {
		return nil, err
	}
	if t := p.peek(); t.kind == signToken && isComparison(t.text) {
		return nil, t.errorf("a comparison has two sides; write `a < b and b < c`")
	}
	a, b := left.sort(), right.sort()
	if a != anySort && b != anySort && a != b {
		return nil, op.errorf("%s cannot be compared with %s", a, b)
	}
	if !isEquality(op.text) && (a == textSort || b == textSort || a == truthSort || b == truthSort) {
		return nil, op.errorf("`%s` compares numbers; use `==` or `!=`", op.text)
	}
	return compareNode{op: op.text, left: left, right: right}, nil
}

const (
	anySort    = "a state value"
	numberSort = "a number"
	textSort   = "a text"
	truthSort  = "true or false"
)

// sort is the kind of value an operand has.
func (o operand) sort() string {
	switch o.kind {
	case isNumber, isTrust:
		return numberSort
	case isText:
		return textSort
	case isTruth, isFlag:
		return truthSort
	}
	return anySort
}

func (p *conditionParser) operand() (operand, error) {
	t := p.next()
	switch t.kind {
	case numberToken:
		return operand{kind: isNumber, number: t.number}, nil
	case textToken:
		return operand{kind: isText, name: t.text}, nil
	case wordToken:
		return p.named(t)
	}
	return operand{}, t.errorf("a name, a number or a text is expected, not %s", t)
}

// named reads trust, true, false, a flag or a state key.
func (p *conditionParser) named(t condToken) (operand, error) {
	switch strings.ToLower(t.text) {
	case "trust":
		return operand{kind: isTrust}, nil
	case "true", "false":
		return operand{kind: isTruth, truth: strings.EqualFold(t.text, "true")}, nil
	case "flag":
		name, err := p.quoted("(", ")", `flag("quest.mill")`)
		return operand{kind: isFlag, name: name}, err
	case "state":
		name, err := p.quoted("[", "]", `state["player.level"] or state.player.level`)
		return operand{kind: isState, name: name}, err
	case "flags":
		name, err := p.quoted("[", "]", `flags.quest.mill`)
		return operand{kind: isFlag, name: name}, err
	case "and", "or", "not":
		return operand{}, t.errorf("a name, a number or a text is expected, not %s", t)
	}
	if !isPath(t.text) {
		return operand{}, t.errorf("%s has an empty part between its dots", t)
	}
	if name, ok := strings.CutPrefix(t.text, "flags."); ok {
		return operand{kind: isFlag, name: name}, nil
	}
	if name, ok := strings.CutPrefix(t.text, "state."); ok {
		return operand{kind: isState, name: name}, nil
	}
	if strings.Contains(t.text, ".") {
		return operand{kind: isState, name: t.text}, nil
	}
	return operand{}, t.errorf("%s is no name that a condition knows; write trust, flags.%s or state.%s", t, t.text,
		t.text)
}

// quoted reads a name in brackets.
func (p *conditionParser) quoted(left, right, example string) (string, error) {
	if t := p.next(); !t.is(left) {
		return "", t.errorf("%s is expected before %s, as in %s", left, t, example)
	}
	name := p.next()
	if name.kind != textToken || name.text == "" {
		return "", name.errorf("a quoted name is expected, as in %s", example)
	}
	if t := p.next(); !t.is(right) {
		return "", t.errorf("%s is expected before %s", right, t)
	}
	return name.text, nil
}
