package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/bench"
)

// Two kinds of process, restarted in turn by SIGTERM and by kill -9 while a few
// players talk: nothing that was accepted is lost.
func TestARollingRestartLosesNothing(t *testing.T) {
	s := newSite(t)
	r := s.run("bench", "rolling", "--kinds", "2", "--replicas", "1", "--players", "4", "--rate", "2", "--deadline", "60s", "--pause", "100ms", "--json")
	var got bench.RollingRun
	if err := json.Unmarshal([]byte(r.out), &got); err != nil {
		t.Fatalf("exit code %d, %v, it says %s", r.code, err, r.err)
	}
	t.Logf("%d turns, p99 %.0f ms, %d redelivered", got.Play.Turns, got.Play.InMesh.P99, got.Redelivered)
	if r.code != exitFine || len(got.Violations) > 0 || got.Play.Turns == 0 || got.Play.Replies != got.Play.Turns {
		t.Errorf("exit code %d, %v, %d replies to %d turns", r.code, got.Violations, got.Play.Replies, got.Play.Turns)
	}
	by := map[string]int{}
	for _, x := range got.Restarts {
		by[x.How]++
	}
	if by["SIGTERM"] != 2 || by["kill -9"] != 2 {
		t.Errorf("restarted %v", by)
	}
	if n := strings.Count(r.err, "ended after"); n != 4 {
		t.Errorf("it tells of %d restarts: %s", n, r.err)
	}
	s.run("bench", "rolling", "--replicas", "0").wants(t, exitUsage, "--replicas")
}

// A few players for a moment, with a scripted model that has its price.
func TestPlayersHaveAPrice(t *testing.T) {
	s := newSite(t)
	r := s.run("bench", "turn", "--players", "1,3", "--for", "4s", "--every", "2s", "--deadline", "60s", "--scripted", "--ttft", "1ms", "--rate", "10000", "--json")
	var got bench.PlayersRun
	if err := json.Unmarshal([]byte(r.out), &got); err != nil {
		t.Fatalf("exit code %d, %v, it says %s", r.code, err, r.err)
	}
	if len(got.Rows) != 2 || got.Rows[0].Offered != 0 || got.Rows[1].Offered != 1.5 {
		t.Fatalf("%+v", got)
	}
	for _, row := range got.Rows {
		if row.Turns == 0 || row.Unanswered > 0 || row.InMesh.P99 < row.InMesh.P50 || row.Calls <= 0 || row.Cost <= 0 || row.CPU <= 0 || row.Most < row.Resident || row.AtRest <= 0 {
			t.Errorf("%+v", row)
		}
		if len(row.Passes) == 0 || row.Passes[0].Pass != "retrieve" || row.Passes[0].Mean <= 0 {
			t.Errorf("%d players: passes %+v", row.Players, row.Passes)
		}
	}
	s.run("bench", "turn", "--players", "0").wants(t, exitUsage, "--players")
	s.run("bench", "turn", "--players", "2", "--world", s.village()).wants(t, exitUsage, "Hollowmere")
}
