package entail

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// roleRule finds two that have changed places: "I owe Mark" where Mark owes me. The
// claim holds no word of content but those of one sentence of the premise, or of two
// that follow each other, and two stretches of it stand the other way round about what
// stands between them. It refuses, and contradicts nothing: who loves me may be loved.
func roleRule(c *comparison) []finding {
	if c.h.has(eitherWay) || len(swapRule(c)) > 0 {
		return nil
	}
	var out []finding
	for i := range c.p.sentences {
		s := &c.p.sentences[i]
		if s.question {
			continue
		}
		if align(c.h, s).coverage == 1 {
			found := c.exchanged(s)
			if found == nil {
				return nil // this sentence says it
			}
			out = found
		} else if i > 0 && (s == c.a.p || &c.p.sentences[i-1] == c.a.p) && !c.p.sentences[i-1].question && out == nil {
			if both := joined(&c.p.sentences[i-1], s); align(c.h, both).coverage == 1 && c.takesUp(both) {
				out = c.exchanged(both)
			}
		}
	}
	return out
}

// eitherWay words say that what is named may stand in another order.
var eitherWay = text.Set(`respectively vice versa`)

func joined(a, b *sentence) *sentence {
	out := *a
	out.words = append(slices.Clone(a.words), b.words...)
	out.words[len(a.words)-1].gap = "."
	out.text = a.text + " " + b.text
	return &out
}

// takesUp says whether the claim holds every word of content of two sentences together.
func (c *comparison) takesUp(both *sentence) bool { return len(align(c.h, both).free) == 0 }

// exchanged compares the claim with a sentence that holds all its words of content.
func (c *comparison) exchanged(p *sentence) []finding {
	if c.h.undergoes() != p.undergoes() || c.h.countNegations() != p.countNegations() || c.h.undergoes() &&
		passive(c.h) != passive(p) {
		return nil
	}
	at, order := c.places(p)
	x, ok := exchangeIn(order)
	if !ok || !c.rolesOf(x, at, order, p) {
		return nil
	}
	why := fmt.Sprintf("roles: “%s” and “%s” have changed places", c.h.words[at[x.from]].raw,
		c.h.words[at[x.to]].raw)
	if c.mayTurn(p, at[x.from], at[x.to]) {
		return c.doubts("swap", why)
	}
	return []finding{{rule: "swap", label: schema.Unverifiable, why: why, span: p.text}}
}

// mayTurn says whether a sentence may mean the same with words one and two of the claim
// the other way round: what holds between them holds both ways, turns into its converse,
// or was done by the one with the other.
func (c *comparison) mayTurn(p *sentence, one, two int) bool {
	if c.h.governor(one) == "with" || c.h.governor(two) == "with" {
		return true
	}
	if c.sameOwners(p) {
		return true
	}
	for i := range c.h.words {
		w := c.h.words[i]
		switch {
		case mutual[w.stem], w.low == "as", w.low == "by" && !c.h.undergoes(), distances[w.stem] && c.h.at(i+1) == "from":
			return true
		case converses[w.stem] && (!p.hasWord(w.stem) ||
			slices.ContainsFunc(p.words, func(o word) bool { return antonyms[w.stem][o.stem] })):
			return true
		}
	}
	return false
}

// sameOwners says whether the claim says of two that they are one, as the evidence may, and
// whoever owns in the one owns in the other.
func (c *comparison) sameOwners(p *sentence) bool {
	if _, equation := c.h.equated(persons{}); !equation || p != c.a.p ||
		!slices.ContainsFunc(p.words, func(w word) bool { return equating[w.low] != "" }) {
		return false
	}
	owns := func(s *sentence, i int) bool { g := s.governor(i); return g == "'s" || g == "of" }
	for i, k := range c.a.to {
		if k >= 0 && owns(c.h, i) != owns(p, k) {
			return false
		}
	}
	return true
}

var distances = stemSet(`mile miles league leagues yard yards step steps walk ride day days hour hours far away
	stone's`)

func (s *sentence) hasWord(stem string) bool {
	return slices.ContainsFunc(s.words, func(w word) bool { return w.stem == stem })
}

// pronouns by the person they stand for.
var personOf = func() map[string]string {
	out := map[string]string{}
	for person, words := range map[string]string{
		"i": "i me my mine myself i'm i've i'll i'd", "we": "we us our ours ourselves we're we've we'll",
		"you": "you your yours yourself you're you've you'll",
		"he":  "he him his himself he's", "she": "she her hers herself she's",
		"they": "they them their theirs themselves they're",
	} {
		for w := range text.Set(words) {
			out[w] = person
		}
	}
	return out
}()

// places are the words of the claim that name, do or are done to, and where each
// stands in a sentence of the premise.
func (c *comparison) places(p *sentence) (at, order []int) {
	used, last := make([]bool, len(p.words)), -1
	for i := range c.h.words {
		var k int
		if person := personOf[c.h.words[i].low]; person != "" {
			if k = c.pronounIn(p, used, i, person, last); k < 0 {
				continue
			}
		} else if text.IsStop(c.h.words[i].low) {
			continue
		} else {
			k = nearest(p, used, c.h.words[i].stem, last)
		}
		used[k], last = true, k
		at, order = append(at, i), append(order, k)
	}
	return at, order
}

// pronounIn is the first unused word after last, else before it, that stands for the
// same person: the same word if there is one.
func (c *comparison) pronounIn(p *sentence, used []bool, i int, person string, last int) int {
	switch person {
	case "i", "we":
		if c.names.Writer != "" && c.names.Writer != c.names.Self {
			return -1 // another's "I"
		}
	case "you":
		if c.names.Reader != "" {
			return -1
		}
	}
	best, rank := -1, 0
	for k := range p.words {
		if used[k] || personOf[p.words[k].low] != person {
			continue
		}
		r := 1
		if k > last {
			r++
		}
		if p.words[k].low == c.h.words[i].low {
			r += 2
		}
		if r > rank {
			best, rank = k, r
		}
	}
	return best
}

// exchange is where two stretches have changed places: in the claim the one from
// "from" up to "mid", and the one from "to" up to "end".
type exchange struct{ from, mid, to, end int }

// exchangeIn finds the two stretches whose exchange puts an order right, if two do.
func exchangeIn(order []int) (exchange, bool) {
	sorted := slices.Clone(order)
	slices.Sort(sorted)
	i, j := 0, len(order)
	for i < j && order[i] == sorted[i] {
		i++
	}
	for j > i && order[j-1] == sorted[j-1] {
		j--
	}
	seg, want := order[i:j], sorted[i:j]
	for b := 1; b <= min(3, len(seg)-1); b++ {
		for a := 1; a <= min(3, len(seg)-b); a++ {
			n := len(seg)
			if slices.Equal(seg[:b], want[n-b:]) && slices.Equal(seg[b:n-a], want[a:n-b]) && slices.Equal(seg[n-a:], want[:a]) {
				return exchange{from: i, mid: i + b, to: j - a, end: j}, true
			}
		}
	}
	return exchange{}, false
}

// rolesOf says whether an exchange is one of roles, and not of clauses, of the items of
// a list, of a place that comes first, or of what "is" joins.
func (c *comparison) rolesOf(x exchange, at, order []int, p *sentence) bool {
	first, second := order[x.to:x.end], order[x.from:x.mid] // as they stand in the premise
	if !c.participant(p, first) || !c.participant(p, second) || !c.participant(c.h, at[x.from:x.mid]) ||
		!c.participant(c.h, at[x.to:x.end]) || !dense(p, order) {
		return false
	}
	if c.onlyMoved(p, [2]int{at[x.to], at[x.from]}, [2]int{first[0], second[0]}) {
		return false
	}
	if x.mid < x.to {
		return !listed(p, order[x.end-1], order[x.mid]) || !listed(p, order[x.to-1], order[x.from])
	}
	verb := linking(p, order[x.end-1], order[x.from])
	return verb != "" && verb == linking(c.h, at[x.mid-1], at[x.to]) && x.end < len(order) &&
		p.touch(order[x.mid-1], order[x.end]) &&
		(p.governor(first[0]) != c.h.governor(at[x.to]) || p.governor(second[0]) != c.h.governor(at[x.from]))
}

// onlyMoved says whether two words of the claim stand under the prepositions under which
// they stand in the premise, at two places of it: what keeps its preposition keeps its role,
// and an owner is one in front as behind.
func (c *comparison) onlyMoved(p *sentence, claim, premise [2]int) bool {
	was, is := [2]string{p.governor(premise[0]), p.governor(premise[1])},
		[2]string{c.h.governor(claim[0]), c.h.governor(claim[1])}
	return was == is && was != [2]string{}
}

// governor is the preposition, or the mark of possession, under which word k stands; none
// of a subject or an object.
func (s *sentence) governor(k int) string {
	if w := s.at(k); strings.HasSuffix(w, "'s") || possessives[w] {
		return "'s"
	}
	for i := k - 1; i >= max(0, k-3); i-- {
		w := s.at(i)
		switch {
		case prepositions[w] || w == "to" || w == "than":
			return w
		case s.words[i].gap != "" || !determiners[w] && text.IsStop(w):
			return ""
		}
	}
	return ""
}

var possessives = text.Set(`my your his our their mine yours ours theirs`)

// participant says whether a stretch of a sentence names somebody or something that can
// do or be done to: a name, a pronoun, or a noun after its determiner or preposition.
func (c *comparison) participant(s *sentence, stretch []int) bool {
	last := stretch[len(stretch)-1]
	w := s.words[last]
	if personOf[w.low] != "" || c.known[strings.TrimSuffix(w.low, "'s")] || w.upper && !w.first {
		return true
	}
	if converses[s.words[stretch[0]].stem] { // "north of the town"
		return false
	}
	if isNumberWord(w.low) || startsDigit(w.low) || partials[w.low] || light[w.low] || strings.HasSuffix(w.low, "ly") ||
		strings.HasSuffix(w.low, "ing") {
		return false
	}
	for k := last - 1; k >= max(0, last-3); k-- {
		v := s.at(k)
		if determiners[v] || prepositions[v] || v == "no" || partials[v] || strings.HasSuffix(v, "'s") {
			return true
		}
		if text.IsStop(v) || s.words[k].gap != "" {
			return false
		}
	}
	return last == 0 && !s.lower && !pastVerbs[w.low]
}

// dense says whether the words that the claim holds stand close together in the premise.
func dense(s *sentence, order []int) bool {
	from, to, others := slices.Min(order), slices.Max(order), 0
	for k := from; k <= to; k++ {
		if !text.IsStop(s.words[k].low) {
			others++
		}
	}
	for _, k := range order {
		if !text.IsStop(s.words[k].low) {
			others--
		}
	}
	return others <= max(1, len(order)/3)
}

// undergoes says whether a sentence has a verb in the passive.
func (s *sentence) undergoes() bool {
	for i := range s.words {
		switch s.at(i) {
		case "is", "are", "am", "was", "were", "be", "been", "being", "it's", "he's", "she's", "i'm":
		default:
			continue
		}
		for k := i + 1; k <= i+2; k++ {
			w := s.at(k)
			if w == "used" || w == "owed" || len(w) > 4 && (strings.HasSuffix(w, "ed") || strings.HasSuffix(w, "en")) ||
				pastVerbs[w] || participles[w] {
				return true
			}
			if !text.IsStop(w) {
				break
			}
		}
	}
	return false
}

// participles that neither end in -ed or -en nor are pastVerbs.
var participles = text.Set(`struck taught hung shot dug hit hurt paid told said stung slung bound wound fed bred
	spent lent bent sworn torn worn born borne drawn known shown grown thrown blown flown sown mown begun sung rung
	drunk sunk swum done gone read put set cast shut split spread beset slain laid felt heard sewn hewn overthrown
	undone burnt spilt swept lit dealt shorn ground understood`)

func (s *sentence) countNegations() int {
	n := 0
	for i := range s.words {
		if negations[s.words[i].low] || hasNot(s.words[i].low) {
			n++
		}
	}
	return n
}

var prepositions = text.Set(text.Prepositions)

// listed says whether words i and k of a sentence stand beside each other as in a list.
func listed(s *sentence, i, k int) bool {
	for ; i < k; i++ {
		if s.words[i].gap == "," || s.at(i+1) == "and" || s.at(i+1) == "or" {
			return true
		}
	}
	return false
}

// linking is the one form of "be" between two words of a sentence.
func linking(s *sentence, i, k int) string {
	out := ""
	for i++; i < k; i++ {
		switch s.at(i) {
		case "is", "are", "am", "was", "were":
			if out != "" {
				return ""
			}
			out = "be"
		default:
			if !determiners[s.at(i)] {
				return ""
			}
		}
	}
	return out
}

// touch says whether no mark stands between two words that follow each other.
func (s *sentence) touch(i, k int) bool { return k == i+1 && s.words[i].gap == "" }
