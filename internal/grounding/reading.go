package grounding

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
)

// MeansAnother says why a pronoun of a claim stands for one in the speech and for
// another in the block that the claim is taken from; "" where it does not. span is the
// sentence of the block that the claim repeats.
func MeansAnother(claim Claim, block, span string, c Context) string {
	if claim.Points == "" || claim.Frame == FrameAttribution {
		return ""
	}
	before := upTo(block, span)
	there := antecedent(claim.Points, []string{before}, c)
	here := claim.Means
	if here == "" && personal[claim.Points] {
		here = antecedent(claim.Points, []string{c.Message}, c)
		if there == "" {
			return "" // the player named whom the block, found by that name, is about
		}
	}
	if personal[claim.Points] && sameName(there, c.NPCName) && !sameName(here, there) {
		return fmt.Sprintf("“%s” is you yourself in the evidence; say “I”", claim.Points)
	}
	switch {
	case here == "" || sameName(here, there) || sameName(there, c.NPCName):
		return ""
	case there == "" && strings.TrimSpace(before) != "":
		return ""
	case there == "":
		return fmt.Sprintf("“%s” would be %s in the speech, and the evidence does not say so", claim.Points, here)
	}
	return fmt.Sprintf("“%s” is %s in the speech and %s in the evidence", claim.Points, here, there)
}

// GivenTo says whether a block is by the one to whom a claim gives its words.
func GivenTo(claim Claim, e *protocol.Evidence, c *Context) bool {
	by := strings.TrimPrefix(text.Fold(claim.By), "the ")
	kind := text.Fold(strings.NewReplacer("_", " ", "-", " ").Replace(e.Type))
	if by == "" || by == kind {
		return true
	}
	return slices.ContainsFunc([]string{writerOf(e, c), e.Speaker, e.Author}, func(who string) bool {
		return who != "" && who != entail.Stranger && sameName(by, who)
	})
}

// upTo is what stands in a block before a span of it.
func upTo(block, span string) string {
	if i := strings.Index(block, span); i > 0 && span != "" {
		return block[:i]
	}
	return ""
}

func sameName(a, b string) bool {
	x, y := text.Words(a), text.Words(b)
	for _, w := range x {
		if !text.IsStop(w) && slices.Contains(y, w) {
			return true
		}
	}
	return false
}
