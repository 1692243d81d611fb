package retrieval

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// addSummary embeds what a document is filed under. It helps to find and to judge
// a document as a whole, beside the search by its text.
func (x *Index) addSummary(ctx context.Context, d *document, c schema.Chunk, english *embed.Static) error {
	if english == nil {
		return nil
	}
	v, err := english.Embed(ctx, []string{c.Summary + ". " + strings.Join(c.Keywords, ", ")})
	if err != nil {
		return fmt.Errorf("embed what %s is filed under: %w", c.Path, err)
	}
	d.summary = v[0]
	return nil
}

// summaries scores every passage by what its document is filed under.
func (s *search) summaries(all []candidate) {
	if s.filed == nil {
		return
	}
	last, of := int32(-1), 0.0
	var sum, squares float64
	for i := range all {
		c := &all[i]
		if doc := s.x.passages[c.at].doc; doc != last {
			last, of = doc, dot(s.filed, s.x.docs[doc].summary)
		}
		c.summary = of
		sum += of
		squares += of * of
	}
	n := max(1, float64(len(all)))
	mean := sum / n
	deviation := max(0.02, math.Sqrt(max(0, squares/n-mean*mean)))
	for i := range all {
		all[i].summaryLikeness = (all[i].summary - mean) / deviation
	}
}
