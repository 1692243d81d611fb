package entail

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// Bounds on what the rules read. A longer hypothesis is not judged; of a longer
// premise the whole sentences within the bound are.
const (
	maxPremise    = 64 << 10
	maxHypothesis = 4 << 10
)

// word is a word as the rules see it.
type word struct {
	raw   string // as written
	low   string // lower case
	stem  string
	gap   string // what stands between it and the next word of its sentence, without quotes and spaces
	start int    // in its passage
	end   int
	upper bool // begins with a capital
	first bool // begins its sentence
}

// sentence is a sentence of a passage.
type sentence struct {
	words    []word
	lead     string // what stands before its first word, without quotes and spaces
	text     string
	start    int // of text in its passage
	question bool
	lower    bool // without a single capital
	quoted   bool // stands inside quotation marks, while others of its passage do not
}

// passage is a text read once.
type passage struct {
	text      string
	sentences []sentence
	cut       bool // longer than the bound
}

// read splits a text into sentences and words.
func read(s string, bound int) *passage {
	s = strings.ToValidUTF8(s, " ")
	p := &passage{cut: len(s) > bound}
	p.text = text.Plain(clip(s, bound))
	spans := text.SentenceSpans(p.text)
	if p.cut && len(spans) > 1 {
		spans = spans[:len(spans)-1] // cut in the middle, it is no whole sentence
	}
	for _, sp := range spans {
		if st, ok := readSentence(p.text, sp); ok {
			p.sentences = append(p.sentences, st)
		}
	}
	markQuoted(p, spans)
	return p
}

func clip(s string, bound int) string {
	if len(s) <= bound {
		return s
	}
	for bound > 0 && !utf8.RuneStart(s[bound]) {
		bound--
	}
	return s[:bound]
}

func readSentence(s string, sp text.Span) (sentence, bool) {
	st := sentence{text: s[sp.Start:sp.End], lower: s[sp.Start:sp.End] == strings.ToLower(s[sp.Start:sp.End]),
		start: sp.Start, question: text.IsQuestion(s[sp.Start:sp.End])}
	spans := text.WordSpans(st.text)
	if len(spans) == 0 {
		return st, false
	}
	st.lead = leadOf(st.text[:spans[0].Start], st.text[spans[0].Start:])
	for i, w := range spans {
		raw := st.text[w.Start:w.End]
		r, _ := utf8.DecodeRuneInString(raw)
		end := len(st.text)
		if i+1 < len(spans) {
			end = spans[i+1].Start
		}
		low := strings.ToLower(raw)
		st.words = append(st.words, word{
			raw: raw, low: low, stem: text.Stem(low), gap: gapOf(st.text[w.End:end]),
			start: sp.Start + w.Start, end: sp.Start + w.End, upper: unicode.IsUpper(r), first: i == 0,
		})
	}
	last := &st.words[len(st.words)-1]
	last.gap = strings.TrimRight(last.gap, ".!?,;:-")
	return st, true
}

// leadOf is what stands before the first word of a sentence, without the marks of a
// list; the sign and the point of a number are its own.
func leadOf(before, after string) string {
	lead := strings.Trim(gapOf(before), "-*•>.…")
	if startsDigit(after) && (strings.HasSuffix(before, "-") || strings.HasSuffix(before, ".")) {
		lead += before[len(before)-1:]
	}
	return lead
}

// gapOf is punctuation as it is compared: without white space and quotation marks.
func gapOf(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '"' || r == '\'' {
			return -1
		}
		return r
	}, s)
}

// markQuoted marks the sentences that stand wholly inside quotation marks, unless
// all of the passage does: those are somebody's words, not the passage's own.
func markQuoted(p *passage, spans []text.Span) {
	marks := quotationMarks(p.text)
	if len(marks) == 0 {
		return
	}
	open, any, all := false, false, true
	k := 0
	for _, sp := range spans {
		inside := open || marks[sp.Start]
		for i := sp.Start; i < sp.End; i++ {
			if marks[i] {
				open = !open
			}
		}
		ends := marks[sp.End-1] || open
		if k < len(p.sentences) && p.sentences[k].start == sp.Start {
			p.sentences[k].quoted = inside && ends
			any, all = any || p.sentences[k].quoted, all && p.sentences[k].quoted
			k++
		}
	}
	if any && all {
		for i := range p.sentences {
			p.sentences[i].quoted = false
		}
	}
}

// quotationMarks are the places of the marks that open or close a quotation: all
// double ones, and single ones where a later one closes what is said behind a mark
// of punctuation, as no apostrophe does.
func quotationMarks(s string) map[int]bool {
	out := map[int]bool{}
	for i := range len(s) {
		if s[i] == '"' {
			out[i] = true
		}
	}
	for at := singleQuote(s, 0); at >= 0; {
		end := at + 1
		for end < len(s) && !(s[end] == '\'' && strings.IndexByte(".,!?-", s[end-1]) >= 0) {
			end++
		}
		if end == len(s) {
			break
		}
		out[at], out[end] = true, true
		at = singleQuote(s, end+1)
	}
	return out
}

// singleQuote is the place, from a byte on, of a single mark that opens a
// quotation, or -1: it stands before a word that it does not shorten.
func singleQuote(s string, from int) int {
	for i := from; i+1 < len(s); i++ {
		if s[i] != '\'' || i > 0 && strings.IndexByte(" \n\t([-:\"", s[i-1]) < 0 || strings.IndexByte(" \n\t", s[i+1]) >= 0 {
			continue
		}
		word := strings.ToLower(s[i+1:])
		if end := strings.IndexAny(word, " .,;:!?'"); end >= 0 {
			word = word[:end]
		}
		if !elided[word] {
			return i
		}
	}
	return -1
}

// elided are the words that an apostrophe begins.
var elided = text.Set(`tis twas twere twill em til till cause round bout neath gainst tween fore cross n o`)

// at is the lower-case word at i, or "".
func (s *sentence) at(i int) string {
	if i < 0 || i >= len(s.words) {
		return ""
	}
	return s.words[i].low
}

// stemAt is the stem of the word at i, or "".
func (s *sentence) stemAt(i int) string {
	if i < 0 || i >= len(s.words) {
		return ""
	}
	return s.words[i].stem
}

// wordSet makes a set of a list in one string.
// stemSet is wordSet of the words' stems.
func stemSet(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[text.Stem(w)] = true
	}
	return out
}

// mixedScript names a word whose letters come from more than one alphabet, which
// looks like another word.
func mixedScript(s *sentence) string {
	for i := range s.words {
		var latin, other bool
		for _, r := range s.words[i].raw {
			switch {
			case unicode.Is(unicode.Latin, r):
				latin = true
			case unicode.IsOneOf([]*unicode.RangeTable{unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee}, r):
				other = true
			}
		}
		if latin && other {
			return s.words[i].raw
		}
	}
	return ""
}

// turnsDirection says whether a text holds marks that show it in another order
// than it is read.
func turnsDirection(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
	})
}
