package deed

import (
	"regexp"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Form is how a message is put, whatever it is about.
type Form struct {
	Requests bool // it asks for something to be done, in a form that says so
	Bare     bool // it only names something, as at a counter: enough to ask back
	Asks     bool // it ends with a question mark
	Forbids  bool // it tells, denies, supposes or asks about it: nothing is done for that
}

// idle says whether a message in this form asks for no deed, whatever it is about.
func (f Form) idle() bool { return !f.Requests && (f.Forbids || f.Asks && !f.Bare) }

// verbs begin a request. The verbs of an action's own description do too.
var verbs = words(`accept add arm arrange ask attack back bake bandage beat block blow book break brew bring build burn
	buy call cancel carry catch change charge check chuck clean clear close come cook count cover cross cure cut cycle
	deal defend deliver dig do draw drive drop enter escort excuse extend feed fetch fight file fill find fire fix fly
	follow forge free get give go grab grant guard guide hand have heal help hide hit hold issue join keep kill kit knock
	lead leave lend lift light load lock look lower make mark meet mend mind mix move name note offer open order pack
	paint pass patch pay pick play point pop post pour pray prepare print promise protect pull pump put raise read record
	refuel release relay remove rent repair report rescue return ring row run saddle sail scratch sell send serve set
	settle sew sharpen ship shoot show shut sign sing slip sort spare spot stand start stick stitch stop summon swap
	swing take teach tell throw tie top toss trade train treat try turn unlock vent wait wake walk warn wash watch
	whisper wire work wrap write`)

var (
	asksFor = anyOf(`(please|kindly|gimme|lemme|cheers)`,
		`(could|can|would|will|won't|couldn't|can't|wouldn't) (you|somebody|someone)`,
		`(may|might|can|could|shall|mightn't|couldn't) (i|we|he|she|it|this|that|his|her)`,
		`any chance`, `(i'd|we'd|i would|we would|i should) (very much |dearly )?(like|love|rather|have|take|be glad)`,
		`(i'll|we'll|i will|we will) (take|have|buy|need)`, `(i|we) (want|need|require|wish|beg|ask)`,
		`you (wouldn't )?(have|got|'ve got|have got) (a|an|any|another|some|something)`,
		`here (is|are) \S+ \S+ for`, `(would|could|might|will) (\S+ ){1,2}(suit|do|be possible|be all right)`,
		`have you (any|a|an|anything|something|drops)`, `got (a|an|any|anything|something)`, `let me`, `if you please`,
		`would you mind`, `mind if i`, `how about`, `what about`, `see to (it|that)`, `i'm here for`, `i've come for`,
		`(needs?|ought|should|must) to (know|be|have|hear)`, `(should|ought to) (know|hear|have|be)`, `need`)
	// what the player would do or might need: enough to ask back
	hints = anyOf(`(i'd|we'd|i'll|we'll)`, `(i|we) (would|should|will)`)
	// the player gives, and does not ask
	gives = anyOf(`(i'll|i will|i can|i could|can i|may i|let me|i'd|i want to|i would|i'd like to|i'd love to)( \S+)?` +
		` (give|bring|show|lend|hand|get|find|buy|fetch|carry|return) (you|it back|this back|that back)`)
	tells = anyOf(`(ever|used to|yesterday|ago|years?|reckoned|regretted)`,
		`last (year|week|night|time|spring|summer|autumn|winter|month|market)`,
		`last (monday|tuesday|wednesday|thursday|friday|saturday|sunday)`,
		`(says|said|told me|tells me|wanted|heard) (that )?(you|your|he|she|they|the)`, `(when|while) (i|we) was`,
		`as a rule`, `generally`, `usually`, `in general`, `roughly`, `i suppose`, `i wonder`)
	denies = anyOf(`(don't|do not|never|won't|no need|nothing|hands off|leave it|leave that|let it be|not|isn't|neither)`,
		`(nor|without|instead of|so i won't|i won't|stay away|keep away|rather not|stopped|enough)`,
		`let (\S+ ){1,2}(sleep|be|rest|lie|stay|alone)`, `(bought|got|have|found|brought) my own`)
	refuses = regexp.MustCompile(`^ (no|nope|nah|keep) `)
	denied  = anyOf(`(not asking|don't mind|do not mind|don't let|not to the|won't you|no matter|not mind)`)
	// words are asked for, and no deed
	inquires = anyOf(`(tell|ask|know|hear|learn|explain|describe|remember|remind|say|see|show|wonder|guess)`+
		`( me| us| you)? (about|where|who|whose|what|why|how|when|if|whether|which)`,
		`(may|can|could) i (ask|see|look)( \S+)*`)
	supposes = anyOf(`if (i|we|he|she|they|it|the|a|an|my|somebody|someone)('\S+)?`, `unless`, `were to`, `suppose`)
	wonders  = regexp.MustCompile(`^ (so |and |but |well |hey |hi |oh )*(what|what's|who|who's|where|where's|when|why` +
		`|how|which|whose|did|does|do|is|are|was|were|has|isn't|aren't|didn't|don't) `)
	orders = regexp.MustCompile(`^ (how about|what about|why not|why don't you|do me|do the|do it|do us|where do i sign` +
		`|is there any chance|when (can|could|will|may)|(what|how) (can|could) i) `)
)

// anyOf matches any of several phrases as whole words.
func anyOf(phrases ...string) *regexp.Regexp {
	return regexp.MustCompile(" (?:" + strings.Join(phrases, "|") + ") ")
}

// formOf reads how a message is put: sentence by sentence, for a tale may go before a
// request.
func formOf(a Asked, specs []schema.ActionSpec) Form {
	own := map[string]bool{}
	for _, s := range specs {
		for _, d := range []string{s.Description, spaced(s.Name)} {
			if w := text.Words(d); len(w) > 0 {
				own[w[0]] = true
			}
		}
	}
	var out Form
	about := stemsOf(aboutAll(specs)...)
	clauses := clausesOf(a.Message)
	for _, c := range clauses {
		asked := asksFor.MatchString(c) || orderly(c, own)
		wonder := wonders.MatchString(c) && !orders.MatchString(c)
		out.Requests = out.Requests || asked && !wonder
		out.Bare = out.Bare || hints.MatchString(c)
		out.Forbids = out.Forbids || gives.MatchString(c) && !strings.Contains(c, " for ")
		near := len(clauses) == 1 || shares(c, about)
		refused := (denies.MatchString(c) || refuses.MatchString(c)) && !denied.MatchString(c)
		out.Forbids = out.Forbids || wonder && !asked || inquires.MatchString(c) ||
			near && (tells.MatchString(c) || supposes.MatchString(c)) || (near || asked) && refused
	}
	out.Asks = strings.HasSuffix(strings.TrimSpace(a.Message), "?")
	out.Bare = !out.Requests && !out.Forbids && (out.Bare || bare(a.Message))
	answers := a.ByNPC && strings.HasSuffix(strings.TrimSpace(a.Before), "?")
	out.Requests = out.Requests || answers && len(strings.Fields(a.Message)) <= answerWords
	return out
}

// bare says whether a message is a few words that name what is wanted, as at a counter.
func bare(message string) bool {
	w := strings.Fields(spoken(message))
	if len(w) == 0 || len(w) > bareWords || begins[w[0]] {
		return false
	}
	return !slices.ContainsFunc(w, func(s string) bool {
		return stated[s] || strings.HasSuffix(s, "ed") && s != "need" && s != "bed"
	})
}

const bareWords = 7

var begins = words(`i i'm i've my the we he she they it it's there you your this that those these his her our their a an
	some nice good great what who where when why how which thanks somebody someone everybody everyone nobody`)

// stated are verbs that state something.
var stated = words(`is are was were isn't has had looks look smells feels makes made told said ran bit works knows spat
	stole broke fell went came saw lost found left won't`)

func aboutAll(specs []schema.ActionSpec) []string {
	var out []string
	for _, s := range specs {
		out = append(out, s.Name, s.Description)
		for _, p := range parametersOf(s) {
			for _, v := range p.values {
				out = append(out, called(s, v)...)
			}
		}
	}
	return out
}

func shares(clause string, stems map[string]bool) bool {
	for _, w := range text.ContentWords(clause) {
		if stems[w] {
			return true
		}
	}
	return false
}

// answerWords is how long an answer to the NPC's own question may be.
const answerWords = 12

// clause ends a part of a message that stands for itself.
var clause = regexp.MustCompile(`[.!?;:]+\s*|,\s+(?:so |then |and |but )?|\s+(?:-|–|—)\s+|\.\.+`)

func clausesOf(message string) []string {
	var out []string
	at := 0
	add := func(part string) {
		if s := spoken(part); strings.TrimSpace(s) != "" {
			out = append(out, s)
		}
	}
	for _, m := range clause.FindAllStringIndex(message, -1) {
		add(message[at:m[0]])
		at = m[1]
	}
	add(message[at:])
	return out
}

// orderly says whether a clause begins with a verb that orders something.
func orderly(c string, own map[string]bool) bool {
	for _, w := range strings.Fields(c) {
		if lead[w] {
			continue
		}
		return verbs[w] || own[w]
	}
	return false
}

var lead = words(`please just now then well so and but ok okay hey hi sir chief doc doctor friend go on come right good
	be an angel do quick quickly`)

func words(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}
