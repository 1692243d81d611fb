package retrieval

import (
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/text"
)

// usualLength is the length of a passage against which a server measures others. The
// length is felt in the first ranking alone: what is found is measured again.
const usualLength = 60

// Read is what a document's passages hold for a search by words, for a store that
// ranks by itself.
func Read(d store.Document) []store.Reading {
	out := make([]store.Reading, len(d.Chunks))
	var of string
	var seen map[string]bool
	for i, c := range d.Chunks {
		r := &out[i]
		if id := documentID(c); i == 0 || id != of {
			of, seen, r.Opens = id, map[string]bool{}, true
		}
		r.Signature = grounding.Signature(c.Text)
		weights, counts := map[string]float64{}, map[string]float64{}
		length := 1.0
		for _, stem := range text.Stems(c.Text) {
			counts[stem]++
			length++
		}
		for stem, tf := range counts {
			weights[stem] = fuseText * tf * 1.6 / (tf + bm25K*(1-bm25B+bm25B*length/usualLength))
			if !seen[stem] {
				seen[stem] = true
				r.Fresh = append(r.Fresh, stem)
			}
		}
		for stem, w := range metadataWeights(c) {
			weights[stem] += fuseMeta * w / (w + 1) * 1.33
		}
		for stem, w := range weights {
			r.Stems = append(r.Stems, stem)
			r.Weights = append(r.Weights, store.Term{Stem: stem, Weight: float32(w)})
		}
		slices.Sort(r.Stems)
		slices.Sort(r.Fresh)
		slices.SortFunc(r.Weights, func(a, b store.Term) int { return strings.Compare(a.Stem, b.Stem) })
	}
	return out
}

// metadataWeights is what the words of a passage's metadata weigh.
func metadataWeights(c protocol.Chunk) map[string]float64 {
	out := map[string]float64{}
	put := func(s string, w float64) {
		for _, stem := range text.Stems(s) {
			out[stem] = max(out[stem], w)
		}
	}
	for _, k := range c.Keywords {
		put(k, weightKeyword)
	}
	if c.Type != "backstory" && documentID(c) == c.Path {
		put(fileTitle(c.Path), weightName)
	}
	put(c.Summary, weightSummary)
	put(c.Type, weightOther)
	put(c.Author, weightOther)
	put(c.Speaker, weightOther)
	return out
}
