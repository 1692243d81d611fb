package reviewer

import (
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// weigh gives the reason codes of what a review found wrong, and the code for
// which the whole reply is to be the extractive answer, or "".
func weigh(review protocol.Review, settings grounding.Settings) (codes []string, over string) {
	contradicted, unverifiable := 0, 0
	for _, c := range review.Claims {
		switch c.Verdict.Label {
		case schema.Contradicted:
			contradicted++
		case schema.Unverifiable:
			unverifiable++
		}
	}
	if contradicted > 0 {
		codes = append(codes, protocol.GroundingContradiction)
		if settings.OnContradiction == grounding.Block {
			over = protocol.GroundingContradiction
		}
	}
	if unverifiable == 0 {
		return codes, over
	}
	codes = append(codes, protocol.GroundingUnverifiable)
	tooMany := float64(unverifiable) > settings.MaxUnverifiable*float64(len(review.Claims))
	if over == "" && (tooMany || settings.OnUnverifiable == grounding.Block) {
		over = protocol.GroundingUnverifiable
	}
	return codes, over
}
