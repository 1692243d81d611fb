package replay

import (
	"fmt"
	"maps"

	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Change is what a replay does otherwise than the process would now. Its zero value changes
// nothing. No change releases what the loosest policy would not: the floor of a process holds.
type Change struct {
	// From this score a claim is supported.
	Entailment *float64 `json:"entailment_threshold,omitempty"`
	// From this confidence a model speaks, and below the second the NPC does not know.
	Confidence *float64 `json:"confidence_threshold,omitempty"`
	Unknown    *float64 `json:"unknown_threshold,omitempty"`
	Policy     string   `json:"policy,omitempty"` // strict, balanced or lively
	Strict     *bool    `json:"strict,omitempty"` // one unsupported claim makes the whole reply extractive
	Depth      string   `json:"depth,omitempty"`  // full or lean
	Model      string   `json:"model,omitempty"`  // that speaks, at the same server; the judge stays
}

// maxModel bounds the name of a model.
const maxModel = 200

// Check says which field cannot be.
func (c *Change) Check() error {
	for _, x := range []struct {
		field string
		v     *float64
	}{{"entailment_threshold", c.Entailment}, {"confidence_threshold", c.Confidence},
		{"unknown_threshold", c.Unknown}} {
		if x.v != nil && !(*x.v >= 0 && *x.v <= 1) {
			return &schema.FieldError{Field: x.field, Reason: fmt.Sprintf("is %v; it must lie between 0 and 1", *x.v)}
		}
		if x.v != nil && *x.v == 0 && x.field == "entailment_threshold" { // 0 is the line of the policy
			return &schema.FieldError{Field: x.field, Reason: "is 0, which would leave the line of the policy; name a score"}
		}
	}
	switch {
	case c.Unknown != nil && c.Confidence != nil && *c.Unknown > *c.Confidence:
		return &schema.FieldError{Field: "unknown_threshold", Reason: fmt.Sprintf("is %v and confidence_threshold %v; it "+
			"must not be the larger", *c.Unknown, *c.Confidence)}
	case c.Policy != "" && c.Policy != "strict" && c.Policy != "balanced" && c.Policy != "lively":
		return &schema.FieldError{Field: "policy", Reason: fmt.Sprintf("is %.64q; write strict, balanced or lively",
			c.Policy)}
	case c.Depth != "" && c.Depth != "full" && c.Depth != "lean":
		return &schema.FieldError{Field: "depth", Reason: fmt.Sprintf("is %.64q; write full or lean", c.Depth)}
	case len(c.Model) > maxModel:
		return &schema.FieldError{Field: "model", Reason: fmt.Sprintf("is longer than %d bytes", maxModel)}
	}
	return nil
}

// shortNames are what npc.yaml may write instead.
var shortNames = map[string]string{"confidence_threshold": "model", "unknown_threshold": "unknown"}

// Over is a world in which one NPC is as the change says. The world that is given stays as it is.
func (c *Change) Over(w *world.World, handle string) *world.World {
	out, npc := *w, *w.NPCs[handle]
	out.Budget = world.Budget{} // no account is kept of a replay
	numbers := maps.Clone(npc.Thresholds)
	if numbers == nil {
		numbers = map[string]float64{}
	}
	for name, v := range map[string]*float64{"entailment_threshold": c.Entailment, "confidence_threshold": c.Confidence,
		"unknown_threshold": c.Unknown} {
		if v != nil {
			numbers[name] = *v
			delete(numbers, shortNames[name]) // it means the same, and stands beside it
		}
	}
	npc.Thresholds = numbers
	if c.Policy != "" {
		npc.Policy = c.Policy
	}
	if c.Strict != nil {
		npc.Strict = c.Strict
	}
	if c.Depth != "" {
		npc.Depth = c.Depth
	}
	out.NPCs = maps.Clone(w.NPCs)
	out.NPCs[handle] = &npc
	return &out
}
