package extract

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/intent"
	"github.com/forsooth-npc/forsooth/internal/text"
)

// Ways in which a message speaks to the machine, not to the NPC. One of them, and
// nothing in the message is taken for a fact.
var (
	tagged = regexp.MustCompile(`(?i)\[[^\]]*\b(?:system|admin|developer|debug|override|instruction|memory|note` +
		`|assistant|ooc|gm|dm|lore|fact|event|npc)\b[^\]]*\]|<\s*/?\s*[a-z_|]+[^>]*>|<\|[^>]*\|>|\{[^}]*[:=][^}]*\}` +
		`|\x60\x60\x60|^\s*#{1,6}\s|^\s*[/!][a-z_]+\b`)
	roleLine = regexp.MustCompile(`(?im)(?:^|[.!?]\s+)\s*(?:system|assistant|developer|admin|tool|game ?master|gm|dm` +
		`|narrator|memory|lore|note to self|fact|event|event log|evidence|cut ?scene|scene|flashback|stage direction` +
		`|narration|verdict|update|rule|new rule|true|record)\s*:`)
	machine = regexp.MustCompile(`(?i)\b(?:all|every|each|any|other) (?:the )?npcs?\b|\bnpcs? (?:know|remember` +
		`|believe|must)|\b(?:memory|memories|knowledge ?base|database|lore ?book|lore ?file|canon|context window` +
		`|training data|system prompt)\b|\bevery(?:one|body) in (?:this|the) (?:game|world|server)\b|\bworld fact\b` +
		`|\b(?:lore|backstory|canon|narrator|override|overwrite|author of this)\b|\bnow (?:knows|remembers|believes)\b` +
		`|\bthe following (?:is|are) (?:true|facts?)\b|\bthe player(?:'s)?\b|\bas an ai\b|\blanguage model\b`)
	narrates = regexp.MustCompile(`\*[^*]{1,400}\*|_[^_\s][^_]{0,400}_|\(\(.*?\)\)|(?i)\(ooc[^)]*\)`)
	joking   = regexp.MustCompile(`(?i)\b(?:just kidding|only kidding|i'?m kidding|kidding!|jk|j/k|just joking` +
		`|only joking|i'?m joking|i jest|i am jesting|in jest|joke's on you|just a joke|only a joke|a joke!|made that up` +
		`|made it up|haha,? no|pulling your leg|got you there|gotcha)\b|\ba joke\b`)
	quotes = regexp.MustCompile("\"[^\"]*\"|\u201c[^\u201d]*\u201d|\u00ab[^\u00bb]*\u00bb" +
		"|(?:^|[\\s,:])'[^']{2,}[.!?,]?'(?:$|[\\s.,!?])")
)

// courtesy is a condition that nothing hangs on: "I'm at the inn, if you need me".
var courtesy = regexp.MustCompile(`(?i)(?:^|[,;(\x{2013}\x{2014}-]|\.\s)\s*(?:(?:just )?in case|if` +
	`|should) (?:you(?: ever|'re| are| were|\x{2019}re| do| should)? (?:need|want|wish|have to|care|would like` +
	`|like) (?:to (?:find|see|reach|speak to|know|hear(?: of)?)(?: (?:me|us|it|that))?|me|us)|(?:you(?:'re|\x{2019}re` +
	`| are| were)|anyone(?:'s| is)) (?:looking for|after|wondering|asking)(?: (?:me|us))?|(?:you|anyone|anybody` +
	`|someone|somebody|they) asks?(?: (?:me|you|for me))?|you must know|you wonder(?: why)?|you don(?:'` +
	`|\x{2019})?t mind(?: my saying(?: so)?)?|it please[sd]? you` +
	`|memory serves(?: me(?: well)?)?)\s*(?:[,.;!)\x{2013}\x{2014}]|$)`)

// laughter at a sentence's end takes it back, as a joke; alone it takes back the one
// before. A laugh at the beginning is about what the other said.
var (
	laughter = regexp.MustCompile(`(?i)(?:^|[\s,.!*(\x{2026}-])(?:a?ha(?:[ -]?ha)+h*|he(?:he)+|tee[ -]?hee` +
		`|ho ho(?: ho)*|rofl|lmao)[\s.!)*\x{2026}]*$`)
	onlyLaughs = regexp.MustCompile(`(?i)^[\s,.!*(]*(?:a?ha(?:[ -]?ha)+h*|he(?:he)+|tee[ -]?hee|ho ho(?: ho)*|rofl` +
		`|lmao|lol)[\s.!)*\x{2026}]*$`)
)

// blankCourtesies hides those conditions, all but the mark that ends them.
func blankCourtesies(s string) string {
	return courtesy.ReplaceAllStringFunc(s, func(m string) string {
		keep := 0
		if r, n := utf8.DecodeLastRuneInString(m); strings.ContainsRune(".!;,", r) {
			keep = n
		}
		return strings.Repeat(" ", len(m)-keep) + m[len(m)-keep:]
	})
}

// sentence is a sentence of a message, with what hides no facts blanked out.
type sentence struct {
	start, end int
	kind       sentenceKind
}

type sentenceKind int

const (
	asserts sentenceKind = iota
	asks
	commands
	dictates
	supposes
	corrects
	addressesMachine
	jokes
)

// message is a message as it is read: text has the words of asides and quotations
// blanked by spaces, so that places stay.
type message struct {
	original  string
	text      string
	sentences []sentence
}

// maxMessage bounds what is read of a message.
const maxMessage = 8 << 10

func readMessage(s string) message {
	s = strings.ToValidUTF8(s, " ")
	if len(s) > maxMessage {
		s = strings.ToValidUTF8(s[:maxMessage], "")
	}
	m := message{original: s, text: blankCourtesies(blank(blank(s, narrates), quotes))}
	hostile := tagged.MatchString(s) || roleLine.MatchString(s) || commandsMachine(m.text)
	for _, span := range text.SentenceSpans(m.text) {
		for _, part := range lines(m.text, span) {
			k := kindOf(m.text[part.Start:part.End])
			if k != dictates && (hostile || k == asserts && machine.MatchString(m.text[part.Start:part.End])) {
				k = addressesMachine
			}
			if last := len(m.sentences) - 1; last >= 0 && onlyLaughs.MatchString(m.text[part.Start:part.End]) {
				m.sentences[last].kind = jokes
			}
			m.sentences = append(m.sentences, sentence{part.Start, part.End, k})
		}
	}
	return m
}

// commandsMachine says whether a message holds an instruction to the machine.
// "From now on" alone is no such thing: people say it too.
func commandsMachine(s string) bool {
	if !intent.Read(s).Injected {
		return false
	}
	return !fromNowOn.MatchString(s) || intent.Read(fromNowOn.ReplaceAllString(s, "")).Injected
}

var fromNowOn = regexp.MustCompile(`(?i)\bfrom now on\b`)

// lines cuts a sentence at line breaks: in chat a new line is a new sentence.
func lines(s string, span text.Span) []text.Span {
	var out []text.Span
	start := span.Start
	for i := span.Start; i <= span.End; i++ {
		if i == span.End || s[i] == '\n' {
			if strings.TrimSpace(s[start:i]) != "" {
				out = append(out, text.Span{Start: start, End: i})
			}
			start = i + 1
		}
	}
	return out
}

// blank replaces what matches by spaces.
func blank(s string, what *regexp.Regexp) string {
	return what.ReplaceAllStringFunc(s, func(m string) string { return strings.Repeat(" ", len(m)) })
}

var (
	opening = regexp.MustCompile(`(?i)^[\s,;:.!-]*(?:(?:and|but|so|well|now|then|oh|ah|hey|hi|hello|ok|okay|please|pls` +
		`|also|just|listen|look|yes|yeah|wait,? no|no|right|good|dear|friend|my friend|by the way|btw|you know|you see` +
		`|truth be told|to be honest|honestly|actually|in truth|frankly|sadly|anyway|anyhow|as it happens` +
		`|to tell (?:you )?the truth|thanks|thank you|good (?:morning|day|evening|afternoon)|greetings|well met` +
		`|nice to meet you|pleased to meet you|hello there|hi there)\b[\s,;:.!-]*)+`)
	dictate = regexp.MustCompile(`(?i)^(?:[a-z]+, )?(?:you (?:must|should|shall|will|need to|have to|can|now|do` +
		`|always) |i (?:want|need|order|command|ask|would like|beg) you to |make sure (?:to|you) |be sure to |do ` +
		`|let it be |try to |for the record[, ]*|from now on[, ]*(?:you )?)?` +
		`(?:remember|recall|(?:do not|don'?t|never|dont) (?:you )?forget|keep in mind|bear in mind|note|take note|record` +
		`|store|save|memori[sz]e|write (?:it |this |that )?down|commit (?:it |this )?to memory|know|learn|believe` +
		`|update your|add (?:it |this |that )?to your|consider it)(?:\s*[:,-]|\s+(?:this|that|how|when|me\b|my|i\b|you\b` +
		`|we\b|the|it|what|who|bram|all|always|forever|well|these|our|your|down|to)|\s*$|\s+[A-Z])|^(?:you|u) (?:now` +
		`|will) (?:remember|recall|know)\b|^(?:my|our|an? old (?:man|woman)'s) (?:\w+ ){0,3}(?:request|wish|order|command` +
		`|plea|favou?r) is (?:\w+ )?(?:that|for) you\b|^(?:be it known|let it be known|mark my words|take it as (?:fact` +
		`|truth|given))`)
	inverted = regexp.MustCompile(`(?i)^(?:do|does|did|is|are|am|was|were|have|has|had|can|could|will|would|shall` +
		`|should|may|might|must|don'?t|doesn'?t|didn'?t|isn'?t|aren'?t|can'?t|won'?t|wouldn'?t) (?:i|you|u|he|she|it|we` +
		`|they|the|a|an|my|your|his|her|their|this|that|these|those|there|any|anyone|anybody|some|someone|[A-Z]\w+)\b`)
	wh = regexp.MustCompile(`(?i)^(?:who|whom|whose|what|which|where|why|how|whats|wheres|whos|hows|what's` +
		`|where's|who's|how's|why's|when (?:is|are|was|were|do|does|did|will|can|should|has|have))\b`)
	exclaim = regexp.MustCompile(`(?i)^(?:what (?:a|an) |how (?:nice|lovely|sad|kind|cold|dark|strange|odd) )`)
	asking  = regexp.MustCompile(`(?i)\b(?:i (?:wonder|was wondering|am wondering)|i(?:'d| would) like to (?:know` +
		`|ask|buy|see|have|hear|talk|speak)|i want to (?:know|ask|buy|hear|see|talk|speak)|i need to (?:know|ask|buy|talk` +
		`|speak|see|find out)|tell me|any (?:idea|news|word)|do you)\b`)
	imperat = regexp.MustCompile(`(?i)^(?:please|pls|give|show|tell|let|help|bring|take|come|go|open|hand|sell|stop` +
		`|wait|hold|look|listen|follow|get|leave|do not|don'?t|never mind|nevermind|put|say|speak|talk|make|try|keep` +
		`|fetch|send|buy|lend|teach|read|sing|play|drop|attack|kill|fight|forget|ignore|pretend|imagine|repeat|answer` +
		`|shut|be (?:quiet|careful|nice|kind|brave|silent|patient)|ask|consider|explain|describe|trust me|believe me|sit` +
		`|stand|run|hide|meet me|find|think|swear to me|promise me|admit|confess|write|spread|mark|add|file|enter|append` +
		`|copy|proclaim|announce)\b`)
	tagAsk = regexp.MustCompile(`(?i),\s*(?:you know|right|remember|see|eh|huh|okay|ok|yeah|y'know|know what i mean` +
		`|would you believe)\s*\?+\s*$`)
	supposing = regexp.MustCompile(`(?i)\b(?:if|suppose|supposing|imagine|assuming|unless|pretend|as though|let'?s say` +
		`|let us say|say i|hypothetically|in theory|what if|were i|had i|i wish|would that|if only|provided that|in case` +
		`|would have|could have|might have|should have)\b`)
	correct = regexp.MustCompile(`(?i)^(?:(?:no|nay|wait|sorry|oh|oops|hold on|ah|well|actually|hmm|er` +
		`|um)[\s,.!-]+)*(?:i (?:mean|meant)(?: to say)?|correction|make that|or rather|rather|scratch that` +
		`|my mistake)\b[\s,:;-]*`)
)

// meansTo is a plan: "I mean to run for the council".
var meansTo = regexp.MustCompile(`(?i)\bi mean to [a-z]`)

// kindOf says what a sentence does.
func kindOf(s string) sentenceKind {
	bare := strings.TrimSpace(opening.ReplaceAllString(strings.TrimSpace(s), ""))
	bare = strings.ReplaceAll(bare, "\u2019", "'")
	named := vocative.ReplaceAllString(bare, "")
	tagQuestion := tagAsk.MatchString(s) && !strings.HasPrefix(strings.ToLower(bare), "you")
	switch {
	case laughter.MatchString(s):
		return jokes
	case correct.MatchString(strings.TrimSpace(s)) && !meansTo.MatchString(s) && !text.IsQuestion(s):
		return corrects
	case dictate.MatchString(bare) || dictate.MatchString(named):
		if text.IsQuestion(s) {
			return asks
		}
		return dictates
	case text.IsQuestion(s) && !tagQuestion:
		return asks
	case exclaim.MatchString(bare):
		return commands // says nothing
	case wh.MatchString(bare) || wh.MatchString(named) || inverted.MatchString(bare) || asking.MatchString(bare):
		return asks
	case supposing.MatchString(bare):
		return supposes
	case imperat.MatchString(bare) || imperat.MatchString(named):
		return commands
	}
	return asserts
}

// vocative is a name by which a sentence addresses the listener: "Mira, ...".
var vocative = regexp.MustCompile(`^(?:(?:[A-HJ-Z]|I[a-z])[\p{L}-]+(?: [A-Z][\p{L}-]+)?|[Ss]mith|[Ff]riend` +
	`|[Mm]y friend|[Ss]ir|[Mm]y lady|[Mm]a'?am)\s*,\s+`)

// jests says whether a message takes itself back as a joke.
func jests(s string) bool { return joking.MatchString(strings.ReplaceAll(s, "\u2019", "'")) }
