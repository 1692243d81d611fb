package llmtest

import (
	"regexp"
	"strings"
)

// pattern is a rewrite by a regular expression: where it matches a whole sentence,
// the template says the same. Groups are lower-cased at the front where they leave
// the front of the sentence.
func pattern(from, to string, without ...string) rewrite {
	match := regexp.MustCompile(`^` + from + `$`)
	return func(s string) (string, bool) {
		m := match.FindStringSubmatchIndex(s)
		if m == nil {
			return "", false
		}
		for _, w := range without {
			if strings.Contains(strings.ToLower(s), w) {
				return "", false
			}
		}
		if strings.HasPrefix(to, "$1") {
			return string(match.ExpandString(nil, to, s, m)), true
		}
		if !front(s) {
			return "", false
		}
		lowered := lowerFirst(s)
		return string(match.ExpandString(nil, to, lowered, m)), len(lowered) == len(s)
	}
}

// anyOf tries rewrites in order.
func anyOf(ways ...rewrite) rewrite {
	return func(s string) (string, bool) {
		for _, w := range ways {
			if out, ok := w(s); ok {
				return out, true
			}
		}
		return "", false
	}
}

// clauses that are joined must each stand alone; a second conjunction would leave
// open what belongs to what.
const (
	clause = `([^,;]{8,140})`
	plain2 = `((?:(?:[Tt]he|[Aa]n?|[Nn]o|[Hh]e|[Ss]he|[Ii]t|[Tt]hey|[Ww]e|I|[Yy]ou|[Mm]y|[Hh]is|[Hh]er|[Tt]heir` +
		`|[Tt]here|[Nn]obody|[Tt]his|[Tt]hat|[Ee]very|[Ss]ome|\p{Lu}[\p{Ll}’'-]+)\b)[^,;]{4,140})`
)

// existing are verbs of standing and lying, with the form behind "There was".
var existing = []string{"stood", "standing", "lay", "lying", "hung", "hanging", "sat", "sitting", "lived", "living",
	"ran", "running", "waited", "waiting", "grew", "growing"}

var thereWas = func() rewrite {
	var ways []rewrite
	for i := 0; i < len(existing); i += 2 {
		ways = append(ways, pattern(`([Aa]n? (?:[\p{Ll}-]+ ){0,2}[\p{Ll}-]+) `+existing[i]+` ((?:in|on|at|by|near|under`+
			`|behind|beside|below|above|between|across|beyond) [^,;]{3,100})`,
			`There was $1 `+existing[i+1]+` $2`, " who ", " which ", " that ", " never ", " and "))
	}
	ways = append(ways, pattern(`([Aa]n? (?:[\p{Ll}-]+ ){0,2}[\p{Ll}-]+) stands ((?:in|on|at|by|near|under|behind`+
		`|beside|beyond) [^,;]{3,100})`,
		`There is $1 standing $2`, " who ", " which ", " that ", " and "))
	return anyOf(ways...)
}()

// thereAre turns what is there about, without a change of who has it.
var thereAre = anyOf(
	pattern(`There (was|is) (an? [^,;]{3,60}?) ((?:in|on|at|near|under|behind|beside|above|below) the [\p{Ll} -]{3,40})`,
		`$3 there $1 $2`, " and ", " who ", " that ", " which ", " of "),
	pattern(`There are (.{3,60}?) in (the [\p{Ll} -]{3,30}|\p{Lu}\p{Ll}+)`, `$2 has $1 in it`, " and ", " who ", " that ",
		" which ", " no "),
)

// ofToPossessive says "Hollow's smith" for "the smith of Hollow".
var ofToPossessive = pattern(`(.*?\b(?:is|was|as|by|from|with|to`+
	`|became)) the ([\p{Ll}-]+(?: [\p{Ll}-]+)?) of (\p{Lu}\p{Ll}+)((?:,? \p{Ll}.*)?)`, `$1 $3's $2$4`,
	" of the ", "first of", "second of", "third of", "th of", "each of", "all of", "some of", "many of", "days of",
	"years of", "name of", "city of", "north", "south", "east", "west", "end of", "year of", "spring of", "winter of",
	"autumn of", "summer of", "battle of", "siege of", "month of", "day of", "kind of", "out of", "rest of", "most of",
	"house of", "son of", "daughter of")

var because = anyOf(
	pattern(clause+` because `+plain2, `Because $2, $1`, " and ", " but ", "when", " not ", "n't ", " only ", " never ",
		" that "),
	pattern(`Because ([^,;]+), `+clause, `$2, because $1`, " and ", " but ", "when"),
	pattern(clause+`, because `+plain2, `Because $2, $1`, " and ", " but ", "when", "that "),
)

var although = anyOf(
	pattern(clause+`, but `+plain2, `Although $1, $2`, " and ", "when", "not only", "nothing but", " if "),
	pattern(`(?:Although|Though) ([^,;]+), `+plain2, `$1, but $2`, " and ", "when", " but "),
	pattern(clause+`, (?:although|though) `+plain2, `Although $2, $1`, " and ", " but ", "when"),
)

var whenFirst = anyOf(
	pattern(plain2+` (when|while|until|before|after|whenever|if|once) ((?:the|he|she|it|they|we|I|you|a|an|my|his|her`+
		`|their|nobody|\p{Lu}\p{Ll}+) [^,;]{4,100})`, `$2 $3, $1`,
		" and ", " or ", " but ", " that ", " who ", " which ", " said", " told", " not ", " never ", "n't ", "nobody",
		" since ", " to ", "no ", " from "),
)

var whenLast = anyOf(
	pattern(`((?:When|While|Before|After|Whenever|If|Once|Until|As soon as) [^,;]{6,100}), `+plain2, `$2 $1`, " and ",
		" or ", " but ", " that ", " who ", " which ", " said", " told"),
)

// coordinated joins two whole clauses in another way.
var coordinated = anyOf(
	pattern(clause+`, and ((?:the|he|she|they|we|I|you|nobody|there) [^,;]{6,140})`, `$1; $2`, " or ", " nor ", " but ",
		"both ", "either "),
	pattern(clause+`, so ((?:the|he|she|they|we|I|you|nobody) [^,;]{6,140})`, `$1, and for that reason $2`, " and ",
		" or ", "that "),
)

// called2 turns a name that something has.
var called2 = anyOf(
	pattern(`(.{3,60}?) (is|was) called (\p{Lu}[\p{L} '’-]{2,40})`, `The name of $1 $2 $3`, " and ", " who ", " that ",
		" i ", "they", " he ", " she "),
	pattern(`The name of (.{3,60}?) (is|was) (\p{Lu}[\p{L} '’-]{2,40})`, `$1 $2 called $3`, " and ", " who ", " that "),
	pattern(`I am called (\p{Lu}[\p{L} '’-]{2,40})`, `My name is $1`, " and "),
	pattern(`My name is (\p{Lu}[\p{L} '’-]{2,40})`, `I am called $1`, " and "),
)

// bothJoined turns two doers about.
var bothJoined = anyOf(
	pattern(`(\p{Lu}[\p{Ll}’'-]+(?: \p{Lu}[\p{Ll}’'-]+)?) and (\p{Lu}[\p{Ll}’'-]+(?: \p{Lu}[\p{Ll}’'-]+)?) `+
		`([\p{Ll}][^,;]{5,120})`, `$2 and $1 $3`, " his ", " her ", "respectively", " each ", " he ", " she ", "the ",
		"since"),
	pattern(`My (\p{Ll}+) and I ([^,;]{5,120})`, `I and my $1 $2`, "each"),
)

// fromTo says a stretch of time the other way.
var fromTo = anyOf(
	pattern(`(.{8,120}?) from (\d{3,4}) (?:to|until) (\d{3,4})`, `From $2 until $3 $1`, " and ", ",", " that ", " who "),
	pattern(`(.{8,120}?) for (\p{Ll}+ (?:years|days|weeks|months|nights|hours))`, `For $2, $1`, " and ", ",", " that ",
		" who ", " ago", "born", " not ", "never", " no ", "when", " to "),
)

// allowed says what may and may not be done.
var allowed = anyOf(
	pattern(`(Nobody|No one) (?:may|is allowed to|is permitted to) ([\p{Ll}][^,;]{3,100})`, `It is forbidden for `+
		`anybody to $2`, " and ", " or ", "unless", "without", " but ", "until"),
	pattern(`(Nobody|No one) was (?:allowed|permitted) to ([\p{Ll}][^,;]{3,100})`, `It was forbidden for anybody to $2`,
		" and ", " or ", "unless", "without", " but ", "until"),
	pattern(`(Nobody|No one) knows (who|what|where|why|how) ([^,;]{3,100})`, `It is known to nobody $2 $3`, " and ",
		" but "),
	pattern(`(Nobody|No one) knew (who|what|where|why|how) ([^,;]{3,100})`, `It was known to nobody $2 $3`, " and ",
		" but "),
)

// apposed says an apposition as a relative clause.
var apposed = anyOf(
	pattern(`(\p{Lu}[\p{Ll}’'-]+(?: \p{Lu}[\p{Ll}’'-]+)?), (the [\p{Ll} -]{3,40}), ([\p{Ll}][^,;]{5,120})`,
		`$1, who is $2, $3`, " was ", " were ", "ed ", "mill", "river", "bridge", "town", "village", "inn", "road", "ship",
		"sword", "dog", "horse"),
)

// moreVerbs can only be verbs, so that "and" before one joins what somebody does.
const moreVerbs = `(?:is|was|has|had|works|worked|commands|commanded|keeps|kept|lives|lived|sits|sat|sells|sold` +
	`|pays|paid|takes|took|holds|held|makes|made|knows|knew|runs|ran|serves|served|teaches|gives|gave|wears|wore` +
	`|carries|carried|leads|led|came|went|bought|built|died|married|became|lost|found|brought|left|said|told|drove` +
	`|wrote|sent|fell|stood)`

// twice says of somebody two things as two clauses.
var twice = anyOf(
	pattern(`(\p{Lu}[\p{Ll}’'-]+(?: \p{Lu}[\p{Ll}’'-]+){0,2}) ([^,;]{6,100}) and (`+moreVerbs+` [^,;]{4,100})`,
		`$1 $2, and $1 $3`, " who ", " which ", " that ", " when", " if ", "the ", "'s ", "between ", "both ", " not ",
		"never ", " to "),
	pattern(`I ([^,;]{6,100}) and (`+moreVerbs+` [^,;]{4,100})`, `I $1, and I $2`, " who ", " which ", " that ", " when",
		" if ", "between ", "both ", " not ", "never ", " to ", " she", " he "),
)

// placed moves a place from the end to the front.
var placed = func(s string) (string, bool) {
	m := place.FindStringSubmatch(s)
	if m == nil || bound.MatchString(m[1]) || unplaced.MatchString(m[1]) || !front(m[1]) {
		return "", false
	}
	return m[2] + ", " + lowerFirst(m[1]), true
}

var (
	place = regexp.MustCompile(`^(.{8,140}?) ((?:in|at|on|near|behind|beside|under` +
		`|above) (?:\p{Lu}[\p{Ll}’'-]+(?: \p{Lu}[\p{Ll}’'-]+){0,2}` +
		`|the \p{Lu}[\p{Ll}’'-]+(?: \p{Lu}[\p{Ll}’'-]+){0,2}|the [\p{Ll}-]+(?: of (?:\p{Lu}[\p{Ll}’'-]+` +
		`|the [\p{Ll}-]+))?))$`)
	unplaced = regexp.MustCompile(`(?i)\b(?:is|was|are|were|am|be|been|to|of|stands?|stood|lies|lay|hangs?|hung|sits?` +
		`|sat|lives?|lived|sleeps?|slept|there|put|puts|laid|set|sets|believes?|interested|trusts?|works?|look(?:s|ed)?` +
		`|all|every|each|nine|ten|eight|seven|six|five|four|three|two|one|\d+)$|^(?:there|it)\b|\bto\b`)
)

// exist says what is there without "there".
var exist = pattern(`There (is|was|are|were) ([^,;]{3,60}?) ((?:in|on|at|under|behind|beside|above|below|between`+
	`|near) [^,;]{3,60})`, `$2 $1 $3`, " of ", " who ", " that ", " which ", " and ", " but ", " left ", " one ", "no ",
	"except")

// priced says what something costs.
var priced = anyOf(
	pattern(`([^,;]{3,80}?) costs ((?:\p{Ll}+|\d+)(?: [\p{Ll}]+){1,3})`, `The price of $1 is $2`, " and ", " who ",
		"from ", " on the ", "it costs", "that ", "there", "each", "nothing"),
	pattern(`The price of ([^,;]{3,60}?) is ((?:\p{Ll}+|\d+)(?: [\p{Ll}]+){1,3})`, `$1 costs $2`, " and ", " in force"),
)

// aged says how old somebody is.
var aged = anyOf(
	pattern(`([^,;]{3,60}?) is ([\p{Ll}-]+|\d+) years old`, `The age of $1 is $2 years`, " and ", "i am", " he ", " she "),
	pattern(`I am ([\p{Ll}-]+|\d+) years old`, `My age is $1 years`),
)

// equal2 turns who is what into what is whom.
var equal2 = anyOf(
	pattern(`(\p{Lu}[\p{Ll}’'-]+ \p{Lu}[\p{Ll}’'-]+) is the ([\p{Ll}-]+(?: [\p{Ll}-]+)?) of (\p{Lu}[\p{Ll}’'-]+)`,
		`The $2 of $3 is $1`),
	pattern(`The ([\p{Ll}-]+(?: [\p{Ll}-]+)?) of (\p{Lu}[\p{Ll}’'-]+) is (\p{Lu}[\p{Ll}’'-]+(?: `+
		`\p{Lu}[\p{Ll}’'-]+)?)`, `$3 is the $1 of $2`),
	pattern(`I am the ([\p{Ll}-]+(?: [\p{Ll}-]+)?) of (\p{Lu}[\p{Ll}’'-]+)`, `The $1 of $2 is me`),
)

// bornIn turns place and time of a birth about.
var bornIn = pattern(`(.{1,60}?) (was|am) born (in|at) (\p{Lu}[\p{Ll}’'-]+(?: \p{Lu}[\p{Ll}’'-]+)?) in `+
	`(\d{3,4})(,? ?.*)`, `$1 $2 born in $5, $3 $4$6`, " and ")

// neverHas puts the never first.
func neverHas(s string) (string, bool) {
	m := hasNever.FindStringSubmatch(s)
	if m == nil || !front(s) || clausal(m[1]) {
		return "", false
	}
	return "Never " + m[2] + " " + lowerFirst(m[1]) + " " + m[3], true
}

var hasNever = regexp.MustCompile(`^(\p{Lu}[\p{Ll}’'-]*(?: [\p{Ll}\p{Lu}’'-]+){0,4}) (has` +
	`|have) never (been [^,;]{3,100}|\p{Ll}+(?:ed|en|wn|de|ught) [^,;]{3,100})$`)

// given names whom before what.
var given = anyOf(
	pattern(`(.{2,60}?) (gave|sold|lent|sent|brought|paid|showed) ((?:the|a|an|my|his|her|two|three|four|five|six|ten`+
		`|twelve|\d+)(?: [\p{Ll}-]+){1,3}) to ((?:the [\p{Ll}-]+ )?\p{Lu}[\p{Ll}’'-]+(?: \p{Lu}[\p{Ll}’'-]+)?)((?: `+
		`(?:in|on|for|at|after) .*)?)`, `$1 $2 $4 $3$5`, " who ", " that "),
	pattern(`(.{2,60}?) (gave|sold|lent|sent|brought|paid|showed) (\p{Lu}[\p{Ll}’'-]+(?: \p{Lu}[\p{Ll}’'-]+)?) `+
		`((?:the|a|an|my|two|three|four|five|six|ten|twelve|\d+)(?: [\p{Ll}-]+){1,3})((?: (?:in|on|for|at|after) .*)?)`,
		`$1 $2 $4 to $3$5`, " who ", " that "),
)
