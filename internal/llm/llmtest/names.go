package llmtest

import (
	"regexp"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

var capitalised = regexp.MustCompile(`\p{Lu}[\p{Ll}’'-]+(?: (?:of |the )?\p{Lu}[\p{Ll}’'-]+)*`)

// names are the names in a text: words with a capital that do not only begin a
// sentence.
func names(s string) []string {
	var out []string
	for _, sentence := range text.Sentences(s) {
		for _, at := range capitalised.FindAllStringIndex(sentence, -1) {
			name := sentence[at[0]:at[1]]
			if at[0] < 2 {
				// The first word of a sentence is a name only where it is no common word.
				first, rest, more := strings.Cut(name, " ")
				if common(first) {
					name = rest
				} else if !more {
					continue
				}
			}
			name = strings.TrimSuffix(strings.TrimSuffix(name, "'s"), "’s")
			if name != "" && !common(name) {
				out = appendNew(out, name)
			}
		}
	}
	return out
}

func common(word string) bool {
	w := strings.ToLower(word)
	return text.IsStop(w) || opening[w]
}

// opening are words that often begin a sentence.
var opening = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(`since though although every many several never always during within around near since
		according nobody everyone somebody once twice one two three four five six seven eight nine ten another folk people
		eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy
		eighty ninety hundred
	snow rain frost ice salt iron bread ale fish grain wood water fire smoke men women children people travellers guests
	strangers traders
	whoever whatever anybody everybody somebody fever marsh wolf herdsmen old young great north south east west still even
	let yes no aye well would could should is are was were did do does`) {
		out[w] = true
	}
	return out
}()
