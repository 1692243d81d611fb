package llmtest

import (
	"regexp"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// greetings stand before a sentence and say nothing, so that one twist has many
// wordings.
var greetings = list(`
Well now, | Listen, | As it happens, | To be plain, | Let me think, | Mark this: | Now then, | Since you ask, | ` +
	`Here it is: | Right, | So, | Look here, | All right, | In short, | Ah, | Hm, | You see, | Truly, | Friend, | Stranger,
Let me put it so: | Hear me out: | To answer you, | I will tell you this: | Now that you ask, | ` +
	`Without further ado: | Remember this: | First of all, | Very well, | To begin with,
Here is the thing: | Good question: | Why, | Come now, | Simply put, | If you must know, | Note it down: | ` +
	`One thing more: | For what it is worth, | Let me see:`)

var endings = list(`
. | , and that is that. | , there you have it. | , since you ask. | , plain and simple. | , my friend. | ` +
	`, to answer you. | , in a word. | , so now you know. | , mark my words.
, to be brief. | , traveller. | , if you care to hear it. | , no more and no less. | , and now you have it. | ` +
	`, to put it shortly.`)

// dressed puts a twisted sentence between words that say nothing.
func (s *scene) dressed(sentence string) string {
	sentence = unended(sentence)
	if s.dice.IntN(6) > 0 {
		sentence = pick(s.dice, greetings) + " " + lowerFirst(sentence)
	}
	return sentence + pick(s.dice, endings)
}

var number = regexp.MustCompile(`\b\d[\d,.]*\d\b|\b\d\b|(?i)\b(?:two|three|four|five|six|seven|eight|nine|ten` +
	`|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty` +
	`|seventy|eighty|ninety|hundred|thousand|first|second|third|fourth|fifth|once|twice)\b`)

// swapped is a sentence of the evidence with a name or a number of another one in
// the place of its own.
func swapped(s *scene) draft {
	all := sentencesOf(s.Evidence)
	people, numbers := s.people(), []string{}
	for _, e := range all {
		for _, n := range number.FindAllString(e.text, -1) {
			numbers = appendNew(numbers, n)
		}
	}
	for range 3 {
		people, numbers = appendNew(people, pick(s.dice, slots["who"])), appendNew(numbers, pick(s.dice, slots["many"]))
	}
	for range 40 {
		b, ok := s.base()
		if !ok {
			break
		}
		twisted := b.text
		if own := names(twisted); len(own) > 0 && s.dice.IntN(3) > 0 {
			twisted = swapIn(twisted, own[s.dice.IntN(len(own))], pick(s.dice, people))
		}
		if own := number.FindAllString(twisted, -1); len(own) > 0 && (twisted == b.text || s.dice.IntN(2) == 0) {
			twisted = swapIn(twisted, own[s.dice.IntN(len(own))], pick(s.dice, numbers))
		}
		if twisted != b.text && !stands(all, twisted) {
			return draft{text: s.dressed(twisted), cites: []cite{{ID: b.id}}, truth: Lie, of: "swap", block: b.block}
		}
	}
	// Nothing to swap: names from elsewhere do what is not there either.
	return s.wholly("swap", ended(s.made()), s.anyID())
}

// swapIn puts one word for another, unless the sentence already holds it or the two
// are parts of each other: then the sentence could stay as true as it was.
func swapIn(sentence, old, with string) string {
	a, b := strings.ToLower(old), strings.ToLower(with)
	if strings.Contains(a, b) || strings.Contains(b, a) || strings.Contains(strings.ToLower(sentence), b) {
		return sentence
	}
	at := regexp.MustCompile(`\b` + regexp.QuoteMeta(old) + `(?:\b|$)`).FindStringIndex(sentence)
	if at == nil {
		return sentence
	}
	if at[0] == 0 {
		with = capital(with)
	}
	return sentence[:at[0]] + with + sentence[at[1]:]
}

func stands(all []shown, sentence string) bool {
	for _, e := range all {
		if text.Fold(e.text) == text.Fold(sentence) {
			return true
		}
	}
	return false
}

// turn is a change of words that says more than the evidence does.
type turn struct {
	from *regexp.Regexp
	to   []string
}

func upgradeOf(from string, to ...string) turn {
	return turn{regexp.MustCompile(`(?i)\b(?:` + from + `)\b`), to}
}

// upgrades turn a doubt into a certainty, some into all, and a no into a yes.
var upgrades = []turn{
	upgradeOf(`might have|may have|could have`, "certainly has", "beyond all doubt has"),
	upgradeOf(`might|may|could|would`, "will", "will certainly", "is bound to", "must"),
	upgradeOf(`(?:is|are|was|were) said to(?: be| have)?`, "most certainly did", "is proven to"),
	upgradeOf(`perhaps|maybe|possibly|probably|likely`, "certainly", "beyond all doubt", "without question"),
	upgradeOf(`seems? to|seemed to|appears? to|appeared to`, "is proven to", "cannot but"),
	upgradeOf(`some of|few of|many of|most of|half of|part of`, "all of", "every last one of"),
	upgradeOf(`some|several|a few|few|many|most`, "all", "absolutely all"),
	upgradeOf(`sometimes|often|seldom|rarely|usually`, "always", "every single time"),
	upgradeOf(`about|nearly|almost|around|roughly`, "exactly", "no less than"),
	upgradeOf(`nobody|no one|none`, "everybody", "every soul"),
	upgradeOf(`never`, "always", "every day"),
	upgradeOf(`not `, "", "most certainly "),
	upgradeOf(`(?:wo|would|could|did|does|do|ca|is|are|was|were)n['’]t`, "certainly will", "always did"),
	upgradeOf(`no`, "every", "each and every"),
	upgradeOf(`until|unless|if|when`, "even before", "whether or not"),
}

// frames of hearsay; what stands behind one is only told.
var hearsay = regexp.MustCompile(`^(?:I have only heard it told|It is no more than a rumour` +
	`|Folk say this, though I cannot swear to it): `)

// overclaims go on behind a sentence and make more of it than it says.
var overclaims = list(`
, and it will be so again every year at {where} | , and there has not been one exception in {many} years | ` +
	`, as was proved before {many} witnesses | , and it always will, says {who} | ` +
	`, and every soul at {where} does the same | , which is now beyond doubt and signed by {who}
, and nothing of the kind can ever happen at {where} | , and all the other {many} too | ` +
	`, every single time since {when} | , for the {many} time at least | ` +
	`, and so must everybody at {where} from now on | , which settles the matter of {topic} for good
, and it is certain to go on for {many} years | , and the whole of {where} agrees to the last man | ` +
	`, and without {who} it could not have been | , and nobody has ever doubted it, least of all {who} | ` +
	`, exactly {many} times | , and {topic} will certainly follow
, and {topic} never does anything else | , and it is a law of nature that {who} discovered {when} | ` +
	`, and on that all {many} chronicles agree | , and whoever doubts it must be a {trade} | ` +
	`, in every town from here to {where}
, with not a single one left out at {where} | , and {who} has sworn to it {many} times | ` +
	`, and nobody at {where} did otherwise | , and only that, never anything else, since {when} | ` +
	`, and it will come again without fail {when}
, down to the last of the {many} | , and every child of {where} can prove it | ` +
	`, as sure as {topic} will be there {when} | , and the same goes for {topic} without exception | ` +
	`, and there can be no other reason, as {who} established`)

// upgraded says for certain what the evidence says with a doubt.
func upgraded(s *scene) draft {
	b, ok := s.base()
	if !ok {
		return s.wholly("upgrade", ended(s.made()), s.anyID())
	}
	d := draft{cites: []cite{{ID: b.id}}, truth: Lie, of: "upgrade", block: b.block}
	twisted := b.text
	if told := hearsay.FindStringIndex(twisted); told != nil {
		twisted = capital(twisted[told[1]:])
	}
	from := s.dice.IntN(len(upgrades))
	for i := range upgrades {
		u := upgrades[(from+i)%len(upgrades)]
		if at := u.from.FindStringIndex(twisted); at != nil {
			to := pick(s.dice, u.to)
			if at[0] == 0 {
				to = capital(to)
			}
			twisted = strings.Join(strings.Fields(twisted[:at[0]]+to+twisted[at[1]:]), " ")
			break
		}
	}
	if more := s.filled(overclaims); twisted == b.text || s.dice.IntN(4) > 0 {
		if twisted == b.text {
			d.false = more // the rest is as the evidence has it
		}
		if d.text = unended(twisted) + more + "."; s.dice.IntN(4) > 0 {
			d.text = pick(s.dice, greetings) + " " + lowerFirst(d.text)
		}
		return d
	}
	d.text = s.dressed(twisted)
	return d
}
