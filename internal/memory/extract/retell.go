package extract

import (
	"regexp"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// TagRead marks a candidate that was read out of several sentences, or out of words
// that no rule knows.
const TagRead = "read"

// readSure and resolvedSure are the confidence in a statement that no rule knows, and
// in one for which somebody had to be found behind a "he".
const (
	readSure     = 0.7
	resolvedSure = 0.65
)

// reading is a message with what it takes back.
type reading struct {
	*frame
	mends []mended
}

// read adds what the rules leave of a message: each stretch of a statement that no
// candidate tells, in the third person, with the one who is meant put for "he" or "it".
// Whether the words say that is for the guard.
func (f *frame) read(out []Candidate) []Candidate {
	r := &reading{frame: f}
	if f.dictating() {
		return f.qualified(out)
	}
	r.mends = f.takenBack()
	out = f.mendedBefore(f.putRight(r.mends, out))
	for i := range f.said.sentences {
		for _, part := range r.tellable(i) {
			if made, ok := r.retell(i, part); ok {
				out = append(out, made)
			}
		}
	}
	return f.qualified(out)
}

// tellable are the stretches of a sentence that are to be told.
func (r *reading) tellable(i int) []sentence {
	s := r.said.sentences[i]
	if before, ok := r.beforeQuestion(s); ok && s.kind == asks {
		s = before
	}
	kind := s.kind
	if r.asksFor(s) {
		kind = commands
	}
	switch kind {
	case asserts:
	case supposes:
		if !conditional(r.said.text[s.start:s.end]) {
			return nil
		}
		return []sentence{s}
	case commands:
		if !requests(r.said.text[s.start:s.end]) {
			return nil
		}
		return []sentence{s}
	default:
		return nil
	}
	for _, m := range r.mends {
		if m.was.start <= s.start && s.end <= m.was.end {
			return nil
		}
		if s.start <= m.was.start && m.by.start < s.end && m.by.end <= s.end || s.start <= m.by.start && m.by.start < s.end {
			if !m.whole {
				return r.untold(sentence{min(m.by.end, s.end), s.end, asserts})
			}
			s.start = m.by.start
		}
	}
	return r.untold(s)
}

// spanIn is a sentence of another message of the player.
func (f *frame) spanIn(u *Utterance, m *message, s sentence) schema.MemorySpan {
	return schema.MemorySpan{TurnID: u.TurnID, EventID: u.EventID, Speaker: SpeakerPlayer,
		Text: strings.TrimSpace(m.original[s.start:s.end]), At: u.At}
}

// untold are the stretches of a sentence that no rule has read.
func (r *reading) untold(s sentence) []sentence {
	told := make([]bool, max(0, s.end-s.start))
	for _, t := range r.touched {
		for k := max(t.Start, s.start); k < min(t.End, s.end); k++ {
			told[k-s.start] = true
		}
	}
	var out []sentence
	for i := 0; i < len(told); {
		j := i
		for j < len(told) && !told[j] {
			j++
		}
		if strings.TrimSpace(r.said.text[s.start+i:s.start+j]) != "" {
			out = append(out, sentence{s.start + i, s.start + j, asserts})
		}
		for i = j; i < len(told) && told[i]; i++ {
		}
	}
	return out
}

// retell tells one stretch.
func (r *reading) retell(number int, part sentence) (Candidate, bool) {
	kind := r.said.sentences[number].kind
	if r.asksFor(r.said.sentences[number]) {
		kind = commands
	}
	ts := r.trimmed(part, kind)
	if len(ts) == 0 {
		return Candidate{}, false
	}
	part = sentence{ts[0].start, max(part.start, min(part.end, r.endOf(ts, part.end))), part.kind}
	if kind == supposes {
		ts = r.afterOpening(ts)
	}
	if lead := takes(r.said.text[part.start:part.end]); lead != "" && kind == asserts {
		part.start += len(lead) // "Excuse me, I must go"
		if ts = r.afterOpening(tokens(r.said.text, part.start, part.end)); !r.isWhole(ts) {
			return Candidate{}, false
		}
	}
	if len(ts) == 1 && r.callsListener(ts) {
		return Candidate{}, false // "Sorry, Mira."
	}
	if kind == asserts && (!r.isWhole(ts) && lemma[ts[0].low] == "" || r.hangsOnBefore(number)) {
		part = r.withBefore(number, part)
	}
	if ts = tokens(r.said.text, part.start, part.end); len(ts) < 2 || part.end-part.start > maxSaid ||
		!worthReading(ts, r.said.text[part.start:part.end], kind == commands || r.isWhole(ts),
			!r.readIn(number) || kind == supposes) {
		return Candidate{}, false
	}
	if kind == commands {
		return r.requested(part)
	}
	claim, behind, ok := r.resolved(ts, number, part.start, part.end)
	if !ok {
		return Candidate{}, false
	}
	spans, confidence := r.spanOf(part.start, part.end), readSure
	if len(behind) > 0 {
		spans, confidence = append(behind, spans...), resolvedSure
	}
	out, ok := r.asSaid(claim, spans, confidence)
	if len(behind) > 0 && r.tookBack(behind[0].Text) {
		out.Tags = append(out.Tags, TagCorrection)
	}
	return out, ok
}

// trimmed are the words of a stretch without those that only open it or lead on from it.
func (r *reading) trimmed(part sentence, kind sentenceKind) []token {
	ts := tokens(r.said.text, part.start, part.end)
	if all := ts; kind == asserts {
		ts = r.afterOpening(ts)
		if k := len(all) - len(ts); k > 0 && len(ts) > 0 && all[k-1].low == "no" && !ts[0].gap {
			ts = all[k-1:] // "No allergies" denies
		}
	}
	if len(ts) > 1 && ts[0].low == "that" && subjectWords[ts[1].low] != nobody {
		return nil // "That you lied.": what somebody else says
	}
	for len(ts) > 0 && conjunctions[ts[0].low] && ts[0].low != "because" && ts[0].low != "since" {
		ts = ts[1:]
	}
	for len(ts) > 0 && conjunctions[ts[len(ts)-1].low] && ts[len(ts)-1].low != "that" {
		ts = ts[:len(ts)-1]
	}
	return ts
}

// tookBack says whether the player took words back.
func (r *reading) tookBack(words string) bool {
	return slices.ContainsFunc(r.mends, func(m mended) bool {
		return strings.Contains(words, strings.TrimSpace(r.said.original[m.was.start:m.was.end]))
	})
}

// readIn says whether the rules have read a part of a sentence.
func (r *reading) readIn(number int) bool {
	s := r.said.sentences[number]
	return slices.ContainsFunc(r.touched, func(t text.Span) bool { return t.Start < s.end && t.End > s.start })
}

// endOf is where the last of some words ends, with the marks behind it.
func (r *reading) endOf(ts []token, end int) int {
	last := ts[len(ts)-1].end
	if rest := r.said.text[last:end]; strings.Trim(rest, " .,!?;:\n\"'-") == "" {
		return end
	}
	return last
}

// withBefore puts words that are no whole statement behind the statement before them:
// "Half an acre. Mine." One stretch of the message proves both.
func (r *reading) withBefore(number int, part sentence) sentence {
	if number == 0 || r.said.sentences[number-1].kind != asserts || part.start > r.said.sentences[number].start+24 {
		return part
	}
	before := r.said.sentences[number-1]
	for _, m := range r.mends {
		if m.was.start <= before.start && before.end <= m.was.end {
			return part
		}
	}
	if first := r.afterOpening(tokens(r.said.text, before.start, before.end)); len(first) > 0 {
		return sentence{first[0].start, part.end, asserts}
	}
	return part
}

// hangsOnBefore says whether a sentence holds only under what the one before it says: "Except
// when he loses. Then he shouts."
func (f *frame) hangsOnBefore(number int) bool {
	if number <= 0 || f.said.sentences[number-1].kind != asserts {
		return false
	}
	s, before := f.said.sentences[number], f.said.sentences[number-1]
	first, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(f.said.text[s.start:s.end])), " ")
	return first == "otherwise" || first == "then" && under.MatchString(f.said.text[before.start:before.end])
}

var under = regexp.MustCompile(`(?i)\b(?:when|whenever|if|unless)\b`)

// requested is a wish that the NPC do something, kept as asked.
func (r *reading) requested(part sentence) (Candidate, bool) {
	claim := strings.TrimSpace(r.said.original[part.start:part.end])
	said := lowerFirst(r.reported(part.start, part.end, "", ""), false)
	for _, lead := range []string{"please ", "pls "} {
		said = strings.TrimPrefix(said, lead)
	}
	for _, lead := range []string{"don't ", "dont ", "do not ", "don\u2019t "} {
		if rest, ok := strings.CutPrefix(said, lead); ok {
			said = "not to " + rest
			break
		}
	}
	ask := " asked me to "
	if strings.HasPrefix(said, "not to ") {
		ask = " asked me "
	}
	out := r.candidate(schema.MemoryOccurrence, memory.PlayerPrefix+r.player, "asked", said,
		r.context.PlayerName+ask+ended(said), r.spanOf(part.start, part.end)...)
	out.Source, out.Confidence, out.Claim, out.Tags = schema.OriginUser, readSure, claim, []string{TagRead}
	return out, len(out.Content) <= memory.MaxContent
}

// telling is a candidate that a claim was made.
func (f *frame) telling(claim, said string, confidence float64, spans []schema.MemorySpan) (Candidate, bool) {
	if said == "" {
		return Candidate{}, false
	}
	if hedged.MatchString(claim) {
		confidence -= 0.2
	}
	out := f.candidate(schema.MemoryOccurrence, memory.PlayerPrefix+f.player, "said", said,
		f.context.PlayerName+" told me that "+ended(lowerFirst(said, f.beginsWithName(claim))), spans...)
	out.Source, out.Confidence, out.Claim = schema.OriginUser, confidence, claim
	out.Tags = []string{TagRead}
	return out, len(out.Content) <= memory.MaxContent
}
