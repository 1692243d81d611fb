package world

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// A passage is up to maxSentences whole sentences within maxPassage characters.
// A longer sentence stands alone and whole up to maxSentence: half a sentence
// may say what the whole does not, so it is cut only where a block of evidence
// could not hold it at all.
const (
	maxSentences = 3
	maxPassage   = 320
	maxSentence  = 640
)

// block is a stretch of a document that passages never cross: a paragraph, a
// list item, a line of a log.
type block struct {
	text    string // line breaks inside are wraps
	line    int
	page    int
	heading string // what it stands under
}

// sentence is a whole sentence on one line of text.
type sentence struct {
	text string
	line int
	size int // in characters
}

// cut cuts a block into passages.
func (b block) cut() []Passage {
	var out []Passage
	for _, group := range pack(b.sentences()) {
		parts := make([]string, len(group))
		for i, s := range group {
			parts[i] = s.text
		}
		joined := strings.Join(parts, " ")
		if isCitable(joined) {
			out = append(out, Passage{Text: joined, Page: b.page, Line: group[0].line, Heading: b.heading})
		}
	}
	return out
}

func (b block) sentences() []sentence {
	var out []sentence
	line, at := b.line, 0
	for _, span := range text.SentenceSpans(b.text) {
		line += strings.Count(b.text[at:span.Start], "\n")
		at = span.Start
		for _, part := range splitLong(strings.Join(strings.Fields(b.text[span.Start:span.End]), " ")) {
			out = append(out, sentence{text: part, line: line, size: utf8.RuneCountInString(part)})
		}
	}
	return out
}

// pack groups sentences in order; the last two groups share evenly rather than
// leave one sentence behind.
func pack(all []sentence) [][]sentence {
	var out [][]sentence
	var group []sentence
	size := 0
	for _, s := range all {
		if len(group) > 0 && (len(group) == maxSentences || size+1+s.size > maxPassage) {
			out = append(out, group)
			group, size = nil, 0
		}
		group = append(group, s)
		size += s.size + 1
	}
	if len(group) == 0 {
		return out
	}
	if last := len(out) - 1; last >= 0 && len(group) == 1 && len(out[last]) == maxSentences {
		moved := out[last][maxSentences-1]
		if moved.size+1+group[0].size <= maxPassage {
			out[last] = out[last][:maxSentences-1]
			group = []sentence{moved, group[0]}
		}
	}
	return append(out, group)
}

// splitLong cuts a sentence over maxSentence at the last clause border that
// fits, else between words, and a word that long (nobody can read it) inside.
func splitLong(s string) []string {
	var out []string
	for utf8.RuneCountInString(s) > maxSentence {
		limit := runeOffset(s, maxSentence)
		at := clauseBorder(s[:limit])
		out = append(out, strings.TrimSpace(s[:at]))
		s = strings.TrimSpace(s[at:])
	}
	if s != "" {
		out = append(out, s)
	}
	return out
}

func runeOffset(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// clauseBorder is where to cut s: after the last semicolon, colon or comma in
// its second half, else after the last space, else at its end.
func clauseBorder(s string) int {
	for _, signs := range []string{";", ":", ","} {
		for i := len(s) - 1; i > len(s)/2; i-- {
			if strings.ContainsRune(signs, rune(s[i-1])) && s[i] == ' ' {
				return i
			}
		}
	}
	if i := strings.LastIndexFunc(s, unicode.IsSpace); i > 0 {
		return i
	}
	return len(s)
}

// cutText cuts prose that stands in a field of a YAML file.
func cutText(s string, line int) []Passage {
	var out []Passage
	for _, b := range proseBlocks(s, false) {
		b.line = line
		for _, p := range b.cut() {
			p.Line = line
			out = append(out, p)
		}
	}
	return out
}

// isVerbatim says whether a passage stands in a text, white space aside; source
// is the text without its white space.
func isVerbatim(passage, source string) bool {
	return strings.Contains(source, withoutSpace(passage))
}

func withoutSpace(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

// keepVerbatim drops passages that markup inside a sentence keeps from standing
// verbatim in the file, each with a warning, and warns of cut sentences.
func keepVerbatim(l *log, passages []Passage, source string) []Passage {
	source = withoutSpace(source)
	out := passages[:0]
	for _, p := range passages {
		if !isVerbatim(p.Text, source) {
			l.warnf(p.Line, "this sentence wraps across markup and cannot be cited; write it on one line: %s", clip(p.Text))
			continue
		}
		if n := utf8.RuneCountInString(p.Text); n >= maxSentence/2 && !endsSentence(p.Text) && n > maxPassage {
			l.warnf(p.Line, "a sentence over %d characters is cut here; write shorter sentences: %s", maxSentence, clip(p.Text))
		}
		out = append(out, p)
	}
	return out
}

func endsSentence(s string) bool {
	s = strings.TrimRight(s, `"'”’)]*_`)
	r, _ := utf8.DecodeLastRuneInString(s)
	return strings.ContainsRune(".!?…", r)
}

// clip shortens a text for a message.
func clip(s string) string {
	if i := runeOffset(s, 60); i < len(s) {
		return s[:i] + "…"
	}
	return s
}

// everyone in known_by means every NPC.
const everyone = "all"

// checkAudience says what is wrong with an entry of known_by, or is empty.
func checkAudience(who string) string {
	if kind, name, ok := strings.Cut(who, ":"); ok {
		if (kind == "faction" || kind == "region") && strings.TrimSpace(name) != "" {
			return ""
		}
		return "write all, an NPC's handle, faction:x or region:x"
	}
	if err := schema.CheckToken("handle", who); err != nil {
		return "it " + strings.TrimPrefix(err.Error(), "handle: ")
	}
	return ""
}

// InScope says whether this NPC may know the document at all: its own, or one
// whose known_by names it. Times and conditions are judged at the turn.
func (w *World) InScope(d *Document, npc *NPC) bool {
	return inScope(d.NPC, d.KnownBy, npc)
}

// ScopeOf is the rule of InScope on a chunk.
func ScopeOf(chunk protocol.Chunk, npc *NPC) bool {
	return inScope(chunk.NPC, chunk.KnownBy, npc)
}

// inScope: an owner always knows what is its own; without known_by, what has no
// owner is known to all.
func inScope(owner string, knownBy []string, npc *NPC) bool {
	if npc == nil {
		return false
	}
	if owner == npc.Handle {
		return true
	}
	if len(knownBy) == 0 {
		return owner == ""
	}
	return slices.ContainsFunc(knownBy, npc.isMeant)
}

// isMeant says whether an entry of known_by means this NPC.
func (n *NPC) isMeant(who string) bool {
	kind, name, qualified := strings.Cut(who, ":")
	switch {
	case !qualified:
		return who == everyone || who == n.Handle
	case kind == "region":
		return n.Region == name || slices.Contains(n.Factions, who)
	case kind == "faction":
		return slices.Contains(n.Factions, name) || slices.Contains(n.Factions, who)
	}
	return false
}
