package extract

import (
	"cmp"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// reported are the words of a player as the NPC tells of them: "I come from the
// coast" becomes "they come from the coast", and "you" becomes "me". Quotations
// keep their own person. antecedent, where given, stands for a leading "he".
func (f *frame) reported(start, end int, lead, antecedent string) string {
	var b strings.Builder
	b.WriteString(lead)
	at := start
	ts := tokens(f.said.text, start, end)
	for i := 0; i < len(ts); i++ {
		t := ts[i]
		whole := i // the last token of the same word
		for whole+1 < len(ts) && ts[whole+1].start == t.start {
			whole++
		}
		form := f.thirdPerson(ts, i)
		if i == 0 && antecedent != "" {
			form = antecedent
			if whole > i { // "he's"
				form += " " + lowOf(ts[i+1:whole+1])
			}
		}
		if form == "" {
			i = whole
			continue
		}
		b.WriteString(f.said.original[at:t.start])
		b.WriteString(form)
		at = t.end
		i = whole
		if next := i + 1; next < len(ts) && agreeing[[2]string{t.low, ts[next].low}] != "" {
			b.WriteString(f.said.original[at:ts[next].start])
			b.WriteString(agreeing[[2]string{t.low, ts[next].low}])
			at = ts[next].end
			if i = next; i+1 < len(ts) && ts[i+1].start == ts[i].start && ts[i+1].low == "not" { // "wasn't"
				b.WriteString(" not")
				i++
			}
		}
	}
	b.WriteString(f.said.original[at:end])
	return tidy(closing.ReplaceAllString(tidy(b.String()), ""))
}

// closing is what a statement ends with that is no part of it.
var closing = regexp.MustCompile(`(?i),\s*(?:smith|sir|friend|my friend|mate|my lady|ma'am|by the way|btw|you know` +
	`|you see|lol|haha|thanks|thank (?:you|me)|please|though|of course|remember|eh|to be honest)$|,\s*(?-i:[A-Z][a-z]+)$`)

// thirdPerson is the form of a word in reported speech, or "" where it stays.
func (f *frame) thirdPerson(ts []token, i int) string {
	low := ts[i].low
	if i+1 < len(ts) && ts[i+1].start == ts[i].start { // "I'm", "you've"
		if form := contractedForms[low]; form != "" {
			return form + " " + cmp.Or(agreeing[[2]string{low, ts[i+1].low}], ts[i+1].low)
		}
		return ""
	}
	if objectForms[low] == "" || f.isSubject(ts, i) {
		return subjectForms[low]
	}
	return objectForms[low]
}

var (
	contractedForms = map[string]string{"i": "they", "we": "they", "you": "I"}
	subjectForms    = map[string]string{"i": "they", "we": "they", "me": "them", "us": "them", "my": "their",
		"our": "their", "mine": "theirs", "ours": "theirs", "myself": "themself", "ourselves": "themself", "you": "I",
		"u": "I", "ya": "I", "thee": "I", "thou": "I", "your": "my", "ur": "my", "thy": "my", "yours": "mine",
		"yourself": "myself"}
	objectForms = map[string]string{"you": "me", "u": "me", "ya": "me", "thee": "me", "thou": "me"}
	// agreeing is the verb that changes with its subject: "I am", "I was", "you are".
	agreeing = map[[2]string]string{{"i", "am"}: "are", {"i", "was"}: "were", {"you", "are"}: "am", {"you", "were"}: "was"}
)

// isSubject says whether a "you" does something: it begins the clause, or a verb
// follows it and none stands right before it.
func (f *frame) isSubject(ts []token, i int) bool {
	if i == 0 || ts[i].gap || conjunctions[ts[i-1].low] {
		return verbish(ts, i+1)
	}
	before := ts[i-1].low
	if lemma[before] != "" && !verbOfReport[lemma[before]] || prepositions[before] {
		return false
	}
	return verbish(ts, i+1)
}

var prepositions = text.Set(text.Prepositions + `to than among`)

// tidy closes up white space and leaves no end mark.
func tidy(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	return strings.TrimRight(s, " .!?,;:-\u2013\u2014\u2026")
}

// lowerFirst lets a clause follow "that", unless it begins with a name.
func lowerFirst(s string, keeps bool) string {
	r, n := utf8.DecodeRuneInString(s)
	if keeps || n == 0 || !unicode.IsUpper(r) || s == "I" || strings.HasPrefix(s, "I ") || strings.HasPrefix(s, "I'") {
		return s
	}
	return string(unicode.ToLower(r)) + s[n:]
}

// ended closes a sentence, unless a quotation at its end has done so.
func ended(s string) string {
	for _, q := range []string{".\"", "!\"", "?\"", ".\u201d", "!\u201d", "?\u201d"} {
		if strings.HasSuffix(s, q) {
			return s
		}
	}
	return s + "."
}
