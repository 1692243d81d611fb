package grounding

import (
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// feeling says whether a clause tells only what the NPC feels, likes or is like
// at heart. A reason or a fact inside it makes it a claim about the world.
func (cl *clause) feeling(words []string) bool {
	if len(words) < 2 || text.HasAny(words, worldly) || hasDigit(words) {
		return false
	}
	i := 0
	switch words[0] {
	case "i", "we":
		i = 1
	case "i'm", "we're", "i've", "i'd":
		i = 1
	case "it":
		return feltBy(words)
	default:
		return false
	}
	for i < len(words) && (degree[words[i]] || words[i] == "am" || words[i] == "was" || words[i] == "are" ||
		words[i] == "have" || words[i] == "'m" || words[i] == "would" || words[i] == "did") {
		i++
	}
	if i >= len(words) {
		return false
	}
	verb := feelingVerbs[words[i]] && words[0] != "i'm" && !slices.Contains(words[:i], "am")
	if !verb && !feelings[words[i]] {
		return false
	}
	content := 0
	for _, w := range words[i+1:] {
		if auxiliaries[w] {
			return false // "I am glad the duke is dead"
		}
		if text.IsStop(w) || degree[w] || feelings[w] {
			continue
		}
		content++
		if strings.HasSuffix(w, "ed") && len(w) > 4 || strings.HasSuffix(w, "ing") && len(w) > 5 {
			content += 2 // a deed: "I hate Bram burning the mill"
		}
	}
	return content <= 3
}

// feltBy is "it breaks my heart", "it pains me".
func feltBy(words []string) bool {
	plain := strings.Join(words, " ")
	switch plain {
	case "it breaks my heart", "it pains me", "it warms my heart", "it gladdens me", "it saddens me", "it grieves me",
		"it makes me sad", "it makes me glad", "it makes me proud", "it makes me angry":
		return true
	}
	return false
}

var (
	feelingVerbs = text.Set(`love loved like liked hate hated dislike disliked loathe loathed trust trusted distrust
		distrusted fear feared dread admire admired respect respected despise despised miss missed prefer preferred enjoy
		enjoyed care cared worry worried wish wished hope hoped feel felt want wanted pity grieve envy cherish resent
		detest adore doubt`)
	feelings = text.Set(`tired glad sorry afraid happy sad angry weary bored curious fond proud lonely nervous cautious
		careful content uneasy worried pleased grateful thankful upset anxious ashamed excited hopeful bitter jealous
		calm restless cross furious delighted scared frightened wary suspicious lucky fine well cheerful gloomy ready
		eager impatient patient stubborn honest blunt loyal shy sure certain better worse good unhappy homesick
		heartbroken relieved`)
	degree = text.Set(`very so quite rather too really truly always never ever still just only a bit little deeply much
		more not don't do didn't can't can't help now today these days with and to of at about no too most least all
		dearly being feeling`)
	worldly = text.Set(`because since after before when who which that whose for where while until despite by`)
)
