package secrecy

import (
	"slices"
	"strings"
)

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
	earlier := l.earlier[max(0, len(l.earlier)-earlierWords):]
	if !slices.ContainsFunc(earlier, isMixed) && !slices.ContainsFunc(l.now, isMixed) {
		return false
	}
	row := make([]letter, 0, lettersIn(earlier)+lettersIn(l.now))
	for _, all := range [][]token{earlier, l.now} {
		for i := range all {
			row = append(row, all[i].letters...)
		}
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

// numerals are digits and numbers in words, of several languages; each has the
// digits that it stands for.
var numerals = func() map[uint64]string {
	out := map[uint64]string{}
	for i, row := range []string{
		"zero nil nought null cero zéro zero nulla nul nolla",
		"one ein eins eine uno un une unum um een yksi",
		"two zwei zwo dos deux due duo dois twee kaksi",
		"three drei tres trois tre tria três drie kolme",
		"four vier cuatro quatre quattro quattuor quatro neljä",
		"five fünf cinco cinq cinque quinque vijf viisi",
		"six sechs seis sei sex zes kuusi",
		"seven sieben siete sept sette septem sete zeven",
		"eight acht ocho huit otto octo oito kahdeksan",
		"nine neun nueve neuf nove novem negen",
	} {
		for _, w := range strings.Fields(row) {
			out[exactOf(w)] = string(byte('0' + i))
		}
	}
	for i, w := range strings.Fields("ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen") {
		out[exactOf(w)] = "1" + string(byte('0'+i))
	}
	for i, w := range strings.Fields("zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn") {
		out[exactOf(w)] = "1" + string(byte('0'+i))
	}
	for i, w := range strings.Fields("twenty thirty forty fifty sixty seventy eighty ninety") {
		out[exactOf(w)] = string(byte('2'+i)) + "0"
	}
	return out
}()

func exactOf(word string) uint64 {
	all := tokens(word)
	if len(all) != 1 {
		return 0
	}
	return all[0].exact()
}

// digits reads all digits in a row: with words, numbers that are written out too.
// "forty-four" is two digits, "four thousand four hundred" none but its fours.
func digits(earlier, now []token, words bool) reading {
	var out reading
	tens := false
	take := func(t *token, isNew bool) {
		wrote := ""
		for _, l := range t.letters {
			if l.digit >= 0 {
				wrote += string(byte('0' + l.digit))
			}
		}
		if wrote == "" && words {
			wrote = numerals[t.exact()]
		}
		if wrote != "" && wrote[0] != '0' && len(wrote) == 1 && tens {
			out.signs = out.signs[:len(out.signs)-1]
		}
		tens = len(wrote) == 2 && wrote[1] == '0' && wrote[0] >= '2' && t.letters[0].digit < 0
		if !isNew {
			out.from = len(out.signs) + len(wrote)
		}
		for i := range len(wrote) {
			out.signs = append(out.signs, uint64(wrote[i]))
		}
	}
	for i := range earlier {
		take(&earlier[i], false)
	}
	for i := range now {
		take(&now[i], true)
	}
	return out
}

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
