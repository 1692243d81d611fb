package extract

import (
	"strings"
)

// subjectKind is who or what a clause is about.
type subjectKind int

// subject is the subject of a clause.
type subject struct {
	kind  subjectKind
	kin   string  // the word, of a relative
	name  string  // of a relative or a named one
	words []token // all of it
	we    bool
}

// subjectAt reads a subject that begins at i and has a verb behind it.
func (f *frame) subjectAt(ts []token, i int) (subject, int, bool) {
	if i >= len(ts) {
		return subject{}, i, false
	}
	s, next := f.nounAt(ts, i)
	// "Ansel, give me that" calls him
	if s.kind == nobody || !verbish(ts, next) || (s.kind == named || s.kind == thing) && ts[next].gap {
		return subject{}, i, false
	}
	s.words = ts[i:next]
	return s, next, true
}

func (f *frame) nounAt(ts []token, i int) (subject, int) {
	w := ts[i].low
	if k := subjectWords[w]; k != nobody {
		return subject{kind: k, we: w == "we"}, i + 1
	}
	if w == "my" || w == "our" {
		if s, next := f.kinAt(ts, i+1); s.kind != nobody {
			return s, next
		}
		return f.thingAt(ts, i)
	}
	if next := f.nameAt(ts, i); next > i {
		if next+1 < len(ts) && ts[next].low == "and" && !ts[next+1].gap {
			if last := f.nameAt(ts, next+1); last > next+1 && verbish(ts, last) {
				return subject{kind: thing}, last // "Ebba and Stig" are not Stig
			}
		}
		return subject{kind: named, name: f.words(ts[i:next])}, next
	}
	if articles[w] && !(w == "that" && i+1 < len(ts) && ts[i+1].upper) {
		return f.thingAt(ts, i)
	}
	return subject{}, i
}

// kinAt reads "elder brother Tom" behind a "my".
func (f *frame) kinAt(ts []token, i int) (subject, int) {
	for i < len(ts) && elderly[ts[i].low] && i+1 < len(ts) {
		i++
	}
	if i >= len(ts) || kin[ts[i].low] == "" {
		return subject{}, i
	}
	s := subject{kind: relative, kin: ts[i].low}
	i++
	j := i
	for j < len(ts) && j < i+2 && ts[j].upper && !notNames[ts[j].low] && !auxiliaries[ts[j].low] {
		j++
	}
	if j > i {
		s.name = f.words(ts[i:j])
	}
	return s, j
}

// nameAt gives the end of a name that begins at i: one that the caller knows, or
// words with capitals.
func (f *frame) nameAt(ts []token, i int) int {
	for n := min(4, len(ts)-i); n > 0; n-- {
		if _, ok := f.context.Names.Resolve(f.words(ts[i : i+n])); ok && verbish(ts, i+n) {
			return i + n
		}
	}
	j := i
	for j < len(ts) && j < i+3 && ts[j].upper && !notNames[ts[j].low] && !auxiliaries[ts[j].low] &&
		(j == i || !ts[j].gap) {
		j++
	}
	return j
}

// thingAt reads up to four words before a verb: "the old bridge at Ferrytown".
func (f *frame) thingAt(ts []token, i int) (subject, int) {
	if i+1 < len(ts) && ts[i].low == "there" {
		return subject{kind: thing}, i + 1
	}
	for j := i + 2; j <= i+6 && j < len(ts); j++ {
		if ts[j-1].gap || conjunctions[ts[j-1].low] && ts[j-1].low != "and" || subjectWords[ts[j-1].low] != nobody {
			return subject{}, i
		}
		if named := ts[j].low == "called" || ts[j].low == "named"; named { // "a tinker called Crake"
			continue
		}
		if auxiliaries[ts[j].low] || lemma[ts[j].low] != "" && (pastForms[ts[j].low] || strings.HasSuffix(ts[j].low, "s")) ||
			strings.HasSuffix(ts[j].low, "ed") && len(ts[j].low) > 4 {
			return subject{kind: thing}, j
		}
	}
	return subject{}, i
}

const (
	nobody   subjectKind = iota
	speaker              // I, we
	listener             // you: the NPC
	relative             // "my brother Tom"
	named                // a name
	pronoun              // he, she, they
	thing                // "the bridge"
)
