package secrecy

import (
	"slices"
	"strings"
)

// How much of a secret tells it: so many grams in a row that are nobody's but the
// secret's. A reading that ordinary sentences never give needs less than the words
// as they stand.
const (
	hiddenGrams = 5  // 12 letters
	turnedGrams = 13 // 20 letters of words that are backwards: two words may follow each other either way
	plainGrams  = 17 // 24 letters
	wholeHidden = 10 // letters of a sentence that is spelt in full
	wholePlain  = 14
	wordGrams   = 2 // four words
)

// coverShare is the share of a sentence's own grams that tells it in pieces.
const (
	coverShare = 0.6
	coverLeast = 20
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
		if inner.hidden(&inner.text, false) || inner.hidden(&inner.text, true) || inner.plainKey() || inner.number() || inner.shifted() || inner.picked() {
			return "in a code"
		}
	}
	return ""
}

// isNew says whether a run needs what is being said now: it reaches into it, and
// was not told before.
func isNew(r run, from, enough int) bool {
	return r.end > from && (r.begin >= from || from-r.begin < enough || r.end-from >= enough)
}

// toldBy is how many letters of a run have told it: all but one of a sentence that is
// spelt in full, where fewer are no secret.
func toldBy(full bool, size, grams int) int {
	if full {
		return size - 1
	}
	return min(size, grams+gram-1)
}

// plain looks for the sentence as it stands, and for letters that are made strange.
func (l *looking) plain() bool {
	covered := map[int32][]run{}
	found := l.letters.runs(l.text.signs, l.isClosed, l.isOpen, func(r run) bool {
		odd := 0
		for _, is := range l.text.odd[r.begin:r.end] {
			if is {
				odd++
			}
		}
		strange := 3*odd >= r.end-r.begin || l.turned[r.unit]
		size := r.end - r.begin
		full := !l.told[r.unit] && (l.letters.whole(r) && size >= wholePlain || strange && l.letters.nearly(r) && size >= wholeHidden)
		if (full || r.secret >= plainGrams || strange && r.secret >= l.enough(r.unit)) && isNew(r, l.text.from, toldBy(full, size, plainGrams)) {
			return true
		}
		if r.secret > 0 {
			covered[r.unit] = append(covered[r.unit], r)
		}
		return false
	})
	if found {
		return true
	}
	for unit, runs := range covered {
		if l.covers(unit, runs) {
			return true
		}
	}
	return l.keyIn(&l.text, func(k key, odd int) bool { return 2*odd >= k.size || k.named && k.size >= 7 })
}

// covers says whether pieces tell most of a sentence, and did not before.
func (l *looking) covers(unit int32, runs []run) bool {
	slices.SortStableFunc(runs, func(a, b run) int { return int(a.first - b.first) })
	var before, all, reach int32 = 0, 0, -1
	for _, r := range runs {
		if r.first <= reach { // told twice
			continue
		}
		reach = r.at
		all += r.secret
		if r.end <= l.text.from {
			before += r.secret
		}
	}
	enough := int32(max(coverLeast, coverShare*float64(l.letters.secret[unit])))
	return all >= enough && before < enough && all > before
}

// hidden looks in a reading that ordinary sentences do not give.
func (l *looking) hidden(r *reading, turned bool) bool {
	return l.hiddenIn(r, turned, 5, shortestRare)
}

func (l *looking) hiddenIn(r *reading, turned bool, named, rare int) bool {
	row, from := r.signs, r.from
	if turned {
		t := r.turned()
		row, from = t.signs, len(t.signs)-t.from
	}
	reaches := func(begin, end, enough int) bool {
		if turned { // what is new stands first
			return begin < from && (end <= from || end-from < enough || from-begin >= enough)
		}
		return isNew(run{begin: begin, end: end}, from, enough)
	}
	if l.letters.runs(row, l.isClosed, l.isOpen, func(x run) bool {
		size := x.end - x.begin
		full := l.letters.nearly(x) && !l.told[x.unit] && size >= wholeHidden
		return (full || x.secret >= l.enough(x.unit)) && reaches(x.begin, x.end, toldBy(full, size, hiddenGrams))
	}) {
		return true
	}
	closed := func(unit int32) bool { return l.closed[l.keyOf[unit].group] }
	return l.keys.runs(row, closed, func(int32) bool { return false }, func(x run) bool {
		k := l.keyOf[x.unit]
		return l.keys.whole(x) && (k.named && k.size >= named || k.size >= rare) && reaches(x.begin, x.end, k.size)
	})
}

// keyIn looks for words that tell by themselves, and asks about each.
func (l *looking) keyIn(r *reading, tells func(k key, odd int) bool) bool {
	closed := func(unit int32) bool { return l.closed[l.keyOf[unit].group] }
	return l.keys.runs(r.signs, closed, func(int32) bool { return false }, func(x run) bool {
		if !l.keys.whole(x) || !isNew(x, r.from, x.end-x.begin) {
			return false
		}
		odd := 0
		for _, is := range r.odd[x.begin:x.end] {
			if is {
				odd++
			}
		}
		return tells(l.keyOf[x.unit], odd)
	})
}

// plainKey looks for a name or a password as a word of its own, and for the letters
// of a key in another order.
func (l *looking) plainKey() bool {
	for i := range l.now {
		t := &l.now[i]
		if n, ok := l.named[t.exact()]; ok && l.closed[n] {
			return true
		}
		if len(t.letters) < 7 || l.known[t.exact()] {
			continue
		}
		for _, unit := range l.jumbled[t.word()] {
			if k := l.keyOf[unit]; l.closed[k.group] && k.word != t.exact() {
				return true
			}
		}
	}
	return false
}

// number looks for a secret number, in whatever digits or words.
func (l *looking) number() bool {
	if len(l.numberOf) == 0 {
		return false
	}
	closed := func(unit int32) bool { return l.closed[l.numberOf[unit]] }
	none := func(int32) bool { return false }
	for _, words := range []bool{false, true} {
		r := digits(l.earlier, l.now, words)
		if l.numbers.runs(r.signs, closed, none, func(x run) bool { return l.numbers.whole(x) && x.end > r.from }) {
			return true
		}
		t := r.turned()
		if l.numbers.runs(t.signs, closed, none, func(x run) bool { return l.numbers.whole(x) && x.begin < len(t.signs)-r.from }) {
			return true
		}
	}
	return false
}

// picked looks at first letters, last letters, capitals and the like.
func (l *looking) picked() bool {
	for _, r := range picks(l.earlier, l.now) {
		if len(r.signs) > r.from && (l.hiddenIn(&r, false, 5, 8) || l.hiddenIn(&r, true, 5, 8)) {
			return true
		}
	}
	return false
}

// spaced looks at every second and every third letter.
func (l *looking) spaced(tail *reading) bool {
	for k := 2; k <= 3; k++ {
		for first := range k {
			r := tail.every(k, first)
			if l.hiddenIn(&r, false, 6, 8) || l.hiddenIn(&r, true, 6, 8) {
				return true
			}
		}
	}
	return false
}

// shifted looks for the alphabet moved by any number of letters, or turned.
func (l *looking) shifted() bool {
	before := rawOf(l.earlier, earlierLetters)
	now := rawOf(l.now, 1<<20)
	row := append(slices.Clone(before), now...)
	back := slices.Clone(row)
	slices.Reverse(back)
	for _, way := range []struct {
		letters  []byte
		mirrored bool
		turned   bool
	}{{row, false, false}, {row, true, false}, {back, false, true}, {back, true, true}} {
		if l.moved.runs(steps(way.letters, way.mirrored), l.isClosed, l.isOpen, func(x run) bool {
			if !way.mirrored && way.letters[x.begin] == l.raw[x.unit][x.first] {
				return false // not moved at all
			}
			fresh := x.end >= len(before)
			if way.turned {
				fresh = x.begin < len(now)
			}
			return fresh && (x.secret >= l.enough(x.unit) || l.moved.whole(x))
		}) {
			return true
		}
	}
	return l.shiftedKey()
}

// shiftedKey looks for a key as a word of its own under any shift of the alphabet.
func (l *looking) shiftedKey() bool {
	for i := range l.now {
		t := &l.now[i]
		if len(t.letters) < shortestNamed+1 || l.known[t.exact()] {
			continue
		}
		for _, mirrored := range []bool{false, true} {
			h, ok := t.moved(mirrored)
			if k, is := l.movedKeys[h]; ok && is && l.closed[k.group] && k.word != t.exact() {
				return true
			}
		}
	}
	return false
}

// shiftedLeet looks for whole secrets under every shift of the alphabet where digits
// stand for letters, written so before the alphabet moved or after.
func (l *looking) shiftedLeet() bool {
	var row []letter
	within := 0
	for _, all := range [][]token{l.earlier[max(0, len(l.earlier)-earlierWords):], l.now} {
		for _, t := range all {
			row = append(row, t.letters...)
			if t.mixed() {
				within++
			}
		}
	}
	if within < 1 {
		return false
	}
	row = row[max(0, len(row)-maxShifted):]
	r := reading{signs: make([]uint64, len(row))}
	for shift := byte(1); shift <= 26; shift++ {
		for _, after := range []bool{false, true} {
			for i, x := range row {
				r.signs[i] = shiftedSign(x, shift, after)
			}
			if l.hidden(&r, false) || l.hidden(&r, true) {
				return true
			}
		}
	}
	return false
}

// shiftedSign is a letter so many places on, or with 26 in the turned alphabet. A
// digit was written for a letter before the alphabet moved, or after.
func shiftedSign(x letter, shift byte, after bool) uint64 {
	raw := x.raw
	switch {
	case raw == 0 && after && x.digit >= 0:
		raw = digitAs[x.digit]
	case raw == 0 && after && x.same >= 'a' && x.same <= 'z':
		raw = x.same
	}
	switch {
	case raw == 0:
		return uint64(x.same)
	case shift == 26:
		return uint64(class('a' + 'z' - raw))
	}
	return uint64(class('a' + (raw-'a'+shift)%26))
}

// maxShifted bounds how many letters are read under every shift.
const maxShifted = 400

// voweless looks for a secret whose vowels were left out.
func (l *looking) voweless() bool {
	without := 0
	for i := range l.now {
		if !l.now[i].hasVowel() {
			without++
		}
	}
	if 2*without < len(l.now) {
		return false
	}
	row := consonants(l.now)
	before := consonants(l.earlier)
	before = before[max(0, len(before)-earlierLetters):]
	row = append(before, row...)
	return l.bare.runs(row, l.isClosed, l.isOpen, func(x run) bool {
		return x.end > len(before) && (x.secret >= 3 || l.bare.whole(x) && !l.told[x.unit])
	})
}

// reordered looks for the words of a secret in the reverse order or between others,
// and for words whose letters are mixed.
func (l *looking) reordered() bool {
	all := append(slices.Clone(l.earlier[max(0, len(l.earlier)-earlierLetters):]), l.now...)
	from := len(all) - len(l.now)
	row, exact := make([]uint64, len(all)), make([]uint64, len(all))
	for i := range all {
		row[i], exact[i] = all[i].word(), all[i].exact()
	}
	if l.words.runs(row, l.isClosed, l.isOpen, func(x run) bool {
		if x.end <= from || x.secret < wordGrams && !l.words.whole(x) {
			return false
		}
		mixed := 0
		for i := x.begin; i < x.end; i++ {
			if exact[i] != l.exact[x.unit][int(x.first)+i-x.begin] {
				mixed++
			}
		}
		return mixed >= 2 && 4*mixed >= x.end-x.begin || mixed >= 1 && l.words.whole(x)
	}) {
		return true
	}
	slices.Reverse(row)
	if l.words.runs(row, l.isClosed, l.isOpen, func(x run) bool {
		return x.begin < len(l.now) && (x.secret >= wordGrams || l.words.whole(x) && x.end-x.begin >= 4)
	}) {
		return true
	}
	slices.Reverse(row)
	for _, some := range wordPicks(all, row, from) {
		if l.words.runs(some.signs, l.isClosed, l.isOpen, func(x run) bool {
			return x.end > some.from && (x.secret >= wordGrams+1 || l.words.whole(x) && x.end-x.begin >= 4)
		}) {
			return true
		}
	}
	return false
}

// wordPicks are the first and the last words of sentences, and every second word.
func wordPicks(all []token, row []uint64, from int) []reading {
	out := make([]reading, 4)
	put := func(n, i int) {
		if i < from {
			out[n].from = len(out[n].signs) + 1
		}
		out[n].signs = append(out[n].signs, row[i])
	}
	starts := true
	for i := range all {
		if starts {
			put(0, i)
		}
		if all[i].ends || i == len(all)-1 {
			put(1, i)
		}
		put(2+i%2, i)
		starts = all[i].ends
	}
	return out
}
