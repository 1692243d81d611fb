package speaker

import (
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
)

// quoted reads the citations of the experiment in which a model quotes by document id: one
// whose words stand in a block of that document cites the block. Any other keeps the number
// of the document, which is no evidence, and the review finds it.
func quoted(t *protocol.Turn, d protocol.DraftSentence) protocol.DraftSentence {
	d.Citations = slices.Clone(d.Citations)
	for i, c := range d.Citations {
		quote := text.Fold(c.Claim)
		if quote == "" {
			quote = text.Fold(d.Text)
		}
		for _, e := range t.Evidence {
			if e.SourceID == strings.Trim(c.EvidenceID, "[] ") && quote != "" && strings.Contains(text.Fold(e.Text), quote) {
				d.Citations[i] = protocol.Citation{EvidenceID: e.ID}
				break
			}
		}
	}
	return d
}
