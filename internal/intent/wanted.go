package intent

// This file reads from a question what sort of thing it wants named (a price, a time, a
// person) and tells whether a text names one. It goes by words alone and judges no truth:
// that a text names a price does not make it the price asked for.

import (
	"slices"
	"strings"
	"unicode"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// Sort is a sort of thing.
type Sort int

// The sorts. NoSort is a question that asks for no one of them.
const (
	NoSort Sort = iota
	Price
	Measure // how far, how deep, how heavy
	Span    // how long, how old
	Count
	Time
	Person
	Name
	Place
	Reason
)

// Words that tell what is asked for, and words that show that it is there.
var (
	priceAsked = setOf(`cost costs price prices pay pays charge charges worth fare fares fee fees rent wage wages fine
		fined owe owes owed
		afford cheap dear expensive reward bounty spend sell set`)
	priceWords = setOf(`coin coins gold silver copper platinum crown crowns penny pennies pence bit bits shilling
		shillings florin florins
		ducat ducats dollar dollars cent cents pound pounds euro euros franc francs mark marks credit credits free`)
	measureWords = setOf(`mile miles league leagues foot feet inch inches yard yards pace paces fathom fathoms rod rods
		acre acres metre metres meter
		meters kilometre kilometres ounce ounces pound pounds stone ton tons sack sacks barrel barrels gallon gallons pint
		pints`)
	spanWords = setOf(`second seconds minute minutes hour hours day days night nights week weeks month months season
		seasons year years
		aged age generation generations century centuries since until winter winters summer summers`)
	timeWords = setOf(`day night morning evening noon midnight dawn dusk sunrise sunset o'clock today tomorrow yesterday
		tonight month year
		week spring summer autumn fall winter ago before after until since during monday tuesday wednesday thursday friday
		saturday sunday
		january february march april may june july august september october november december daily weekly yearly`)
	placeWords = setOf(`in at on near under behind beside beneath above below inside outside between beyond across over
		opposite along against
		by within towards north south east west northern southern eastern western to from`)
	reasonWords = setOf(`because since so for reason cause caused causes therefore lest unless until afraid fear want
		wants wanted need needs
		must due to after`)
	kinWords = setOf(`mother father brother sister son daughter wife husband uncle aunt nephew niece grandmother
		grandfather man woman boy girl
		king queen lord lady priest captain guard merchant smith miller people men women`)
	numberWords = setOf(`one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
		seventeen eighteen
		nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million dozen half quarter third none
		no nobody both
		all every each once twice few several many`)
)

// Somebody says whether a word in lower case is one for a person by kin, rank or trade,
// of the commonest.
func Somebody(word string) bool { return kinWords[word] }

// SortOf is what a question wants named. words are its words in lower case, short
// forms spelled out.
func SortOf(words []string) Sort {
	for i, w := range words {
		if s := asked(w, words[i+1:]); s != NoSort {
			return s
		}
		if w == "what" || w == "which" {
			return ofThing(words)
		}
	}
	return NoSort
}

// asked is what a question word wants; rest is what follows it.
func asked(w string, rest []string) Sort {
	next := ""
	if len(rest) > 0 {
		next = rest[0]
	}
	switch w {
	case "who", "whom", "whose":
		return Person
	case "where":
		return Place
	case "why":
		return Reason
	case "when":
		return Time
	case "what", "which":
		switch next {
		case "time", "hour", "day", "year", "month":
			return Time
		}
	case "how":
		if next == "much" && len(rest) > 1 && !ofMoney[rest[1]] {
			return Count // "how much warning", "how much of the corn"
		}
		return howAsked[next]
	}
	return NoSort
}

var howAsked = map[string]Sort{
	"much": Price, "many": Count, "far": Measure, "big": Measure, "tall": Measure, "large": Measure, "deep": Measure,
	"high": Measure,
	"wide": Measure, "heavy": Measure, "long": Span, "old": Span, "often": Span, "quick": Span, "fast": Span,
	"late": Time, "early": Time, "soon": Time, "come": Reason,
}

// ofMoney are the words after "how much" where it asks for a price.
var ofMoney = setOf(`is are was were do does did will would can could should for to you i he she they it we a an the
	money gold coin
	silver`)

// ofThing is the sort of a "what" question: of its price or of its name. The word
// for it stands near the beginning or at the end.
func ofThing(words []string) Sort {
	for i, w := range words {
		switch {
		case w == "set" && (i+2 >= len(words) || words[i+2] != "back"):
			continue
		case priceAsked[w] && (i < 4 || i+3 >= len(words)):
			return Price
		case w == "called" || w == "name" || w == "names" || w == "named":
			return Name
		}
	}
	return NoSort
}

// Named are the sorts of things that a text names, and the words that name them,
// so that what a question says itself is not taken for its answer.
type Named struct {
	numbers, names       []string
	price, measure, span bool // a number with its unit
	times                []string
	place, reason, kin   bool
}

// NamedIn reads the sorts of things that a text names.
func NamedIn(body string) Named {
	var out Named
	fresh, number := true, 0 // words since the last number, counted down
	end := 0
	for _, span := range text.WordSpans(body) {
		if strings.ContainsAny(body[end:span.Start], ".!?\n:\"“") {
			fresh = true
		}
		end = span.End
		w := body[span.Start:span.End]
		low := strings.ToLower(w)
		number--
		if isNumber(low) {
			out.numbers = append(out.numbers, low)
			number = 3
		}
		unit := number > 0
		out.price = out.price || unit && priceWords[low] || low == "free"
		out.measure = out.measure || unit && measureWords[low]
		out.span = out.span || unit && spanWords[low]
		out.place = out.place || placeWords[low]
		out.reason = out.reason || reasonWords[low]
		out.kin = out.kin || kinWords[low]
		if timeWords[low] || len(low) == 4 && isDigit(low[0]) {
			out.times = append(out.times, low)
		}
		if r := []rune(w); !fresh && len(r) > 1 && unicode.IsUpper(r[0]) && low != "i'm" && low != "i've" && low != "i'll" {
			out.names = append(out.names, strings.TrimSuffix(strings.TrimSuffix(low, "'s"), "’s"))
		}
		fresh = false
	}
	return out
}

// isNumber says whether a word is a number in figures or in words.
func isNumber(w string) bool {
	first, _, _ := strings.Cut(w, "-")
	return isDigit(w[0]) || numberWords[first]
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// Has says whether a text names a sort of thing by other words than the
// question's own.
func (n *Named) Has(s Sort, question []string) bool {
	switch s {
	case Price:
		return n.price
	case Measure:
		return n.measure
	case Span:
		return n.span
	case Count:
		return others(n.numbers, question)
	case Time:
		return n.span || others(n.times, question)
	case Person:
		return n.kin || others(n.names, question)
	case Name:
		return others(n.names, question)
	case Place:
		return n.place
	case Reason:
		return n.reason
	}
	return false
}

// others says whether a word stands among some that is none of the question's.
func others(words, question []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(question, w) })
}

func setOf(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}
