package extract

import (
	"regexp"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// fromPlayer gives the candidates of a message.
func (f *frame) fromPlayer(message string) []Candidate {
	if strings.TrimSpace(message) == "" {
		return nil
	}
	f.said, f.touched = readMessage(message), nil
	if jests(message) {
		return nil
	}
	f.spokenOf()
	var out []Candidate
	for i, s := range f.said.sentences {
		switch s.kind {
		case asserts:
			if !f.hangsOnBefore(i) {
				out = f.stated(s, out)
			}
		case asks:
			if before, ok := f.beforeQuestion(s); ok {
				out = f.stated(before, out)
			}
		case dictates:
			out = append(out, f.dictated(s))
		case corrects:
			out = f.corrected(s, out)
		case commands, supposes, addressesMachine, jokes:
		}
	}
	return f.read(out)
}

// stated adds what a sentence states. "Actually, I'm from Oakham" behind "I'm from
// Ferrytown" takes the other back.
func (f *frame) stated(s sentence, out []Candidate) []Candidate {
	behind := s
	if lead := takes(f.said.text[s.start:s.end]); withdraws.MatchString(lead) {
		behind.start += len(lead)
	}
	for _, c := range f.clauses(behind) {
		out = append(out, f.fromClause(&c)...)
	}
	return f.reversed(s, out)
}

var takesBack = regexp.MustCompile(`(?i)^[\s]*(?:(?:no|wait|oh|ah|well|hold on|sorry|hmm)[\s,.!-]+)*(?:actually|no,` +
	`|wait,|sorry,|no wait)`)

// reversed drops what an earlier sentence of the same message said of a predicate
// that has one value, where this sentence takes it back.
func (f *frame) reversed(s sentence, out []Candidate) []Candidate {
	if words := f.said.text[s.start:s.end]; !takesBack.MatchString(words) || further.MatchString(words) {
		return out
	}
	var kept []Candidate
	for i, c := range out {
		if !f.context.Predicates.Stateful(c.Pred) || !slices.ContainsFunc(out[i+1:], c.sameKey) {
			kept = append(kept, c)
		}
	}
	return kept
}

// sameKey says whether two candidates say what one thing is of one subject.
func (c Candidate) sameKey(o Candidate) bool { return c.Subject == o.Subject && c.Pred == o.Pred }

// beforeQuestion is the statement that a question follows after a comma: "I come
// from the coast, do you know it?"
func (f *frame) beforeQuestion(s sentence) (sentence, bool) {
	words := f.said.text[s.start:s.end]
	for i := len(words) - 1; i > 0; i-- {
		if words[i] != ',' && words[i] != ';' && words[i] != ':' {
			continue
		}
		rest := strings.TrimSpace(opening.ReplaceAllString(strings.TrimSpace(words[i+1:]), ""))
		rest = strings.TrimPrefix(strings.TrimPrefix(rest, "though "), "although ")
		if (wh.MatchString(rest) || inverted.MatchString(rest)) && kindOf(words[:i]) == asserts {
			return sentence{s.start, s.start + i, asserts}, true
		}
	}
	return sentence{}, false
}

// fromClause gives what one statement says: a relative's name, and what fits a
// rule; else that it was said.
func (f *frame) fromClause(c *clause) []Candidate {
	var out []Candidate
	if c.end-c.from > maxClause {
		return nil
	}
	f.touched = append(f.touched, text.Span{Start: c.from, End: c.end})
	if c.subject.kind == relative && c.subject.name != "" {
		out = append(out, f.introduced(c, c.subject.name))
	}
	if made, ok := f.special(c); ok {
		return append(out, made...)
	}
	if ru, object, ok := f.match(c); ok {
		if made, ok := f.ruled(c, ru, object); ok {
			return append(out, made)
		}
		f.touched = f.touched[:len(f.touched)-1] // it may be read from what was said before
		return out
	}
	if made, ok := f.plainlySaid(c); ok {
		return append(out, made)
	}
	f.touched = f.touched[:len(f.touched)-1] // no rule knows it
	return out
}

// who is the subject of a clause as an id, and as it stands in the content where a
// pronoun would not say whom it means.
func (f *frame) who(c *clause) (id, shown string, spans []schema.MemorySpan, ok bool) {
	own := f.spanOf(c.from, c.end)
	switch c.subject.kind {
	case speaker:
		return memory.PlayerPrefix + f.player, "", own, true
	case listener:
		return memory.NPCPrefix + f.npc, "", own, true
	case relative:
		id, _ := f.relativeID(c.subject)
		return id, "", own, true
	case named:
		return f.idOf(c.subject.name), "", own, true
	case pronoun:
		id, shown, named, ok := f.personAt(c.subject.words[0])
		return id, shown, append([]schema.MemorySpan{named}, own...), ok
	case thing:
		if len(c.subject.words) > 0 && subjectWords[c.subject.words[0].low] != nobody {
			return "", "", nil, false // "it": nobody knows what
		}
		return f.idOf(f.words(c.subject.words)), "", own, true
	case nobody:
	}
	return "", "", nil, false
}

func (f *frame) relativeID(s subject) (id, shown string) {
	if s.name != "" {
		return f.idOf(s.name), s.name
	}
	return s.kin + " of " + memory.PlayerPrefix + f.player, "their " + s.kin
}

// idOf is the id of what a name stands for, or the name folded.
func (f *frame) idOf(name string) string {
	if id, ok := f.context.Names.Resolve(name); ok {
		return id
	}
	return text.WithoutArticle(text.Fold(name))
}

// objectOf is the object of a memory: an id where it is a name that is known, the
// player or the NPC where it is "me" or "you", else the words.
func (f *frame) objectOf(words string) string {
	words = strings.TrimSpace(words)
	switch strings.ToLower(words) {
	case "me", "myself", "us":
		return memory.PlayerPrefix + f.player
	case "you", "u", "ye", "yourself":
		return memory.NPCPrefix + f.npc
	}
	if id, ok := f.context.Names.Resolve(words); ok {
		return id
	}
	return strings.Join(strings.Fields(words), " ")
}

// spanOf is the player's own words from start to end.
func (f *frame) spanOf(start, end int) []schema.MemorySpan {
	return []schema.MemorySpan{f.span(SpeakerPlayer, strings.TrimSpace(f.said.original[start:end]))}
}

// told makes a candidate of what a clause says. All that a player says is kept as
// told by the player, and grounds no more than that.
func (f *frame) told(
	c *clause, kind schema.MemoryKind, subject, pred, object, shown string, spans []schema.MemorySpan, confidence float64,
) Candidate {
	lead := ""
	if c.inherited {
		lead = "they "
		if s := c.subject; s.kind != speaker {
			lead = f.reported(s.words[0].start, s.words[len(s.words)-1].end, "", "") + " "
		}
	}
	said := f.reported(c.start, c.end, lead, shown)
	keep := c.subject.kind == named || c.subject.kind == thing && !c.inherited &&
		f.beginsWithName(f.said.original[c.start:c.end]) || c.subject.kind == pronoun && shown != ""
	out := f.candidate(kind, subject, pred, object, f.context.PlayerName+" told me that "+ended(lowerFirst(said, keep)),
		spans...)
	out.Source, out.Confidence = schema.OriginUser, confidence
	out.Claim = strings.TrimSpace(f.said.original[c.start:c.end])
	if c.inherited {
		out.Claim = f.words(c.subject.words) + " " + out.Claim
	}
	return out
}

// ruled makes the candidate of a rule that fits.
func (f *frame) ruled(c *clause, ru *rule, words []token) (Candidate, bool) {
	subject, shown, spans, ok := f.who(c)
	if !ok {
		return Candidate{}, false
	}
	pred, object := ru.pred, f.objectOf(f.words(words))
	if pred == "believes" && c.negated && c.phrase[0].low == "be" {
		return Candidate{}, false // who is not sure of a thing does not believe the contrary
	}
	if pred == "heard" && c.subject.kind != speaker { // whoever said it, the player tells of it
		subject, object = memory.PlayerPrefix+f.player, f.reported(c.start, c.end, "", shown)
	}
	if pred == "heard" && c.subject.kind == speaker && words[0].start == c.phrase[0].start {
		pred = "said" // "I swear I saw it" is nobody else's word
	}
	if pred == "died" && object == "" {
		object = "dead"
	}
	switch {
	case c.ceased && c.past && !c.negated: // "I used to live there"
		object = memory.Deny(object)
	case c.negated && ru.denies != "":
		pred = ru.denies
	case c.negated && pred != "dislikes":
		object = memory.Deny(object)
	}
	if pred == "name" && !f.soundsLikeName(object) || object == "" {
		return Candidate{}, false
	}
	if pred == "habit" && c.perfect {
		return Candidate{}, false // "I've traded my leave" was once
	}
	kind := ru.kind
	if kind == "" {
		p, _ := f.context.Predicates.Get(pred)
		kind = p.Kind
	}
	if pred == "likes" && strings.HasPrefix(object, memory.NPCPrefix) &&
		strings.Contains(strings.ToLower(f.said.original[c.start:c.end]), "love") {
		pred, kind = "loves", schema.MemoryRelation
	}
	out := f.told(c, kind, subject, pred, object, shown, spans, f.lessSure(c, ru.confid))
	out.Tags = append(out.Tags, ru.tags...)
	return out, true
}

// lessSure lowers the confidence of what hangs on a guess or a hedge.
func (f *frame) lessSure(c *clause, confidence float64) float64 {
	if c.subject.kind == pronoun {
		confidence -= 0.15
	}
	if c.subject.kind != speaker && c.subject.kind != pronoun {
		confidence -= 0.05
	}
	if hedged.MatchString(f.said.original[c.start:c.end]) {
		confidence -= 0.2
	}
	return max(confidence, 0.3)
}

var hedged = regexp.MustCompile(`(?i)\b(?:maybe|perhaps|probably|possibly|kind of|sort of|kinda|sorta|i think` +
	`|i guess|not sure)\b`)

// introduced is a relative with a name: "my brother Tom".
func (f *frame) introduced(c *clause, name string) Candidate {
	pred := kin[c.subject.kin]
	ts := c.subject.words
	player := memory.PlayerPrefix + f.player
	object := f.objectOf(name)
	if pred == "has" {
		object = c.subject.kin + " " + name
	}
	p, _ := f.context.Predicates.Get(pred)
	content := f.context.PlayerName + " told me that their " + c.subject.kin + " is called " + name + "."
	out := f.candidate(p.Kind, player, pred, object, content, f.spanOf(ts[0].start, ts[len(ts)-1].end)...)
	out.Source, out.Confidence, out.Claim = schema.OriginUser, 0.9, f.words(ts)
	return out
}

// maxClause bounds one statement, in bytes. Nobody says more in a breath.
const maxClause = 400

// maxSaid bounds what is kept of a statement that no rule knows.
const maxSaid = 240

var feelings = text.Set(`tired hungry thirsty cold hot wet bored fine well good okay ok ready back here late early
	sorry glad happy sad lost sure alone busy done right wrong grateful confused curious serious new impressed afraid
	dead lucky just so very all only in fairly pretty confident certain positive convinced`)

// plainlySaid keeps that a statement was made which no rule knows, where it tells
// of something that a person might come back to.
func (f *frame) plainlySaid(c *clause) (Candidate, bool) {
	words := f.said.original[c.start:c.end]
	if c.modal != "" || len(strings.Fields(words)) < 3 || len(words) > maxSaid || c.inherited && len(c.phrase) < 3 {
		return Candidate{}, false
	}
	if smallTalk.MatchString(strings.ToLower(strings.ReplaceAll(words, "\u2019", "'"))) || f.weight(c) < 2 {
		return Candidate{}, false
	}
	if c.phrase[0].low == "be" && c.subject.kind != named && c.subject.kind != relative &&
		(feelings[c.phrase[1].low] || c.subject.kind == speaker && len(c.phrase) < 3) {
		return Candidate{}, false
	}
	_, shown, spans, ok := f.who(c)
	if !ok {
		return Candidate{}, false
	}
	object := f.reported(c.from, c.end, "", "")
	out := f.told(c, schema.MemoryOccurrence, memory.PlayerPrefix+f.player, "said", object, shown, spans,
		f.lessSure(c, 0.7))
	return out, true
}

// weight counts the words of a clause that say something.
func (f *frame) weight(c *clause) int {
	n := 0
	for _, t := range c.phrase {
		if !text.IsStop(t.low) && !adverbs[t.low] && !feelings[t.low] {
			n++
		}
	}
	if c.subject.kind == named || c.subject.kind == relative || c.subject.kind == thing {
		n++
	}
	return n
}

var smallTalk = regexp.MustCompile(`^(?:(?:it|that|this|there|what|which)\b|(?:i|we) (?:do not|don't|did not|didn't` +
	`|never|can't|cannot) (?:know|understand|care|mind|remember|mean|want|think|see|get)\b|(?:i|we) (?:see|understand` +
	`|know|agree|apologi[sz]e|appreciate|beg|mean|want|need|wanna|guess|wonder|hope|like to|thank|ask|am (?:just|only` +
	`|here)|will|have to|had to|got to|think)\b|i'm (?:just|only|here|sorry|not sure|glad|fine|looking forward)\b` +
	`|(?:i|we) (?:must|should|need to) (?:go|be (?:going|off)|run|leave)[.!]*$` +
	`|you (?:are|'re|look|seem|sound|should|can|could|must|may|have|need|know|do|don't)\b|you're\b|the (?:weather|day` +
	`|night|sun)\b)`)
