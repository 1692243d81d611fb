package main

import (
	"encoding/json"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/bench"
)

// A few players for a moment, with a scripted model that has its price.
func TestPlayersHaveAPrice(t *testing.T) {
	s := newSite(t)
	r := s.run("bench", "turn", "--players", "1,3", "--for", "4s", "--every", "2s", "--deadline", "60s", "--scripted",
		"--ttft", "1ms", "--rate", "10000", "--json")
	var got bench.PlayersRun
	if err := json.Unmarshal([]byte(r.out), &got); err != nil {
		t.Fatalf("exit code %d, %v, it says %s", r.code, err, r.err)
	}
	if len(got.Rows) != 2 || got.Rows[0].Offered != 0 || got.Rows[1].Offered != 1.5 {
		t.Fatalf("%+v", got)
	}
	for _, row := range got.Rows {
		if row.Turns == 0 || row.Unanswered > 0 || row.InMesh.P99 < row.InMesh.P50 || row.Calls <= 0 || row.Cost <= 0 ||
			row.CPU <= 0 || row.Most < row.Resident || row.AtRest <= 0 {
			t.Errorf("%+v", row)
		}
		if len(row.Passes) == 0 || row.Passes[0].Pass != "retrieve" || row.Passes[0].Mean <= 0 {
			t.Errorf("%d players: passes %+v", row.Players, row.Passes)
		}
	}
	s.run("bench", "turn", "--players", "0").wants(t, exitUsage, "--players")
	s.run("bench", "turn", "--players", "2", "--world", s.village()).wants(t, exitUsage, "Hollowmere")
}
