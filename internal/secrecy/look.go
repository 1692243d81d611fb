package secrecy

import (
	"slices"
	"strings"
)

// looking is one look at a sentence.
type looking struct {
	*Guard
	closed       []bool
	earlier, now []token
	text         reading
}

func (l *looking) isClosed(unit int32) bool { return l.closed[l.of[unit]] }
func (l *looking) isOpen(unit int32) bool   { return !l.closed[l.of[unit]] }

// enough is how many grams in a row tell a unit in a reading that does not happen.
func (l *looking) enough(unit int32) int32 {
	if l.turned[unit] {
		return turnedGrams
	}
	return hiddenGrams
}

// find names the reading of the letters in which a secret stands, or nothing.
func (l *looking) find() string {
	l.text = whole(l.earlier, l.now)
	tail := l.text.tail()
	switch {
	case l.plain():
		return "as it stands"
	case l.hidden(&tail, true):
		return "backwards"
	case l.plainKey():
		return "by a word of it"
	case l.number():
		return "by a number of it"
	case l.picked():
		return "by single letters"
	case l.spaced(&tail):
		return "between other letters"
	case l.shifted():
		return "with another alphabet"
	case l.shiftedLeet():
		return "with another alphabet and digits for letters"
	case l.voweless():
		return "without vowels"
	case l.reordered():
		return "with its words or letters mixed up"
	}
	return ""
}

// findCoded looks at what the sentence, or the last lines with it, hide in a code.
func (l *looking) findCoded(earlier []string, sentence string) string {
	is := shapeOf(sentence)
	if !is.digits && !is.escapes && !is.mixed && !is.foreign && is.marks < fewMarks {
		return ""
	}
	found := decoded(sentence)
	if len(earlier) > 0 {
		last := earlier[max(0, len(earlier)-8):]
		found = append(found, decoded(strings.Join(append(slices.Clone(last), sentence), " "))...)
	}
	for _, s := range found {
		inner := looking{Guard: l.Guard, closed: l.closed, now: tokens(s)}
		inner.text = whole(nil, inner.now)
		inner.text.odd = nil
		if inner.hidden(&inner.text, false) || inner.hidden(&inner.text, true) || inner.plainKey() || inner.number() ||
			inner.shifted() || inner.picked() {
			return "in a code"
		}
	}
	return ""
}
