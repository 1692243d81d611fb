package entail

import (
	"regexp"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// foreignAside is the first aside of a claim with a word of content that the evidence
// lacks. To a model "(bows low)" is manner; beside a true sentence it supports both. Figures
// are the number rule's.
func foreignAside(pair Pair) string {
	plain := text.Plain(pair.Hypothesis)
	if !strings.ContainsAny(plain, "([{*_") {
		return ""
	}
	for _, aside := range asidesOf(single.Replace(plain)) {
		foreign := Unaligned(pair.Premise, aside)
		if slices.ContainsFunc(foreign, func(w string) bool { return !isNumberWord(w) && !startsDigit(w) }) {
			return aside
		}
	}
	return ""
}

// single makes one mark of two.
var single = strings.NewReplacer("**", "*", "__", "_")

// marked is what stands between stars or underscores.
var marked = regexp.MustCompile(`(\*[^*]+\*)|(?:^|[^\p{L}\p{N}_])(_[^_]+_)`)

// asidesOf are what a text holds in brackets, between stars or between underscores, but for
// a single word within the text that is only stressed: "he *never* paid".
func asidesOf(s string) []string {
	var out []string
	depth, from := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '(', '[', '{':
			if depth == 0 {
				from = i
			}
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				out = append(out, s[from:i+1])
			}
			depth = max(depth, 0)
		}
	}
	if depth > 0 { // one that does not end goes on to the end
		out = append(out, s[from:])
	}
	for _, at := range marked.FindAllStringSubmatchIndex(s, -1) {
		from, to := max(at[2], at[4]), at[1]
		aside := s[from:to]
		within := len(text.Words(s[:from])) > 0 && len(text.Words(s[to:])) > 0 &&
			!strings.ContainsAny(lastOf(s[:from]), ".!?")
		if !within || len(text.Words(aside)) > 1 {
			out = append(out, aside)
		}
	}
	return out
}

// stressed is a word between underscores.
var stressed = regexp.MustCompile(`(^|[^\p{L}\p{N}_])_([\p{L}\p{N}'’-]+)_`)

// unstressed is a text without the underscores around single words, which would else be read
// as a part of them.
func unstressed(s string) string {
	if !strings.Contains(s, "_") {
		return s
	}
	return stressed.ReplaceAllString(s, "$1$2")
}

// lastOf is the last character of a text that is no space.
func lastOf(s string) string {
	s = strings.TrimSpace(s)
	return s[max(0, len(s)-1):]
}
