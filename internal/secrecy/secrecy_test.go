package secrecy

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// closedText is one sentence that an NPC keeps to itself.
type closedText struct {
	npc, text string
	guard     *Guard
}

// stranger has earned nothing.
var stranger = world.Facts{}

func load(t testing.TB, name string) *world.World {
	t.Helper()
	w, problems, err := world.LoadDir("../../worlds/" + name)
	if err != nil {
		t.Fatal(err, problems)
	}
	return w
}

// closedTexts are all sentences of both worlds that somebody keeps from a stranger.
func closedTexts(t testing.TB) []closedText {
	var out []closedText
	for _, name := range []string{"hollowmere", "shadowwatch"} {
		w := load(t, name)
		for _, h := range w.Handles() {
			npc := w.NPCs[h]
			g := New(w, npc)
			add := func(s string) {
				for _, sentence := range text.Sentences(s) {
					if ts := tokens(sentence); len(joinSigns(ts)) >= 14 && !g.public(sentence) {
						out = append(out, closedText{h, sentence, g})
					}
				}
			}
			for _, s := range npc.Secrets {
				if !s.Open(stranger) {
					add(s.Text)
				}
			}
			for _, d := range w.Documents {
				if d.Requires != "" && w.InScope(d, npc) && !d.Condition.Holds(stranger) {
					for _, p := range d.Passages {
						add(p.Text)
					}
				}
			}
		}
	}
	if len(out) < 50 {
		t.Fatalf("only %d closed sentences", len(out))
	}
	return out
}

// public says whether a closed sentence stands whole in what may be said.
func (g *Guard) public(s string) bool {
	row := joinSigns(tokens(s))
	all, none := func(int32) bool { return true }, func(int32) bool { return false }
	return g.letters.runs(row, all, none,
		func(r run) bool { return g.letters.whole(r) && r.end-r.begin == len(row) && g.told[r.unit] })
}

func TestEverySpellingOfEverySecretIsFound(t *testing.T) {
	missed := map[string][]string{}
	secrets := closedTexts(t)
	for _, s := range secrets {
		if _, ok := s.guard.Look(stranger, nil, s.text); !ok {
			missed["as it stands"] = append(missed["as it stands"], s.npc+": "+s.text)
		}
		for _, trick := range allSpellings() {
			said := "Well, read this. " + trick.of(s.text)
			if _, ok := s.guard.Look(stranger, nil, said); !ok {
				missed[trick.name] = append(missed[trick.name], s.npc+": "+said)
			}
		}
	}
	t.Logf("%d sentences, %d spellings", len(secrets), len(allSpellings())+1)
	for trick, all := range missed {
		t.Errorf("%s: %d of %d are not found, such as\n%s", trick, len(all), len(secrets),
			strings.Join(all[:min(3, len(all))], "\n"))
	}
}

// Spellings may follow one another, and be told in pieces: over the sentences of a
// reply, and over the turns of a conversation.
func TestSpellingsMayBeComposedAndSplit(t *testing.T) {
	secrets := closedTexts(t)
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(secrets).Draw(t, "secret")
		first := rapid.SampledFrom(letterwise).Draw(t, "letters")
		last := rapid.SampledFrom(slices.Concat(letterwise, spread[:10], codesOf[:8], codesOf[18:21])).Draw(t, "then")
		said := last.of(first.of(s.text))
		// which change the Latin letters alone, or make others of them
		if strings.HasPrefix(last.name, "rot") || strings.Contains(last.name, "capitals") {
			said = first.of(last.of(s.text))
		}
		pieces := rapid.IntRange(1, 4).Draw(t, "pieces")
		words := strings.Fields(said)
		if len(words) < pieces {
			pieces = 1
		}
		var earlier []string
		for i := range pieces {
			line := strings.Join(words[i*len(words)/pieces:(i+1)*len(words)/pieces], " ")
			if _, ok := s.guard.Look(stranger, earlier, line); ok {
				return
			}
			earlier = append(earlier, line)
		}
		t.Fatalf("%s, then %s, in %d: %q of %q", first.name, last.name, pieces, said, s.text)
	})
}
