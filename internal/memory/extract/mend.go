package extract

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/memory"
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
	afterNo = text.Set(`that not its my the make`)
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
	if !fits && correct.MatchString(lead) {
		place, fits = f.nounFor(f, was, ts)
	}
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
// "The baby is Lorcan. Lochlan!", "in ten weeks. Twelve, if you count the debrief". "Three,
// now" is a change, and what was before it stands.
func (f *frame) putShort(was, s sentence) (mended, bool) {
	ts := tokens(f.said.text, s.start, s.end)
	for len(ts) > 1 && ts[1].gap && interjections[ts[0].low] {
		ts = ts[1:]
	}
	if len(ts) == 0 || f.isWhole(ts) {
		return mended{}, false
	}
	alone := (len(ts) == 1 || ts[1].gap) && !slices.ContainsFunc(ts, func(t token) bool { return t.low == "now" })
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

var interjections = text.Set(`ah oh no er um well nay oops sorry wait`)

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
		reaches := func(c Candidate, into sentence) bool {
			last := c.Spans[len(c.Spans)-1].Text
			at := strings.Index(f.said.original, last)
			return c.Spans[0].TurnID == f.turn && !isCorrection(c) && at >= 0 && at < into.end && at+len(last) > into.start
		}
		stands := func(c Candidate) bool { return reaches(c, m.at) }
		if !m.whole {
			was := f.said.original[m.at.start:m.at.end]
			if i := lastOf(out, was, func(c Candidate) bool { return stands(c) && !reaches(c, m.by) }); i >= 0 {
				by, ok := f.amended(out[i], was, f.putting(m.by), f.spanOf(m.by.start, m.by.end)[0])
				if out = slices.Delete(out, i, i+1); ok {
					out = append(out, by)
				}
				continue
			}
			if c, ok := f.substituted(m); ok {
				out = append(out, c)
			}
		}
		out = slices.DeleteFunc(out, stands) // a whole statement is told as any is
	}
	return out
}

// lastOf is the last candidate of a sort that says the words which were taken back.
func lastOf(list []Candidate, was string, sort func(Candidate) bool) int {
	for i, c := range slices.Backward(list) {
		if sort(c) && strings.Contains(strings.ToLower(c.Claim), strings.ToLower(strings.TrimSpace(was))) {
			return i
		}
	}
	return -1
}

// mendedBefore is what the player's message before this one said last, with what this one
// puts in its place: "The code's 4471." and then "Wait, 4417."
func (f *frame) mendedBefore(out []Candidate) []Candidate {
	p := f.context.Previous
	if p == nil || len(f.said.sentences) == 0 || jests(p.Text) || slices.ContainsFunc(out, isCorrection) {
		return out
	}
	s := f.said.sentences[0]
	lead := takes(f.said.text[s.start:s.end])
	g := frame{context: f.context, world: f.world, npc: f.npc, player: f.player, turn: p.TurnID, at: f.at, scene: f.scene}
	g.context.Previous = nil
	old := g.fromPlayer(p.Text)
	if len(g.said.sentences) == 0 || lead == "" || text.IsQuestion(f.said.text[s.start:s.end]) {
		return out
	}
	last := g.said.sentences[len(g.said.sentences)-1]
	by := sentence{s.start + len(lead), s.end, asserts}
	ts := tokens(f.said.text, by.start, by.end)
	if last.kind != asserts || len(ts) == 0 {
		return out
	}
	if f.isWhole(ts) {
		if withdraws.MatchString(lead) {
			return f.withdrawing(out, f.spanIn(p, &g.said, last), s, by)
		}
		return out
	}
	if c, ok := f.amendedBefore(&g, old, last, by, correct.MatchString(lead)); ok {
		out = append(out, c)
	}
	return out
}

// withdrawing lets what a sentence states take back a sentence of the message before: "Scrap
// that, I live in Oakham."
func (f *frame) withdrawing(out []Candidate, before schema.MemorySpan, s, by sentence) []Candidate {
	found := false
	for i := range out {
		c := &out[i]
		last := c.Spans[len(c.Spans)-1]
		if at := strings.Index(f.said.original, last.Text); last.TurnID != f.turn || at < by.start || at >= by.end {
			continue
		}
		c.Spans = append([]schema.MemorySpan{before}, c.Spans...)
		c.Tags = append(slices.Clone(c.Tags), TagCorrection, TagWithdrawal)
		found = true
	}
	if c, ok := f.asSaid(strings.TrimSpace(f.said.original[by.start:by.end]),
		[]schema.MemorySpan{before, f.spanOf(s.start, s.end)[0]}, readSure); ok && !found {
		c.Tags = append(c.Tags, TagCorrection, TagWithdrawal)
		f.touched = append(f.touched, text.Span{Start: s.start, End: s.end})
		out = append(out, c)
	}
	return out
}

// amendedBefore is the last of the candidates of a message before with other words in it.
func (f *frame) amendedBefore(g *frame, old []Candidate, last, by sentence, noun bool) (Candidate, bool) {
	ts := tokens(f.said.text, by.start, by.end)
	place, fits := f.placeIn(g, last, ts)
	if !fits && noun {
		place, fits = f.nounFor(g, last, ts)
	}
	if !fits || len(ts) > 6 {
		return Candidate{}, false
	}
	was, put := g.said.original[place.start:place.end], f.putting(by)
	span := f.spanOf(ts[0].start, by.end)[0]
	if i := lastOf(old, was, func(Candidate) bool { return true }); i >= 0 {
		c, ok := f.amended(old[i], was, put, span)
		c.TurnID, c.EventTime, c.ValidFrom = f.turn, f.at, f.at
		return c, ok
	}
	claim := strings.TrimSpace(g.said.original[last.start:place.start] + put + g.said.original[place.end:last.end])
	c, ok := f.asSaid(claim, []schema.MemorySpan{f.spanIn(f.context.Previous, &g.said, last), span}, readSure)
	c.Tags = append(c.Tags, TagCorrection)
	return c, ok
}

// putting are words as they stand within a sentence, up to the first comma.
func (f *frame) putting(by sentence) string {
	ts := tokens(f.said.text, by.start, by.end)
	for i := 1; i < len(ts); i++ {
		if ts[i].gap {
			ts = ts[:i]
			break
		}
	}
	if put := f.words(ts); len(ts) == 0 || ts[0].upper && !isAmount(ts[0].low) {
		return put
	}
	return lowerFirst(f.words(ts), false)
}

// amended is a candidate with other words in the place of some, proved by both stretches.
func (f *frame) amended(c Candidate, was, put string, span schema.MemorySpan) (Candidate, bool) {
	claim, ok := swap(c.Claim, strings.TrimSpace(was), put)
	spans := append(slices.Clone(c.Spans), span)
	object, denied := memory.Denied(c.Object)
	object, inObject := swap(f.shownObject(c, object), text.WithoutArticle(strings.TrimSpace(was)), put)
	content, told := swap(c.Content, strings.TrimSpace(was), put)
	if !ok || c.Pred == "said" || !inObject || !told {
		said, ok := f.asSaid(claim, spans, readSure)
		said.Tags = append(said.Tags, TagCorrection)
		return said, ok
	}
	if c.Object = f.objectOf(object); denied {
		c.Object = memory.Deny(c.Object)
	}
	c.Claim, c.Content, c.Spans = claim, content, spans
	c.Tags = append(slices.Clone(c.Tags), TagCorrection)
	return c, true
}

func isCorrection(c Candidate) bool { return slices.Contains(c.Tags, TagCorrection) }

// substituted is a sentence of which nothing was read, with the words in it that put it
// right: a number for a number, a name for a name, a place for a place.
func (f *frame) substituted(m mended) (Candidate, bool) {
	if len(tokens(f.putting(m.by), 0, len(f.putting(m.by)))) > 8 {
		return Candidate{}, false
	}
	claim := strings.TrimSpace(f.said.original[m.was.start:m.at.start] + f.putting(m.by) +
		f.said.original[m.at.end:m.was.end])
	out, ok := f.asSaid(claim, append(f.spanOf(m.was.start, m.was.end), f.spanOf(m.by.start, m.by.end)...),
		readSure)
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

// isAmount says whether a word begins with a number: "twelve", "4D".
func isAmount(w string) bool { return text.Digits(w) != "" || w == "one" }

// asSaid is a claim as it is told, resting on spans.
func (f *frame) asSaid(claim string, spans []schema.MemorySpan, confidence float64) (Candidate, bool) {
	g := *f
	g.said = message{original: claim, text: blank(claim, quotes)}
	return g.telling(claim, g.reported(0, len(claim), "", ""), confidence, spans)
}
