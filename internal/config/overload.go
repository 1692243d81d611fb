package config

import (
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/limits"
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
