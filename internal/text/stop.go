package text

import (
	"slices"
	"strings"
)

// IsStop says whether a lower-case word carries grammar rather than content. The
// list is short on purpose: negations, numbers and modals are stop words for
// retrieval but are compared elsewhere by rule.
func IsStop(word string) bool { return stopWords[word] }

var stopWords = Set(GrammarWords + ` s t d ll m re ve`)

// GrammarWords are the stop words that are words of English by themselves.
const GrammarWords = `a an the this that these those there here i me my mine myself we us our ours ourselves you
	your yours yourself yourselves he him his himself she her hers herself it its itself they them their theirs
	themselves who whom whose which what when where why how am is are was were be been being do does did doing done
	have has had having will would shall should can could may might must ought and or but nor so yet if then than
	because as until while of at by for with about against between into through during before after above below to
	from up down in out on off over under again further once all any both each few more most other some such no not
	only own same too very just also don't doesn't didn't isn't aren't wasn't weren't won't wouldn't can't cannot
	couldn't shouldn't hasn't haven't hadn't ain't i'm you're he's she's it's we're they're i've you've we've they've
	i'd you'd he'd she'd we'd they'd i'll you'll he'll she'll we'll they'll that's what's who's where's there's
	here's how's let's u ur r im ya yer y'all em 'em tell know please hey oh well like got get gotta wanna gonna
	anything something everything nothing anyone someone everyone nobody`

// Set makes a set of the words of a list.
func Set(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}

// HasAny says whether a set holds any of some words.
func HasAny(words []string, set map[string]bool) bool {
	return slices.ContainsFunc(words, func(w string) bool { return set[w] })
}

// irregulars maps irregular forms to the stem of their base, which a suffix
// stemmer cannot find; those of most verbs join it from verb.go.
var irregulars = func() map[string]string {
	out := map[string]string{}
	for base, forms := range map[string]string{
		"die": "died dies dying dead", "man": "men", "woman": "women", "child": "children", "mous": "mice",
		"foot": "feet", "tooth": "teeth", "knife": "knives", "wife": "wives", "wolf": "wolves", "thief": "thieves",
		"dwarf": "dwarves", "elf": "elves", "leaf": "leaves", "loaf": "loaves", "half": "halves", "life": "lives",
		"shelf": "shelves", "good": "better best", "bad": "worse worst", "forg": "forge forged forging forges",
		"live": "living lived",
	} {
		for _, f := range strings.Fields(forms) {
			out[f] = base
		}
	}
	return out
}()
