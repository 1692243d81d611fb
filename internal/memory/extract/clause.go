package extract

import (
	"strings"
)

// subjectKind is who or what a clause is about.
type subjectKind int

const (
	nobody   subjectKind = iota
	speaker              // I, we
	listener             // you: the NPC
	relative             // "my brother Tom"
	named                // a name
	pronoun              // he, she, they
	thing                // "the bridge"
)

// subject is the subject of a clause.
type subject struct {
	kind  subjectKind
	kin   string  // the word, of a relative
	name  string  // of a relative or a named one
	words []token // all of it
	we    bool
}

// clause is one statement: who, what, and in which time and mood.
type clause struct {
	subject    subject
	inherited  bool // the subject stands in the clause before
	negated    bool
	ceased     bool // "no longer", "used to", "not any more"
	past       bool
	perfect    bool
	ongoing    bool
	just       bool
	modal      string
	phrase     []token // the verb by its base form, then the rest
	start, end int     // in the message, subject included
	from       int     // where the words begin that prove it, an inherited subject's too
}

var (
	subjectWords = map[string]subjectKind{"i": speaker, "we": speaker, "you": listener, "u": listener, "ye": listener,
		"he": pronoun, "she": pronoun, "they": pronoun, "it": thing}
	articles     = set(`the this that these those a an our his her their its some every most many there no`)
	conjunctions = set(`and but so because since although though while then yet whereas cause cuz as that for plus`)
	adverbs      = set(`really also still just only always actually now often usually currently once recently originally
		truly already both all sometimes mostly simply even ever rarely hardly seldom last first finally soon quite very so
		much certainly surely honestly definitely probably maybe perhaps never not secretly kinda sorta`)
	auxiliaries = set(`am is are was were be been have has had do does did will would can could may might must shall
		should used ought`)
	notNames = set(`i we you he she it they my your our the a an this that these those and but so yes no not well oh hello
		hi hey thanks sorry please just also then if when what who where why how there here maybe perhaps actually today
		yesterday tomorrow once everyone everybody someone nobody people some all most many both sir mister lord lady every
		nothing something anything everything last next two three four five six ten in on at to from of by with for because
		since until after before during never always still only even although though while as than too very`)
)

// verbish says whether a clause's verb may stand at i, adverbs before it skipped.
func verbish(ts []token, i int) bool {
	for i < len(ts) && (adverbs[ts[i].low] || ts[i].low == "no" && i+1 < len(ts) && ts[i+1].low == "longer" || i > 0 &&
		ts[i].low == "longer" && ts[i-1].low == "no") {
		i++
	}
	if i >= len(ts) {
		return false
	}
	w := ts[i].low
	return auxiliaries[w] || lemma[w] != "" && !ingForm(w) || strings.HasSuffix(w, "ed") && len(w) > 4
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

// words are the words of tokens as they were written.
func (f *frame) words(ts []token) string {
	if len(ts) == 0 {
		return ""
	}
	return strings.TrimSpace(f.said.original[ts[0].start:ts[len(ts)-1].end])
}

// clauses cuts a sentence into statements.
func (f *frame) clauses(s sentence) []clause {
	ts := f.afterOpening(tokens(f.said.text, s.start, s.end))
	var out []clause
	if len(ts) > 2 && (ts[0].low == "call" && ts[1].low == "me" || ts[0].low == "name" && ts[1].low == "is") {
		c := f.readClause(subject{kind: speaker, words: ts[:1]}, ts[:0], ts)
		end := f.clauseEnd(ts, 2, nil)
		c.end = ts[end-1].end
		out, ts = append(out, c), ts[end:]
	}
	for i := 0; i < len(ts); {
		subj, next, ok := f.subjectAt(ts, i)
		if !ok || i > 0 && subordinates[ts[i-1].low] { // "Spread the word that I am king" states nothing of the kind
			i++
			continue
		}
		end := f.clauseEnd(ts, next, nil)
		c := f.readClause(subj, ts[i:next], ts[next:end])
		c.end = f.withQuotation(&c)
		out = append(out, c)
		i = end
		for i < len(ts) && (ts[i].low == "and" || ts[i].low == "but") && sharesSubject(ts, i+1, &c) {
			end = f.clauseEnd(ts, i+1, &c)
			d := f.readClause(subj, ts[i+1:i+1], ts[i+1:end])
			d.inherited, d.from = true, c.from
			if d.ongoing = c.ongoing && !d.past; d.modal == "" {
				d.modal = c.modal
			}
			out, i = append(out, d), end
		}
	}
	return out
}

// subordinates are words behind which stands what the sentence does not itself
// state.
var subordinates = set(`that when whenever whether what how why where who whom which until unless lest`)

// withQuotation is the end of a clause with the quotation that a verb of saying
// leads.
func (f *frame) withQuotation(c *clause) int {
	if len(c.phrase) == 0 || !verbOfReport[c.phrase[0].low] {
		return c.end
	}
	rest := f.said.original[c.end:]
	lead := len(rest) - len(strings.TrimLeft(rest, " ,:"))
	if at := quotes.FindStringIndex(rest[lead:]); at != nil && at[0] == 0 {
		return c.end + lead + at[1]
	}
	return c.end
}

// afterOpening drops greetings and the like, and the name of the listener.
func (f *frame) afterOpening(ts []token) []token {
	if len(ts) == 0 {
		return nil
	}
	s := f.said.text[ts[0].start:ts[len(ts)-1].end]
	cut := len(opening.FindString(s))
	cut += len(vocative.FindString(s[cut:]))
	cut += len(opening.FindString(s[cut:]))
	from := ts[0].start + cut
	for len(ts) > 0 && ts[0].start < from {
		ts = ts[1:]
	}
	return ts
}

// clauseEnd is where the clause whose verb begins at i ends.
func (f *frame) clauseEnd(ts []token, i int, _ *clause) int {
	reports := false
	for j := i; j < len(ts); j++ {
		if j > i && verbOfReport[lemma[ts[j-1].low]] || ts[j].low == "that" && j > i && verbOfReport[lemma[ts[j-1].low]] {
			reports = true // "I think that Bram lied" is one statement
		}
		if j == i || reports && !ts[j].gap {
			continue
		}
		if conjunctions[ts[j].low] && (ts[j].low != "for" || ts[j].gap) { // "looking for a tinker" goes on
			if _, _, ok := f.subjectAt(ts, j+1); ok {
				return j
			}
			if (ts[j].low == "and" || ts[j].low == "but") && j > i+1 && !reports && sharesSubject(ts, j+1, nil) {
				return j
			}
		}
		if ts[j].gap {
			if _, _, ok := f.subjectAt(ts, j); ok {
				return j
			}
		}
	}
	return len(ts)
}

var verbOfReport = set(`say tell think believe reckon suspect suppose guess hear claim swear know hope promise vow`)

// sharesSubject says whether a second verb of the same subject stands at i, as in
// "I live here and work at the mill".
func sharesSubject(ts []token, i int, _ *clause) bool {
	for i < len(ts) && (adverbs[ts[i].low] || ts[i].low == "then") {
		i++
	}
	if i+1 >= len(ts) {
		return i < len(ts) && pastForms[ts[i].low]
	}
	w := ts[i].low
	if ts[i].gap || auxiliaries[w] {
		return auxiliaries[w]
	}
	if lemma[w] == "" || ingForm(w) || ts[i+1].gap {
		return false
	}
	return pastForms[w] || !conjunctions[ts[i+1].low]
}

// readClause reads tense, mood and denial off the verb group.
func (f *frame) readClause(s subject, subjectTokens, rest []token) clause {
	c := clause{subject: s}
	if len(subjectTokens) > 0 {
		c.start = subjectTokens[0].start
	} else if len(rest) > 0 {
		c.start = rest[0].start
	}
	if len(rest) > 0 {
		c.end = rest[len(rest)-1].end
	}
	c.from = c.start
	c.readVerb(rest)
	if w := " " + lowOf(rest) + " "; c.negated &&
		(strings.Contains(w, " anymore ") || strings.Contains(w, " any more ") || strings.Contains(w, " any longer ")) {
		c.ceased = true
	}
	return c
}

// readVerb walks over auxiliaries and adverbs to the verb that says what is meant.
func (c *clause) readVerb(ts []token) {
	i := 0
	at := func(k int) string {
		if k < len(ts) {
			return ts[k].low
		}
		return ""
	}
	for i < len(ts) {
		w := at(i)
		switch {
		case w == "no" && at(i+1) == "longer":
			c.negated, c.ceased = true, true
			i += 2
			continue
		case w == "not" || w == "never":
			c.negated = true
		case w == "just":
			c.just = true
		case w == "used" && at(i+1) == "to" && lemma[at(i+2)] != "":
			c.past, c.ceased = true, true
			i += 2
			continue
		case adverbs[w] || c.modal != "" && (w == "gladly" || w == "happily"):
		case (w == "have" || w == "has" || w == "had") && completes(ts, i+1):
			c.perfect = true
		case (w == "do" || w == "does" || w == "did") && i+1 < len(ts) && (at(i+1) == "not" || lemma[at(i+1)] != ""):
			c.past = c.past || w == "did"
		case modals[w]:
			c.modal = w
		case lemma[w] == "be" && goesOn(ts, i+1):
			c.ongoing, c.past = true, c.past || w == "was" || w == "were"
		case (w == "going" || w == "about") && at(i+1) == "to" && lemma[at(i+2)] != "" && c.ongoing:
			c.modal, c.ongoing = "will", false
			i += 2
			continue
		default:
			c.finish(ts[i:])
			return
		}
		i++
	}
}

var modals = set(`will would can could may might must shall should ought`)

// completes says whether a past participle stands at i, so that the "have" before
// it is a perfect.
func completes(ts []token, i int) bool {
	for i < len(ts) && adverbs[ts[i].low] {
		i++
	}
	if i >= len(ts) {
		return false
	}
	w := ts[i].low
	return pastForms[w] || w == "come" || w == "become" || strings.HasSuffix(w, "ed") && len(w) > 4
}

// goesOn says whether a progressive stands at i: "am looking".
func goesOn(ts []token, i int) bool {
	for i < len(ts) && adverbs[ts[i].low] {
		i++
	}
	return i < len(ts) && ingForm(ts[i].low) && lemma[ts[i].low] != ""
}

// finish takes the verb and what follows it.
func (c *clause) finish(ts []token) {
	c.phrase = append([]token(nil), ts...)
	w := ts[0].low
	if !c.perfect && pastForms[w] && lemma[w] != w {
		c.past = true
	}
	if base := lemma[w]; base != "" {
		c.phrase[0].low = base
	}
	if c.phrase[0].low != "be" {
		return
	}
	for len(c.phrase) > 1 && (adverbs[c.phrase[1].low]) { // "am not really from": the adverbs say nothing
		if c.phrase[1].low == "not" || c.phrase[1].low == "never" {
			c.negated = true
		}
		c.phrase = append(c.phrase[:1], c.phrase[2:]...)
	}
	if len(c.phrase) > 2 && c.phrase[1].low == "no" && c.phrase[2].low == "longer" {
		c.negated, c.ceased = true, true
		c.phrase = append(c.phrase[:1], c.phrase[3:]...)
	}
	if len(c.phrase) > 2 && c.phrase[1].low == "no" { // "I am no thief"
		c.negated = true
		c.phrase[1].low = "a"
	}
}
