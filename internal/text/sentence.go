package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/sentences"
)

// Sentences are the whole sentences of s, trimmed, each verbatim in s. UAX #29
// finds the boundaries; a boundary after a title, an initial or a common
// abbreviation is taken back, and a blank line always ends a sentence. A single
// line break inside a sentence does not.
func Sentences(s string) []string {
	var out []string
	for _, span := range SentenceSpans(s) {
		out = append(out, s[span.Start:span.End])
	}
	return out
}

// SentenceSpans are the places of the sentences of s. Callers share the slice and
// leave it as it is.
func SentenceSpans(s string) []Span {
	return sentenceMemo.get(s, sentenceSpans)
}

func sentenceSpans(s string) []Span {
	var out []Span
	for _, p := range paragraphs(s) {
		out = append(out, paragraphSentences(s, p)...)
	}
	return out
}

// paragraphs are the stretches of s between blank lines.
func paragraphs(s string) []Span {
	var out []Span
	start, blank := 0, true
	flush := func(end int) {
		if strings.TrimSpace(s[start:end]) != "" {
			out = append(out, Span{start, end})
		}
	}
	pos := 0
	for pos < len(s) {
		next := strings.IndexByte(s[pos:], '\n')
		end := len(s)
		if next >= 0 {
			end = pos + next + 1
		}
		if strings.TrimSpace(s[pos:end]) == "" {
			flush(pos)
			start, blank = end, true
		} else if blank {
			start, blank = pos, false
		}
		pos = end
	}
	if start < len(s) {
		flush(len(s))
	}
	return out
}

// paragraphSentences segments one paragraph. UAX #29 breaks at every line
// separator, so line breaks stand as spaces of the same width while it works.
func paragraphSentences(s string, p Span) []Span {
	flat := strings.Map(func(r rune) rune {
		switch r {
		case '\n', '\r', '\v', '\f':
			return ' '
		case '\u0085', '\u2028', '\u2029':
			return r
		}
		return r
	}, s[p.Start:p.End])
	if len(flat) != p.End-p.Start { // Map replaced bytes that are not UTF-8; keep the paragraph whole
		return trimmed(s, []Span{p})
	}
	var out []Span
	it := sentences.FromString(flat)
	open := -1
	for it.Next() {
		start, end := p.Start+it.Start(), p.Start+it.End()
		if open >= 0 {
			start = open
		}
		if endsAbbreviated(flat[start-p.Start:end-p.Start]) && end < p.End {
			open = start
			continue
		}
		open = -1
		out = append(out, Span{start, end})
	}
	return trimmed(s, out)
}

func trimmed(s string, spans []Span) []Span {
	out := spans[:0]
	for _, sp := range spans {
		part := s[sp.Start:sp.End]
		left := len(part) - len(strings.TrimLeftFunc(part, unicode.IsSpace))
		right := len(strings.TrimRightFunc(part, unicode.IsSpace))
		if left < right {
			out = append(out, Span{sp.Start + left, sp.Start + right})
		}
	}
	return out
}

var abbreviations = Set(`mr mrs ms dr st sr jr prof capt sgt lt col gen rev hon mt vs etc no vol fig e.g i.e a.k.a
	approx dept est`)

// endsAbbreviated says whether a sentence ends in a full stop that belongs to a
// title, an initial or an abbreviation, and so goes on.
func endsAbbreviated(s string) bool {
	s = strings.TrimRightFunc(s, unicode.IsSpace)
	body, ok := strings.CutSuffix(s, ".")
	if !ok {
		return false
	}
	last := body
	if i := strings.LastIndexFunc(body, unicode.IsSpace); i >= 0 {
		last = body[i+1:]
	}
	last = strings.TrimLeft(last, `("'[`)
	if r, n := utf8.DecodeRuneInString(last); n == len(last) && n > 0 && unicode.IsUpper(r) && r != 'I' {
		return true
	}
	lower := strings.ToLower(last)
	return abbreviations[lower] && lower != "no" && lower != "etc"
}

// IsQuestion says whether a sentence ends as a question.
func IsQuestion(s string) bool {
	return strings.HasSuffix(strings.TrimRight(strings.TrimSpace(s), `"'”’)]!`), "?")
}
