package extract

import (
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

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
	articles     = text.Set(`the this that these those a an our his her their its some every most many there no`)
	conjunctions = text.Set(`and but so because since although though while then yet whereas cause cuz as that for plus`)
	adverbs      = text.Set(`really also still just only always actually now often usually currently once recently
		originally truly already both all sometimes mostly simply even ever rarely hardly seldom last first finally soon
		quite very so much certainly surely honestly definitely probably maybe perhaps never not secretly kinda sorta`)
	auxiliaries = text.Set(`am is are was were be been have has had do does did will would can could may might must
		shall should used ought`)
	notNames = text.Set(`god his its their none not i we you he she it they my your our the a an this that these those
		and but so yes no not well oh hello hi hey thanks sorry please just also then if when what who where why how
		there here maybe perhaps actually today yesterday tomorrow once everyone everybody someone nobody people some all
		most many both sir mister lord lady every nothing something anything everything last next two three four five six
		ten in on at to from of by with for because since until after before during never always still only even although
		though while as than too very`)
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
		end := f.clauseEnd(ts, 2)
		c.end = ts[end-1].end
		out, ts = append(out, c), ts[end:]
	}
	for i := 0; i < len(ts); {
		subj, next, ok := f.subjectAt(ts, i)
		// "Spread the word that I am king" states nothing of the kind
		if !ok || i > 0 && subordinates[ts[i-1].low] || toldToSomebody(ts, i) || within(ts, i) {
			i++
			continue
		}
		end := f.clauseEnd(ts, next)
		c := f.readClause(subj, ts[i:next], ts[next:end])
		c.end = f.withQuotation(&c)
		out = append(out, c)
		i = end
		for i < len(ts) && (ts[i].low == "and" || ts[i].low == "but") && sharesSubject(ts, i+1) {
			end = f.clauseEnd(ts, i+1)
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

// toldToSomebody says whether what begins at i is what somebody else told: "Theo told
// everyone I got a B".
func toldToSomebody(ts []token, i int) bool {
	return i > 2 && !ts[i].gap && !ts[i-1].gap && verbOfReport[lemma[ts[i-2].low]] && subjectWords[ts[i-3].low] != speaker
}

// within says whether what begins at i is a part of another statement: "never will I play",
// "the hat I wear".
func within(ts []token, i int) bool {
	if i < 2 || ts[i].gap {
		return false
	}
	before := ts[i-1].low
	if before == "of" { // "not one of my students passed"
		return true
	}
	if subjectWords[ts[i].low] == nobody {
		return false
	}
	noun := articles[ts[i-2].low] || ts[i-2].low == "a" || ts[i-2].low == "is" // "it is Tuesdays I hate"
	return modals[before] || noun && !conjunctions[before] && !adverbs[before] && lemma[before] == ""
}

// subordinates are words behind which stands what the sentence does not itself
// state.
var subordinates = text.Set(`that when whenever whether what how why where who whom which until unless lest`)

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
func (f *frame) clauseEnd(ts []token, i int) int {
	reports := false
	for j := i; j < len(ts); j++ {
		if j > i && verbOfReport[lemma[ts[j-1].low]] || ts[j].low == "that" && j > i && verbOfReport[lemma[ts[j-1].low]] {
			reports = true // "I think that Bram lied" is one statement
		}
		if j == i || reports && !ts[j].gap {
			continue
		}
		if ts[j].low == "that" && ts[j-1].low == "so" || ts[j].low == "so" && j+1 < len(ts) && ts[j+1].low == "that" {
			continue // "so that I would not spend it"
		}
		if conjunctions[ts[j].low] && (ts[j].low != "for" || ts[j].gap) { // "looking for a tinker" goes on
			if _, _, ok := f.subjectAt(ts, j+1); ok {
				return j
			}
			if (ts[j].low == "and" || ts[j].low == "but") && j > i+1 && !reports && sharesSubject(ts, j+1) {
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

var verbOfReport = text.Set(`say tell think believe reckon suspect suppose guess hear claim swear know hope promise
	vow`)

// sharesSubject says whether a second verb of the same subject stands at i, as in
// "I live here and work at the mill".
func sharesSubject(ts []token, i int) bool {
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

var modals = text.Set(`will would can could may might must shall should ought`)

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
