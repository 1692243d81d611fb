package config

import (
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/limits"
)

func TestOverloadSettings(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("FORSOOTH_OVERLOAD_PLAYER_PER_SECOND", "0.5")
	s, err := Load("", map[string]any{"overload.world_per_second": 0.0})
	if err != nil {
		t.Fatal(err)
	}
	want := limits.Rates{Player: limits.Rate{PerSecond: 0.5, Burst: 600}, World: limits.Rate{Burst: 20000}}
	if got := s.Overload.Limits(); got != want || s.Overload.MaxInFlight != 10000 || s.Overload.RetryShare != 0.2 {
		t.Errorf("%+v", s.Overload)
	}
	for key, value := range map[string]any{"overload.player_per_second": -1.0, "overload.world_per_second": 2e6,
		"overload.player_burst": 0, "overload.world_burst": 0,
		"overload.max_in_flight": 0, "overload.retry_share": 0.0} {
		if _, err := Load("", map[string]any{key: value}); err == nil || !strings.HasPrefix(err.Error(), key) {
			t.Errorf("%s %v: %v", key, value, err)
		}
	}
}
