package config

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/limits"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Overload bounds what is asked of the mesh, and what the mesh asks of others in
// trouble.
type Overload struct {
	// Turns a second of one player in a world. 0: no limit.
	PlayerPerSecond float64 `koanf:"player_per_second"`
	// Turns of one player at once, after a pause.
	PlayerBurst int `koanf:"player_burst"`
	// Turns a second of all players of a world. 0: no limit.
	WorldPerSecond float64 `koanf:"world_per_second"`
	// Turns of a world at once, after a pause.
	WorldBurst int `koanf:"world_burst"`
	// Turns that have not ended. Above it, a turn is refused as *full*.
	MaxInFlight int `koanf:"max_in_flight"`
	// Retries for each call of a model, and for each turn of a pass.
	RetryShare float64 `koanf:"retry_share"`
}

func addOverloadDefaults(defaults map[string]any) map[string]any {
	for key, value := range map[string]any{
		"player_per_second": 20.0, "player_burst": 600, "world_per_second": 5000.0, "world_burst": 20000,
		"max_in_flight": 10000, "retry_share": 0.2,
	} {
		defaults["overload."+key] = value
	}
	return defaults
}

// Limits are those of players and worlds.
func (o Overload) Limits() limits.Rates {
	return limits.Rates{Player: limits.Rate{PerSecond: o.PlayerPerSecond, Burst: o.PlayerBurst},
		World: limits.Rate{PerSecond: o.WorldPerSecond, Burst: o.WorldBurst}}
}

const (
	maxPerSecond = 1e6
	maxBurst     = 10_000_000
	maxInFlight  = 1_000_000
)

func (o Overload) check() error {
	for _, r := range []struct {
		key   string
		value float64
	}{{"player_per_second", o.PlayerPerSecond}, {"world_per_second", o.WorldPerSecond}} {
		if !(r.value >= 0 && r.value <= maxPerSecond) {
			return &Error{"overload." + r.key,
				fmt.Sprintf("is %v; it must lie between 0 (no bound) and %g", r.value, maxPerSecond)}
		}
	}
	for _, n := range []struct {
		key         string
		value, most int
	}{{"player_burst", o.PlayerBurst, maxBurst}, {"world_burst", o.WorldBurst, maxBurst},
		{"max_in_flight", o.MaxInFlight, maxInFlight}} {
		if n.value < 1 || n.value > n.most {
			return &Error{"overload." + n.key, fmt.Sprintf("is %d; it must lie between 1 and %d", n.value, n.most)}
		}
	}
	if !(o.RetryShare > 0 && o.RetryShare <= 1) {
		return &Error{"overload.retry_share", fmt.Sprintf("is %v; it must lie above 0 and be at most 1", o.RetryShare)}
	}
	return nil
}

// Outbound bounds whom this process sends requests to.
type Outbound struct {
	// The only hosts at which models, the sidecar, moderation hooks and the report's webhook may be, such as
	// `llm.example.com`, `llm.example.com:8443` or `*.example.com`. Empty: every host, except
	// addresses at which clouds hand out credentials, such as `169.254.169.254`. Those are asked
	// only where this list names them. Redirects are never followed.
	List []string `koanf:"hosts"`
}

// Hosts are the hosts of the list, which was checked when it was read.
func (o Outbound) Hosts() limits.Hosts {
	hosts, err := limits.ParseHosts(o.List)
	if err != nil { // nobody is better than everybody
		hosts, _ = limits.ParseHosts([]string{"invalid"})
	}
	return hosts
}

// checkHosts refuses a list that holds no hosts, and settings that name one beside it.
func (s *Settings) checkHosts() error {
	hosts, err := limits.ParseHosts(s.Outbound.List)
	if err != nil {
		return &Error{"outbound.hosts", err.Error()}
	}
	for key, address := range map[string]string{"llm.url": s.LLM.URL, "llm.secondary.url": s.LLM.Secondary.URL,
		"grounding.nli.url": s.Grounding.NLI.URL, "guards.report.webhook": s.Guards.Report.Webhook} {
		u, err := url.Parse(address)
		if address == "" || err != nil {
			continue
		}
		if err := hosts.Check(u); err != nil {
			return &Error{key, err.Error()}
		}
	}
	return nil
}

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
