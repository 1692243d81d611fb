package extract

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Statements whose subject says what they are of: "my name is Ansel", "my brother
// is called Tom", "my favourite ale is Bram's", "my home is in Oakham".
var (
	ownName = regexp.MustCompile(`^(?:(?:my|the) )?(?:full |real |true |given )?names? is (?:still ` +
		`|actually )?(?:called )?(.+)$`)
	callMe = regexp.MustCompile(`^(?:(?:people|folk|folks|they|everyone|everybody|friends|my friends|most people` +
		`|most) (?:just )?call (?:me|us)|(?:you (?:can|may) |just )?call me) (.+)$`)
	kinName = regexp.MustCompile(`^my (?:\w+ )??(\w+?)(?:'s)? (?:name )?is (?:called |named )(.+)$` +
		`|^my (?:\w+ )??(\w+)'s name is (.+)$`)
	kinIs     = regexp.MustCompile(`^(.+) is my (?:\w+ )??(\w+)$`)
	iAmKinOf  = regexp.MustCompile(`^i am (.+)'s (?:\w+ )?(\w+)$`)
	favourite = regexp.MustCompile(`^my (?:favou?rite|best loved) (\w+(?: \w+)?) (?:is|are|was) (.+)$`)
	homeIs    = regexp.MustCompile(`^(?:my|our) (?:home|house|farm|cottage|family home) (?:is|stands|lies) (?:in|at` +
		`|near|on|by|outside|beyond|across from) (.+)$`)
	homeOf = regexp.MustCompile(`^(.+) is (?:my|our) home$`)
	trade  = regexp.MustCompile(`^my (?:job|trade|craft|profession|work|calling) is (?:a |an |the |to be (?:a` +
		`|an) )?(.+)$`)
	birthIs  = regexp.MustCompile(`^my birthday is (?:on |in )?(.+)$`)
	owesMe   = regexp.MustCompile(`^(.+) owes? me (.+)$`)
	iAmNamed = regexp.MustCompile(`^i am ([a-z'-]+(?: [a-z'-]+)?)$`)
)

// special reads the forms that no verb rule knows.
func (f *frame) special(c *clause) ([]Candidate, bool) {
	ts := f.trim(tokens(f.said.text, c.start, c.end))
	s := lowOf(ts)
	one := func(subject, pred, object string) ([]Candidate, bool) {
		if c.negated {
			object = memory.Deny(object)
		}
		p, _ := f.context.Predicates.Get(pred)
		return []Candidate{f.told(c, p.Kind, subject, pred, object, "", f.spanOf(c.start, c.end),
			f.lessSure(&clause{subject: subject0, start: c.start, end: c.end}, 0.9))}, true
	}
	player := memory.PlayerPrefix + f.player
	s = strings.Replace(s, " is not ", " is ", 1)
	if m := ownName.FindStringSubmatch(s); m != nil {
		return f.naming(c, ts, m[1], one)
	}
	if m := callMe.FindStringSubmatch(s); m != nil {
		return f.naming(c, ts, m[1], one)
	}
	if m := kinName.FindStringSubmatch(s); m != nil {
		word, name := m[1]+m[3], m[2]+m[4]
		if pred := kin[word]; pred != "" {
			object := f.objectOf(f.asWritten(ts, name))
			if pred == "has" {
				object = word + " " + f.asWritten(ts, name)
			}
			return one(player, pred, object)
		}
	}
	if c.past || c.modal != "" {
		return nil, false
	}
	for _, form := range []struct {
		re   *regexp.Regexp
		pred string
	}{{homeIs, "lives_in"}, {homeOf, "lives_in"}, {trade, "role"}, {birthIs, "birthday"}} {
		if m := form.re.FindStringSubmatch(s); m != nil {
			return one(player, form.pred, f.objectOf(f.asWritten(ts, m[1])))
		}
	}
	if m := favourite.FindStringSubmatch(s); m != nil {
		return one(player, "favourite", m[1]+": "+f.asWritten(ts, m[2]))
	}
	if m := owesMe.FindStringSubmatch(s); m != nil && (c.subject.kind == named || c.subject.kind == relative) {
		return one(player, "is_owed", f.asWritten(ts, m[2])+" by "+f.asWritten(ts, m[1]))
	}
	return f.specialKin(c, ts, s, one)
}

// subject0 is the subject by which a special form is as sure as the player's own.
var subject0 = subject{kind: speaker}

type maker func(subject, pred, object string) ([]Candidate, bool)

// specialKin reads "Tom is my brother", "I am Tom's brother" and "I am Ansel".
func (f *frame) specialKin(c *clause, ts []token, s string, one maker) ([]Candidate, bool) {
	player := memory.PlayerPrefix + f.player
	if m := kinIs.FindStringSubmatch(s); m != nil && kin[m[2]] != "" && kin[m[2]] != "has" && c.subject.kind != thing &&
		c.subject.kind != pronoun {
		name := f.asWritten(ts, m[1])
		if c.subject.kind == listener {
			name = "you"
		}
		return one(player, kin[m[2]], f.objectOf(name))
	}
	if m := iAmKinOf.FindStringSubmatch(s); m != nil && kin[m[2]] != "" {
		pred := kin[m[2]]
		if p, ok := f.context.Predicates.Get(pred); ok && p.Inverse != "" {
			pred = p.Inverse // I am Tom's son: he is my father's kind of kin
		}
		return one(player, pred, f.objectOf(f.asWritten(ts, m[1])))
	}
	if m := iAmNamed.FindStringSubmatch(s); m != nil && c.subject.kind == speaker && !c.subject.we {
		name := f.asWritten(ts, m[1])
		if r, _ := utf8.DecodeRuneInString(name); unicode.IsUpper(r) && f.soundsLikeName(name) && !f.shouting() {
			if id, ok := f.context.Names.Resolve(name); ok && id != player {
				return nil, true // who claims to be somebody else is not believed by rule, nor is it kept as a name
			}
			return one(player, "name", name)
		}
	}
	return nil, false
}

// naming keeps the player's name.
func (f *frame) naming(c *clause, ts []token, low string, one maker) ([]Candidate, bool) {
	name := f.asWritten(ts, low)
	for _, lead := range []string{"called ", "just ", "still "} {
		name = strings.TrimPrefix(name, lead)
	}
	if !f.soundsLikeName(name) {
		return nil, true
	}
	made, ok := one(memory.PlayerPrefix+f.player, "name", name)
	if !c.negated && ok {
		made[0].Content = f.context.PlayerName + " told me that their name is " + name + "."
	}
	return made, ok
}

var noName = text.Set(`not none a an the my your of no nothing secret mine yours his her important irrelevant mud
	late early what whatever later crazy old names unknown private mister fool liar stupid`)

// soundsLikeName says whether words can be a name: three at most, and none that
// says something else.
func (f *frame) soundsLikeName(s string) bool {
	ws := strings.Fields(strings.ToLower(s))
	if len(ws) == 0 || len(ws) > 4 || len(s) > 48 {
		return false
	}
	for i, w := range ws {
		if noName[w] && !(i > 0 && (w == "the" || w == "of")) || notNames[w] && w != "the" && w != "of" || i == 0 &&
			(auxiliaries[w] || adverbs[w] || feelings[w]) {
			return false
		}
	}
	return true
}

// shouting says whether a message has no lower-case letters, so that capitals
// mean nothing.
func (f *frame) shouting() bool { return f.said.text == strings.ToUpper(f.said.text) }

// asWritten finds lower-case words of a clause as the player wrote them.
func (f *frame) asWritten(ts []token, low string) string {
	want := strings.Fields(low)
	for i := 0; i+len(want) <= len(ts); i++ {
		if strings.TrimSuffix(lowOf(ts[i:i+len(want)]), "'s") == low {
			return text.Bare(f.words(ts[i : i+len(want)]))
		}
	}
	return low
}

// dictated is a message that asks to be remembered: kept as just that.
func (f *frame) dictated(s sentence) Candidate {
	words := strings.TrimSpace(f.said.original[s.start:s.end])
	if len(words) > maxSaid {
		words = strings.ToValidUTF8(words[:maxSaid], "")
	}
	player := memory.PlayerPrefix + f.player
	out := f.candidate(schema.MemoryOccurrence, player, "asked_to_remember", tidy(words),
		f.context.PlayerName+" asked me to remember something: \""+strings.ReplaceAll(tidy(words), "\"", "'")+"\".",
		f.span(SpeakerPlayer, words))
	out.Source, out.Confidence, out.Claim = schema.OriginUser, 0.5, words
	out.Tags = []string{TagDictated}
	return out
}

// corrected is a statement by which the player puts right another: what it says anew is
// dropped. Fewer words than a statement are for putRight and mendedBefore.
func (f *frame) corrected(s sentence, out []Candidate) []Candidate {
	words := f.said.text[s.start:s.end]
	cut := len(words) - len(strings.TrimLeft(words, " \n"))
	cut += len(correct.FindString(strings.TrimSpace(words)))
	rest := sentence{s.start + cut, s.end, asserts}
	before, inMessage := f.statementBefore(s)
	if made := f.stated(rest, nil); len(made) > 0 {
		if _, anew := f.saidAnew(mended{was: before, by: f.opened(rest)}, true); inMessage && !anew {
			return append(out, made...) // "I mean, he stole my horse" explains
		}
		out = slices.DeleteFunc(out, func(c Candidate) bool { return slices.ContainsFunc(made, c.sameKey) })
		return append(out, marked(made)...)
	}
	return out
}

// statementBefore is the statement before a sentence of the message.
func (f *frame) statementBefore(s sentence) (sentence, bool) {
	for i := 1; i < len(f.said.sentences); i++ {
		if f.said.sentences[i].start == s.start {
			return f.said.sentences[i-1], f.said.sentences[i-1].kind == asserts
		}
	}
	return sentence{}, false
}

// opened is a stretch without the words that only open it.
func (f *frame) opened(s sentence) sentence {
	if ts := f.afterOpening(tokens(f.said.text, s.start, s.end)); len(ts) > 0 {
		s.start = ts[0].start
	}
	return s
}

func marked(made []Candidate) []Candidate {
	for i := range made {
		made[i].Tags = append(made[i].Tags, TagCorrection)
	}
	return made
}

// swap puts new words in the place where old ones stand last, with no article
// twice.
func swap(s, old, by string) (string, bool) {
	i := strings.LastIndex(strings.ToLower(s), strings.ToLower(old))
	if i < 0 || old == "" {
		return s, false
	}
	before := s[:i]
	if by != text.WithoutArticle(by) {
		for _, a := range []string{"the ", "a ", "an "} {
			before = strings.TrimSuffix(before, a)
		}
	}
	return before + by + s[i+len(old):], true
}

// shownObject is an object as it stands in the words, where an id took its place.
func (f *frame) shownObject(c Candidate, object string) string {
	shown := ""
	for alias, id := range f.context.Names.ids {
		if id == object && len(alias) > len(shown) && strings.Contains(strings.ToLower(c.Claim), alias) {
			shown = alias
		}
	}
	if shown == "" {
		return object
	}
	return shown
}
