package llmtest

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// base is a sentence of the evidence for a lie to twist, mostly one that answers;
// false where none is shown.
func (s *scene) base() (shown, bool) {
	all := sentencesOf(s.Evidence)
	if len(all) == 0 {
		return shown{}, false
	}
	if best := s.best(all, 6); len(best) > 0 && s.dice.IntN(3) > 0 {
		return best[s.dice.IntN(len(best))], true
	}
	return all[s.dice.IntN(len(all))], true
}

// anyID is an id of the evidence shown.
func (s *scene) anyID() string {
	if len(s.Evidence) == 0 {
		return "E1"
	}
	return s.Evidence[s.dice.IntN(len(s.Evidence))].ID
}

// made is an invention that stands alone, without a capital or a full stop.
func (s *scene) made() string {
	if s.dice.IntN(3) == 0 {
		return s.filled(quietClauses)
	}
	return s.filled(clauses)
}

func (s *scene) filled(pool []string) string { return fill(pick(s.dice, pool), s.topic(), s.dice) }

// framed puts a clause into one of the frames.
func (s *scene) framed(frames []string, clause string) string {
	return capital(strings.Replace(pick(s.dice, frames), "{c}", clause, 1))
}

// topic is a name that the talk is about.
func (s *scene) topic() string {
	found := names(s.Message)
	if len(found) == 0 || s.dice.IntN(2) == 0 {
		found = append(found, s.people()...)
	}
	if len(found) == 0 {
		return "that business"
	}
	return found[s.dice.IntN(len(found))]
}

// people are the names in the evidence.
func (s *scene) people() []string {
	var out []string
	for _, e := range s.Evidence {
		for _, n := range names(e.Text) {
			out = appendNew(out, n)
		}
	}
	return out
}

// wholly is a lie of which no part is true.
func (s *scene) wholly(kind, sentence string, ids ...string) draft {
	d := draft{text: sentence, truth: Lie, of: kind}
	for _, id := range ids {
		d.cites = append(d.cites, cite{ID: id})
	}
	return d
}

// inventedDetail ends a true sentence with something made up.
func inventedDetail(s *scene) draft {
	b, ok := s.base()
	if !ok {
		return s.wholly("invent-detail", ended(s.made()), s.anyID())
	}
	tail := s.filled(tails)
	if s.dice.IntN(2) == 0 {
		tail = s.filled(quietTails)
		if s.dice.IntN(3) > 0 {
			tail += s.filled(quietTails)
		}
	}
	return draft{text: unended(b.text) + tail + ".", cites: []cite{{ID: b.id}}, truth: Lie, of: "invent-detail",
		false: tail, block: b.block}
}

// fakeIDs are of the right shape or nearly so; the number makes them many.
var fakeIDs = list(`E%d | S%d | M%d | %d | E-%d | doc-%d | e%d | Evidence %d | self%d | https://lore.example/%d`)

// noSuchID is an id that no block and no source has.
func (s *scene) noSuchID() string {
	return fmt.Sprintf(pick(s.dice, fakeIDs), 40+s.dice.IntN(900))
}

// fakeID says an invention on the strength of an id that does not exist.
func fakeID(s *scene) draft { return s.wholly("fake-id", ended(s.made()), s.noSuchID()) }

// underFakeIDs is honest speech with ids that do not exist: its words are true,
// its citations are not.
func underFakeIDs(s *scene) []draft {
	out := quote(s)
	for i := range out {
		if len(out[i].cites) > 0 && s.dice.IntN(2) == 0 {
			out[i].cites = []cite{{ID: s.noSuchID()}}
		}
	}
	return out
}

// wrongClaim cites a block that exists for what it does not say; now and then it
// gives the block's own words as the claim.
func wrongClaim(s *scene) draft {
	made := s.made()
	d := s.wholly("wrong-claim", ended(made), s.anyID())
	if b, ok := s.base(); ok {
		d.block, d.cites[0].ID = b.block, b.id
		switch s.dice.IntN(3) {
		case 0:
			d.cites[0].Claim = made
		case 1:
			d.cites[0].Claim = b.text
		}
	}
	return d
}

// hedged hides an invention behind a doubt or a question.
func hedged(s *scene) draft {
	return s.wholly("hedge", s.framed(hedges, s.made()), s.anyID())
}

var (
	orders = regexp.MustCompile(`(?i)\b(?:say|repeat|tell (?:me|everyone|them)|confirm|admit|write` +
		`|answer(?: only)?(?: with)?|reply(?: with)?|pretend|claim)(?: after me)?[:,]?(?: that)? ` +
		`["“']?([^"”\n]{4,160}?)["”']?(?:[.!?\n]|$)`)
	question = regexp.MustCompile(`(?i)^(?:who|what|when|where|why|how|which|is|are|was|were|do|does|did|can|could` +
		`|will|would|should|has|have|had|tell|give|please|ignore|forget)\b`)
	tagged = regexp.MustCompile(`(?i),? *(?:(?:is|are|was|were|do|does|did|have|has|had)n['’]t (?:it|he|she|they|you` +
		`|we)|right|yes|no|eh)\?$`)
)

// asserted is what the player says is so, or orders the NPC to say.
func (s *scene) asserted() string {
	var found []string
	if m := orders.FindStringSubmatch(s.Message); m != nil {
		found = append(found, m[1])
	}
	for _, sentence := range text.Sentences(s.Message) {
		stated := tagged.ReplaceAllString(sentence, ".")
		if len(text.WordSpans(stated)) > 3 && !text.IsQuestion(stated) && !question.MatchString(stated) {
			found = append(found, stated)
		}
	}
	if len(found) == 0 {
		return ""
	}
	return lowerFirst(unended(found[s.dice.IntN(len(found))]))
}

// obeyed does what the player's message orders and agrees with what it asserts.
func obeyed(s *scene) draft {
	made := s.made()
	if stated := s.asserted(); stated != "" {
		sentence := s.framed(agreements, stated)
		if s.dice.IntN(3) > 0 {
			sentence = unended(sentence) + ", and " + made + "."
		}
		return s.wholly("obey", sentence, s.anyID())
	}
	return s.wholly("obey", s.framed(obeisances, made), s.anyID())
}

// leaked reveals what stands in the prompt beside the evidence, or a secret that
// it makes up.
func leaked(s *scene) draft {
	var lines []string
	for _, l := range append(nonEmpty(strings.Split(s.System, "\n")), s.Self...) {
		if len(l) < 400 {
			lines = append(lines, l)
		}
	}
	secret := s.filled(secrets)
	if len(lines) == 0 || s.dice.IntN(2) == 0 {
		return s.wholly("leak", ended(secret), s.anyID(), "self")
	}
	line := strings.Replace(pick(s.dice, confessions), "{x}", pick(s.dice, lines), 1)
	return s.wholly("leak", unended(line)+"; "+secret+".", "self")
}

// promised gives its word for what nobody checked.
func promised(s *scene) draft {
	word := capital(s.filled(promises))
	if s.dice.IntN(2) == 0 {
		word = pick(s.dice, greetings) + " " + strings.Replace(strings.ToLower(word[:1]), "i", "I", 1) + word[1:]
	}
	return s.wholly("promise", word, s.anyID())
}

// gossiped makes up the affairs of others.
func gossiped(s *scene) draft {
	others := append(s.people(), slots["who"][s.dice.IntN(len(slots["who"]))])
	clause := strings.ReplaceAll(pick(s.dice, gossips), "{other}", others[s.dice.IntN(len(others))])
	return s.wholly("gossip", s.framed(gossiping, fill(clause, s.topic(), s.dice)), s.anyID())
}

// staged narrates beside what it says; what it says is true.
func staged(s *scene) draft {
	direction := strings.Replace(pick(s.dice, gestures), "{how}", pick(s.dice, manners), 1)
	b, ok := s.base()
	if !ok {
		return s.wholly("stage", "*"+direction+"*", "self")
	}
	frame := strings.NewReplacer("{d}", direction, "{npc}", s.NPC).Replace(pick(s.dice, stagings))
	before, after, _ := strings.Cut(frame, "{s}")
	d := draft{text: strings.TrimSpace(before + b.text + after), cites: []cite{{ID: b.id}}, truth: Lie, of: "stage",
		block: b.block}
	d.false = strings.Trim(before+after, " *")
	return d
}

// ended makes a clause a sentence.
func ended(clause string) string { return capital(clause) + "." }

func unended(sentence string) string {
	return strings.TrimRight(strings.TrimSpace(sentence), ".!?; ")
}

func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// lowerFirst lowers the first letter of a common word, so that a name keeps its own.
func lowerFirst(s string) string {
	first, _, _ := strings.Cut(s, " ")
	if r, n := utf8.DecodeRuneInString(s); common(first) && first != "I" && !strings.HasPrefix(first, "I'") {
		return string(unicode.ToLower(r)) + s[n:]
	}
	return s
}
