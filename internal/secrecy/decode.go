package secrecy

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// depth is how many codes within codes are read.
const depth = 2

// decoded are the texts that a text hides in a code: base64 and base32, hex, octal,
// binary and decimal codes, escapes, Morse, Braille, letters as numbers, other
// alphabets, signs without width.
func decoded(s string) []string {
	var out []string
	now := []string{s}
	for range depth {
		var next []string
		for _, text := range now {
			for _, found := range once(text) {
				if found != s { // a code that undoes itself
					next = append(next, found)
				}
			}
		}
		out = append(out, next...)
		now = next
	}
	return out
}

// fewMarks are more marks than a sentence has.
const fewMarks = 5

func once(s string) []string {
	var out []string
	add := func(found string) {
		if len(found) >= 3 && found != s {
			out = append(out, found)
		}
	}
	shape := shapeOf(s)
	if shape.escapes {
		if text, err := url.PathUnescape(s); err == nil {
			add(shorter(s, text))
		}
		add(shorter(s, html.UnescapeString(s)))
		add(shorter(s, unescaped(s)))
	}
	if shape.digits {
		for _, text := range numbers(s) {
			add(text)
		}
	}
	add(hexed(s, shape))
	if shape.mixed {
		for _, text := range based(s) {
			add(text)
		}
	}
	if shape.marks >= fewMarks {
		add(morse(s))
		add(rot47(s))
	}
	if shape.foreign {
		for _, text := range []string{unseen(s), braille(s), upsideDown(s), transliterated(s)} {
			add(text)
		}
	}
	return out
}

// shape says which codes a text may hold at all: most hold none.
type shape struct {
	digits, escapes, mixed, foreign bool
	marks                           int
}

func shapeOf(s string) shape {
	var out shape
	numbers := 0
	for i := 0; i < len(s); {
		c := s[i]
		if !isAlnum(c) {
			out.foreign = out.foreign || c >= 0x80
			out.escapes = out.escapes || c == '%' || c == '&' || c == '\\' || c == '='
			if c != ' ' {
				out.marks++
			}
			i++
			continue
		}
		begin, digits, inner := i, 0, false
		for ; i < len(s) && isAlnum(s[i]); i++ {
			if s[i] <= '9' {
				digits++
			} else if i > begin && s[i] <= 'Z' {
				inner = true
			}
		}
		if digits > 0 {
			numbers++
		}
		out.digits = out.digits || digits >= 8
		out.mixed = out.mixed || inner || digits > 0 && digits < i-begin
	}
	out.digits = out.digits || numbers > 1
	out.mixed = out.mixed || out.escapes
	return out
}

func isAlnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// legible says whether bytes are a text that somebody may read. A piece of a text
// may begin and end within a letter.
func legible(b []byte) bool {
	if len(b) < 3 {
		return false
	}
	bad := 0
	for rest := b; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		if r == utf8.RuneError && n == 1 || r < 0x20 && r != '\n' && r != '\t' || r == 0x7f {
			bad += n
		}
		rest = rest[n:]
	}
	return bad*10 <= len(b)
}

func isBase64(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '+' || r == '/' || r == '-' ||
		r == '_'
}

// based reads base64 and base32, of each word and of all words in one.
func based(s string) []string {
	var out []string
	words := strings.FieldsFunc(s, func(r rune) bool { return !isBase64(r) })
	var coded []string
	first, last := -1, 0
	for i, w := range words {
		if len(w) >= 4 && strings.ToLower(w[1:]) != w[1:] || strings.ContainsAny(w, "0123456789") {
			coded = append(coded, w)
			if first < 0 {
				first = i
			}
			last = i + 1
		}
	}
	if first < 0 {
		return nil
	}
	for _, w := range append(coded, strings.Join(coded, ""), strings.Join(words[first:last], "")) {
		if len(w) < 6 {
			continue
		}
		plain := strings.NewReplacer("-", "+", "_", "/").Replace(w)
		for from := range 4 { // a piece may begin anywhere
			piece := plain[from:]
			if b, err := base64.RawStdEncoding.DecodeString(piece[:len(piece)/4*4]); err == nil && legible(b) {
				tail, err := base64.RawStdEncoding.DecodeString(piece)
				if err == nil && legible(tail) {
					b = tail
				}
				out = append(out, string(b))
				break
			}
		}
		up := strings.ToUpper(strings.Trim(w, "-_"))
		if b, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(up[:len(up)/8*8]); err == nil &&
			legible(b) {
			if all, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(up); err == nil {
				b = all
			}
			out = append(out, string(b))
		}
	}
	return out
}

var hexMarks = strings.NewReplacer("0x", " ", "\\x", " ", "%", " ", "U+", " ", "u+", " ", "\\u", " ", "&#x", " ",
	"=", " ")

// hexed reads pairs of hexadecimal digits, apart or in one, with whatever marks.
func hexed(s string, is shape) string {
	if !is.digits && !is.mixed {
		return ""
	}
	var b strings.Builder
	for _, w := range strings.FieldsFunc(hexMarks.Replace(s),
		func(r rune) bool { return r != '_' && !isBase64(r) || r == '-' || r == '/' || r == '+' }) {
		if _, err := hex.DecodeString(w); err == nil && (len(w) == 2 || strings.ContainsAny(w, "0123456789")) {
			b.WriteString(strings.TrimPrefix(w, "00"))
		}
	}
	out, err := hex.DecodeString(b.String())
	if err != nil || !legible(out) {
		return ""
	}
	return string(out)
}

// numbers reads a row of numbers as letters: 1 to 26, the codes of ASCII in
// decimal, octal and binary.
func numbers(s string) []string {
	words := strings.FieldsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	var out []string
	if text, ok := places(words); ok {
		out = append(out, text)
	}
	for _, base := range []int{10, 8, 2} {
		if text, ok := codes(words, base); ok {
			out = append(out, text)
		}
	}
	if text, ok := bits(strings.Join(words, "")); ok {
		out = append(out, text)
	}
	return out
}

func places(words []string) (string, bool) {
	var b strings.Builder
	for _, w := range words {
		if n, err := strconv.Atoi(w); err == nil && n >= 1 && n <= 26 {
			b.WriteByte(byte('a' + n - 1))
		}
	}
	return b.String(), b.Len() >= 4
}

func codes(words []string, base int) (string, bool) {
	var b []byte
	for _, w := range words {
		if n, err := strconv.ParseUint(w, base, 32); err == nil && n >= 0x20 && n < 0x7f {
			b = append(b, byte(n))
		}
	}
	return string(b), len(b) >= 4
}

func bits(s string) (string, bool) {
	if len(s) < 28 || strings.Trim(s, "01") != "" {
		return "", false
	}
	for _, width := range []int{8, 7} {
		if text, ok := wide(s, width); ok {
			return text, true
		}
	}
	return "", false
}

func wide(s string, width int) (string, bool) {
	var b []byte
	for i := 0; i+width <= len(s); i += width {
		n, err := strconv.ParseUint(s[i:i+width], 2, 8)
		if err != nil {
			return "", false
		}
		b = append(b, byte(n))
	}
	return string(b), legible(b)
}

// shorter is what a text is without its escapes, where they were most of it: a text
// with an escape or two is read as it stands.
func shorter(s, text string) string {
	if 4*len(text) > 3*len(s) {
		return ""
	}
	return text
}

// unescaped reads \u and \x escapes.
func unescaped(s string) string {
	var b strings.Builder
	for s != "" {
		r, _, rest, err := strconv.UnquoteChar(s, 0)
		if err != nil {
			r, rest = rune(s[0]), s[1:]
		}
		b.WriteRune(r)
		s = rest
	}
	return b.String()
}
