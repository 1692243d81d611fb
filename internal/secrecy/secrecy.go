// Package secrecy finds a secret in what an NPC is about to say, however it is
// spelt: as it stands, backwards, letter by letter, with digits or look-alikes for
// letters, in a code, as the first letters of words or sentences, in pieces over
// several sentences and turns. What is secret is what the NPC's world keeps behind
// a condition that does not hold. It is no judge of meaning: what is told in other
// words is for the review of claims, and a translation is for the language policy.
package secrecy

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"
	"sync"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// Guard knows what one NPC of one version of a world may have to keep to itself.
// What it finds does not change once it is made.
type Guard struct {
	groups []group
	of     []int32 // the group of each unit
	turned []bool  // units whose words are backwards
	told   []bool  // units that stand whole in what may be said
	raw    [][]byte
	exact  [][]uint64

	letters, moved, bare, words *table

	keys, numbers *table
	keyOf         []key // of the keys' table
	numberOf      []int32
	named         map[uint64]int32   // plain words that are keys, and their group
	movedKeys     map[uint64]key     // as moved() sees them
	jumbled       map[uint64][]int32 // words as word() sees them, and the key
	known         map[uint64]bool    // words that stand in what may be said

	secrets []secret
	looked  remembered
}

// group are the closed texts of one condition.
type group struct {
	requires  string
	condition world.Condition
}

// key is a word that tells a secret by itself.
type key struct {
	group int32
	size  int
	named bool // a name, a password, what holds a digit: even the plain word tells
	word  uint64
}

// secret is a secret of npc.yaml by its content words.
type secret struct {
	group   int32
	content map[string]bool
}

// Leak is a secret found.
type Leak struct {
	How string // the way of reading that found it, for the record
}

// Empty says whether the NPC has nothing to keep.
func (g *Guard) Empty() bool { return g == nil || len(g.groups) == 0 }

// closedNow says which groups are closed under the facts.
func (g *Guard) closedNow(f world.Facts) ([]bool, bool) {
	out, any := make([]bool, len(g.groups)), false
	for i, x := range g.groups {
		out[i] = x.requires == "" || !x.condition.Holds(f)
		any = any || out[i]
	}
	return out, any
}

// earlierLines is how many lines of what was said before are read with a new one.
const earlierLines = 16

// Look finds a secret in a sentence, read behind what the NPC said to this player
// before. What stood in the earlier lines alone is not found again.
func (g *Guard) Look(f world.Facts, earlier []string, sentence string) (Leak, bool) {
	if g.Empty() || strings.TrimSpace(sentence) == "" {
		return Leak{}, false
	}
	closed, any := g.closedNow(f)
	if !any {
		return Leak{}, false
	}
	earlier = earlier[max(0, len(earlier)-earlierLines):]
	look := lookOf(closed, earlier, sentence)
	if g.looked.has(look) {
		return Leak{}, false
	}
	if how := g.read(closed, earlier, sentence); how != "" {
		return Leak{How: how}, true
	}
	g.looked.add(look)
	return Leak{}, false
}

// read names the way in which a sentence tells a secret, or nothing.
func (g *Guard) read(closed []bool, earlier []string, sentence string) string {
	l := looking{Guard: g, closed: closed}
	l.now = tokens(sentence)
	letters := 0
	for _, line := range earlier {
		letters += len(line)
	}
	l.earlier = make([]token, 0, letters/4) // a word has five letters with its space, mostly
	for _, line := range earlier {
		l.earlier = append(l.earlier, tokens(line)...)
		if n := len(l.earlier); n > 0 {
			l.earlier[n-1].ends, l.earlier[n-1].line = true, true
		}
	}
	if how := l.find(); how != "" {
		return how
	}
	if g.tells(closed, sentence) {
		return "in plain words"
	}
	return l.findCoded(earlier, sentence)
}

// mostWords is the share of a secret's content words that tells it.
const mostWords = 0.8

// tells says whether a sentence holds most of a secret's content words.
func (g *Guard) tells(closed []bool, sentence string) bool {
	var has map[string]bool
	for _, s := range g.secrets {
		if !closed[s.group] || len(s.content) < 3 {
			continue
		}
		if has == nil {
			has = text.ContentSet(sentence)
		}
		n := 0
		for w := range s.content {
			if has[w] {
				n++
			}
		}
		if float64(n) >= mostWords*float64(len(s.content)) {
			return true
		}
	}
	return false
}

// looking is one look at a sentence.
type looking struct {
	*Guard
	closed       []bool
	earlier, now []token
	text         reading
}

func (l *looking) isClosed(unit int32) bool { return l.closed[l.of[unit]] }
func (l *looking) isOpen(unit int32) bool   { return !l.closed[l.of[unit]] }

// enough is how many grams in a row tell a unit in a reading that does not happen.
func (l *looking) enough(unit int32) int32 {
	if l.turned[unit] {
		return turnedGrams
	}
	return hiddenGrams
}

// find names the reading of the letters in which a secret stands, or nothing.
func (l *looking) find() string {
	l.text = whole(l.earlier, l.now)
	tail := l.text.tail()
	switch {
	case l.plain():
		return "as it stands"
	case l.hidden(&tail, true):
		return "backwards"
	case l.plainKey():
		return "by a word of it"
	case l.number():
		return "by a number of it"
	case l.picked():
		return "by single letters"
	case l.spaced(&tail):
		return "between other letters"
	case l.shifted():
		return "with another alphabet"
	case l.shiftedLeet():
		return "with another alphabet and digits for letters"
	case l.voweless():
		return "without vowels"
	case l.reordered():
		return "with its words or letters mixed up"
	}
	return ""
}

// findCoded looks at what the sentence, or the last lines with it, hide in a code.
func (l *looking) findCoded(earlier []string, sentence string) string {
	is := shapeOf(sentence)
	if !is.digits && !is.escapes && !is.mixed && !is.foreign && is.marks < fewMarks {
		return ""
	}
	found := decoded(sentence)
	if len(earlier) > 0 {
		last := earlier[max(0, len(earlier)-8):]
		found = append(found, decoded(strings.Join(append(slices.Clone(last), sentence), " "))...)
	}
	for _, s := range found {
		inner := looking{Guard: l.Guard, closed: l.closed, now: tokens(s)}
		inner.text = whole(nil, inner.now)
		inner.text.odd = nil
		if inner.hidden(&inner.text, false) || inner.hidden(&inner.text, true) || inner.plainKey() || inner.number() ||
			inner.shifted() || inner.picked() {
			return "in a code"
		}
	}
	return ""
}

// remembered are the last looks of a guard that found nothing. A sentence of a model
// is looked at in its review, perhaps in a second one, and once more before its
// release: behind the same lines and the same conditions it reads the same.
type remembered struct {
	mu    sync.Mutex
	clean [lastLooks][sha256.Size]byte
	next  int
}

// lastLooks is enough for the sentences of the turns that one NPC answers at once.
const lastLooks = 64

func (r *remembered) has(look [sha256.Size]byte) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.clean {
		if r.clean[i] == look {
			return true
		}
	}
	return false
}

func (r *remembered) add(look [sha256.Size]byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clean[r.next] = look
	r.next = (r.next + 1) % lastLooks
}

// lookOf is all that a look depends on besides the guard.
func lookOf(closed []bool, earlier []string, sentence string) [sha256.Size]byte {
	var b []byte
	for _, is := range closed {
		if is {
			b = append(b, 1)
			continue
		}
		b = append(b, 0)
	}
	for _, line := range earlier {
		b = append(binary.AppendUvarint(b, uint64(len(line))), line...)
	}
	return sha256.Sum256(append(binary.AppendUvarint(b, uint64(len(sentence))), sentence...))
}
