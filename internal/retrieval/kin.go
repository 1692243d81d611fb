package retrieval

import (
	"regexp"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// nameAsked finds a question for the name of a relative: "what was your sister's name?", "what is the name of
// your brother", "what's your mum called?".
var nameAsked = regexp.MustCompile(`(?i)\bwhat(?:['’]?s| (is|was|are|were)) (?:the names? of )?` +
	`((?:your|his|her|their|[\pL\pN]+['’]s)(?: [a-z-]+)??) ([a-z]+?)` +
	`(?:['’]?s names?|['’] names?| called| named)?(\W*)$`)

// nameOf finds a question for the name of somebody spoken of: "what's her name?", "what was his real name?".
var nameOf = regexp.MustCompile(`(?i)\bwhat(?:['’]?s| (is|was)) (his|her) ` +
	`(?:real |full |last |first |own )?(?:sur)?name(\W*)$`)

// persons are who a possessive stands for.
var persons = map[string]string{"his": "he", "her": "she"}

// whoFor puts "who was your sister?" for "what was your sister's name?", and "who is she?" for "what's her name?".
// The trained judgement finds the one answered by what tells who she was, and the other only by "is called".
func whoFor(message string) string {
	if m := nameOf.FindStringSubmatchIndex(message); m != nil {
		return message[:m[0]] + "who " + verbOf(message, m[2:4]) + " " +
			persons[strings.ToLower(message[m[4]:m[5]])] + message[m[6]:]
	}
	m := nameAsked.FindStringSubmatchIndex(message)
	if m == nil || !isKin(message[m[6]:m[7]]) || !asksName(message[m[0]:m[1]]) {
		return message
	}
	whose, relative := message[m[4]:m[5]], message[m[6]:m[7]]
	return message[:m[0]] + "who " + verbOf(message, m[2:4]) + " " + whose + " " + relative + message[m[8]:]
}

// verbOf is the verb at a place of a question, "is" where it is short for that.
func verbOf(message string, at []int) string {
	if at[0] < 0 {
		return "is"
	}
	return message[at[0]:at[1]]
}

// asksName says whether a question has a word for a name.
func asksName(question string) bool {
	return slices.ContainsFunc(text.Words(question), func(w string) bool {
		return w == "name" || w == "names" || w == "called" || w == "named"
	})
}

// kinWord is what a word for a relative is for: "dad" is for a father.
func kinWord(word string) kin {
	word = strings.ToLower(word)
	if plain, ok := plainWords[word]; ok {
		word = plain
	}
	return kinOf(word)
}

func isKin(word string) bool { return len(kinWord(word).are) > 0 }

// asksKin are the words for the relatives of whoever is asked that a message asks about: "your late brother",
// "have you any sisters?".
func asksKin(ws []word) []string {
	var out []string
	for i, w := range ws {
		if !isKin(w.text) {
			continue
		}
		before := ws[max(0, i-kinReach):i]
		has := i > 0 && (ws[i-1].text == "a" || ws[i-1].text == "any" || ws[i-1].text == "no")
		if slices.ContainsFunc(before, isYour) || has && slices.ContainsFunc(ws[:i], isYou) &&
			slices.ContainsFunc(ws[:i], isHave) {
			out = append(out, w.text)
		}
	}
	return out
}

// kinReach is how many words before the word for a relative "your" may stand: "your own younger brother".
const kinReach = 3

func isYou(w word) bool  { return w.text == "you" }
func isYour(w word) bool { return w.text == "your" }
func isHave(w word) bool { return w.text == "have" || w.text == "had" || w.text == "got" }

// ofOwnKin drops of the candidates for a question about the NPC's relatives those that tell of another's. What
// became of another's brother is no answer to "who is your brother?", however near it comes. A note of the
// NPC's own without a word for a relative stays: "I never married" answers "have you a husband?".
func (s *search) ofOwnKin(cs []candidate) []candidate {
	asked := asksKin(s.q.words)
	if len(asked) == 0 {
		return cs
	}
	k := s.kinOf(asked)
	return slices.DeleteFunc(cs, func(c candidate) bool { return k.ofOthers(s, &s.x.passages[c.at]) })
}

// kinship is what the open passages say of the NPC's relatives that a message asks about.
type kinship struct {
	are, to map[string]bool // stems of the words for them, and for what the NPC is to them
	own     map[string]bool // the NPC's name
	names   map[string]bool // theirs
}

// kinOf reads who the NPC's relatives are.
func (s *search) kinOf(asked []string) kinship {
	k := kinship{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for _, word := range asked {
		kin := kinWord(word)
		for _, w := range kin.are {
			k.are[text.Stem(w)] = true
		}
		for _, w := range kin.to {
			k.to[text.Stem(w)] = true
		}
	}
	for _, part := range text.Words(s.query.NPC.Name) {
		k.own[part] = !text.IsStop(part)
	}
	for _, stems := range []map[string]bool{k.are, k.to} {
		for stem := range stems {
			if id, ok := s.x.vocab[stem]; ok {
				for _, p := range s.x.terms[id].postings {
					if s.scope.isOpen[p.at] {
						k.read(s, &s.x.passages[p.at])
					}
				}
			}
		}
	}
	return k
}

// read takes the names of the sentences that tell of the relatives.
func (k *kinship) read(s *search, p *passage) {
	for _, sentence := range text.Sentences(p.chunk.Text) {
		ws := wordsOf(sentence)
		if !k.isOf(ws, s.ofNPC(p)) {
			continue
		}
		for i, w := range ws {
			if w.capital && !k.isOwn(w) && !text.IsStop(w.text) && (i == 0 || !placing[ws[i-1].text]) {
				k.names[w.text] = true
			}
		}
	}
}

// placing are the words after which the name of a place stands.
var placing = setOf(`in at from to near by`)

// isOf says whether a sentence has a word for the relatives: one of the NPC's own notes, or one that names the
// NPC. "The aunt of" tells of a niece, "my aunt" does not. Before a name the word is a title: "Brother Caddoc".
func (k *kinship) isOf(ws []word, own bool) bool {
	if !own && !slices.ContainsFunc(ws, k.isOwn) {
		return false
	}
	for i, w := range ws {
		if w.capital && i+1 < len(ws) && ws[i+1].capital {
			continue
		}
		if k.are[w.stem] || k.to[w.stem] && (!own || hasArticle(ws[max(0, i-2):i])) {
			return true
		}
	}
	return false
}

// hasArticle finds the article of "the aunt of", "the second son of".
func hasArticle(ws []word) bool {
	return slices.ContainsFunc(ws, func(w word) bool { return w.text == "the" || w.text == "a" })
}

func (k *kinship) isOwn(w word) bool  { return w.capital && k.own[w.text] }
func (k *kinship) isName(w word) bool { return w.capital && k.names[w.text] }

// ofOthers says whether a passage tells of none of the NPC's relatives and may tell of another's: it is no note of
// the NPC's own, or has a word for a relative.
func (k *kinship) ofOthers(s *search, p *passage) bool {
	named := func() bool {
		return slices.ContainsFunc(wordsOf(p.chunk.Text), func(w word) bool { return isKin(w.text) })
	}
	return !k.tells(s, p) && (!s.ofNPC(p) || named())
}

// tells says whether a passage tells of a relative: it names one, or a sentence of it is about one, or its document
// is a note of the NPC's own that has a word for one.
func (k *kinship) tells(s *search, p *passage) bool {
	if slices.ContainsFunc(wordsOf(p.chunk.Text), k.isName) {
		return true
	}
	own := s.ofNPC(p)
	for _, sentence := range text.Sentences(p.chunk.Text) {
		if k.isOf(wordsOf(sentence), own) {
			return true
		}
	}
	for stem := range k.are {
		if id, ok := s.x.vocab[stem]; ok && own && s.x.docHolds(&s.scope, id, &s.x.docs[p.doc]) {
			return true
		}
	}
	return false
}

// ofNPC says whether a passage is a note of the NPC's own.
func (s *search) ofNPC(p *passage) bool {
	return p.chunk.NPC != "" && p.chunk.NPC == s.query.NPC.Handle
}

// kin are the words by which a text may tell of somebody's relatives.
type kin struct {
	are []string // for the relatives themselves: "her son" tells of a child
	to  []string // for what somebody is to them: "the aunt of Wren" tells of a niece
}

// kinTable are words for relatives, with those of are and those of to.
var kinTable = func() map[string]kin {
	out := map[string]kin{}
	for line := range strings.Lines(`father: father parent: son daughter child
mother: mother parent: son daughter child
parent: parent parents father mother: son daughter child
son: son child children boy: father mother parent
daughter: daughter child children girl: father mother parent
child: child children son daughter boy girl: father mother parent
children: child children son daughter boy girl: father mother parent
brother: brother sibling twin:
sister: sister sibling twin:
sibling: sibling brother sister twin:
husband: husband married wed: wife widow
wife: wife married wed: husband widower
uncle: uncle: nephew niece
aunt: aunt: nephew niece
nephew: nephew: uncle aunt
niece: niece: uncle aunt
cousin: cousin: cousin
grandfather: grandfather grandparent: grandson granddaughter grandchild
grandmother: grandmother grandparent: grandson granddaughter grandchild
grandparent: grandparent grandfather grandmother: grandson granddaughter grandchild
grandson: grandson grandchild grandchildren: grandfather grandmother
granddaughter: granddaughter grandchild grandchildren: grandfather grandmother
grandchild: grandchild grandchildren grandson granddaughter: grandfather grandmother
family: family father mother parent son daughter child children brother sister husband wife: aunt uncle
`) {
		parts := strings.Split(line, ":")
		out[parts[0]] = kin{strings.Fields(parts[1]), strings.Fields(parts[2])}
	}
	return out
}()

// kinOf is what a word in lower case, of one relative or of several, is for. are is empty where it is for none.
func kinOf(word string) kin {
	if k, ok := kinTable[word]; ok {
		return k
	}
	return kinTable[strings.TrimSuffix(word, "s")]
}
