package entail

import (
	"maps"
	"slices"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Signs names the differences that the rules look for.
func Signs() []string { return append(slices.Sorted(maps.Keys(signs)), "name") }

// Found is what the rules find in a pair, before it is weighed.
type Found struct {
	verbatim bool
	findings []finding
}

// Find compares a pair once, for those who weigh the rules against each other.
func Find(pair Pair) Found {
	if _, _, ok := Verbatim(pair); ok {
		return Found{verbatim: true}
	}
	b := batch{texts: map[string]*passage{}}
	p, h := b.read(pair.Premise, maxPremise), b.read(unstressed(pair.Hypothesis), maxHypothesis)
	return Found{findings: findings(p, h, pair.Names, b.words(pair.Names.Known))}
}

// Has says whether a difference was found, and whether it decides where it is alone.
func (f Found) Has(sign string) (found, decides bool) {
	for _, x := range f.findings {
		if x.sign == sign {
			found, decides = true, decides || x.exact || x.veto
		}
	}
	return found, decides
}

// Without is the verdict of the rules but for some of them.
func (f Found) Without(without ...string) schema.Verdict {
	if f.verbatim {
		return schema.Verdict{Label: schema.Supported, Score: scoreVerbatim, Tier: TierRule}
	}
	return weigh(slices.DeleteFunc(slices.Clone(f.findings), func(x finding) bool { return slices.Contains(without, x.sign) }))
}
