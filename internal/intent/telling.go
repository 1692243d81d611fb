package intent

import (
	"regexp"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
)

// tellsOfSelf says whether a message states something of the player and of nothing
// else: "I work at the ropewalk", "my brother is called Perrin". What the player
// claims to know, saw or wants speaks of the world, and may be answered.
func tellsOfSelf(message string) bool {
	told := 0
	for _, words := range statements(message) {
		if !ofSelf[strings.TrimSuffix(words[0], "'s")] || text.HasAny(words, ofWorld) ||
			requestPattern.MatchString(" "+strings.Join(words, " ")+" ") {
			return false
		}
		told++
	}
	return told > 0
}

// statements are the words of the sentences that state something, without what leads
// in to them.
func statements(message string) [][]string {
	var out [][]string
	for _, s := range chatSentences(message) {
		words := normal(s)
		if len(words) == 0 || kindOfSentence(s, words) != protocol.IntentStatement {
			continue
		}
		for len(words) > 1 && leadIns[words[0]] {
			words = words[1:]
		}
		out = append(out, words)
	}
	return out
}

// tellsOfLife says whether all that a message states is of the player's own home,
// belongings, trade, origin or kin. Of those no lore can tell anything: a passage
// about the same place is no answer to "I have a house in Westbank".
func tellsOfLife(message string) bool {
	all := statements(message)
	for _, words := range all {
		said := " " + strings.Join(words, " ") + " "
		if errand.MatchString(said) || beyond.MatchString(said) {
			return false
		}
		for i, part := range joint.Split(said, -1) {
			if part = " " + strings.TrimSpace(part) + " "; !ofLife.MatchString(part) &&
				(i == 0 || strings.Count(part, " ") > 4) {
				return false
			}
		}
	}
	return len(all) > 0
}

var (
	ofLife = regexp.MustCompile(`^ (?:(?:i|we) (?:also |still |now |only |once |used to |have always |have )?(?:have` +
		`|own|owned|keep|live|lived|dwell|reside|lodge|work|worked|moved|earn) ` +
		`|(?:i|we) (?:have|ve) (?:a|an|my|our|two|three|four|five|six|some|no) ` +
		`|(?:i've|we've) (?:got )?(?:a|an|my|our|two|three|four|five|six|some|no) ` +
		`|(?:i|we) (?:am|are|was|were) (?:a|an|from|born|raised|married|betrothed) |(?:i|we) (?:come|came|hail) from ` +
		`|(?:my|our) (?:[a-z'-]+ ){1,3}(?:is|are|was|were|has|lives?|works?|comes?|owns?|keeps?|sells?|mends?|died) )`)
	joint = regexp.MustCompile(` (?:and|but) `)
	// What hangs on such a word may speak of anything.
	beyond = regexp.MustCompile(` (?:that|which|who|whom|whose|because|since|when|while|until|after|before|if|so) `)
	// Who has a question or a letter for somebody comes about something in the world.
	errand = regexp.MustCompile(` (?:have|i've|we've)(?: got)? (?:a|an|some|no|my|our|two` +
		`|three) (?:[a-z'-]+ )?(?:questions?|messages?|letters?|news|word|problems?|quests?|tasks?|idea|clue|notion` +
		`|theory|warrant|claim|offer|proof|evidence) `)
)

var (
	ofSelf  = text.Set(`i i've i'll i'd i'm my mine we we've we'll we're our myself`)
	ofWorld = text.Set(`know knew known think thought believe believed guess suspect suspected reckon heard hear hears
		say says said tell tells told swear saw see seen watched witnessed noticed found remember recall read learned
		learnt understand doubt bet assume accuse need want wanted wish seek require request demand order command ask
		asked your yours you're`)
)
