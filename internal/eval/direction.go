package eval

import (
	"slices"
	"strings"
)

// Better says which way a metric is to go.
type Better string

// The ways of a metric. Neither is a metric that is good or bad by its suite.
const (
	BetterHigher  Better = "higher"
	BetterLower   Better = "lower"
	BetterNeither Better = "neither"
)

// amounts are metrics that are no shares: they are compared by how much of
// themselves they changed.
var amounts = []string{"llm_calls_per_turn", "llm_calls_worst", "tokens_per_turn", "cost_per_turn"}

// lower are the metrics of which less is better.
var lower = append([]string{"retries_per_turn", "thought_retries_per_turn", "stripped_per_turn", "hallucination_rate",
	"fallback_rate", "wrong_deeds",
	"non_corpus_citation_rate", "non_corpus_rate", "false_denials", refusedPrefix + "known"}, amounts...)

// betterOf is the way of a metric by its name. Refusing is right for the kinds
// that nobody can answer and wrong for the known; elsewhere the suite decides. An
// error of calibration over few questions moves with each of them: it is shown.
func betterOf(name string) Better {
	kind, isRefused := strings.CutPrefix(name, refusedPrefix)
	switch {
	case slices.Contains(lower, name):
		return BetterLower
	case isRefused && !slices.Contains(refuseKinds, kind), name == "refusal_rate", name == "calibration_error":
		return BetterNeither
	}
	return BetterHigher
}
