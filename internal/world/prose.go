package world

import (
	"path"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// readProse cuts .txt and .md: paragraphs, list items and headings are blocks of
// their own, so that a heading never joins a sentence; hard wraps are joined.
func readProse(l *log, d *Document, data []byte) []Passage {
	s, ok := decodeText(l, data)
	if !ok {
		return nil
	}
	var out []Passage
	for _, b := range proseBlocks(s, strings.EqualFold(path.Ext(d.Path), ".md")) {
		out = append(out, b.cut()...)
	}
	return keepVerbatim(l, out, s)
}

// proseReader gathers the lines of a text into blocks.
type proseReader struct {
	markdown bool
	out      []block
	lines    []string // of the block being gathered
	item     bool     // it is a list item
	first    int      // its first line
	line     int
	next     string // the line after the one being read
	page     int
	heading  string
	fenced   bool
}

var htmlComment = regexp.MustCompile(`(?s)<!--.*?-->`)

func proseBlocks(s string, markdown bool) []block {
	if markdown {
		s = htmlComment.ReplaceAllStringFunc(s, func(c string) string {
			return strings.Repeat("\n", strings.Count(c, "\n"))
		})
	}
	r := &proseReader{markdown: markdown, page: 1}
	lines := strings.Split(s, "\n")
	for n, line := range lines {
		r.line, r.next = n+1, ""
		if n+1 < len(lines) {
			r.next = lines[n+1]
		}
		for i, part := range strings.Split(line, "\f") {
			if i > 0 {
				r.flush()
				r.page++
			}
			r.read(part)
		}
	}
	r.flush()
	return r.out
}

var (
	mdHeading = regexp.MustCompile(`^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$`)
	underline = regexp.MustCompile(`^\s*(={3,}|-{3,})\s*$`)
	listItem  = regexp.MustCompile(`^\s*(?:[-*+•·]|\(?\d{1,3}[.)]|\(?[a-z][)])\s+(\S.*)$`)
	quoteLine = regexp.MustCompile(`^\s*(?:>\s?)+(.*)$`)
	tableRow  = regexp.MustCompile(`^\s*\|(.*?)\|?\s*$`)
)

func (r *proseReader) read(line string) {
	trimmed := strings.TrimSpace(line)
	if r.markdown && (strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~")) {
		r.flush()
		r.fenced = !r.fenced
		return
	}
	switch {
	case trimmed == "":
		r.flush()
	case r.fenced:
		r.alone(trimmed)
	case underline.MatchString(line) && len(r.lines) == 1 && r.isTitle(trimmed):
		r.heading = strings.TrimSpace(r.lines[0])
		r.lines = nil
	case !isCitable(trimmed):
		r.flush()
	default:
		r.readText(line, trimmed)
	}
}

// isTitle says whether a line of signs underlines the one line before it.
func (r *proseReader) isTitle(signs string) bool {
	width := utf8.RuneCountInString(strings.TrimSpace(r.lines[0]))
	return !r.item && (r.markdown || signs[0] == '=' || max(width, len(signs))-min(width, len(signs)) <= 3)
}

func (r *proseReader) readText(line, trimmed string) {
	if m := mdHeading.FindStringSubmatch(line); m != nil && r.markdown {
		r.flush()
		r.heading = m[1]
		return
	}
	if m := quoteLine.FindStringSubmatch(line); m != nil && r.markdown {
		r.add(strings.TrimSpace(m[1]))
		return
	}
	if m := tableRow.FindStringSubmatch(line); m != nil && r.markdown {
		r.row(strings.TrimSpace(m[1]))
		return
	}
	if m := listItem.FindStringSubmatch(line); m != nil && r.mayBegin() {
		r.flush()
		r.item = true
		r.add(m[1])
		return
	}
	fresh := len(r.lines) == 0 || endsSentence(r.lines[len(r.lines)-1])
	switch {
	case fresh && isLabel(trimmed):
		r.flush()
		r.heading = strings.TrimSuffix(trimmed, ":")
		if !callout.MatchString(trimmed) {
			r.add(trimmed)
		}
		return
	case decorated.MatchString(trimmed), fresh && standsAlone(trimmed, r.next):
		r.title(strings.Trim(trimmed, "-=*~#_ "), decorated.MatchString(trimmed))
	case len(r.lines) == 0 && isSalutation(trimmed, r.next):
	default:
		if r.item && r.leavesItem(line) {
			r.flush()
		}
		r.add(trimmed)
	}
	if strings.HasSuffix(trimmed, ":") {
		r.flush()
	}
}

// mayBegin says whether a list item may begin here: a dash or a number at the
// start of a line in the middle of a sentence is no item.
func (r *proseReader) mayBegin() bool {
	if len(r.lines) == 0 || r.item {
		return true
	}
	last := r.lines[len(r.lines)-1]
	return endsSentence(last) || strings.HasSuffix(last, ":") || strings.HasSuffix(last, ";")
}

// leavesItem says whether a line after a list item begins something new: it is
// not indented, begins with a capital, and the line before had room for more or
// ended a sentence.
func (r *proseReader) leavesItem(line string) bool {
	first, _ := utf8.DecodeRuneInString(line)
	last := r.lines[len(r.lines)-1]
	return unicode.IsUpper(first) && (utf8.RuneCountInString(last) < wrapWidth || endsSentence(last))
}

// wrapWidth is the least width at which texts are wrapped by hand; a shorter
// line ends where its author ended it.
const wrapWidth = 56

var decorated = regexp.MustCompile(`^[-=*~#_]{2,}.*[-=*~#_]{2,}$`)

// standsAlone says whether a line is a heading of its own by its looks:
// in capitals while the line after it is not.
func standsAlone(s, next string) bool {
	return isShouted(s) && !endsSentence(s) && !isShouted(next)
}

// isShouted says whether a line is written in capitals.
func isShouted(s string) bool {
	letters := 0
	for _, c := range s {
		if unicode.IsLower(c) {
			return false
		}
		if unicode.IsUpper(c) {
			letters++
		}
	}
	return letters > 2
}

// isLabel says whether a line only introduces what follows: "To the north:".
func isLabel(s string) bool {
	return strings.HasSuffix(s, ":") && len(strings.Fields(s)) <= 3
}

// callout is a label that adds nothing to what it introduces.
var callout = regexp.MustCompile(`(?i)^(?:please )?(?:notes?|notices?|warnings?|attention|important|tips?|hints?` +
	`|p\.?s\.?)(?: \d+)?:$`)

var salutation = regexp.MustCompile(`(?i)^(?:my )?(?:dear|dearest|hello|hi|hey)(?: [^\s.!?]+){0,4}[,:]$`)

// isSalutation says whether a line greets the reader of a letter. It asserts
// nothing, and must not join the first sentence.
func isSalutation(s, next string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimSpace(next))
	return salutation.MatchString(s) && !unicode.IsLower(first)
}

// title takes a line that stands alone: what follows stands under it, and a
// decorated line of one word is no more than that.
func (r *proseReader) title(s string, decorated bool) {
	r.flush()
	r.heading = s
	if !decorated || len(strings.Fields(s)) > 1 {
		r.alone(s)
	}
}

var tableRule = regexp.MustCompile(`^\s*\|?[\s:|-]*-[\s:|-]*$`)

// row takes a row of a table; the head names the columns and asserts nothing.
func (r *proseReader) row(s string) {
	if tableRule.MatchString(r.next) && strings.Contains(r.next, "|") {
		r.flush()
		return
	}
	r.alone(s)
}

func (r *proseReader) add(s string) {
	if len(r.lines) == 0 {
		r.first = r.line
	}
	r.lines = append(r.lines, s)
}

// alone makes a line a block of its own.
func (r *proseReader) alone(s string) {
	r.flush()
	r.add(s)
	r.flush()
}

func (r *proseReader) flush() {
	lines, first := r.lines, r.first
	r.lines, r.item = nil, false
	labelled := len(lines) > 0 && isLabel(lines[0])
	if labelled && (len(lines) == 1 || isTable(lines[1:])) {
		lines, first = lines[1:], first+1 // what it introduces stands in blocks of its own, under it
	}
	switch {
	case len(lines) == 0:
	case isTable(lines) && (len(lines) > 1 || labelled):
		for i, line := range lines {
			r.out = append(r.out, block{text: line, line: first + i, page: r.page, heading: r.heading})
		}
	default:
		r.out = append(r.out, block{text: strings.Join(lines, "\n"), line: first, page: r.page, heading: r.heading})
	}
}

var column = regexp.MustCompile(`\S(?: {2,}|\t+|\.{3,} ?|: | - )\S|\d`)

// isTable says whether lines are entries of a list without marks, such as
// prices: short, with a number or a column, and none of them ends a sentence.
func isTable(lines []string) bool {
	for _, s := range lines {
		first, _ := utf8.DecodeRuneInString(s)
		if utf8.RuneCountInString(s) >= wrapWidth || unicode.IsLower(first) || endsSentence(s) ||
			strings.HasSuffix(s, ",") || !column.MatchString(s) {
			return false
		}
	}
	return true
}
