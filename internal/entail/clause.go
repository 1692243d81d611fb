package entail

import (
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// conditions and other words under whose scope a clause may say something else
// than it says alone.
var conditions = text.Set(`if unless whether when whenever until till lest suppose supposing provided providing
	assuming though although whereas while because since as like than before after except only but-for or nor neither
	either that which who whom whose what why how where so would could might may should must can will shall perhaps
	maybe possibly probably supposedly allegedly reportedly apparently`)

// attitudes are verbs of saying, thinking and wanting: what they govern is said,
// thought or wanted, not so.
var attitudes = text.Set(`say says said saying tell tells told claim claims claimed think thinks thought believe
	believes believed suspect suspects suspected guess guesses guessed suppose supposes supposed imagine imagines
	imagined hope hopes hoped wish wishes wished want wants wanted fear fears feared doubt doubts doubted deny denies
	denied dream dreams dreamt dreamed pretend pretends pretended swear swears swore sworn insist insists insisted hear
	hears heard rumour rumor rumoured rumored wonder wonders wondered expect expects expected plan plans planned mean
	means meant try tries tried promise promises promised threaten threatens threatened write writes wrote written
	report reports reported argue argues argued assume assumes assumed seem seems seemed appear appears appeared feel
	feels felt intend intends intended accuse accuses accused order orders ordered ask asks asked warn warns warned
	refuse refuses refused fail fails failed know knows knew reckon reckons reckoned shout shouts shouted whisper
	whispers whispered sing sings sang cry cries cried mutter mutters muttered boast boasts boasted brag brags bragged
	vow vows vowed preach preaches preached declare declares declared allege alleges alleged`)

// clauses splits a sentence of the hypothesis at its coordinations, where each
// part can stand alone.
func (s *sentence) clauses() []sentence {
	cuts := s.coordinations()
	if len(cuts) == 0 {
		return []sentence{*s}
	}
	var out []sentence
	start := 0
	for _, c := range cuts {
		out = append(out, s.cut(start, c.end))
		start = c.next
	}
	return append(out, s.cut(start, len(s.words)))
}

// coordination is a place where one clause ends and the next begins.
type coordination struct{ end, next int }

// coordinations are the places where a sentence joins whole clauses: at a
// semicolon, a colon never, and at a comma with "and" or "but" that a subject
// follows.
func (s *sentence) coordinations() []coordination {
	var out []coordination
	start := 0
	for i := 0; i+1 < len(s.words); i++ {
		next := i + 1
		switch {
		case s.words[i].gap == ";":
			if w := s.at(next); w == "and" || w == "but" {
				next++
			}
		case s.words[i].gap == "," && (s.at(next) == "and" || s.at(next) == "but"):
			next++
			if !s.startsClause(next) {
				continue
			}
		case s.words[i].gap == "," && s.startsClause(next) && s.subjectPronoun(next) && !s.framed(start):
		default:
			continue
		}
		if i+1-start >= 2 && len(s.words)-next >= 2 {
			out = append(out, coordination{end: i + 1, next: next})
			start = next
		}
	}
	return out
}

// framed says whether the words from i begin with no subject of their own but with
// what holds for all that follows: "on market days", "according to Bram", "were he
// king", or an order, "touch it again", whose "and you die" is no promise.
func (s *sentence) framed(i int) bool {
	for softLeads[s.at(i)] || answers[s.at(i)] {
		i++
	}
	for k := i; k < min(i+3, len(s.words)); k++ {
		if spans[s.words[k].stem] {
			return true
		}
	}
	return frames[s.at(i)] || conditions[s.at(i)] || strings.HasSuffix(s.at(i), "ly") || !subjects[s.at(i)] &&
		verbObjects[s.at(i+1)]
}

// frames begin what is said of a time, a place, a teller or a wish alone.
var frames = text.Set(`in on at by with within without for from to under over during through throughout beyond upon
	among against around near behind beneath besides despite once twice sometimes often usually mostly always formerly
	long ago given granted according judging let were had should say picture imagine suppose may god would be legend
	rumour tradition as since because when whenever until while although though if unless before after until till`)

var subjects = text.Set(`i he she it we they you there this that these those the a an my your his her our their its
	nobody everybody someone everyone no some every all most both each many few`)

// startsClause says whether a subject stands at i: a pronoun, a determiner, or a
// name.
func (s *sentence) startsClause(i int) bool {
	if i >= len(s.words) {
		return false
	}
	w := s.words[i]
	return subjects[w.low] || contracts(w.low) || w.upper
}

func (s *sentence) subjectPronoun(i int) bool {
	switch s.at(i) {
	case "i", "he", "she", "it", "we", "they", "it's", "he's", "she's", "they're", "i'm", "we're", "i've":
		return true
	}
	return false
}

// separable are the clauses of a premise's sentence that may be quoted without
// the others: none where any clause holds a word that can change another, or where
// the first sets the frame for all.
func (s *sentence) separable() []sentence {
	if len(s.words) > maxParted {
		return nil
	}
	cuts := s.coordinations()
	if len(cuts) == 0 || s.framed(0) || s.quotes() || s.has(tales) {
		return nil
	}
	for i := range s.words {
		w := s.words[i].low
		if negations[w] || conditions[w] || attitudes[w] || retractions[w] || hasNot(w) || w == "according" {
			return nil
		}
	}
	parts := s.clauses()
	for i := range parts {
		if len(parts[i].words) < 3 || i+1 < len(parts) && !parts[i].tells() || i > 0 && parts[i].goesOn(&parts[i-1]) {
			return nil
		}
	}
	return parts
}

// tells says whether a clause may hold a verb: "one word more" and "drink deep
// tonight" do not, and what follows them is no promise.
func (s *sentence) tells() bool {
	for i := range s.words {
		w := s.words[i].low
		if predicating[w] || pastVerbs[w] || auxiliary[w] || contracts(w) || i > 0 && len(w) > 3 &&
			(strings.HasSuffix(w, "ed") || strings.HasSuffix(w, "s")) {
			return true
		}
	}
	return personal[s.at(0)]
}

var (
	auxiliary = text.Set(`has have had do does did`)
	personal  = text.Set(`i we you they he she it`)
)

// goesOn says whether what seems a clause is one thing more of which the clause
// before it speaks: "it costs five gold, and a sack of rye".
func (s *sentence) goesOn(before *sentence) bool {
	return (determiners[s.at(0)] || isNumberWord(s.at(0))) && before.has(predicating) && !s.has(predicating) &&
		!s.has(pastVerbs)
}

func contracts(w string) bool { _, ok := text.Contracted(w); return ok }

func hasNot(w string) bool { return len(w) > 3 && w[len(w)-3:] == "n't" }
