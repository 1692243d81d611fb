package secrecy

import (
	"slices"
	"strings"
	"unicode/utf8"
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
		full := !l.told[r.unit] && (l.letters.whole(r) && size >= wholePlain || strange && l.letters.nearly(r) &&
			size >= wholeHidden)
		if (full || r.secret >= plainGrams || strange && r.secret >= l.enough(r.unit)) &&
			isNew(r, l.text.from, toldBy(full, size, plainGrams)) {
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
		if l.numbers.runs(t.signs, closed, none,
			func(x run) bool { return l.numbers.whole(x) && x.begin < len(t.signs)-r.from }) {
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

// The alphabets that stand for the Latin one, sign by sign.

const morseLetters = ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- " +
	".-- -..- -.-- --.. " +
	"----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----."

var morseOf = func() map[string]byte {
	out := map[string]byte{}
	for i, code := range strings.Fields(morseLetters) {
		if i < 26 {
			out[code] = byte('a' + i)
			continue
		}
		out[code] = byte('0' + i - 26)
	}
	return out
}()

var morseMarks = strings.NewReplacer("·", ".", "•", ".", "−", "-", "–", "-", "—", "-", "_", "-", "/", " ", "|",
	" ", ",", " ")

func morse(s string) string {
	var b strings.Builder
	for _, w := range strings.Fields(morseMarks.Replace(s)) {
		if c, ok := morseOf[w]; ok {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func rot47(s string) string {
	out := []byte(s)
	for i, c := range out {
		if c >= '!' && c <= '~' {
			out[i] = '!' + (c-'!'+47)%94
		}
	}
	return string(out)
}

// unseen reads what signs without width spell: letters of the plane of tags, bytes
// as variation selectors, bits as spaces of no width.
func unseen(s string) string {
	var b, row []byte
	for _, r := range s {
		switch {
		case r > 0xE0020 && r < 0xE007F:
			b = append(b, byte(r-0xE0000))
		case r >= 0xFE00 && r <= 0xFE0F:
			b = append(b, byte(r-0xFE00))
		case r >= 0xE0100 && r <= 0xE01EF:
			b = append(b, byte(r-0xE0100+16))
		case r == 0x200B || r == 0x2060:
			row = append(row, '0')
		case r == 0x200C || r == 0x200D || r == 0xFEFF:
			row = append(row, '1')
		}
	}
	if text, ok := bits(string(row)); ok {
		b = append(b, text...)
	}
	if !legible(b) {
		return ""
	}
	return string(b)
}

const brailleLetters = "\x01\x03\x09\x19\x11\x0b\x1b\x13\x0a\x1a\x05\x07\x0d\x1d\x15\x0f\x1f\x17\x0e\x1e" +
	"\x25\x27\x3a\x2d\x3d\x35"

func braille(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r <= 0x2800 || r > 0x28FF {
			continue
		}
		if i := strings.IndexByte(brailleLetters, byte(r-0x2800)); i >= 0 {
			b.WriteByte(byte('a' + i))
		}
	}
	return b.String()
}

var turned = strings.NewReplacer("ɐ", "a", "q", "b", "ɔ", "c", "p", "d", "ǝ", "e", "ɟ", "f", "ƃ", "g", "ɥ", "h",
	"ᴉ", "i", "ı", "i", "ɾ", "j",
	"ʞ", "k", "ɯ", "m", "u", "n", "d", "p", "b", "q", "ɹ", "r", "ʇ", "t", "n", "u", "ʌ", "v", "ʍ", "w", "ʎ", "y")

// upsideDown reads letters that stand on their heads.
func upsideDown(s string) string {
	if !strings.ContainsAny(s, "ɐɔǝɟƃɥᴉɹʇʌʍʎɯ") {
		return ""
	}
	return turned.Replace(strings.ToLower(s))
}

var otherAlphabets = strings.NewReplacer("а", "a", "б", "b", "в", "v", "г", "g", "д", "d", "е", "e", "ж", "zh",
	"з", "z", "и", "i", "й", "y",
	"к", "k", "л", "l", "м", "m", "н", "n", "о", "o", "п", "p", "р", "r", "с", "s", "т", "t", "у", "u", "ф",
	"f", "х", "h", "ц", "c", "ч", "ch", "ш", "sh",
	"щ", "sh", "ъ", "", "ы", "y", "ь", "", "э", "e", "ю", "yu", "я", "ya",
	"α", "a", "β", "b", "γ", "g", "δ", "d", "ε", "e", "ζ", "z", "η", "h", "θ", "th", "ι", "i", "κ", "k", "λ",
	"l", "μ", "m", "ν", "n", "ξ", "x", "ο", "o",
	"π", "p", "ρ", "r", "σ", "s", "ς", "s", "τ", "t", "υ", "u", "φ", "f", "χ", "ch", "ψ", "ps", "ω", "w")

// transliterated reads Cyrillic and Greek letters by their sound.
func transliterated(s string) string {
	lower := strings.ToLower(s)
	other := 0
	for _, r := range lower {
		if r >= 0x370 && r < 0x530 {
			other++
		}
	}
	if 3*other < utf8.RuneCountInString(s) {
		return ""
	}
	return otherAlphabets.Replace(lower)
}
