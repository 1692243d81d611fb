package secrecy

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// harmless are all sentences that an NPC may say to a stranger: open lore, its story,
// its lines.
func harmless(w *world.World, npc *world.NPC) []string {
	var out []string
	for _, s := range openTexts(w, npc) {
		out = append(out, text.Sentences(s)...)
	}
	return out
}

// What an NPC may say is not held back, in whatever order it comes, behind whatever
// was said before.
func TestWhatIsNoSecretIsNotFound(t *testing.T) {
	dirs := []string{"../../worlds/hollowmere", "../../worlds/shadowwatch"}
	if data := os.Getenv("FORSOOTH_TEST_DATA"); data != "" && !testing.Short() {
		dirs = append(dirs, filepath.Join(data, "worlds", "crossfire"))
	}
	rounds := 2
	if testing.Short() {
		rounds = 1
	}
	for _, dir := range dirs {
		w, _, err := world.LoadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		looked, found := 0, 0
		random := rand.New(rand.NewPCG(1, 2))
		for _, h := range w.Handles() {
			g := New(w, w.NPCs[h])
			if g.Empty() {
				continue
			}
			lines := harmless(w, w.NPCs[h])
			for range rounds {
				random.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
				for i, line := range lines {
					looked++
					if leak, ok := g.Look(stranger, lines[max(0, i-12):i], line); ok {
						found++
						t.Errorf("%s, %s: %q is taken for a secret %s", w.Name, h, line, leak.How)
					}
				}
			}
		}
		t.Logf("%s: %d of %d sentences", w.Name, found, looked)
	}
}

// A turn of three sentences behind a conversation, of an NPC with ten secrets: each
// is looked at in its review and before its release.
func BenchmarkTurn(b *testing.B) {
	w := load(b, "hollowmere")
	npc := *w.NPCs["bram"]
	never, err := world.ParseCondition("trust >= 90")
	if err != nil {
		b.Fatal(err)
	}
	for i := len(npc.Secrets); i < 10; i++ {
		npc.Secrets = append(npc.Secrets, world.Secret{Requires: "trust >= 90", Condition: never,
			Text: fmt.Sprintf("I buried %d crowns beneath the %s of Widow Arkwright's orchard before the thaw.", 40+i,
				strings.Fields("wall gate well shed hedge ditch path pump stile cairn")[i])})
	}
	g := New(w, &npc)
	lines := harmless(w, &npc)
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		at := 12 + 3*i%(len(lines)-15)
		for range 2 {
			for j := range 3 {
				g.Look(stranger, lines[at-12:at+j], lines[at+j])
			}
		}
	}
}
