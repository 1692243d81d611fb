package extract

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// outrightly are words that take back what was just said, whatever follows. politely are
// words that people use for much else, so what follows must take a place in what was said;
// so must what follows those of plainly, which are often no more than a word between.
const (
	outrightly = `(?:scrap|strike|scratch|belay) (?:that|it|this)\b` +
		`|(?:check|cancel) that\s*[,.;:!]` +
		`|(?:that's|thats|that is) (?:wrong|not (?:it|right|true))\b`
	politely = `(?:check|forget|cancel|ignore) (?:that|it|this)\b|(?:i )?beg (?:your )?pardon\b` +
		`|pardon me\b|excuse me\b|i mean(?:t)?(?: to say)?\b|or rather\b|or was it\b|make (?:it|that)\b` +
		`|i (?:tell a )?lie\b|correction\b|my mistake\b|no wait\b|wait no\b|hang on\b|i mis-?spoke\b` +
		`|let me start (?:again|over)\b|what am i saying\b|i stand corrected\b|to be (?:exact|precise)\b|more like\b` +
		`|typo\b|oops\b`
	plainly = `(?:no|nay|wait|sorry|actually)\b`
)

// takeback is how a stretch begins that puts right what stands before it, and midway are
// places within a sentence at which a speaker does so.
var (
	takeback = regexp.MustCompile(`(?i)^[\s,.;:!\x{2013}\x{2014}-]*(?:(?:no|nay|wait|sorry|oh|oops|hold on|ah|well` +
		`|actually` +
		`|hmm|er|um)[\s,.!-]+)*(?:` + outrightly + `|` + politely + `|` + plainly + `)[\s,.;:!\x{2013}\x{2014}-]*`)
	midway = regexp.MustCompile(`(?i)[,;\x{2013}\x{2014}-]\s*(?:` + outrightly + `|` + politely + `|` + plainly + `)`)
)

// takes is the beginning of a stretch by which it takes back another, or empty. A bare
// "no" before a noun denies, and takes nothing back.
func takes(s string) string {
	lead := takeback.FindString(s)
	if lead == "" || !bare.MatchString(lead) {
		return lead
	}
	next := tokens(s, len(lead), len(s))
	if len(next) == 0 || subjectWords[next[0].low] != nobody || prepositions[next[0].low] || isAmount(next[0].low) ||
		afterNo[next[0].low] {
		return lead
	}
	return ""
}

var (
	bare    = regexp.MustCompile(`(?i)(?:no|nay|wait|sorry|actually)\s*$`)
	afterNo = set(`that not its my the make`)
)

// mended is a stretch that takes back the one before it, and what takes its place.
type mended struct {
	was   sentence // the stretch that was put right
	at    sentence // of it what no longer holds
	by    sentence // the words that put it right, without the words of taking back
	whole bool     // they are a statement of their own
}

// takenBack finds what a message takes back.
func (f *frame) takenBack() []mended {
	var out []mended
	for i, s := range f.said.sentences {
		if m, ok := f.midwayIn(s); ok {
			out = append(out, m)
			continue
		}
		if i == 0 || f.said.sentences[i-1].kind != asserts {
			continue
		}
		var next *sentence
		if i+1 < len(f.said.sentences) {
			next = &f.said.sentences[i+1]
		}
		if m, ok := f.mending(f.said.sentences[i-1], s, next); ok {
			out = append(out, m)
		}
	}
	return out
}

// midwayIn finds the first place within a sentence from which it takes back what stands
// before.
func (f *frame) midwayIn(s sentence) (mended, bool) {
	words := f.said.text[s.start:s.end]
	for _, at := range midway.FindAllStringIndex(words, -1) {
		_, mark := utf8.DecodeRuneInString(words[at[0]:])
		behind := at[0] + mark
		before := f.afterOpening(tokens(f.said.text, s.start, s.start+at[0]))
		if len(before) == 0 || takes(words[behind:]) == "" {
			continue
		}
		if m, ok := f.mending(sentence{s.start, s.start + at[0], asserts}, sentence{s.start + behind, s.end, asserts},
			nil); ok {
			return m, true
		}
	}
	return mended{}, false
}

// mending reads a stretch that may take back another. next is the sentence behind it.
func (f *frame) mending(was, s sentence, next *sentence) (mended, bool) {
	lead := takes(f.said.text[s.start:s.end])
	if lead == "" {
		return f.putShort(was, s)
	}
	freely := withdraws.MatchString(lead)
	by := sentence{s.start + len(lead), s.end, asserts}
	if strings.Trim(f.said.text[by.start:by.end], " .,!;:") == "" {
		if next == nil {
			return mended{was: was, at: was, by: sentence{s.end, s.end, asserts}, whole: true}, freely
		}
		by = sentence{next.start, next.end, asserts}
	}
	ts := f.afterOpening(tokens(f.said.text, by.start, by.end))
	if len(ts) == 0 {
		return mended{}, false
	}
	m := mended{was: was, at: was, by: sentence{ts[0].start, by.end, asserts}, whole: f.isWhole(ts)}
	place, fits := f.placeIn(f, was, ts)
	switch {
	case freely:
		m.whole = m.whole || !fits
	case m.whole:
		return f.saidAnew(m, denies.MatchString(lead))
	case !fits:
		return mended{}, false // "No, thanks.", "Make it quick."
	default:
		m.at = place
	}
	return m, true
}

// putShort reads a name, a number or a place alone, which stands for the one before it:
// "The baby is Lorcan. Lochlan!", "in ten weeks. Twelve, if you count the debrief".
func (f *frame) putShort(was, s sentence) (mended, bool) {
	ts := tokens(f.said.text, s.start, s.end)
	for len(ts) > 1 && ts[1].gap && interjections[ts[0].low] {
		ts = ts[1:]
	}
	if len(ts) == 0 || f.isWhole(ts) {
		return mended{}, false
	}
	alone := len(ts) == 1 || ts[1].gap
	exclaimed := strings.HasSuffix(strings.TrimSpace(f.said.text[s.start:s.end]), "!")
	cried := alone && exclaimed && ts[0].upper && ofNames.MatchString(f.said.text[was.start:was.end]) ||
		exclaimed && prepositions[ts[0].low] && len(ts) < 5
	if !cried && !(alone && isAmount(ts[0].low)) {
		return mended{}, false
	}
	by := sentence{ts[0].start, s.end, asserts}
	if alone && len(ts) > 1 {
		by.end = ts[0].end
	}
	place, ok := f.placeIn(f, was, tokens(f.said.text, by.start, by.end))
	if !ok {
		return mended{}, false
	}
	return mended{was: was, at: place, by: by}, true
}

var ofNames = regexp.MustCompile(`(?i)\b(?:names?|called|named)\b`)

var interjections = set(`ah oh no er um well nay oops sorry wait`)

// withdraws are leads that take back by themselves.
var withdraws = regexp.MustCompile(`(?i)\b(?:` + outrightly + `)`)

// isWhole says whether words are a statement of their own: somebody, and a verb behind.
func (f *frame) isWhole(ts []token) bool {
	_, _, ok := f.subjectAt(ts, 0)
	if len(ts) > 1 && strings.HasSuffix(ts[0].low, "'s") && takesObject(ts[1].low) {
		return true // "Mika's my brother"
	}
	return ok || len(ts) > 2 && (subjectWords[ts[0].low] != nobody || ts[0].low == "that" || ts[0].low == "my")
}

// putRight drops what was taken back, and adds what takes its place.
func (f *frame) putRight(list []mended, out []Candidate) []Candidate {
	for _, m := range list {
		out = slices.DeleteFunc(out, func(c Candidate) bool {
			if c.Spans[0].TurnID != f.turn || slices.Contains(c.Tags, TagCorrection) {
				return false
			}
			last := c.Spans[len(c.Spans)-1].Text
			at := strings.Index(f.said.original, last)
			return at >= 0 && at < m.at.end && at+len(last) > m.at.start
		})
		if m.whole || slices.ContainsFunc(out, func(c Candidate) bool {
			return slices.Contains(c.Tags, TagCorrection) && strings.Contains(c.Spans[len(c.Spans)-1].Text,
				strings.TrimSpace(f.said.original[m.by.start:m.by.end]))
		}) {
			continue // it is told as any statement is, or the rules have put it right
		}
		if c, ok := f.substituted(m); ok {
			out = append(out, c)
		}
	}
	return out
}

// mendedBefore is the end of the player's message before this one with what this one puts in
// its place: "The code's 4471." and then "Wait, 4417."
func (f *frame) mendedBefore(out []Candidate) []Candidate {
	p := f.context.Previous
	if p == nil || len(f.said.sentences) == 0 || jests(p.Text) || slices.ContainsFunc(out, isCorrection) {
		return out
	}
	before, s := readMessage(p.Text), f.said.sentences[0]
	lead := takes(f.said.text[s.start:s.end])
	if len(before.sentences) == 0 || lead == "" || text.IsQuestion(f.said.text[s.start:s.end]) {
		return out
	}
	last := before.sentences[len(before.sentences)-1]
	by := tokens(f.said.text, s.start+len(lead), s.end)
	was := tokens(before.text, last.start, last.end)
	from, to, ok := placeFor(was, by)
	if last.kind != asserts || !ok || len(by) > 4 || f.isWhole(by) {
		return out
	}
	claim := strings.TrimSpace(before.original[last.start:was[from].start] + f.words(by) +
		before.original[was[to-1].end:last.end])
	told := *f
	told.said = message{original: claim, text: blank(claim, quotes)}
	spans := append([]schema.MemorySpan{f.spanIn(p, &before, last)}, f.spanOf(by[0].start, s.end)...)
	c, ok := told.asSaid(claim, spans)
	if !ok {
		return out
	}
	c.Tags = append(c.Tags, TagCorrection)
	return append(out, c)
}

func isCorrection(c Candidate) bool { return slices.Contains(c.Tags, TagCorrection) }

// substituted is what was taken back with the words in it that put it right: a number for
// a number, a name for a name, a place for a place.
func (f *frame) substituted(m mended) (Candidate, bool) {
	was, by := tokens(f.said.text, m.was.start, m.was.end), tokens(f.said.text, m.by.start, m.by.end)
	for i := 1; i < len(by); i++ {
		if by[i].gap {
			by = by[:i]
			break
		}
	}
	from, to, ok := placeFor(was, by)
	if !ok || len(by) > 8 {
		return Candidate{}, false
	}
	put := f.words(by)
	if !by[0].upper || isAmount(by[0].low) {
		put = lowerFirst(put, false)
	}
	claim := strings.TrimSpace(f.said.original[m.was.start:was[from].start] + put +
		f.said.original[was[to-1].end:m.was.end])
	told := *f
	told.said = message{original: claim, text: blank(claim, quotes)}
	out, ok := told.asSaid(claim, append(f.spanOf(m.was.start, m.was.end), f.spanOf(m.by.start, m.by.end)...))
	out.Tags = append(out.Tags, TagCorrection)
	return out, ok
}

// placeFor is where words belong in what they put right.
func placeFor(was, by []token) (from, to int, ok bool) {
	last := func(fits func(token) bool) int {
		for i := len(was) - 1; i >= 0; i-- {
			if fits(was[i]) {
				return i
			}
		}
		return -1
	}
	switch {
	case len(by) == 0:
	case isAmount(by[0].low):
		i := last(func(t token) bool { return isAmount(t.low) })
		if i < 0 {
			break
		}
		to := i + 1
		if len(by) > 1 && to < len(was) {
			to++ // with what is counted
		}
		return i, to, true
	case prepositions[by[0].low]:
		if i := last(func(t token) bool { return t.low == by[0].low }); i >= 0 {
			return i, len(was), true
		}
	case by[0].upper && len(by) <= 2:
		i := last(func(t token) bool { return t.upper && t.low != "i" })
		if i > 0 {
			return i, i + 1, true
		}
	case articles[by[0].low] || by[0].low == "a" || by[0].low == "an":
		noun := func(t token) bool { return articles[t.low] || t.low == "a" || t.low == "an" || t.low == "for" }
		if i := last(noun); i > 0 {
			if was[i].low == "for" {
				i++
			}
			return i, len(was), i < len(was)
		}
	}
	return 0, 0, false
}

func isAmount(w string) bool { return w != "a" && w != "an" && amount.MatchString(w) && w != "half" }

// asSaid is a claim as it is told, resting on spans.
func (f *frame) asSaid(claim string, spans []schema.MemorySpan) (Candidate, bool) {
	said := f.reported(0, len(claim), "", "")
	if said == "" {
		return Candidate{}, false
	}
	return f.telling(claim, said, readSure, spans)
}
