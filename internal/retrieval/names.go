package retrieval

import (
	"math"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// name is a stretch of the message that may name something.
type name struct {
	words   []word
	unknown bool // nothing in scope holds it
	sure    bool // by its writing it can be nothing but a name
}

// firstWord and lastWord are the ids of the commonest word of the vocabulary and
// of the rarest: before and between stand signs and letters.
const (
	firstWord = 1996
	lastWord  = 29612
)

// rank is the place of a word in general English by frequency, from 1; 0 for a
// word that is not there.
func (x *Index) rank(word string) int {
	ids := x.english.AppendIDs(nil, word, 2)
	if len(ids) != 1 || ids[0] < firstWord || ids[0] > lastWord {
		return 0
	}
	return int(ids[0]) - firstWord + 1
}

// rarity is 0 for the commonest words and 1 for those general English lacks;
// where nothing is known of English, every word is as common as any.
func (x *Index) rarity(w string) float64 {
	if x.english == nil {
		return 0.5
	}
	r := x.rank(w)
	if r == 0 {
		if r = x.rank(text.Stem(w)); r == 0 {
			return 1
		}
	}
	return min(1, math.Log(1+float64(r))/math.Log(lastWord-firstWord))
}

// weightOf tempers a term's rarity in the scope, which is small, by its rarity
// in English. Words that only fill or address count little, and a word in lower
// case that neither English nor the scope has is more often a slip than a name.
func (s *search) weightOf(t *queryTerm) float64 {
	w := 0.3 + 0.7*s.x.rarity(t.word)
	switch {
	case filler[t.word]:
		w *= 0.3
	case !t.capital && s.x.english != nil && s.x.rank(t.word) == 0 && !s.held(t.stem):
		w *= 0.6
	}
	return w
}

// filler are words that address somebody or fill a line and ask for nothing.
var filler = setOf(`mate bro bruv dude pal buddy bud gramps granny grandpa grandma sir madam mister missus lad lass
	guys folks friend
	psst ooh ahh hmm huh ugh yo lol haha wow damn dang ok okay yeah yep nope maybe really actually exactly just even ever
	anyway
	thing things stuff lot bit kind sort way place guy fella dude somebody someone people one ones yet still again already
	think guess reckon wonder heard hear say said mean want need like get got go going come make made take give put let
	look see
	right good nice big little old new much many more most well so then now today`)

// held says whether the text or metadata of an open passage holds the stem.
func (s *search) held(stem string) bool {
	if s.x.facts != nil {
		return s.x.facts.held[stem].Anywhere
	}
	id, ok := s.x.vocab[stem]
	if !ok {
		return false
	}
	for _, p := range s.x.terms[id].postings {
		if s.scope.isOpen[p.at] {
			return true
		}
	}
	for _, m := range s.x.terms[id].metas {
		if s.x.docOpen(&s.scope, m.at) {
			return true
		}
	}
	return false
}

// readNames finds the words of the message that may be names and looks each up
// in the scope.
func (s *search) readNames() []name {
	var out []name
	ws := s.q.words
	for i := 0; i < len(ws); {
		if !s.mayName(ws, i) {
			i++
			continue
		}
		j := i + 1
		for j < len(ws) && (s.mayName(ws, j) || j+1 < len(ws) && ws[j].text == "of" && ws[j+1].capital) {
			j++
		}
		out = append(out, s.judgeName(ws[i:j]))
		i = j
	}
	return out
}

// mayName says whether a word may be part of a name: a capital inside a
// sentence, or a word that general English lacks, where names stand.
func (s *search) mayName(ws []word, i int) bool {
	w := ws[i]
	if len(w.text) < 2 || text.IsStop(w.text) || filler[w.text] || s.isOwn(w.text) ||
		strings.IndexFunc(w.text, isDigit) == 0 {
		return false
	}
	if w.capital {
		return !w.first || s.oddWord(w)
	}
	return s.oddWord(w) && !s.x.isSlip(w.text) && (w.owns || i > 0 && introduces[ws[i-1].text] || s.q.kind == kindTopic)
}

// introduces are the words after which a name may stand without an article. What
// follows an article, a number or an adjective is a thing, however odd its word.
var introduces = setOf(`of in at from to near with by about around for and or is are was named called like than
	know met meet seen see find found kill killed ask tell did does do has have had will would can
	use used using write wrote written read make made buy bought sell sold get got hear heard visit visited join joined
	fight fought love loved hate hated play played run ran build built own owned steal stole summon cast drink eat hack
	hacked
	sir lord lady king queen prince princess captain saint mister mr mrs miss master mistress doctor dr duke count baron
	brother sister uncle aunt father mother goddess god wizard ferryman hermit`)

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// oddWord is one that English lacks and that is no slip of the pen for one it
// has.
func (s *search) oddWord(w word) bool {
	return len(w.text) > 3 && s.x.rarity(w.text) == 1
}

// isOwn is a word of the NPC's or the player's name.
func (s *search) isOwn(w string) bool {
	for _, own := range []string{s.query.NPC.Name, s.query.NPC.Handle, s.query.Player} {
		for _, part := range text.Words(own) {
			if part == w {
				return true
			}
		}
	}
	return false
}

func (s *search) judgeName(ws []word) name {
	n := name{words: ws}
	for _, w := range ws {
		if w.text == "of" {
			continue
		}
		if w.capital && !w.first {
			n.sure = true
		}
		if !s.held(w.stem) {
			n.unknown = true
		}
	}
	return n
}

// unknown are the names that nothing in scope holds, as the player wrote them.
func (s *search) unknown() []string {
	var out []string
	for _, n := range s.names {
		if !n.unknown {
			continue
		}
		parts := make([]string, len(n.words))
		for i, w := range n.words {
			parts[i] = w.written
		}
		out = append(out, strings.Join(parts, " "))
	}
	return out
}
