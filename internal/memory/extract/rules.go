package extract

import (
	"regexp"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// rule turns a clause of one form into a memory. pattern is matched against the
// clause's verb by its base form and what follows, in lower case; its last group
// is the object.
type rule struct {
	pred    string
	pattern *regexp.Regexp
	when    mood
	confid  float64
	about   subjects
	denies  string // the predicate where the clause is negated; "": the object is denied; "-": the clause says nothing
	kind    schema.MemoryKind
	tags    []string
	not     *regexp.Regexp // objects of which nothing is remembered
}

// mood is the time in which a rule's clause may stand.
type mood int

const (
	present mood = 1 << iota
	past
	progressive
	future
	able
	whenever = present | past | progressive
	stands   = present | progressive
)

// subjects are whom a rule may speak of.
type subjects int

const (
	anyone  subjects = iota
	self             // the player alone
	persons          // not things
)

func r(pred, pattern string, when mood, opts ...func(*rule)) rule {
	out := rule{pred: pred, pattern: regexp.MustCompile(`^` + pattern + `$`), when: when, confid: 0.9, about: persons}
	for _, o := range opts {
		o(&out)
	}
	return out
}

func sure(c float64) func(*rule)         { return func(r *rule) { r.confid = c } }
func of(s subjects) func(*rule)          { return func(r *rule) { r.about = s } }
func denied(pred string) func(*rule)     { return func(r *rule) { r.denies = pred } }
func as(k schema.MemoryKind) func(*rule) { return func(r *rule) { r.kind = k } }
func tag(t string) func(*rule)           { return func(r *rule) { r.tags = append(r.tags, t) } }
func not(p string) func(*rule) {
	return func(r *rule) { r.not = regexp.MustCompile(`^(?:` + p + `)(?: |$)`) }
}

const (
	obj     = `(.+)`
	verbObj = `((?:[a-z'-]+ ?)+.*)`
	habits  = `(?:drink|eat|smoke|gamble|dance|pray|fish|hunt|swim|sing|steal|lie|fight|ride|read|write|trade|cook` +
		`|paint|sleep|wake|rise|farm|wander|kill)`
	skills = `(?:swim|read|write|sing|ride|fight|cook|hunt|fish|sail|forge|play|dance|climb|speak|shoot|heal|mend` +
		`|track|juggle|paint|sew|weave|pick locks|build|farm|row|brew)`
)

// number is a number in words or digits.
var number = `(?:\d{1,4}|(?:` + text.NumberWords + `)(?:[ -](?:` + text.NumberWords + `))?)`

// rules are tried in order; the first that fits is taken.
var rules = []rule{
	// Who
	r("name", `be (?:called|named|known as) `+obj, stands),
	r("age", `be (?:about |almost |nearly |only |just |over )?(`+number+`)(?: (?:years|winters|summers`+
		`|springs))?(?: (?:old|of age))?`, present),
	r("age", `turn (`+number+`)(?: (?:today|yesterday|last|this|in) ?.*)?`, whenever),
	r("birthday", `be born (?:in|on) ((?:the )?(?:spring|summer|autumn|winter|year|\d).*)`, past, of(self)),
	r("born_in", `be born (?:and (?:raised|bred) )?(?:in|at|on|near|under|aboard) `+obj, past),
	r("grew_up_in", `(?:grow up|be (?:raised|reared|brought up)) (?:in|at|on|near|by|among|aboard) `+obj, past|present),
	r("from", `(?:come|hail) (?:originally |all the way |here )?from `+obj, present),
	r("from", `be (?:originally |all the way )?(?:from|a native of) `+obj, present),
	r("title", `be (?:a|the|an) ((?:knight|captain|lord|lady|count|baron|duke|prince|princess|king|queen|sergeant`+
		`|marshal)(?: (?:of|in) .+)?)`, present),

	// Kin and company, said of the player
	r("spouse_of", `(?:be )?(?:married|wed) to `+obj, present),
	r("spouse_of", `marry `+obj, past),
	r("betrothed_to", `be (?:engaged|betrothed|promised) to `+obj, present),
	r("child_of", `be (?:the|a) (?:\w+ )?(?:son|daughter|child) of `+obj, present),
	r("parent_of", `be (?:the|a) (?:father|mother|parent) of `+obj, present),
	r("sibling_of", `be (?:the|a) (?:\w+ )?(?:brother|sister|twin) of `+obj, present),
	r("friend_of", `be (?:a |an |good |old |close |best )*(?:friends? (?:of|with)) `+obj, present),
	r("enemy_of", `be (?:a |an |the |sworn )*(?:enemy|enemies|rival|foe) (?:of|to|with) `+obj, present),
	r("apprentice_of", `be (?:an? |the )?(?:apprenticed to|apprentice (?:of|to)|pupil of) `+obj, present),
	r("parent_of", `have ((?:a|an|`+number+`) (?:\w+ )?(?:sons?|daughters?`+
		`|child|children|kids?|boys?|girls?)(?: (?:called|named) .+)?)`, present),
	r("sibling_of", `have ((?:a|an|`+number+`) (?:\w+ )?(?:brothers?`+
		`|sisters?|siblings?)(?: (?:called|named) .+)?)`, present),
	r("knows", `know ((?:bram|[a-z]+) (?:well|personally))`, present, denied("-")),
	r("loves", `be in love with `+obj, present),
	r("trusts", `trust `+obj, present, denied("distrusts"), not(`you|me|him|her|them|it|us|that|this`)),

	// Where
	r("lives_in", `(?:live|dwell|reside|have settled|settle)(?: (?:down|alone|together|here|quietly|now))* (?:in|at`+
		`|near|on|by|outside|above|below|behind|beyond|among|under|with) (.+?)(?: with (?:my|our|his|her|their) .+)?`,
		stands),
	r("lives_in", `have (?:a|my|our) (?:\w+ )?(?:house|home|farm|cottage|hut|place|cabin) (?:in|at|near|on|by|outside) `+
		obj, present),
	r("lives_in", `(?:move|settle)(?: (?:back|away|down|here|house))* (?:to|into|in|over to) (.+?)(?: with (?:my|our`+
		`|his|her|their) .+)?`, past, denied("-")),
	r("stays_at", `(?:stay|lodge|camp|sleep)(?: (?:over|out))? (?:in|at|with|near|by|under|on|outside) `+obj, progressive),
	r("stays_at", `(?:have|rent) (?:a |my )?room (?:in|at|over|above) `+obj, present),
	r("travels_to", `(?:go|head|travel|ride|sail|walk|return|leave)(?: (?:back|home|on|north|south|east|west|up|down`+
		`|over|out|off|alone))* (?:to|for|towards?) `+obj, progressive, not(`you|bed|sleep|be|see|die|lunch|dinner`)),
	r("travels_to", `be (?:bound for|on (?:my|our|the) way to|off to|headed (?:to|for)|en route to) `+obj, present),
	r("visited", `(?:be|go|travel|sail|ride|walk) to `+obj, past, as(schema.MemoryOccurrence),
		not(`bed|sleep|you|see|be`)),
	r("visited", `visit `+obj, past, as(schema.MemoryOccurrence), not(`you`)),
	r("arrived_from", `(?:arrive|return|get back|come back|come straight|come just now) (?:here )?(?:just |today `+
		`|yesterday )?from `+obj, past),
	r("is_at", `be (?:hidden|buried|locked|kept|hiding|held|waiting) (?:in|at|under|behind|near|on|inside|by) `+obj,
		present|progressive, of(anyone), sure(0.85)),
	r("is_at", `(?:hide|wait) (?:in|at|under|behind|near|on|inside|by) `+obj, progressive, of(anyone), sure(0.85)),

	// Work and belonging
	r("role", `(?:work|serve|travel) as (?:a |an |the )?`+obj, stands),
	r("works_at", `(?:work|serve|labou?r|toil)(?: (?:hard|nights|days|part time|full time))* (?:in|at|for|on|under`+
		`|aboard|down at|over at|up at|with (?:my|our|his|her|their|the|a|an)) `+obj, stands, not(`it|you|free|nothing`+
		`|that|this`)),
	r("works_at", `be (?:employed|hired) (?:at|by|in) `+obj, present),
	r("leads", `(?:lead|run|command|rule|manage|keep) ((?:the|a|an|my|our) (?:\w+ )?(?:inn|tavern|shop|stall|guild`+
		`|band|company|watch|guard|farm|mill|ship|crew|caravan|gang|order|clan|village|town|army|school|stable|stables`+
		`|bakery|forge)(?: .+)?)`, stands),
	r("studies", `study (?:at |under |with )?`+obj, stands),
	r("member_of", `be (?:a |the |an )?(?:sworn |proud |new |old |founding )?(?:member|part|one) of `+obj, present),
	r("member_of", `be (?:with|in) (the (?:\w+ )?(?:guild|watch|army|order|company|militia|navy|guard|council`+
		`|brotherhood|crew|levy).*)`, present),
	r("member_of", `(?:belong to|join) `+obj, whenever, not(`you|me|us|him|her|them`)),
	r("fought_in", `(?:fight|serve) (?:in|at|through) ((?:the |a )?(?:.*\b)?(?:war|battle|siege|rebellion|rising`+
		`|uprising|fray)\b.*)`, past),

	// Body and soul
	r("allergic_to", `be allergic to `+obj, present),
	r("condition", `be ((?:ill|sick|wounded|injured|blind|deaf|mute|lame|cursed|pregnant|poisoned|homeless|penniless`+
		`|banished|exiled|outlawed|dying|widowed|a widow|a widower|an orphan|orphaned|in debt|on the run|wanted)(?: .*)?)`,
		present, not(`sick of|blind to|deaf to|dying to|ill at`)),
	r("condition", `have ((?:the |a )?(?:fever|plague|cough|limp|curse|broken (?:arm|leg|hand|rib|ribs|nose)`+
		`|bad (?:leg|back|knee|eye|heart)|wooden leg|one (?:eye|arm|leg|hand)).*)`, present),
	r("fears", `be (?:afraid|scared|terrified|frightened|wary) of `+obj, present),
	r("fears", `(?:fear|dread) `+obj, present, not(`you|that|not|so|it`)),
	r("faith", `(?:worship|pray to|follow the (?:faith|way|teachings) of) `+obj, present),
	r("speaks", `speak ((?:fluent |some |a little |only |good |the )?(?:[a-z]+)(?: (?:tongue|language))?)`, present,
		not(`to|with|of|for|up|truly|plainly|freely|the truth|about|my|from|in`)),
	r("skilled_at", `be (?:good|skilled|handy|quick|great|excellent|the best|best|a good hand) (?:at|with) `+obj, present,
		denied("unable_to"), not(`you|me|it`)),
	r("skilled_at", `know how to `+verbObj, present, denied("unable_to")),
	r("skilled_at", `(`+skills+`(?: .+)?)`, able, denied("unable_to"), of(persons)),
	r("skilled_at", `play (the .+)`, present, denied("unable_to")),

	// Likes and dislikes
	r("likes", `be (?:fond of|keen on|mad about|partial to|(?:a )?(?:big |great |huge )?fan of) `+obj, present,
		denied("dislikes"), not(`it|that|this|them`)),
	r("likes", `(?:like|love|enjoy|adore|prefer) (?:to )?`+obj, present, denied("dislikes"), not(`it|that|this|them`+
		`|these|those|what|how|when|where|a word|him|her|your (?:style|thinking)|myself`)),
	r("dislikes", `(?:hate|dislike|detest|loathe|despise) (?:to )?`+obj, present, denied("-"), not(`it|that|this|them`+
		`|these|those|him|her|what|how|when|myself|to (?:say|ask|bother)|(?:say|ask|bother|interrupt|admit)`)),
	r("dislikes", `be (?:sick|tired|weary) of `+obj, present, denied("-"), not(`it|this|that|you|waiting`)),
	r("dislikes", `(?:stand|bear|abide|stomach) `+obj, able, sure(0.9), not(`it|this|that|him|her|them`)),
	r("avoids", `(?:give up|quit|stop) ((?:drink|smok|gambl|eat|fight|steal|hunt|ale|wine|beer|meat|drinking|smoking`+
		`|gambling).*)`, past|present, denied("-")),

	// Things, debts and deeds
	r("owes", `owe `+obj, present, of(anyone), not(`it|that|nothing to`)),
	r("seeks", `(?:look|search|hunt) for `+obj, progressive, not(`it|that|this|you|work to|a place to sit`)),
	r("seeks", `(?:seek|be after|be in search of) `+obj, present, not(`it|that|this|you`)),
	r("lost", `lose `+obj, past, as(schema.MemoryOccurrence), not(`it|that|track|count|my way|my temper|patience`+
		`|interest|my mind|him|her|them`)),
	r("found", `(?:find|discover) `+obj, past, as(schema.MemoryOccurrence), not(`it|that|out|him|her|them|this|you`+
		`|myself|nothing`)),
	r("bought", `(?:buy|purchase) `+obj, past, as(schema.MemoryOccurrence), not(`it|that|this|them|him|her|you`)),
	r("sold", `sell `+obj, past, as(schema.MemoryOccurrence), not(`it|that|this|them|him|her|you`)),
	r("stole", `(?:steal|rob) `+obj, past, as(schema.MemoryOccurrence), of(anyone), not(`it|that|this|them|him|her`)),
	r("gave", `(?:give|hand|lend|bring|pay|deliver) `+obj, past, as(schema.MemoryOccurrence), of(anyone),
		not(`it|that|this|up|my word|in`)),
	r("saw", `(?:see|watch|witness|notice|spot) `+obj, past, as(schema.MemoryOccurrence), of(anyone),
		not(`it|that|this|them|him|her|you|what|how|nothing|enough`)),
	r("killed", `(?:kill|slay|murder) `+obj, past, as(schema.MemoryOccurrence), of(anyone),
		not(`it|time|him|her|them|that`)),
	r("met", `(?:meet|run into) `+obj, past, as(schema.MemoryOccurrence), not(`you|him|her|them|it`)),
	r("died", `(?:die|pass away|perish)(?: (.+))?`, past, as(schema.MemoryOccurrence), of(anyone), denied("-")),
	r("died", `be ((?:dead|killed|murdered|slain|hanged|drowned).*)`, whenever, as(schema.MemoryOccurrence), of(anyone)),

	// Words and plans
	r("promised", `(?:(?:promise|pledge|give you my word|give my word)(?: (?:that|to))?|(?:swear|vow)(?: to`+
		`| (?:that )?(?:i|we) (?:will|shall)|(?: an| my)? (?:oath|loyalty|fealty|vengeance|revenge)(?: (?:to|on))?)) `+obj,
		whenever, as(schema.MemoryPromise), denied("-"), not(`it|so|not|you,|by|nothing|you nothing`)),
	r("promised", `((?:bring|return|pay|repay|fetch|come back|help|find|get|give|send|deliver|protect|keep|guard`+
		`|avenge|teach|build|write|make|mend|forge|look after|tell|meet|wait for) .+)`, future, as(schema.MemoryPromise),
		sure(0.7), of(self), denied("promised"), not(`it a|find out|get going|get back to it|tell you what|make do`+
			`|keep looking|get it|get some|wait for it`)),
	// "have the boat finished by June"
	r("plans_to", `(?:plan|intend|hope|aim|mean|expect|want) to (have .+ (?:done|built|made|sold|paid|bought|sewn|cut`+
		`|laid|ready|\w+ed)(?: .+)?)`, stands, denied("-"), sure(0.8)),
	r("plans_to", `(?:plan|intend|hope|aim|decide|mean|want|wish) to `+verbObj, stands|past, denied("-"), sure(0.8),
		not(`buy|know|ask|see|talk|speak|trade|sell|hear|have|be clear|say|thank|tell|offend|intrude|bother|disturb|harm`+
			`|hurt|you|go|leave|pay|ask`)),
	r("plans_to", verbObj, future, sure(0.7), of(self), denied("-"), not(`be (?:back|off|going|fine|there|right|good`+
		`|quick|brief|honest)|see|go|take|have|think|leave|try|buy|pay|wait|let|ask|say|not|do|stop|remember|never`+
		`|keep it|listen|consider|look|stay|come|manage|survive|live|tell|show|give it|get`)),
	r("heard", `(?:hear|overhear|be told)(?: (?:that|tell|about|of|say|rumou?rs (?:that|of|about)))? `+obj, whenever,
		as(schema.MemoryOccurrence), sure(0.6), denied("-"), tag(TagHeard), not(`you|it|him|her|them|that before|nothing`)),
	r("heard", `((?:say|claim|insist|swear|tell me|mention|report|whisper)(?: that)? .+)`, whenever,
		as(schema.MemoryOccurrence), sure(0.6), of(anyone), denied("-"), tag(TagHeard)),
	r("believes", `(?:think|believe|reckon|suspect|suppose|guess|be (?:sure|certain|convinced)|fancy)(?: that)? `+obj,
		present, as(schema.MemoryFact), sure(0.6), tag(TagBelief), not(`so|about|of|in|not|you|it's time|we should`+
			`|i should|i can|i will|i'll|in you|me`)),

	// What somebody is, has and does; last, since they take whatever is left
	r("role", `be (?:a|an|the) `+obj, present, not(`bit|little|lot|few|while|year|month|week|day|night|hour|fortnight`+
		`|winter|summer|long time|couple|one|same|only|fool|pity|shame|good (?:day|one|man|woman|idea|thing)|mess|sort`+
		`|kind|type|man|woman|stranger here|joke|lie|pleasure|honou?r|problem|question|reason|point|matter|way|best|worst`+
		`|first|last|next|person|friend|big|great|long|real|true|bad|nice|hungry`), sure(0.85)),
	r("role", `become (?:a|an|the) `+obj, past, sure(0.85)),
	r("has", `(?:have|own|keep|carry|possess|wear|get) ((?:a|an|the|some|my|`+number+`) .+)`, present, of(persons),
		denied(""), not(`(?:a|an|the|some|my|two|three) (?:(?:\w+ )?(?:question|questions|idea|favou?r|problem|time`+
			`|minute|moment|feeling|headache|word|chat|look|point|good (?:day|time)|reason|plan|guess|dream|lot|bit|few`+
			`|hard time|job for|task for|request|offer|deal|proposal|message|right|chance|choice|way|need|secret|doubt`+
			`|heart|nerve|day|days|hour|hours|minutes|weeks|home)|secret)|to|no idea`), sure(0.85)),
	r("avoids", `(`+habits+`(?: .+)?)`, 0, denied("avoids"), sure(0.9)), // only where denied
	r("habit", `(`+habits+`(?: .+)?)`, present, sure(0.8),
		not(`lie to|sleep on it|read you|kill|fight (?:you|for)|steal`)),
}

// trailing are words at the end of an object that do not belong to it.
var trailing = regexp.MustCompile(` (?:now|nowadays|any ?more|any longer|these days|at the moment|right now|too` +
	`|as well|also|again|of course|really|actually|then|still|already|lately|though|sir|by the way|btw|you know` +
	`|you see|lol|haha|thanks|thank you|please|however|after all|to be honest|at last|once|all (?:my|our|his|her) life` +
	`|for (?:\w+ ){0,2}(?:years?|months?|weeks?|days?|winters?|summers?|ages|a long time|good)|(?:last|next` +
	`|this) (?:night|week|year|month|winter|summer|spring|autumn|morning|evening)|yesterday|today|tonight|tomorrow` +
	`|(?:\w+ ){1,2}(?:years?|months?|weeks?|days?) ago|myself|most of all|very much|so much|a lot|well enough|remember` +
	`|eh|for now|for a while|though|originally)$`)

// stops are words at which an object ends.
var stops = text.Set(`because since when while although though but so unless until if cause cuz whereas`)

// match tries the rules on a clause.
func (f *frame) match(c *clause) (found *rule, object []token, ok bool) {
	if len(c.phrase) == 0 {
		return nil, nil, false
	}
	phrase := f.trim(c.phrase)
	joined := lowOf(phrase)
	for i := range rules {
		ru := &rules[i]
		if !ru.fits(c) {
			continue
		}
		at := ru.pattern.FindStringSubmatchIndex(joined)
		if at == nil {
			continue
		}
		object = nil
		if n := len(at); n > 2 && at[n-2] >= 0 {
			from := strings.Count(joined[:at[n-2]], " ")
			to := from + len(strings.Fields(joined[at[n-2]:at[n-1]]))
			object = phrase[from:to]
		}
		if ru.not != nil && ru.not.MatchString(lowOf(object)) {
			continue
		}
		return ru, object, true
	}
	return nil, nil, false
}

// fits says whether a clause's time, mood and subject are a rule's.
func (ru *rule) fits(c *clause) bool {
	switch {
	case ru.about == self && c.subject.kind != speaker,
		ru.about == persons && (c.subject.kind == thing || c.subject.kind == listener),
		c.subject.kind == nobody:
		return false
	case c.negated && ru.denies == "-":
		return false
	case c.modal == "can" || c.modal == "could" && c.negated:
		return ru.when&able != 0 && (ru.pred != "dislikes" || c.negated)
	case c.modal == "will" || c.modal == "shall":
		return ru.when&future != 0
	case c.modal != "":
		return false
	case ru.when == 0:
		return c.negated && !c.past && !c.perfect
	case c.ongoing && !c.past:
		return ru.when&progressive != 0
	case c.ceased && c.past: // "used to live"
		return ru.when&stands != 0
	case c.past:
		return ru.when&past != 0
	case c.perfect: // "have lived here for years", "have moved"
		return ru.when&(past|present) != 0
	}
	return ru.when&present != 0
}

// trim cuts off what follows the object.
func (f *frame) trim(ts []token) []token {
	for i, t := range ts {
		if i > 0 && (stops[t.low] || t.gap && !listGoesOn(ts, i)) {
			ts = ts[:i]
			break
		}
	}
	for {
		joined := lowOf(ts)
		cut := trailing.FindStringIndex(joined)
		if cut == nil || cut[0] == 0 {
			return ts
		}
		ts = ts[:strings.Count(joined[:cut[0]], " ")+1]
	}
}

// listGoesOn says whether behind a comma stands another thing of a list.
func listGoesOn(ts []token, i int) bool {
	switch ts[i].low {
	case "a", "an", "and", "or", "some", "two", "three":
		return i+1 < len(ts) && !ts[i+1].gap
	}
	return false
}
