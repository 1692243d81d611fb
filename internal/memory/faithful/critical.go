package faithful

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Matter is what of a claim a player would act upon.
type Matter string

// The matters that make a claim critical, in the order in which they are looked
// for.
const (
	Promise Matter = "a promise"
	Date    Matter = "a date"
	Number  Matter = "a number"
	Place   Matter = "a place"
	Name    Matter = "a name"
	Deed    Matter = "who did what"
)

// Names are those of the world, in any case.
type Names struct {
	Known  map[string]bool // folded words of names of people and things
	Places map[string]bool // folded words of names of places
}

// NamesOf reads lists of names into their words.
func NamesOf(known, places []string) Names {
	return Names{Known: words(known), Places: words(places)}
}

func words(names []string) map[string]bool {
	out := map[string]bool{}
	for _, n := range names {
		for _, w := range text.Words(n) {
			if w = text.Bare(w); !text.IsStop(w) {
				out[w] = true
			}
		}
	}
	return out
}

// critical is the first matter of a claim that a player would act upon, or empty.
func (n Names) critical(c schema.ClaimVerdict) Matter {
	claim := text.Plain(c.Claim)
	ws := text.Words(claim)
	switch {
	case promise.MatchString(claim):
		return Promise
	case dated(claim):
		return Date
	case numbered(ws):
		return Number
	case n.placed(claim, ws):
		return Place
	case n.named(claim):
		return Name
	case deed(ws, c.Kind):
		return Deed
	}
	return ""
}

var promise = regexp.MustCompile(`(?i)\b(?:i|we)(?:'ll| will| shall|'m going to| am going to| are going to` +
	`|'re going to| promise| swear| vow| pledge| guarantee| owe)\b` +
	`|\b(?:i|we)(?: have|'ve)? (?:promised|sworn|swore|vowed|pledged)\b|\byou have (?:my|our) word\b|\bon my (?:word` +
	`|honou?r)\b|\b(?:i|we) give you (?:my|our) word\b`)

var (
	months   = `january|february|april|june|july|august|september|october|november|december`
	calendar = regexp.MustCompile(`(?i)\b(?:` + months + `|(?:` + text.Weekdays + `)s?|tomorrow` +
		`|yesterday|tonight|midsummer|midwinter|noon|midnight` +
		`|(?:in|last|next|this|since|until|by|of|every|each|early|late) (?:may|march|spring|summer|autumn|winter|week` +
		`|month|year)` +
		`|(?:a|an|one|two|three|four|five|six|seven|ten|\d+|few|some|many) (?:days?|weeks?|months?|years?|nights?) (?:ago` +
		`|hence|from now|later|before)` +
		`|(?:last|next|this) (?:night|morning|evening|week|month|year)|(?:1\d|20)\d\d)\b|\b(?:March|May) (?:the )?\d` +
		`|\d(?:st|nd|rd|th)? (?:of )?(?:March|May)\b|\bo'clock\b`)
)

func dated(claim string) bool { return calendar.MatchString(claim) }

var amounts = text.Set(`hundreds thousands dozens score half third quarter twice thrice double triple second fourth
	fifth sixth seventh eighth ninth tenth percent`)

// numbered says whether a claim counts: by digits, or by a word that does nothing
// else. "one" and "first" count too seldom to be taken for it.
func numbered(ws []string) bool {
	for _, w := range ws {
		if amounts[w] || text.Digits(w) != "" {
			return true
		}
	}
	return false
}

// where finds the words of place before what is no name: "behind the chapel".
var where = regexp.MustCompile(`(?i)\b(?:north|south|east|west|inside|outside|behind|beneath|beyond|beside|upstairs` +
	`|downstairs|underneath) (?:of )?(?:the|a|an|my|your|his|her|our|their)\b` +
	`|\b(?:at|in|near|under|by|across|over|on) the (?:old |new |far |upper |lower )?(?:mill|river|bridge|chapel|church` +
	`|inn|tavern|market|forest|wood|woods|road|gate|tower|cellar|hill|ford|well|keep|castle|village|town|city|harbou?r` +
	`|square|barn|cave|mine|forge|smithy|farm|field|lake|shore|house|cemetery|crypt|library|cottage|camp|pass|swamp` +
	`|marsh)\b`)

func (n Names) placed(claim string, ws []string) bool {
	if where.MatchString(claim) {
		return true
	}
	for _, w := range ws {
		if n.Places[text.Bare(w)] {
			return true
		}
	}
	return false
}

// named says whether a claim holds a name: a word of the world's names, or one
// with a capital that does not begin a sentence.
func (n Names) named(claim string) bool {
	for _, s := range text.SentenceSpans(claim) {
		sentence := claim[s.Start:s.End]
		for i, w := range text.WordSpans(sentence) {
			raw := sentence[w.Start:w.End]
			low := text.Bare(strings.ToLower(raw))
			if n.Known[low] {
				return true
			}
			if first, _ := utf8.DecodeRuneInString(raw); i > 0 && unicode.IsUpper(first) && low != "i" &&
				!strings.HasPrefix(low, "i'") && !text.IsStop(low) {
				return true
			}
		}
	}
	return false
}

var (
	doers = text.Set(`i you he she we they who somebody someone nobody everybody everyone man woman boy girl child king
		queen duke lord lady father mother brother sister son daughter uncle aunt wife husband friend priest monk guard
		soldier captain knight smith blacksmith thief merchant trader farmer hunter innkeeper miller baker witch wizard
		healer bandit bandits guards soldiers men women villagers people`)
	states = text.Set(`liked loved hated wanted needed seemed looked lived believed trusted feared hoped cared
		preferred enjoyed remained stayed felt knew meant thought heard understood let lay got mattered deserved tired
		scared interested called named used supposed closed opened locked red bed indeed hundred need`)
	between = text.Set(`has have had never also once already just then only both secretly recently finally often always`)
)

// deed says whether a claim says who did something: somebody, or whatever a claim
// begins with, and within a word or two what they did. What is told of a shared past
// is always a deed of the two.
func deed(ws []string, kind schema.ClaimKind) bool {
	if kind == schema.ClaimSharedPast {
		return true
	}
	for i, w := range ws {
		begins := i == 0 && !text.IsStop(w)
		if !begins && !doers[text.Bare(w)] || strings.HasSuffix(w, "'s") {
			continue
		}
		k := i + 1
		for k < len(ws) && between[ws[k]] {
			k++
		}
		if k < len(ws) && done(ws[k]) {
			return true
		}
	}
	return false
}

func done(verb string) bool {
	return !states[verb] && (text.IrregularPast(verb) || strings.HasSuffix(verb, "ed") && len(verb) > 3)
}
