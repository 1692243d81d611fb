package secrecy

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// New makes the guard of an NPC.
func New(w *world.World, npc *world.NPC) *Guard {
	g := &Guard{letters: newTable(gram), moved: newTable(gram), bare: newTable(gram), words: newTable(3),
		keys: newTable(4), numbers: newTable(4),
		named: map[uint64]int32{}, movedKeys: map[uint64]key{}, jumbled: map[uint64][]int32{}, known: map[uint64]bool{}}
	open := openTexts(w, npc)
	for _, s := range open {
		for _, t := range tokens(s) {
			g.known[t.exact()] = true
		}
	}
	for _, s := range npc.Secrets {
		n := g.group(s.Requires, s.Condition)
		g.secrets = append(g.secrets, secret{n, text.ContentSet(s.Text)})
		g.close(n, s.Text)
	}
	for _, d := range w.Documents {
		if d.Requires == "" || !w.InScope(d, npc) {
			continue
		}
		n := g.group(d.Requires, d.Condition)
		for _, p := range d.Passages {
			g.close(n, p.Text)
		}
	}
	if len(g.groups) == 0 {
		return g
	}
	g.publish(open)
	return g
}

func (g *Guard) group(requires string, c world.Condition) int32 {
	i := slices.IndexFunc(g.groups, func(x group) bool { return x.requires == requires })
	if i < 0 {
		i = len(g.groups)
		g.groups = append(g.groups, group{requires, c})
	}
	return int32(i)
}

// openTexts are what the NPC may say to anybody: lore in its scope without a
// condition, its own story, its lines, and the names of the people.
func openTexts(w *world.World, npc *world.NPC) []string {
	out := []string{npc.Backstory, npc.Name, npc.Personality, npc.Style, npc.Greeting, npc.Farewell, w.Title}
	for _, h := range w.Handles() {
		out = append(out, h, w.NPCs[h].Name)
	}
	for _, d := range w.Documents {
		if d.Requires != "" || !w.InScope(d, npc) {
			continue
		}
		out = append(out, d.Summary, d.Author, strings.Join(d.Keywords, " "))
		for _, p := range d.Passages {
			out = append(out, p.Text)
		}
	}
	for _, locale := range append([]string{""}, slices.Sorted(maps.Keys(npc.LocaleLines))...) {
		for _, kind := range world.LineKinds {
			out = append(out, npc.Line(kind, locale)...)
		}
	}
	for _, a := range npc.Actions {
		out = append(append(out, a.Name), a.SpeechActs...)
	}
	out = append(append(out, npc.Voice.Openers...), npc.Voice.Hedges...)
	for from, to := range npc.Voice.Replacements {
		out = append(out, from, to)
	}
	return out
}

// close adds what a closed text says, sentence by sentence.
func (g *Guard) close(n int32, s string) {
	for _, sentence := range text.Sentences(s) {
		all := tokens(sentence)
		row := joinSigns(all)
		if len(row) >= gram {
			g.letters.add(row)
			raw := rawOf(all, len(row))
			g.moved.add(steps(raw, false))
			g.bare.add(consonants(all))
			var words, exact []uint64
			for i := range all {
				words, exact = append(words, all[i].word()), append(exact, all[i].exact())
			}
			g.words.add(words)
			g.of, g.raw, g.exact, g.turned = append(g.of, n), append(g.raw, raw), append(g.exact, exact), append(g.turned, false)
			// Once more with each word backwards: where the spaces are gone too, no
			// other reading has it.
			back := wordsTurned(all)
			raw = rawOf(back, len(row))
			g.letters.add(joinSigns(back))
			g.moved.add(steps(raw, false))
			g.bare.add(nil)
			g.words.add(nil)
			g.of, g.raw, g.exact, g.turned = append(g.of, n), append(g.raw, raw), append(g.exact, nil), append(g.turned, true)
		}
		g.addKeys(n, sentence, all)
	}
}

// cue is what a sentence says that holds a password or the like.
var cue = regexp.MustCompile(`(?i)\b(pass-?words?|pass-?phrase|codes?|pin|combination|countersign|watchword` +
	`|passwort|kennwort|losung|contraseña|mot de passe)\b`)

// The shortest keys: a name or a password, and any other word that nothing else
// that may be said holds.
const (
	shortestNamed = 4
	shortestRare  = 6
)

func (g *Guard) addKeys(n int32, sentence string, all []token) {
	secret := cue.MatchString(sentence)
	for i := range all {
		t := &all[i]
		if g.knows(t) || text.IsStop(wordOf(t)) {
			continue
		}
		number := digitsOf(t)
		if len(number) >= 4 && len(number) == len(t.letters) {
			g.numbers.add(number)
			g.numberOf = append(g.numberOf, n)
			continue
		}
		named := secret || number != nil || i > 0 && t.letters[0].upper
		if len(t.letters) < shortestNamed || !named && len(t.letters) < shortestRare {
			continue
		}
		unit := g.keys.add(joinSigns(all[i : i+1]))
		g.keyOf = append(g.keyOf, key{group: n, size: len(t.letters), named: named, word: t.exact()})
		g.jumbled[t.word()] = append(g.jumbled[t.word()], unit)
		if named {
			g.named[t.exact()] = n
		}
		if h, ok := t.moved(false); ok && (named && len(t.letters) > shortestNamed || len(t.letters) > shortestRare) {
			g.movedKeys[h] = g.keyOf[unit]
		}
	}
}

// knows says whether a word stands in what may be said, as it is or without the
// "s" of a plural or an owner.
func (g *Guard) knows(t *token) bool {
	if g.known[t.exact()] {
		return true
	}
	n := len(t.letters) - 1
	if n < 3 || t.letters[n].raw != 's' {
		return false
	}
	stem := token{letters: t.letters[:n]}
	return g.known[stem.exact()]
}

func wordOf(t *token) string {
	var b strings.Builder
	for _, l := range t.letters {
		if l.raw == 0 {
			return ""
		}
		b.WriteByte(l.raw)
	}
	return b.String()
}

func digitsOf(t *token) []uint64 {
	var out []uint64
	for _, l := range t.letters {
		if l.digit >= 0 {
			out = append(out, uint64('0'+l.digit))
		}
	}
	return out
}

// publish marks what of the closed texts stands in open ones too.
func (g *Guard) publish(open []string) {
	g.told = make([]bool, len(g.of))
	all := func(int32) bool { return true }
	none := func(int32) bool { return false }
	for _, s := range open {
		ts := tokens(s)
		row := joinSigns(ts)
		g.letters.publish(row)
		g.letters.runs(row, all, none, func(r run) bool {
			if g.letters.whole(r) {
				g.told[r.unit] = true
			}
			return false
		})
		g.letters.publish(joinSigns(wordsTurned(ts)))
		words := make([]uint64, len(ts))
		for i := range ts {
			words[i] = ts[i].word()
		}
		g.words.publish(words)
	}
	for i, turned := range g.turned {
		if turned {
			g.told[i] = g.told[i-1]
		}
	}
	for _, t := range []*table{g.letters, g.moved, g.bare, g.words} {
		t.settle()
	}
}

// wordsTurned are the words with their letters backwards.
func wordsTurned(all []token) []token {
	out := make([]token, len(all))
	for i, t := range all {
		out[i] = t
		out[i].letters = slices.Clone(t.letters)
		slices.Reverse(out[i].letters)
	}
	return out
}

// nearly says whether a run is all of its unit but a letter at an end.
func (t *table) nearly(r run) bool {
	return r.first <= 1 && r.at+int32(t.size) >= t.length[r.unit]-1
}

// whole says whether a run is all of its unit.
func (t *table) whole(r run) bool {
	return r.first == 0 && r.at+int32(t.size) == t.length[r.unit]
}
