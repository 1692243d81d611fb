package secrecy

import "slices"

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
