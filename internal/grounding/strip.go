package grounding

import (
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// stripOverlap is the share of a claim's words by which it is found in a sentence.
const stripOverlap = 0.5

// Strip takes out the sentences that hold a disputed claim. A sentence that leaned
// on one that went is mended by dropping its leading connective, or goes too where
// a pronoun of it would hang in the air. An authored line is never taken for a
// claim by its likeness. What is kept is a text of its own and is to be reviewed
// again.
func Strip(sentences []schema.DraftSentence, issues []schema.Issue) (kept []schema.DraftSentence, stripped []schema.Stripped) {
	why := make([]*schema.Issue, len(sentences))
	for k := range issues {
		for _, i := range holders(sentences, &issues[k]) {
			if why[i] == nil {
				why[i] = &issues[k]
			}
		}
	}
	gone := false // the sentence before was taken out
	for i, s := range sentences {
		if why[i] != nil {
			stripped = append(stripped, schema.Stripped{Text: s.Text, Issue: *why[i]})
			gone = true
			continue
		}
		if gone && !s.Authored {
			mended, ok := StandAlone(s.Text)
			if !ok {
				stripped = append(stripped, schema.Stripped{Text: s.Text, Issue: schema.Issue{Claim: s.Text, Type: schema.IssueNotEntailed,
					Correction: "it leaned on a sentence that was taken out"}})
				continue
			}
			s.Text = mended
		}
		gone = false
		kept = append(kept, s)
	}
	return kept, stripped
}

// holders are the sentences that hold an issue's claim: those that hold it word
// for word, else those that share at least half of its words.
func holders(sentences []schema.DraftSentence, issue *schema.Issue) []int {
	var exact, alike []int
	claim := text.Fold(issue.Claim)
	if claim == "" {
		return nil
	}
	for i := range sentences {
		said := text.Fold(sentences[i].Text)
		switch {
		case said == claim || strings.Contains(" "+said+" ", " "+claim+" "):
			exact = append(exact, i)
		case !sentences[i].Authored && tokenOverlap(issue.Claim, sentences[i].Text) >= stripOverlap:
			alike = append(alike, i)
		}
	}
	if len(exact) > 0 {
		return exact
	}
	return alike
}

// tokenOverlap is the share of the claim's words that the sentence holds: content
// words, or all words where it has none.
func tokenOverlap(claim, sentence string) float64 {
	want, have := text.ContentWords(claim), text.Stems(sentence)
	if len(want) == 0 {
		want = text.Stems(claim)
	}
	if len(want) == 0 {
		return 0
	}
	n := 0
	for _, w := range want {
		if slices.Contains(have, w) {
			n++
		}
	}
	return float64(n) / float64(len(want))
}

var connectives = set(`but also however so then and therefore still besides moreover instead otherwise yet too thus hence furthermore
	additionally meanwhile anyway or nor plus`)

// StandAlone is a sentence as it may stand where the one before it was taken out:
// without its leading connective. It fails where what is left still points back.
func StandAlone(s string) (string, bool) {
	for {
		spans := text.WordSpans(s)
		if len(spans) == 0 || !connectives[strings.ToLower(s[spans[0].Start:spans[0].End])] || len(spans) < 3 {
			break
		}
		s = s[spans[1].Start:]
	}
	if pointsBack(s) {
		return "", false
	}
	return capital(s), true
}

var backward = set(`he she it they him her them his its their hers theirs himself herself itself themselves this that these those
	such both neither either another others one same former latter`)

// pointsBack says whether a pronoun of the sentence has nothing before it to
// stand for.
func pointsBack(s string) bool {
	words := text.Words(text.Plain(s))
	if len(words) == 0 {
		return true
	}
	first := strings.TrimSuffix(words[0], "'s")
	if first == "there" {
		return len(words) < 2 || !auxiliaries[words[1]] && words[1] != "is"
	}
	if first == "it" && expletive(words, 0) {
		return false
	}
	return backward[first] || leaningPronoun(s) != ""
}

func capital(s string) string {
	for i, r := range s {
		if i == 0 {
			return strings.ToUpper(string(r)) + s[len(string(r)):]
		}
	}
	return s
}
