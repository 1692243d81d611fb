package secrecy

import "slices"

// reading is one way in which a text may be read: every letter, the first of each
// word, the last of each sentence. from is where what is new begins; whatever a
// reading finds before it was said already.
type reading struct {
	signs []uint64
	odd   []bool // nil: the reading itself is nothing that happens by chance
	from  int
}

func (r *reading) put(l letter, isNew bool) {
	if !isNew {
		r.from = len(r.signs) + 1
	}
	r.signs = append(r.signs, uint64(l.same))
}

func (r *reading) turned() reading {
	out := reading{signs: slices.Clone(r.signs), from: r.from}
	slices.Reverse(out.signs)
	return out
}

// earlierWords is how many words that were said before are read word by word.
const earlierWords = 48

// earlierLetters is how much of what was said before is read in ways that need it
// letter by letter.
const earlierLetters = 96

// whole reads every letter as it stands.
func whole(earlier, now []token) reading {
	n := lettersIn(earlier) + lettersIn(now)
	r := reading{signs: make([]uint64, 0, n), odd: make([]bool, 0, n)}
	for _, t := range earlier {
		for _, l := range t.letters {
			r.signs, r.odd = append(r.signs, uint64(l.same)), append(r.odd, l.odd)
		}
	}
	r.from = len(r.signs)
	for _, t := range now {
		for _, l := range t.letters {
			r.signs, r.odd = append(r.signs, uint64(l.same)), append(r.odd, l.odd)
		}
	}
	return r
}

func lettersIn(all []token) int {
	n := 0
	for i := range all {
		n += len(all[i].letters)
	}
	return n
}

// tail is the end of a reading of which all is read in odd ways.
func (r *reading) tail() reading {
	skip := max(0, r.from-earlierLetters)
	return reading{signs: r.signs[skip:], from: r.from - skip}
}

// every reads each k-th sign, from the first-th of what is read.
func (r *reading) every(k, first int) reading {
	out := reading{signs: make([]uint64, 0, len(r.signs)/k+1)}
	for i := first; i < len(r.signs); i += k {
		if i < r.from {
			out.from = len(out.signs) + 1
		}
		out.signs = append(out.signs, r.signs[i])
	}
	return out
}

// picks are the readings that take one letter of a word, a sentence or a line.
func picks(earlier, now []token) []reading {
	const ways = 9
	out := make([]reading, ways)
	words := min(len(earlier), earlierWords) + len(now)
	room := make([]uint64, 4*words)
	for i := range 4 { // the first, the last, the second and the third letter: one a word
		out[i].signs = room[i*words : i*words : (i+1)*words]
	}
	starts, newLine := true, true
	take := func(t *token, isNew, near bool) {
		n := len(t.letters)
		if starts {
			out[4].put(t.letters[0], isNew)
		}
		if t.ends {
			out[5].put(t.letters[n-1], isNew)
		}
		if newLine {
			out[8].put(t.letters[0], isNew)
		}
		starts, newLine = t.ends, t.line
		if !near {
			return
		}
		out[0].put(t.letters[0], isNew)
		out[1].put(t.letters[n-1], isNew)
		if n > 1 {
			out[2].put(t.letters[1], isNew)
		}
		if n > 2 {
			out[3].put(t.letters[2], isNew)
		}
		if n == 1 {
			out[6].put(t.letters[0], isNew)
		}
		for _, l := range t.letters {
			if l.upper {
				out[7].put(l, isNew)
			}
		}
	}
	for i := range earlier {
		take(&earlier[i], false, i >= len(earlier)-earlierWords)
	}
	starts, newLine = true, true // a line is said: its first word begins a sentence
	for i := range now {
		take(&now[i], true, true)
	}
	return out
}

// steps reads the distance from each letter to the next, which moving the whole
// alphabet leaves as it is; mirrored, what a turned alphabet makes of it.
func steps(letters []byte, mirrored bool) []uint64 {
	if len(letters) < 2 {
		return nil
	}
	out := make([]uint64, 0, len(letters)-1)
	for i := 1; i < len(letters); i++ {
		d := (int(letters[i]) - int(letters[i-1]) + 26) % 26
		if mirrored {
			d = (26 - d) % 26
		}
		out = append(out, uint64(d)+100)
	}
	return out
}

func rawOf(all []token, limit int) []byte {
	out := make([]byte, 0, lettersIn(all))
	for _, t := range all {
		for _, l := range t.letters {
			if l.raw != 0 {
				out = append(out, l.raw)
			}
		}
	}
	return out[max(0, len(out)-limit):]
}

// word is a word in a form that the order of its letters does not change.
func (t *token) word() uint64 {
	var sum, product uint64 = 0, 1
	for _, l := range t.letters {
		x := (uint64(l.same) + 7) * prime
		x ^= x >> 29
		sum += x
		product *= x | 1
	}
	return sum ^ product<<1
}

// exact is a word in a form that the order of its letters does change.
func (t *token) exact() uint64 {
	var h uint64
	for _, l := range t.letters {
		h = h*prime + uint64(l.same) + 1
	}
	return h
}

// moved is a word in a form that moving the alphabet does not change; ok is false
// where it holds what is no letter.
func (t *token) moved(mirrored bool) (h uint64, ok bool) {
	for i, l := range t.letters {
		if l.raw == 0 {
			return 0, false
		}
		if i == 0 {
			continue
		}
		d := (int(l.raw) - int(t.letters[i-1].raw) + 26) % 26
		if mirrored {
			d = (26 - d) % 26
		}
		h = h*prime + uint64(d) + 1
	}
	return h, len(t.letters) > 1
}

// isMixed says whether letters and what stands for letters are both in a word.
func isMixed(t token) bool {
	plain := 0
	for _, l := range t.letters {
		if l.raw != 0 {
			plain++
		}
	}
	return plain > 0 && plain < len(t.letters)
}

// consonants are the letters of tokens without the vowels.
func consonants(all []token) []uint64 {
	out := make([]uint64, 0, lettersIn(all))
	for _, t := range all {
		for _, l := range t.letters {
			if l.raw != 0 && !vowel(l.raw) {
				out = append(out, uint64(l.raw))
			}
		}
	}
	return out
}

func vowel(b byte) bool { return b == 'a' || b == 'e' || b == 'i' || b == 'o' || b == 'u' }

func (t *token) hasVowel() bool {
	return slices.ContainsFunc(t.letters, func(l letter) bool { return vowel(l.raw) })
}

// joinSigns is a row of letters of tokens.
func joinSigns(all []token) []uint64 {
	out := make([]uint64, 0, lettersIn(all))
	for _, t := range all {
		for _, l := range t.letters {
			out = append(out, uint64(l.same))
		}
	}
	return out
}
