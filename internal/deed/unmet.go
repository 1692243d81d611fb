package deed

import (
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Unmet says why an action's condition does not hold, and nothing where it does.
func Unmet(spec schema.ActionSpec, facts world.Facts) string {
	if spec.Requires == "" {
		return ""
	}
	c, err := world.ParseCondition(spec.Requires)
	switch {
	case err == nil && c.Holds(facts):
		return ""
	case err != nil:
		return schema.RefusedRequires
	}
	if facts.Trust = schema.MaxTrust; c.Holds(facts) {
		return schema.RefusedTrust
	}
	return schema.RefusedRequires
}
