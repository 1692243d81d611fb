package scan_test

import (
	"bufio"
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
)

// paraphrases are the pairs of the file, as they stand or as an NPC that was told
// them has them.
func paraphrases(t *testing.T, told bool) (left, right []string) {
	t.Helper()
	f, err := os.Open("testdata/paraphrases.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if a, b, ok := strings.Cut(lines.Text(), " | "); ok {
			if told {
				a, b = asTold(a), asTold(b)
			}
			left, right = append(left, a), append(right, b)
		}
	}
	return left, right
}

func asTold(s string) string {
	if rest, ok := strings.CutPrefix(s, "Ansel "); ok {
		s = "they " + rest
	}
	return "Ansel told me that " + s
}

// cosines are those of the pairs in an embedding, largest first.
func cosines(t *testing.T, e embed.Embedder, told bool) []float64 {
	t.Helper()
	left, right := paraphrases(t, told)
	vectors, err := e.Embed(context.Background(), append(left, right...))
	if err != nil {
		t.Fatal(err)
	}
	var out []float64
	for i := range left {
		out = append(out, float64(embed.Cosine(vectors[i], vectors[i+len(left)])))
	}
	slices.Sort(out)
	slices.Reverse(out)
	return out
}

func recall(cosines []float64, floor float64) float64 {
	n := 0
	for _, c := range cosines {
		if c >= floor {
			n++
		}
	}
	return float64(n) / float64(len(cosines))
}

func TestFloors(t *testing.T) {
	static, err := embed.NewStatic()
	if err != nil {
		t.Fatal(err)
	}
	sentence := sentenceEncoder(t)
	ofTable, ofSentences := cosines(t, static, true), cosines(t, sentence, false)
	for _, threshold := range []float64{0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95} {
		floor := scan.Floor(static.ID(), threshold)
		want, got := recall(ofSentences, threshold), recall(ofTable, floor)
		ideal := ofTable[max(0, int(want*float64(len(ofTable)))-1)]
		t.Logf("%.2f: recall %.2f with sentences; the table has %.2f at %.3f (and %.2f there at %.3f)", threshold, want, got,
			floor, want, ideal)
		if got < want-0.05 || got > want+0.08 {
			t.Errorf("at %.2f the floor %.3f has recall %.2f, sentences %.2f", threshold, floor, got, want)
		}
	}
	if scan.Floor(sentence.ID(), 0.85) != 0.85 {
		t.Error("the sentence model's threshold is not its floor")
	}
}
