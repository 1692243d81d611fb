package entail

import (
	"slices"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// verbatim says whether every sentence of the hypothesis stands in the premise
// word for word, in one normal form, and gives the span that says so. Whole
// sentences count, in their order and next to one another, and whole clauses of
// a sentence whose other clauses cannot change what they say. Anything left out
// of a sentence is a qualifier until shown otherwise. Where no word-for-word reading is
// found, words that mean the same count as one.
func verbatim(p, h *passage, n Names) (span, why string, ok bool) {
	if len(p.sentences) == 0 || len(h.sentences) == 0 || len(h.sentences) > len(p.sentences)*4 {
		return "", "", false
	}
	pp, hp := personsOf(n)
	if span, ok = verbatimAs(p, h, n, pp, hp); ok {
		return span, "word for word", true
	}
	pp.equals, hp.equals = true, true
	span, ok = verbatimAs(p, h, n, pp, hp)
	return span, "word for word, but for words that mean the same", ok
}

func verbatimAs(p, h *passage, n Names, pp, hp persons) (span string, ok bool) {
	premise := make([]norms, len(p.sentences))
	for i := range p.sentences {
		premise[i] = p.sentences[i].readings(pp, asides, softLeads, answers)
	}
	for _, reading := range leadsOf(h, n.Leads) {
		if span, ok := reading.within(p, premise, pp, hp); ok {
			return span, true
		}
	}
	return "", false
}

// norms are the readings of one sentence: as it stands, and without a word at its
// front that says nothing.
type norms []norm

func (n norms) meet(o norms) bool {
	return slices.ContainsFunc(n, func(a norm) bool { return slices.ContainsFunc(o, a.equal) })
}

var (
	// softLeads join or call, and say nothing.
	softLeads = text.Set(`oh ah well but and so also however hm hmm ha hey alas eh besides moreover`)
	// answers say yes or no to something else: a claim may leave out those of the
	// premise, and not bring its own. "Right" and "sure" are also said in mockery.
	answers = text.Set(`yes no aye nay yeah yep nope indeed true certainly`)
)

// readings puts a sentence in its normal form, with and without a lead, without
// what is said beside the matter, and with the clause last that stands before it.
func (s *sentence) readings(p persons, asides [][]string, leads ...map[string]bool) norms {
	ways := []sentence{*s}
	if rest, ok := s.withoutLead(leads...); ok {
		ways = append(ways, rest)
	}
	if rest, ok := s.withoutAsides(asides); ok {
		ways = append(ways, rest)
	}
	var out norms
	for i := range ways {
		out = append(out, ways[i].normalise(p))
		for _, turned := range ways[i].turned() {
			out = append(out, turned.normalise(p))
		}
		if p.equals {
			if same, ok := ways[i].equated(p); ok {
				out = append(out, same)
			}
		}
	}
	return out
}

func (s *sentence) withoutLead(leads ...map[string]bool) (sentence, bool) {
	at := 0
	for at+2 < len(s.words) && slices.ContainsFunc(leads, func(m map[string]bool) bool { return m[s.at(at)] }) &&
		(s.words[at].gap == "," || s.words[at].gap == "..." || s.at(at) == "but" || s.at(at) == "and") {
		at++
	}
	if at == 0 {
		return *s, false
	}
	return s.cut(at, len(s.words)), true
}

// said is one reading of the hypothesis: with or without its leads.
type said []sentence

// leadsOf are the readings of a hypothesis: as it stands, and without the NPC's
// own openers and hedges.
func leadsOf(h *passage, leads []string) []said {
	out := []said{h.sentences}
	var trimmed said
	changed := false
	for _, s := range h.sentences {
		if isLead(&s, leads) {
			changed = true
			continue
		}
		s, ok := trimLeads(s, leads)
		trimmed, changed = append(trimmed, s), changed || ok
	}
	if changed && len(trimmed) > 0 {
		out = append(out, trimmed)
	}
	return out
}

// within looks for the sentences in the premise.
func (h said) within(p *passage, premise []norms, pp, hp persons) (string, bool) {
	if at, ok := h.runOf(p, premise, hp); ok {
		return p.span(at, at+len(h)), true
	}
	at := -1
	first := -1
	for i := range h {
		for _, c := range h[i].clauses() {
			k := findClause(c, p, premise, pp, hp, at)
			if k < 0 {
				return "", false
			}
			if first < 0 {
				first = k
			}
			at = k
		}
	}
	if first < 0 {
		return "", false
	}
	return p.span(first, at+1), true
}

// runOf finds all sentences next to one another.
func (h said) runOf(p *passage, premise []norms, hp persons) (int, bool) {
	want := make([]norms, len(h))
	for i := range h {
		want[i] = h[i].readings(hp, ownAsides, softLeads)
	}
	for at := 0; at+len(h) <= len(premise); at++ {
		ok := true
		for i := range h {
			s := &p.sentences[at+i]
			if s.question && !h[i].question || h[i].question && !s.question || s.quoted || s.quotes() && !h[i].quotes() ||
				!premise[at+i].meet(want[i]) {
				ok = false
				break
			}
		}
		if ok && !p.takenBack(at, at+len(h)) {
			return at, true
		}
	}
	return 0, false
}

// findClause is the premise's sentence that holds a clause whole, the same as the
// last or the next one, or -1.
func findClause(c sentence, p *passage, premise []norms, pp, hp persons, last int) int {
	want := c.readings(hp, ownAsides, softLeads)
	from, to := 0, len(premise)-1
	if last >= 0 {
		from, to = last, min(last+1, to)
	}
	for at := from; at <= to; at++ {
		s := &p.sentences[at]
		if s.question || s.quoted || c.question {
			continue
		}
		if (premise[at].meet(want) && (c.quotes() || !s.quotes()) || s.holdsPart(want, pp)) && !p.takenBack(at, at+1) {
			return at
		}
	}
	return -1
}

// holdsPart says whether a clause or a beginning of a sentence, which stands alone,
// is the one that is wanted.
func (s *sentence) holdsPart(want norms, pp persons) bool {
	for _, part := range s.separable() {
		if part.readings(pp, asides, softLeads).meet(want) {
			return true
		}
	}
	for _, part := range s.heads() {
		if part.readings(pp, asides, softLeads, answers).meet(want) {
			return true
		}
	}
	return false
}

// span is the text of sentences from i up to j.
func (p *passage) span(i, j int) string {
	last := &p.sentences[j-1]
	return p.text[p.sentences[i].start : last.start+len(last.text)]
}

// isLead says whether a sentence is nothing but an opener or a hedge: "Right, then."
func isLead(s *sentence, leads []string) bool {
	return slices.ContainsFunc(leads, func(lead string) bool {
		words := text.Words(text.Plain(clip(lead, 200)))
		return len(words) == len(s.words) && len(words) > 0 && s.hasWords(0, words) &&
			!slices.ContainsFunc(words, carriesMeaning)
	})
}

// trimLeads drops the NPC's own openers and hedges from the front and the end of
// a sentence. One that itself denies or conditions is never dropped.
func trimLeads(s sentence, leads []string) (sentence, bool) {
	changed := false
	for again := true; again; {
		again = false
		for _, lead := range leads {
			words := text.Words(text.Plain(clip(lead, 200)))
			n := len(words)
			if n == 0 || n >= len(s.words) || slices.ContainsFunc(words, carriesMeaning) {
				continue
			}
			switch {
			case s.hasWords(0, words):
				s = s.cut(n, len(s.words))
			case s.words[len(s.words)-n-1].gap != "" && s.hasWords(len(s.words)-n, words):
				s = s.cut(0, len(s.words)-n)
			default:
				continue
			}
			changed, again = true, true
		}
	}
	return s, changed
}

func carriesMeaning(w string) bool {
	return negations[w] || hasNot(w) || retractions[w] || w == "false" || w == "wrong" || w == "if" || w == "unless" ||
		w == "whether" || w == "except"
}

func (s *sentence) hasWords(at int, words []string) bool {
	for i, w := range words {
		if s.at(at+i) != w {
			return false
		}
	}
	return true
}

// cut is the sentence's words from i up to j as a sentence.
func (s *sentence) cut(i, j int) sentence {
	out := sentence{lower: s.lower, words: slices.Clone(s.words[i:j]), question: s.question && j == len(s.words),
		quoted: s.quoted}
	out.start = s.words[i].start
	out.text = s.text[s.words[i].start-s.start : s.words[j-1].end-s.start]
	if i == 0 {
		out.lead = s.lead
	}
	out.words[len(out.words)-1].gap = ""
	return out
}
