package grounding

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Action is what becomes of a speech in which a claim was found wrong.
type Action string

// The actions. Neither releases the claim.
const (
	Flag  Action = "flag"  // the sentence is stripped and the reason recorded
	Block Action = "block" // the whole reply is the extractive answer
)

// Level is how much an NPC dares to say of what is not word for word in its evidence.
type Level string

// The levels of grounding.policy.
const (
	Strict   Level = "strict"
	Balanced Level = "balanced"
	Lively   Level = "lively"
)

// Levels are all levels, the most careful first.
var Levels = []Level{Strict, Balanced, Lively}

// Settings are how strictly a process grounds; a world or an NPC may say
// otherwise. None of them releases an unsupported claim.
type Settings struct {
	Confidence         float64 // from which a model speaks (paper 003: 0.60)
	Unknown            float64 // below which the NPC says that it does not know (paper 003: 0.25)
	Strict             bool    // one unsupported claim, and the reply is extractive
	ExtractiveFallback bool    // what a model may not say is quoted; otherwise an authored line takes its place
	Streaming          bool    // sentences are released one by one, each when it is verified
	Level              Level   // "": balanced where a judge has shown skill, else strict
	Thresholds         entail.Thresholds
	MaxUnverifiable    float64 // share of unverifiable claims above which the reply is extractive
	OnContradiction    Action
	OnUnverifiable     Action
	// Floor is the lowest entailment threshold that anything may set: no setting lets out
	// more than the loosest policy does.
	Floor      float64
	MaxSources int // blocks that one sentence, or one claim, is held against
}

// DefaultSettings are those of a process that sets nothing.
func DefaultSettings() Settings {
	return Settings{
		Confidence: 0.60, Unknown: 0.25, ExtractiveFallback: true, Streaming: true,
		MaxUnverifiable: 0.5, OnContradiction: Flag, OnUnverifiable: Flag, MaxSources: MaxSourcesPerClaim,
	}
}

// Numbers are the names of the numbers that a world's or an NPC's `thresholds` may hold.
var Numbers = []string{"confidence_threshold", "unknown_threshold", "entailment_threshold", "contradiction_threshold",
	"max_unverifiable_ratio", "max_sources_per_claim"}

// With replaces numbers by those of a world or an NPC.
func (s Settings) With(numbers map[string]float64) Settings {
	for name, v := range numbers {
		switch name {
		case "confidence_threshold", "model": // the short names are those of zones
			s.Confidence = v
		case "unknown_threshold", "unknown":
			s.Unknown = v
		case "entailment_threshold":
			s.Thresholds.Entailment = v
		case "contradiction_threshold":
			s.Thresholds.Contradiction = v
		case "max_unverifiable_ratio":
			s.MaxUnverifiable = v
		case "max_sources_per_claim":
			s.MaxSources = int(v)
		}
	}
	return s
}

// Blocks says whether one wrong claim may replace a whole speech, which is then held
// until all of it is reviewed.
func (s Settings) Blocks() bool { return s.OnContradiction == Block || s.OnUnverifiable == Block }

// Check says which setting cannot be used.
func (s Settings) Check() error {
	for _, x := range []struct {
		name string
		v    float64
	}{{"confidence_threshold", s.Confidence}, {"unknown_threshold", s.Unknown},
		{"max_unverifiable_ratio", s.MaxUnverifiable}} {
		if !(x.v >= 0 && x.v <= 1) {
			return fmt.Errorf("%s is %v; it must lie between 0 and 1", x.name, x.v)
		}
	}
	for _, x := range []struct {
		name string
		v    Action
	}{{"contradiction_action", s.OnContradiction}, {"unverifiable_action", s.OnUnverifiable}} {
		if a := cmp.Or(x.v, Flag); a != Flag && a != Block {
			return fmt.Errorf("%s is %q; write flag or block", x.name, x.v)
		}
	}
	switch {
	case s.Unknown > s.Confidence:
		return fmt.Errorf("unknown_threshold is %v and confidence_threshold %v; the first must not be the larger", s.Unknown,
			s.Confidence)
	case s.MaxSources < 1 || s.MaxSources > 32:
		return fmt.Errorf("max_sources_per_claim is %d; it must lie between 1 and 32", s.MaxSources)
	}
	return s.Thresholds.Check()
}

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
