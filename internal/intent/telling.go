package intent

import (
	"strings"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// tellsOfSelf says whether a message states something of the player and of nothing
// else: "I work at the ropewalk", "my brother is called Perrin". What the player
// claims to know, saw or wants speaks of the world, and may be answered.
func tellsOfSelf(message string) bool {
	told := 0
	for _, s := range chatSentences(message) {
		words := normal(s)
		if len(words) == 0 || kindOfSentence(s, words) != schema.IntentStatement {
			continue
		}
		for len(words) > 1 && leadIns[words[0]] {
			words = words[1:]
		}
		if !ofSelf[strings.TrimSuffix(words[0], "'s")] || hasAny(words, ofWorld) || requestPattern.MatchString(" "+strings.Join(words, " ")+" ") {
			return false
		}
		told++
	}
	return told > 0
}

var (
	ofSelf  = wordSet(`i i've i'll i'd i'm my mine we we've we'll we're our myself`)
	ofWorld = wordSet(`know knew known think thought believe believed guess suspect suspected reckon heard hear hears say says said tell tells told swear
		saw see seen watched witnessed noticed found remember recall read learned learnt understand doubt bet assume accuse
		need want wanted wish seek require request demand order command ask asked your yours you're`)
)
