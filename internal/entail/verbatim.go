package entail

import (
	"slices"
	"strconv"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// verbatim says whether every sentence of the hypothesis stands in the premise
// word for word, in one normal form, and gives the span that says so. Whole
// sentences count, in their order and next to one another: what is left out of a
// sentence is a qualifier until shown otherwise.
func verbatim(p, h *passage, n Names) (span, why string, ok bool) {
	if len(p.sentences) == 0 || len(h.sentences) == 0 || len(h.sentences) > len(p.sentences)*4 {
		return "", "", false
	}
	pp, hp := personsOf(n)
	premise := make([]norms, len(p.sentences))
	for i := range p.sentences {
		premise[i] = p.sentences[i].readings(pp, softLeads, answers)
	}
	for _, reading := range append(leadsOf(h, n.Leads), joined(h)) {
		if at, ok := reading.runOf(p, premise, hp); ok {
			return p.span(at, at+len(reading)), "word for word", true
		}
	}
	if at, ok := p.holdsClause(h, pp, hp); ok {
		return p.span(at, at+1), "word for word", true
	}
	return "", "", false
}

// holdsClause looks for a sentence of the premise one of whose clauses is the whole hypothesis: "a bowl of stew costs
// three bits, and a mug of ale costs one". No word of it may bound or deny what another clause says.
func (p *passage) holdsClause(h *passage, pp, hp persons) (int, bool) {
	if len(h.sentences) != 1 || h.sentences[0].question || h.sentences[0].quotes() {
		return 0, false
	}
	want := h.sentences[0].readings(hp, softLeads)
	for at := range p.sentences {
		s := &p.sentences[at]
		if s.question || s.quoted || s.quotes() || s.bounded() || p.takenBack(at, at+1) {
			continue
		}
		parts := s.clauses()
		if len(parts) < 2 || !subjects[s.at(0)] || !sameVerb(parts) {
			continue
		}
		for i := range parts {
			if parts[i].readings(pp, softLeads).meet(want) {
				return at, true
			}
		}
	}
	return 0, false
}

// sameVerb says whether one form that may be a verb stands in all clauses, so that each says of its subject what the
// others say of theirs: "costs", "is", "opened".
func sameVerb(parts []sentence) bool {
	for _, w := range parts[0].words {
		verb := beings[w.low] || len(w.low) > 3 && (strings.HasSuffix(w.low, "s") || strings.HasSuffix(w.low, "ed"))
		if verb && !slices.ContainsFunc(parts[1:], func(s sentence) bool {
			return !slices.ContainsFunc(s.words, func(o word) bool { return o.low == w.low })
		}) {
			return true
		}
	}
	return false
}

var beings = wordSet(`is are was were`)

// bounded says whether a word of the sentence denies, supposes, tells or bounds.
func (s *sentence) bounded() bool {
	for i := range s.words {
		w := s.words[i].low
		if negations[w] || hasNot(w) || attitudes[w] || retractions[w] || tales[w] || supposing[w] || i == 0 && bounding[w] {
			return true
		}
	}
	return false
}

// supposing are words by which a clause bounds or supposes what another says.
var supposing = wordSet(`if unless except whether when whenever until till before after while although though because
	since only would could should might may perhaps maybe possibly probably supposedly allegedly reportedly according either or nor`)

// norms are the readings of one sentence: as it stands, and without a word at its
// front that says nothing.
type norms []norm

func (n norms) meet(o norms) bool {
	return slices.ContainsFunc(n, func(a norm) bool { return slices.ContainsFunc(o, a.equal) })
}

var (
	// softLeads join or call, and say nothing.
	softLeads = wordSet(`oh ah well but and so also however hm hmm ha hey alas eh besides moreover`)
	// answers say yes or no to something else: a claim may leave out those of the
	// premise, and not bring its own. "Right" and "sure" are also said in mockery.
	answers = wordSet(`yes no aye nay yeah yep nope indeed true certainly`)
)

// readings puts a sentence in its normal form, with and without a lead.
func (s *sentence) readings(p persons, leads ...map[string]bool) norms {
	out := norms{s.normalise(p)}
	at := 0
	for at+2 < len(s.words) && slices.ContainsFunc(leads, func(m map[string]bool) bool { return m[s.at(at)] }) &&
		(s.words[at].gap == "," || s.words[at].gap == "..." || s.at(at) == "but" || s.at(at) == "and") {
		at++
	}
	if at > 0 {
		rest := s.cut(at, len(s.words))
		out = append(out, rest.normalise(p))
	}
	return out
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

// joined are the clauses of a hypothesis, each of which may be a sentence of the premise.
func joined(h *passage) said {
	var out said
	for i := range h.sentences {
		out = append(out, h.sentences[i].clauses()...)
	}
	return out
}

// runOf finds all sentences next to one another.
func (h said) runOf(p *passage, premise []norms, hp persons) (int, bool) {
	want := make([]norms, len(h))
	for i := range h {
		want[i] = h[i].readings(hp, softLeads)
	}
	for at := 0; at+len(h) <= len(premise); at++ {
		ok := true
		for i := range h {
			s := &p.sentences[at+i]
			if s.question != h[i].question || s.quoted || s.quotes() && !h[i].quotes() || !premise[at+i].meet(want[i]) {
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

// quotes says whether quotation marks part a sentence: what is quoted is
// somebody's, and its clauses are not the text's own.
func (s *sentence) quotes() bool {
	inner := strings.Trim(s.text, `"`)
	return strings.Contains(inner, `"`) || singleQuote(inner, 0) >= 0
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
		return len(words) == len(s.words) && len(words) > 0 && s.hasWords(0, words) && !slices.ContainsFunc(words, carriesMeaning)
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
	return negations[w] || hasNot(w) || retractions[w] || w == "false" || w == "wrong" || w == "if" || w == "unless" || w == "whether" || w == "except"
}

func (s *sentence) hasWords(at int, words []string) bool {
	for i, w := range words {
		if s.at(at+i) != w {
			return false
		}
	}
	return true
}

// figureForm is a number in the one form in which digits and words compare, and
// over how many words it goes. "One" is mostly no number; "0042" and "1.10" are the
// names of things as often as numbers, and "two or three hundred" is no "2 or 300".
func (s *sentence) figureForm(i int) (string, int) {
	w := s.at(i)
	if v, ordinal, ok := digits(w); ok {
		if ordinal || len(w) > 15 || w[0] == '0' && len(w) > 1 || strings.Contains(w, ".") {
			return "", 0
		}
		return figureOf(v), 1
	}
	v, n := s.spelled(i)
	before := s.at(i - 1)
	if n == 0 || n == 1 && (w == "one" || scales[w] > 0) || n > 1 && (before == "or" || before == "to" || before == "and") && isSmall(s.at(i-2)) {
		return "", 0
	}
	return figureOf(v), n
}

func figureOf(v float64) string { return "#" + strconv.FormatFloat(v, 'f', -1, 64) }
