package retrieval

import (
	"context"
	"fmt"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/protocol"
)

// addSummary embeds what a document is filed under. It helps to find and to judge
// a document as a whole, beside the search by its text.
func (x *Index) addSummary(ctx context.Context, c protocol.Chunk, english *embed.Static) error {
	if english == nil {
		return nil
	}
	v, err := english.Embed(ctx, []string{c.Summary + ". " + strings.Join(c.Keywords, ", ")})
	if err != nil {
		return fmt.Errorf("embed what %s is filed under: %w", c.Path, err)
	}
	return x.filed.Add(v[0])
}
