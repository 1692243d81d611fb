package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Workers is how many turns each pass has in hand at once, by the pass's name;
// "default" is for the passes that are not named, and 0 leaves a pass at it. "memory" is
// how many replies are remembered at once.
type Workers map[string]int

// The settings of workers. What stands above each is its text in docs/settings.md.
const (
	// Turns that a pass handles at once, where its own setting is 0.
	workersKey = "workers.default"

	// Turns that this pass handles at once. 0: as `workers.default`, and at least 128 where
	// a model is configured; `review-thought` and `review-speech` have no such minimum.
	workersOfPass = "workers.PASS"

	// Replies that are remembered at once. 0: an eighth of `workers.default`, at least 2.
	// Where a model is asked (`llm.memories`, `guards.grounding.verifier_model`), 0 means
	// `workers.default`, at least 64.
	workersOfMemory = "workers." + memoryWorkers
)

// Default is for every pass that Of does not name.
func (w Workers) Default() int { return w["default"] }

// Memory is how many replies are remembered at once; 0: as many as the rest allows.
func (w Workers) Memory() int { return w[memoryWorkers] }

// Of are the passes that are set by themselves.
func (w Workers) Of() map[schema.Pass]int {
	out := map[schema.Pass]int{}
	for _, pass := range protocol.Passes {
		if n := w[string(pass)]; n > 0 {
			out[pass] = n
		}
	}
	return out
}

func addWorkersDefaults(defaults map[string]any) map[string]any {
	for _, pass := range protocol.Passes {
		defaults[strings.Replace(workersOfPass, "PASS", string(pass), 1)] = 0
	}
	defaults[workersOfMemory] = 0
	defaults[workersKey] = 16
	return defaults
}

// memoryWorkers is the name of the memory service among the passes.
const memoryWorkers = "memory"

const maxWorkers = 1024

func (w Workers) check() error {
	if n := w.Default(); n < 1 || n > maxWorkers {
		return &Error{"workers", fmt.Sprintf("is %d; it must lie between 1 and %d", n, maxWorkers)}
	}
	for _, key := range slices.Sorted(maps.Keys(w)) {
		if n := w[key]; n < 0 || n > maxWorkers {
			return &Error{"workers." + key, fmt.Sprintf("is %d; it must lie between 0 (the default) and %d", n, maxWorkers)}
		}
	}
	return nil
}
