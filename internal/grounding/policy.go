package grounding

import (
	"fmt"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Policy says which origins may ground which kind of claim.
type Policy struct {
	allowed map[schema.ClaimKind][]schema.Origin
}

// DefaultPolicy is the widest policy there is: the world by the corpus, the state
// by the system, the shared past by what was said or seen.
var DefaultPolicy = Policy{allowed: map[schema.ClaimKind][]schema.Origin{
	schema.ClaimWorld:      {schema.OriginCorpus},
	schema.ClaimState:      {schema.OriginSystem},
	schema.ClaimSharedPast: {schema.OriginUser, schema.OriginSystem},
}}

// Narrow makes a policy from a world's source_policy: it may take origins away
// from the default and add none.
func Narrow(settings map[string][]string) (Policy, error) {
	p := Policy{allowed: map[schema.ClaimKind][]schema.Origin{}}
	for kind, origins := range DefaultPolicy.allowed {
		p.allowed[kind] = slices.Clone(origins)
	}
	for name, origins := range settings {
		kind := schema.ClaimKind(name)
		most, ok := DefaultPolicy.allowed[kind]
		if !ok {
			return Policy{}, fmt.Errorf("source_policy.%s: is not a kind of claim; write world, state or shared_past", name)
		}
		var own []schema.Origin
		for _, o := range origins {
			if !slices.Contains(most, schema.Origin(o)) {
				return Policy{}, fmt.Errorf("source_policy.%s: %q may not ground it; only %v may, and a world can only take away",
					name, o, most)
			}
			own = append(own, schema.Origin(o))
		}
		p.allowed[kind] = own
	}
	return p, nil
}

// Grounds says whether a text of this origin may ground a claim of this kind.
func (p Policy) Grounds(kind schema.ClaimKind, o schema.Origin) bool {
	if p.allowed == nil {
		p = DefaultPolicy
	}
	return slices.Contains(p.allowed[kind], o)
}

// Serves says whether a block may be cited for a kind of claim.
func (p Policy) Serves(e *protocol.Evidence, kind schema.ClaimKind) bool {
	return p.Grounds(kind, e.Provenance.Source) &&
		(len(e.AllowedFor) == 0 || slices.Contains(e.AllowedFor, string(kind)))
}

// Rank orders evidence where it disagrees, highest first: the system, the NPC's
// own notes, the corpus, what a player said, hearsay.
func Rank(e *protocol.Evidence) int {
	switch {
	case e.Provenance.Source == schema.OriginSystem:
		return 5
	case e.Belief != "":
		return 1
	case e.Provenance.Source == schema.OriginCorpus && e.Private:
		return 4
	case e.Provenance.Source == schema.OriginCorpus:
		return 3
	case e.Provenance.Source == schema.OriginUser:
		return 2
	}
	return 0
}
