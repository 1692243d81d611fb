package extract

import (
	"regexp"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// denies is a lead that says that what stands before it is not so.
var denies = regexp.MustCompile(`(?i)\b(?:no|nay)\b`)

// further are words by which a statement adds to another, and takes nothing back.
var further = regexp.MustCompile(`(?i)\b(?:too|also|as well|besides|moreover)\b`)

// saidAnew says whether a whole statement says another thing of the same one by the same
// verb as the stretch that it follows, or by any behind a "no" in the same sentence. Of "be"
// and "have", which say so much, what stands behind must take a place there, unless the
// speaker has denied.
func (f *frame) saidAnew(m mended, denied bool) (mended, bool) {
	if further.MatchString(f.said.text[m.by.start:m.by.end]) {
		return mended{}, false
	}
	for _, c := range f.clauses(m.was) {
		for _, d := range f.clauses(m.by) {
			if len(c.phrase) == 0 || len(d.phrase) == 0 || d.start != m.by.start || !f.sameSubject(&c, &d) {
				continue
			}
			if c.phrase[0].low != d.phrase[0].low {
				if denied && m.was.end < len(f.said.text) && strings.ContainsAny(f.said.text[m.was.end:m.was.end+1], ",;-") {
					m.at = sentence{c.start, c.end, asserts}
					return m, true
				}
				continue
			}
			_, _, fits := placeFor(c.phrase[1:], d.phrase[1:])
			if light := c.phrase[0].low == "be" || c.phrase[0].low == "have"; !light || fits || denied {
				m.at = sentence{c.phrase[0].start, c.end, asserts}
				return m, true
			}
		}
	}
	return f.cleft(m)
}

// cleft reads "it's Wednesdays I hate" behind "I hate Tuesdays".
func (f *frame) cleft(m mended) (mended, bool) {
	ts := tokens(f.said.text, m.by.start, m.by.end)
	if len(ts) < 4 || ts[0].low != "it" || lemma[ts[1].low] != "be" {
		return mended{}, false
	}
	for _, c := range f.clauses(m.was) {
		for i := 2; i+1 < len(ts); i++ {
			if len(c.phrase) > 0 && len(c.subject.words) == 1 && ts[i].low == c.subject.words[0].low &&
				lemma[ts[i+1].low] == c.phrase[0].low {
				m.at = sentence{c.phrase[0].start, c.end, asserts}
				return m, true
			}
		}
	}
	return mended{}, false
}

// sameSubject says whether two clauses are about one: in the same words, or the later one
// by a pronoun for somebody or something else than the speaker.
func (f *frame) sameSubject(c, d *clause) bool {
	if lowOf(c.subject.words) == lowOf(d.subject.words) {
		return len(c.subject.words) > 0
	}
	it := d.subject.kind == thing && len(d.subject.words) == 1 && d.subject.words[0].low == "it"
	return d.subject.kind == pronoun && (c.subject.kind == relative || c.subject.kind == named) ||
		it && c.subject.kind == thing
}

// placeIn is where words belong in a sentence of a message: see placeFor. A name by which
// the player calls the listener belongs nowhere, and "a word" asks for one.
func (f *frame) placeIn(of *frame, was sentence, by []token) (sentence, bool) {
	ts := tokens(of.said.text, was.start, was.end)
	from, to, ok := placeFor(ts, by)
	if !ok || f.callsListener(by) || len(by) > 1 && passing[by[1].low] && by[0].low != "the" {
		return sentence{}, false
	}
	return sentence{ts[from].start, ts[to-1].end, asserts}, true
}

var passing = text.Set(`word words moment minute second question drink bit while pity shame`)

// callsListener says whether words are the name of the NPC that is spoken to.
func (f *frame) callsListener(ts []token) bool {
	if len(ts) == 0 || !ts[0].upper {
		return false
	}
	name := f.words(ts[:1])
	return f.isListener(name) || slices.Contains(strings.Fields(f.context.NPCName), name)
}

// nounFor is the noun of several at a sentence's end, where words are another: "goats" for
// "bees".
func (*frame) nounFor(of *frame, was sentence, by []token) (sentence, bool) {
	ts := tokens(of.said.text, was.start, was.end)
	if n := len(ts); n > 1 && bareNoun(by) && bareNoun(ts[n-1:]) {
		return sentence{ts[n-1].start, ts[n-1].end, asserts}, true
	}
	return sentence{}, false
}

// bareNoun says whether words are a noun of several: "goats".
func bareNoun(ts []token) bool {
	if len(ts) != 1 {
		return false
	}
	w := ts[0].low
	return strings.HasSuffix(w, "s") && len(w) > 3 && !strings.HasSuffix(w, "ss") && lemma[w] == "" && !adverbs[w] &&
		!notNames[w] && !phatic[w]
}
