package secrecy

import (
	"testing"

	"github.com/forsooth-npc/forsooth/internal/world"
)

// A look that found nothing stands for the same lines under the same conditions, and
// for nothing else.
func TestALookIsRememberedForWhatItWasAlone(t *testing.T) {
	const secret = "The door code of the back room of the Lantern Arcade is 4471."
	w := load(t, "shadowwatch")
	g := New(w, w.NPCs["zero"])
	if leak, ok := g.Look(world.Facts{Trust: 100}, nil, secret); ok {
		t.Fatalf("a friend is told: found %s", leak.How)
	}
	if _, ok := g.Look(stranger, nil, secret); !ok {
		t.Error("what a friend was told is told to a stranger")
	}
	const first, second = "m a r l i", "n s p i k e"
	for _, piece := range []string{first, second, first, second} {
		if leak, ok := g.Look(stranger, nil, piece); ok {
			t.Fatalf("%q by itself: found %s", piece, leak.How)
		}
	}
	if _, ok := g.Look(stranger, []string{first}, second); !ok {
		t.Error("the second half was clean by itself, and passes behind the first")
	}
}

// What was read once is not read again.
func TestASentenceIsReadOnce(t *testing.T) {
	w := load(t, "hollowmere")
	g := New(w, w.NPCs["bram"])
	lines := harmless(w, w.NPCs["bram"])[:3]
	twice := func() {
		for i := range lines {
			if _, ok := g.Look(stranger, lines[:i], lines[i]); ok {
				t.Fatal("found")
			}
		}
	}
	twice()
	read := g.looked.next
	if twice(); g.looked.next != read || read != len(lines) {
		t.Errorf("%d readings, then %d", read, g.looked.next)
	}
}
