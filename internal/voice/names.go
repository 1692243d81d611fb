package voice

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// Where a sentence names the NPC, and where the same word is another's name.

// namesSelf is a cheap look before the words are told apart.
func namesSelf(sentence string, names [][]string) bool {
	for _, n := range names {
		if len(n) > 0 && strings.Contains(sentence, n[0]) {
			return true
		}
	}
	return false
}

// inApposition says whether a name stands beside a description: "the reeve Aldith
// Marrow", "Aldith Marrow, clerk of the chancery,".
func inApposition(sentence string, names [][]string) bool {
	for _, n := range names {
		at := strings.Index(sentence, strings.Join(n, " "))
		if at < 0 {
			continue
		}
		before := strings.Fields(sentence[:at])
		if k := len(before); k >= 2 && determiners[strings.ToLower(before[k-2])] && !prepositions[before[k-1]] {
			return true
		}
		after := sentence[at+len(strings.Join(n, " ")):]
		return strings.HasPrefix(after, ", ") && at == 0
	}
	return false
}

// selfNames are the full name and, where it is a given name, its first word.
func selfNames(name string) [][]string {
	words := strings.Fields(name)
	out := [][]string{words}
	if len(words) > 1 && !titles[strings.ToLower(words[0])] {
		out = append(out, words[:1])
	}
	return out
}

var titles = text.Set(`the a an old young lord lady sir dame brother sister father mother captain sergeant doctor
	dr mr mrs ms king queen master mistress reeve private gate city guard`)

// nameAt matches one of the NPC's names at word i, and says whether it is
// possessive.
func (t *turner) nameAt(i int) (n int, possessive bool) {
	for _, name := range t.names {
		ok := len(name) > 0
		poss := false
		for k, want := range name {
			w := t.word(i + k)
			if k == len(name)-1 && strings.TrimSuffix(w, "'s") != w {
				w, poss = strings.TrimSuffix(w, "'s"), true
			}
			if w != want {
				ok = false
				break
			}
		}
		if ok {
			return len(name), poss
		}
	}
	return 0, false
}

// inLargerName keeps "Mira's Forge" of a sign, "Aunt Mira", "Mira of Saltmere"
// and "Mira the smith" whole: the name touches another capitalised word or an
// epithet.
func (t *turner) inLargerName(i, n int) bool {
	next, end := t.word(i+n), t.spans[i+n-1].End
	if next != "" && t.spans[i+n].Start == end+1 &&
		(unicode.IsUpper(first(next)) && next != "I" || next == "the" || next == "of") {
		return true
	}
	if i == 0 {
		return false
	}
	prev := t.word(i - 1)
	if t.spans[i-1].End+1 != t.spans[i].Start || prev == "I" {
		return false
	}
	if i == 1 { // the capital may be that of the sentence
		return unicode.IsUpper(first(prev)) && !opening[strings.ToLower(prev)]
	}
	return unicode.IsUpper(first(prev))
}

// opening are words at the front of a sentence that are no part of the name after
// them.
var opening = text.Set(`to for with by from of at in on about against between near behind beside before after under
	over without like unlike toward towards upon and or but because when while if since though although so that who
	which where until as only even now then once still today yesterday tomorrow perhaps maybe ask tell see thank trust
	everybody nobody neither`)

// listed says whether the name is an item of a list or is spoken to: "Osric, Mira
// and Bram", "Come, Mira, and see", "Mira: burned".
func (t *turner) listed(i, last int) bool {
	after := t.after(last)
	if strings.ContainsAny(after, ":(–—") || strings.Contains(after, " - ") {
		return true
	}
	if i == 0 || !strings.Contains(t.s[t.spans[i-1].End:t.spans[i].Start], ",") && t.word(i-1) != "Dear" {
		return false
	}
	next := strings.ToLower(t.word(last + 1))
	return strings.Contains(after, ",") || next == "and" || next == "or" || next == ""
}

// after is what stands between word i and the next.
func (t *turner) after(i int) string {
	if i+1 >= len(t.spans) {
		return t.s[t.spans[i].End:]
	}
	return t.s[t.spans[i].End:t.spans[i+1].Start]
}

func first(w string) rune {
	r, _ := utf8.DecodeRuneInString(w)
	return r
}
