package voice

import (
	"strings"
	"unicode"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// Dress puts an opener before a sentence. Behind one that does not end a sentence
// the first word is lower case, unless it is a name, "I" or an acronym. Where
// neither the word nor the texts, in which it may stand elsewhere, tell whether it
// is a name, the two do not go together.
func Dress(opener, sentence string, texts []string) (string, bool) {
	opener = strings.TrimSpace(opener)
	if opener == "" {
		return sentence, true
	}
	if strings.HasSuffix(opener, "…") || strings.ContainsAny(opener[len(opener)-1:], ".!?") {
		return opener + " " + sentence, true
	}
	spans := text.WordSpans(sentence)
	if len(spans) == 0 || spans[0].Start != 0 {
		return "", false
	}
	word := sentence[:spans[0].End]
	switch caseOf(word, sentence, spans, texts) {
	case ordinary:
		return opener + " " + strings.ToLower(word) + sentence[len(word):], true
	case proper:
		return opener + " " + sentence, true
	}
	return "", false
}

// casing is what the capital of a sentence's first word hides.
type casing int

const (
	untold casing = iota
	ordinary
	proper
)

func caseOf(word, sentence string, spans []text.Span, texts []string) casing {
	low := strings.ToLower(word)
	switch {
	case low == "i", strings.HasPrefix(low, "i'"), strings.HasPrefix(low, "i’"):
		return proper
	case strings.ContainsFunc(word[len(string(first(word))):], unicode.IsUpper):
		return proper // an acronym, or a name with a capital inside
	case !unicode.IsUpper(first(word)):
		return proper // it stands as it is
	case lowerable[low]:
		return ordinary
	case len(spans) > 1 && spans[1].Start == spans[0].End+1 && unicode.IsUpper(first(sentence[spans[1].Start:])) &&
		sentence[spans[1].Start:spans[1].End] != "I":
		return proper // the first of two
	}
	return seenAs(word, append([]string{sentence}, texts...))
}

// seenAs is how a word stands elsewhere, where its case tells something. A word
// that stands both ways is not told.
func seenAs(word string, texts []string) casing {
	bare := text.Bare(word)
	low := strings.ToLower(bare)
	var small, great bool
	for _, t := range texts {
		for _, s := range text.SentenceSpans(t) {
			said := t[s.Start:s.End]
			for i, w := range text.WordSpans(said) {
				switch w := text.Bare(said[w.Start:w.End]); {
				case w == low:
					small = true
				case w == bare && i > 0:
					great = true
				}
			}
		}
	}
	switch {
	case small && !great:
		return ordinary
	case great && !small:
		return proper
	}
	return untold
}

// lowerable are words that are nobody's name.
var lowerable = text.Set(`the a an there it he she they we you this that these those my our his her their in on at by
	when if some no every most all nobody as for from whoever whatever who what with without since while before after
	until once both each any nothing everybody anyone one its between under over two three four five six seven eight
	nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty
	sixty seventy eighty ninety hundred half many few several much more only about above below near behind because
	though although but and or so yet then now here today yesterday tomorrow tonight never always often sometimes
	usually mostly nearly almost perhaps someone somebody something everyone everything anybody anything none not to of
	up down out off during through across against along among around beside besides beyond within towards toward upon
	into onto where whose which why how whenever wherever whether your mine ours theirs another other others such even
	still again too also if unless people folk`)

// Assents says whether an opener can be heard as an answer to a question by yes or
// no: "Aye," before a sentence says more than the sentence.
func Assents(opener string) bool {
	words := text.Words(opener)
	for i, w := range words {
		if assent[w] || w == "course" && i > 0 && words[i-1] == "of" {
			return true
		}
	}
	return false
}

var assent = text.Set(`yes aye ay yea yeah yep yup right sure surely certainly indeed true truly correct exactly
	absolutely naturally definitely agreed okay ok fine quite verily precisely no nay nope never not`)
