package retrieval

import (
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// idioms are turns of speech whose words say nothing of what they mean, and the
// plain words for it. "@" stands for any word between.
var idioms = func() [][2][]string {
	var out [][2][]string
	for line := range strings.Lines(`for a living: as trade work
set @ back: cost @
in it for me: the reward for me
in it for us: the reward for us
lay @ head: sleep
kicked the bucket: died
passed away: died
pass away: die
under @ roof: lodging in @ house
at the moment: now
right now: now
these days: now
by any chance: perhaps
all of a sudden: suddenly
how far down: how deep
how do you like: what do you think of
get rid of: remove
got rid of: removed
get hold of: obtain
got hold of: obtained
fell out with: quarrelled with
fall out with: quarrel with
grew up: was a child
grow up: was a child
find out: discover
found out: discovered
showed up: arrived
turned up: arrived
looks after: cares for
look after: care for
in charge of: leading
put up with: bear
on the house: free
`) {
		said, meant, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if ok {
			out = append(out, [2][]string{strings.Fields(said), strings.Fields(meant)})
		}
	}
	return out
}()

// plainly puts plain words for the idioms of a message.
func plainly(ws []word) []word {
	for _, idiom := range idioms {
		said, meant := idiom[0], idiom[1]
		for i := 0; i+len(said) <= len(ws); i++ {
			between, ok := matchIdiom(ws[i:], said)
			if !ok {
				continue
			}
			var plain []word
			for _, m := range meant {
				w := word{text: m, stem: text.Stem(m), written: ws[i].written, first: ws[i].first}
				if m == "@" {
					w = between
				}
				plain = append(plain, w)
			}
			out := append(append([]word(nil), ws[:i]...), plain...)
			ws = append(out, ws[i+len(said):]...)
		}
	}
	return ws
}

// matchIdiom says whether words begin with an idiom, and the word that stands for
// its gap.
func matchIdiom(ws []word, said []string) (word, bool) {
	var between word
	for k, s := range said {
		if s == "@" {
			between = ws[k]
		} else if ws[k].text != s {
			return word{}, false
		}
	}
	return between, true
}

// plainWords are everyday and familiar words and the plain ones for them, for a
// world that has only these. Words that mostly address somebody (see filler) are
// left as they are.
var plainWords = func() map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(`mum mom mam mama mummy ma: mother
dad da daddy papa pa: father
gran nan nana: grandmother
grandad: grandfather
sis: sister
hubby: husband
kid youngster: child
kids youngsters: children
laddie: boy
lads: boys
lassie: girl
bloke chap geezer: man
blokes chaps: men
folk: people
cash dough quid: money
booze: drink
grub: food
nick nicked swiped pinched: stole
flog flogged: sold
cop cops copper coppers: police
quarrel row spat: argument
pals mates buddies: friends
pet pets: animal
boss: leader
gig: job
`) {
		said, plain, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if ok {
			for _, w := range strings.Fields(said) {
				out[w] = plain
			}
		}
	}
	return out
}()

// plainly has a term stand as the plain word that it is another word for, where the scope
// has only that.
func (s *search) plainly(t *queryTerm) {
	if plain, ok := plainWords[t.word]; ok && !s.held(t.stem) && s.held(text.Stem(plain)) {
		t.word, t.stem = plain, text.Stem(plain)
	}
}
