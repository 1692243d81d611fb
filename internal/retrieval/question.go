package retrieval

import (
	"regexp"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// kind is what sort of answer a question expects.
type kind int

const (
	kindOther kind = iota
	kindTopic      // "tell me about X", "who is X"
	kindWho
	kindWhere
	kindWhen
	kindCount // how many, how much, how long
	kindWhy
	kindHow
	kindWhat
	kindWhich
	kindYesNo
)

// question is a message as search sees it.
type question struct {
	words  []word
	terms  []queryTerm
	kind   kind
	topic  []word // of a kindTopic, all of its words
	you    bool   // it is about the NPC itself
	phrase string // folded topic
}

// queryTerm is a distinct word of content.
type queryTerm struct {
	stem    string
	word    string
	id      int32 // -1 where the index does not hold it
	count   int
	focus   bool // the noun asked for
	late    bool // from the conversation before, not from the message
	capital bool // written with one inside a sentence
}

// topicLead are the ways of asking for all there is about something.
var topicLead = regexp.MustCompile(`(?i)^\W*(?:(?:so|and|but|ok|okay|well|hey|please|then)\W+)*(?:` +
	`(?:can|could|would|will) you (?:please )?tell me (?:more |something |a bit |everything )?about|` +
	`what (?:can|could) you tell me (?:about|of)|` +
	`(?:please )?tell me (?:more |something |a bit |everything )?(?:about|of)|` +
	`(?:what|anything|everything) (?:do|did|have) you (?:know|heard?|think) (?:about|of)|` +
	`(?:do|did|have) you (?:know|heard?) (?:anything |something |much )?(?:about|of)|` +
	`what do you mean (?:by|with)|` +
	`(?:talk|speak) (?:to me )?(?:about|of)|` +
	`(?:describe|explain)|` +
	`(?:who|what)(?: is|'s|s| are| was| were)` +
	`)\s+(.+?)\W*$`)

// maxTopicWords is how long a topic may be before it is a question of its own.
const maxTopicWords = 4

func parseQuestion(message string) question {
	q := question{words: plainly(wordsOf(message))}
	q.kind = kindOf(q.words)
	if m := topicLead.FindStringSubmatch(spell(message)); m != nil {
		all := wordsOf(m[1])
		topic := trimArticles(all)
		if len(topic) > 0 && len(topic) <= maxTopicWords && !hasVerbLike(topic) {
			q.kind, q.topic = kindTopic, topic
			q.phrase = joinWords(topic)
			q.you = ofYou(all)
		}
	}
	if len(q.words) == 2 && (q.words[0].text == "what" || q.words[0].text == "which") && !text.IsStop(q.words[1].text) &&
		!filler[q.words[1].text] {
		q.kind, q.topic, q.phrase = kindTopic, q.words[1:], q.words[1].text // "What bandits?"
	}
	if q.kind != kindTopic {
		q.you = ofYou(q.words)
	}
	q.collect()
	return q
}

// ofYou says whether words speak of whoever is asked: not where "do you know" or
// "can you tell me" is only the way of asking.
func ofYou(ws []word) bool {
	if len(ws) > 1 && subjectless[ws[0].text] {
		return true // "got any brothers?", "ever been to the coast?"
	}
	for i, w := range ws {
		switch w.text {
		case "your", "yours", "yourself":
			return true
		case "you":
			if i == 0 || i+1 == len(ws) || !auxiliary[ws[i-1].text] || !merelyAsks[ws[i+1].text] {
				return true
			}
		}
	}
	return false
}

// subjectless are words that open a question which leaves out "have you".
var subjectless = setOf(`got ever been`)

// merelyAsks are the verbs with which "do you" only opens a question.
var merelyAsks = setOf(`know tell heard hear mean suppose reckon guess happen explain describe`)

// spell writes a message with its short forms in full and keeps the rest.
func spell(message string) string {
	var b strings.Builder
	end := 0
	for _, span := range text.WordSpans(message) {
		b.WriteString(message[end:span.Start])
		end = span.End
		w := message[span.Start:span.End]
		if full, ok := spelledOut[strings.ToLower(w)]; ok {
			w = strings.Join(full, " ")
		}
		b.WriteString(w)
	}
	b.WriteString(message[end:])
	return b.String()
}

func trimArticles(ws []word) []word {
	for len(ws) > 1 {
		switch ws[0].text {
		case "the", "a", "an", "this", "that", "these", "those", "some", "any", "your", "my":
			ws = ws[1:]
			continue
		}
		break
	}
	return ws
}

func joinWords(ws []word) string {
	parts := make([]string, len(ws))
	for i, w := range ws {
		parts[i] = w.text
	}
	return strings.Join(parts, " ")
}

// hasVerbLike says whether what follows "what is" goes on as a sentence.
func hasVerbLike(ws []word) bool {
	for i, w := range ws {
		if i == 0 && len(ws) == 1 {
			return false
		}
		switch w.text {
		case "you", "i", "he", "she", "they", "we", "it", "to", "in", "on", "for", "doing", "going", "with", "at", "from",
			"there", "here", "and", "or":
			return true
		}
	}
	return false
}

func kindOf(ws []word) kind {
	for i, w := range ws {
		next := ""
		if i+1 < len(ws) {
			next = ws[i+1].text
		}
		switch w.text {
		case "who", "whom", "whose":
			return kindWho
		case "where":
			return kindWhere
		case "when":
			if i == 0 || next == "is" || next == "did" || next == "do" || next == "does" || next == "was" || next == "will" {
				return kindWhen
			}
		case "why":
			return kindWhy
		case "how":
			switch next {
			case "many", "much", "long", "far", "old", "often", "big", "tall", "large", "deep":
				return kindCount
			case "come":
				return kindWhy
			}
			return kindHow
		case "which":
			return kindWhich
		case "what":
			switch next {
			case "time", "hour", "day", "year":
				return kindWhen
			}
			return kindWhat
		}
	}
	if len(ws) > 0 && auxiliary[ws[0].text] {
		return kindYesNo
	}
	return kindOther
}

var auxiliary = setOf(`is are was were do does did can could will would shall should may might has have had am any`)

func setOf(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}

// collect takes the distinct content words. A topic of stop words alone keeps
// them: somebody may ask about "who".
func (q *question) collect() {
	from := q.words
	keepStops := false
	if q.kind == kindTopic {
		from = q.topic
		keepStops = true
		for _, w := range from {
			if !text.IsStop(w.text) {
				keepStops = false
			}
		}
	}
	q.takeTerms(from, keepStops, false)
	q.markFocus()
}

func (q *question) takeTerms(from []word, keepStops, late bool) {
	for _, w := range from {
		if text.IsStop(w.text) && !keepStops || w.stem == "" {
			continue
		}
		known := false
		for i := range q.terms {
			if q.terms[i].stem == w.stem {
				q.terms[i].count++
				known = true
			}
		}
		if !known {
			q.terms = append(q.terms, queryTerm{stem: w.stem, word: w.text, id: -1, count: 1, late: late, capital: w.capital &&
				!w.first})
		}
	}
}

// markFocus marks the noun asked for: the first content word after "which",
// "what", "whose" or "how many".
func (q *question) markFocus() {
	asked := false
	for _, w := range q.words {
		switch w.text {
		case "which", "what", "whose", "many", "much":
			asked = true
			continue
		}
		if !asked || text.IsStop(w.text) {
			if asked && auxiliary[w.text] {
				return
			}
			continue
		}
		for i := range q.terms {
			if q.terms[i].stem == w.stem {
				q.terms[i].focus = true
			}
		}
		return
	}
}
