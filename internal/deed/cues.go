package deed

import (
	"regexp"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// chat spells out what players abbreviate, as far as requests need it.
var chat = map[string]string{"u": "you", "ur": "your", "im": "i'm", "dont": "don't", "pls": "please", "plz": "please",
	"wanna": "want to", "gimme": "give me", "lemme": "let me", "n": "and", "ill": "i'll", "cant": "can't",
	"thx": "thanks", "gotta": "got to", "whats": "what is", "theres": "there is", "tmrw": "tomorrow"}

// spoken are the words of a message with chat-speak spelled out, one space between.
func spoken(s string) string {
	words := text.Words(s)
	for i, w := range words {
		if full, ok := chat[w]; ok {
			words[i] = full
		}
	}
	return " " + strings.Join(words, " ") + " "
}

// cues are patterns over the words of a message: how requests are put, and how
// questions, tales and refusals are.
var cues = compiled(
	`^ (what|who|where|when|why|how|which|did|do|does|are|is|was|were|has|have) `,
	` (please|kindly|beg) `,
	` (could|can|would|will) you `,
	` (may|might|can|could|shall) (i|we) `,
	` (i'd|i would|we'd) (like|love|have|take) | i (want|need|must) | i'll (take|have|need|be) | need `,
	` (give|lend|hand|pass|bring|send|take|let|tell|put|get|make|open|show|teach|help|fetch|write|call|set|keep|sell`+
		`|buy|have|wake|ring|play|fix|pour) `,
	`^ (please |now |just |then |well |so )*(give|lend|hand|pass|bring|send|take|let|tell|put|get|make|open|show|teach`+
		`|help|fetch|write|call|set|sell|wake|ring|play|fix|pour|stop|go|come|follow|lead|wait|sign|mark|book|note) `,
	` (don't|no|not|never|won't|nothing|isn't|wasn't|wouldn't|couldn't) `,
	` (was|were|had|did|used to|last|yesterday|once|ago|before|already|earlier|took|brought|gave|bought|sold|found) `,
	` if `,
	` (ever|always|usually|generally|really|true) `,
	`^ (my|the|we|i|he|she|they|it|there) `,
	` me `, ` you `, ` your `,
	` how (many|much|long|do|does|far|did) `,
	`^ (you|he|she|they|somebody|someone) `,
	` (for me|to me|on me|my) `,
	` (leave it|keep it|hands off|never mind|so i won't|thanks|no need) `,
	` (now|today|tonight|tomorrow|asap|quick|quickly|minute) `,
	` \d+ | (two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|forty|fifty|sixty|hundred) `,
	` (let|tell|inform|warn|say|know|word|hear|told) `,
)

func compiled(patterns ...string) []*regexp.Regexp {
	out := make([]*regexp.Regexp, len(patterns))
	for i, p := range patterns {
		out[i] = regexp.MustCompile(p)
	}
	return out
}

// cuesOf are the cues of a message as numbers.
func cuesOf(a Asked) []float64 {
	words := spoken(a.Message)
	var out []float64
	for _, c := range cues {
		out = append(out, is(c.MatchString(words)))
	}
	question := strings.HasSuffix(strings.TrimSpace(a.Message), "?")
	offered := a.ByNPC && strings.HasSuffix(strings.TrimSpace(a.Before), "?")
	past := out[8] > 0
	return append(out, is(question), is(strings.Contains(a.Message, "!")), min(float64(len(strings.Fields(words))), 30)/10,
		is(a.Before != "" && a.ByNPC), is(offered), is(question && out[0] > 0), is(question && out[3]+out[2] > 0),
		is(past && !question))
}

// LikelyRequest says whether a message may ask for a deed at all: it is cheap, and spares most
// turns the rest.
func LikelyRequest(a Asked) bool {
	words := strings.Fields(spoken(a.Message))
	return len(words) > 0 && len(words) <= maxWords
}

// maxWords is how long a request may be.
const maxWords = 80

func is(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
