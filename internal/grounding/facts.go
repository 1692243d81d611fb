package grounding

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Facts are what the clauses of a sentence state, each as a short sentence: a clause with
// several predicates of one subject, or with an apposition or a relative clause, states
// several facts. Together they hold the words of the clauses. What is hearsay, an opinion, a
// question or a quotation stays whole: its frame covers all that it holds.
func Facts(claims []Claim) []string {
	var out []string
	leads := false // the last fact states nothing alone, and leans on what comes
	for i := range claims {
		c := &claims[i]
		facts := c.facts()
		if len(facts) == 0 {
			continue
		}
		states := len(text.ContentSet(facts[0])) > 0 && (c.Frame != FramePlain || predicatesOf(c).states())
		if len(out) > 0 && (leads || !states) {
			out[len(out)-1] += " " + strings.TrimSpace(facts[0])
			out, leads = append(out, facts[1:]...), leads && !states
			continue
		}
		out, leads = append(out, facts...), !states
	}
	for i, fact := range out {
		out[i] = asSentence(fact)
	}
	return out
}

func (c *Claim) facts() []string {
	switch {
	case c.Kind == schema.ClaimNone:
		return nil
	case c.Frame != FramePlain || c.Hedged || c.outright:
		return []string{c.Raw}
	}
	p := predicatesOf(c)
	if found := p.facts(); len(found) > 1 {
		return found
	}
	return []string{c.Raw}
}

// predicates takes one clause apart.
type predicates struct {
	s       string
	words   []text.Span
	subject string
	out     []string
}

func predicatesOf(c *Claim) *predicates {
	return &predicates{s: c.Core, words: text.WordSpans(c.Core)}
}

// states says whether a clause has a verb, or a pronoun in front that wants one: "it clicks
// twice", and not "it being summer".
func (p *predicates) states() bool {
	first, tail, _ := strings.Cut(p.low(0), "'")
	if clauseSubject[first] && len(p.words) > 1 && (tail != "" || !strings.HasSuffix(p.low(1), "ing")) {
		return true
	}
	for i := range p.words {
		if p.verbAt(i) {
			return true
		}
	}
	return false
}

// stretch are words of a clause from one comma to the next, or up to an "and" that a verb follows.
type stretch struct{ from, to int }

func (p *predicates) facts() []string {
	if strings.ContainsAny(text.Plain(p.s), `"?`) || len(p.words) < minTaken || p.conditional(0) {
		return nil
	}
	all := p.stretches()
	rest, ok := p.head(all)
	if !ok {
		return nil
	}
	for i, st := range rest {
		p.take(st, rest[i+1:])
	}
	return p.out
}

// minTaken is how many words a clause has at least that states two facts.
const minTaken = 6

// low is the lower-case word at i, or "".
func (p *predicates) low(i int) string {
	if i < 0 || i >= len(p.words) {
		return ""
	}
	return strings.ToLower(text.Plain(p.s[p.words[i].Start:p.words[i].End]))
}

func (p *predicates) upper(i int) bool {
	return i < len(p.words) && startsUpper(p.s[p.words[i].Start:])
}

func (p *predicates) text(from, to int) string {
	if from >= to {
		return ""
	}
	return p.s[p.words[from].Start:p.words[to-1].End]
}

// stretches cuts a clause at its commas and before an "and" that a verb follows.
func (p *predicates) stretches() []stretch {
	var out []stretch
	from := 0
	for i := 0; i+1 < len(p.words); i++ {
		gap := text.Plain(p.s[p.words[i].End:p.words[i+1].Start])
		joined := (p.low(i+1) == "and" || p.low(i+1) == "but") && p.verbAt(i+2)
		if strings.ContainsAny(gap, ",;:") || strings.Contains(gap, " - ") || joined {
			out, from = append(out, stretch{from, i + 1}), i+1
		}
	}
	return append(out, stretch{from, len(p.words)})
}

// head reads the first clause: its subject, what stands beside the subject, and its verb. It
// gives the stretches behind it.
func (p *predicates) head(all []stretch) (rest []stretch, ok bool) {
	first := all[0]
	if leads[p.low(0)] && len(all) > 1 { // "In the spring of 1399, Mira forged …"
		first, all = stretch{0, all[1].to}, all[1:]
		from := all[0].from
		if verb := p.verbOf(from, all[0].to); verb > from {
			p.subject = p.text(from, verb)
			p.out = append(p.out, p.text(first.from, first.to))
			return all[1:], true
		}
		return nil, false
	}
	if verb := p.verbOf(first.from, first.to); verb > 0 && p.begins(first.from) {
		p.subject = p.text(first.from, verb)
		p.out = append(p.out, p.text(first.from, first.to))
		return all[1:], !p.leansOn(first.from, verb)
	}
	if len(all) < 3 || first.to > maxSubject || !p.begins(first.from) || !p.verbAt(all[2].from) {
		return nil, false
	}
	p.subject = p.text(first.from, first.to)
	beside := all[1]
	switch w := p.low(beside.from); {
	case relatives[w] && p.verbAt(beside.from+1):
		p.out = append(p.out, p.subject+" "+p.text(beside.from+1, beside.to))
	case determiners[w] && w != "my" && w != "your" && p.verbOf(beside.from, beside.to) < 0: // "my child" is a call
		p.out = append(p.out, p.subject+" is "+p.text(beside.from, beside.to))
	default:
		return nil, false
	}
	return all[2:], true
}

// maxSubject is how many words a subject has at most.
const maxSubject = 6

// leansOn says whether a relative clause stands inside the subject.
func (p *predicates) leansOn(from, to int) bool {
	for i := from; i < to; i++ {
		if w, _, _ := strings.Cut(p.low(i), "'"); relatives[w] || w == "that" && i > from {
			return true
		}
	}
	return false
}

// take reads one more stretch: a predicate of the same subject, a clause of its own, a
// relative clause, or more of what stands before it.
func (p *predicates) take(st stretch, later []stretch) {
	from := st.from
	for joinings[p.low(from)] && st.to-from > 1 {
		from++
	}
	last := len(p.out) - 1
	if st.to-from < 2 {
		p.more(st)
		return
	}
	if w := p.low(from); relatives[w] && p.verbAt(from+1) {
		if of := p.antecedent(st.from); of != "" {
			p.out = append(p.out, of+" "+p.text(from+1, st.to))
			return
		}
		p.more(st)
		return
	}
	verb := p.verbOf(from, st.to)
	switch {
	case p.verbAt(from) && !p.conditional(from) && (from > st.from || p.listed(from, later)):
		p.out = append(p.out, p.subject+" "+p.text(from, st.to))
	case verb > from && verb-from <= maxSubject && p.begins(from) && !p.leansOn(from, verb):
		p.subject = p.text(from, verb)
		p.out = append(p.out, p.text(from, st.to))
	case last >= 0:
		p.more(st)
	}
}

// listed says whether a predicate at a word without an "and" is one of several: a participle
// such as "tucked away in a valley" says more of what stands before it.
func (p *predicates) listed(from int, later []stretch) bool {
	if w := p.low(from); !strings.HasSuffix(w, "ed") {
		return true
	}
	for _, st := range later {
		if joinings[p.low(st.from)] && p.verbAt(st.from+1) {
			return true
		}
	}
	return false
}

// more joins a stretch to the fact before it.
func (p *predicates) more(st stretch) {
	last := len(p.out) - 1
	between := " "
	if st.from > 0 && strings.Contains(p.s[p.words[st.from-1].End:p.words[st.from].Start], ",") {
		between = ", "
	}
	if last < 0 {
		p.out = append(p.out, p.text(st.from, st.to))
		return
	}
	p.out[last] += between + p.text(st.from, st.to)
}

// antecedent is the noun with its article that ends before a relative clause.
func (p *predicates) antecedent(end int) string {
	for i := end - 1; i >= 0 && i > end-4; i-- {
		if determiners[p.low(i)] {
			return p.text(i, end)
		}
	}
	if end > 0 && p.upper(end-1) {
		return p.text(end-1, end)
	}
	return ""
}

// begins says whether a subject may begin at i.
func (p *predicates) begins(i int) bool {
	w := p.low(i)
	return determiners[w] || clauseSubject[w] || counts(w) || p.upper(i) && !text.IsStop(w) && w != "more"
}

// conditional says whether from a word on something holds under a condition alone, or one of
// several things.
func (p *predicates) conditional(from int) bool {
	for i := from; i < len(p.words); i++ {
		if w := p.low(i); choices[w] || conditions[w] && (from > 0 || i == 0) {
			return true
		}
	}
	return false
}

// verbOf is where the verb of a clause stands whose subject begins at from; -1 where none is
// surely one. A word that could be a plural counts only where nothing else is a verb.
func (p *predicates) verbOf(from, to int) int {
	for i := from + 1; i < to && i-from <= maxSubject+2; i++ {
		if p.surely(i) {
			return i
		}
	}
	for i := from + 1; i < to && i-from <= maxSubject; i++ {
		if p.perhaps(i) && (i-from > 1 || !determiners[p.low(from)]) {
			return i
		}
	}
	return -1
}

// verbAt says whether a predicate begins at i.
func (p *predicates) verbAt(i int) bool {
	w := p.low(i)
	if w == "never" || w == "also" || w == "still" || w == "once" || w == "now" {
		return p.verbAt(i + 1)
	}
	if strings.HasSuffix(w, "ed") && !auxiliaries[w] {
		return len(w) > 3 && p.governs(i)
	}
	return auxiliaries[w] && !bare[w] || text.IrregularPast(w) || p.perhaps(i)
}

// surely is a verb and no noun: an auxiliary, or a past behind what is no article.
func (p *predicates) surely(i int) bool {
	w := p.low(i)
	if auxiliaries[w] {
		return true
	}
	past := text.IrregularPast(w) || strings.HasSuffix(w, "ed") && len(w) > 3 && p.governs(i)
	return past && !determiners[p.low(i-1)]
}

// perhaps is a word in -s that what stands behind it makes a verb.
func (p *predicates) perhaps(i int) bool {
	w, next := p.low(i), p.low(i+1)
	if len(w) < 4 || !strings.HasSuffix(w, "s") || strings.HasSuffix(w, "ss") || strings.HasSuffix(w, "'s") ||
		strings.HasSuffix(w, "us") || p.upper(i) || i+1 >= len(p.words) {
		return false
	}
	gap := p.s[p.words[i].End:p.words[i+1].Start]
	if strings.TrimSpace(gap) != "" {
		return false
	}
	return determiners[next] || counts(next) || objects[next] ||
		presents[w] && (leads[next] || particles[next])
}

// governs says whether what stands behind a past in -ed makes it a verb: "salted the fish",
// and not "salted fish".
func (p *predicates) governs(i int) bool {
	next := p.low(i + 1)
	return next == "" || determiners[next] || counts(next) || objects[next] || leads[next] ||
		particles[next] || strings.HasSuffix(next, "ly") || p.upper(i+1) ||
		strings.ContainsAny(p.s[p.words[i].End:p.words[min(i+1, len(p.words)-1)].Start], ",;")
}

// counts says whether a word says how many: a number, "one" or "half".
func counts(w string) bool { return w == "one" || w == "half" || text.Digits(w) != "" }

// asSentence is a fact with a capital in front and a mark behind that ends it.
func asSentence(s string) string {
	s = strings.TrimRight(strings.Join(strings.Fields(s), " "), ",;:–—- ")
	first, size := utf8.DecodeRuneInString(s)
	s = string(unicode.ToUpper(first)) + s[size:]
	if strings.ContainsAny(s[len(s)-1:], ".!?\"'") || strings.HasSuffix(s, "”") {
		return s
	}
	return s + "."
}

var (
	relatives   = text.Set(`who which`)
	bare        = text.Set(`be have do`) // behind "to" they need no subject
	joinings    = text.Set(`and but so yet then`)
	choices     = text.Set(`or either neither nor`)
	conditions  = text.Set(`if unless whether until till lest suppose`)
	determiners = text.Set(text.Determiners + text.Quantifiers)
	objects     = text.Set(`me you him it us them none nobody nothing everything something only`)
	leads       = text.Set(`in on at by with within without for from to under over during through throughout into onto
		upon across among against around near behind before after since until till below above beneath beside between
		beyond along past toward towards outside inside`)
	particles = text.Set(`down up away off out back again home here there together alone once twice again today now
		still`)
	presents = text.Set(`holds keeps runs goes comes stands lies sits costs brings takes makes gives sells buys owns
		works lives rules closes opens begins ends bears leads lends boils carries stops waits names says rings serves
		guards owes pays grows rises falls feeds teaches knows speaks rides writes reads brews bakes forges mends tends
		trades sleeps stays leaves belongs hangs flows burns sees hears wears`)
)
