package secrecy

import "slices"

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
