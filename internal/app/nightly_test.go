package app_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// The broker is the clock: what falls due is scanned by whoever runs the service, and
// what the scan finds stands in the log and in the history.
func TestTheBrokerStartsTheScan(t *testing.T) {
	tb := sit(t)
	tb.say("mira", "p1", "Ansel", "My cousin Ulric works at the mill.", dayOne)
	tb.say("mira", "p1", "Ansel", "My cousin works at the ferry now.", dayOne.AddDate(0, 0, 3))
	must(t, tb.app.Mesh.ScheduleScan(t.Context(), "village", "*/2 * * * * *", "UTC"))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	found := errors.New("found")
	var superseded schema.MemoryEvent
	err := tb.app.Client.MemoryLog().Follow(ctx, 0, func(l transport.Logged) error {
		if superseded = l.Event; superseded.By == scan.By && superseded.Type == schema.MemorySupersede {
			return found
		}
		return nil
	})
	if !errors.Is(err, found) {
		t.Fatalf("no scan wrote anything: %v", err)
	}
	must(t, tb.app.Mesh.UnscheduleScan(t.Context(), "village"))
	tb.settle()
	old := tb.memories(store.MemoryFilter{NPC: "mira", Statuses: []schema.MemoryStatus{schema.MemorySuperseded}})
	if len(old) != 1 || old[0].ID != superseded.Target || !strings.Contains(old[0].Content, "Ulric works at the mill") {
		t.Errorf("superseded are %+v", old)
	}
}

// The scan of every world that is served is scheduled, and taken away again where it
// is switched off; what is told in talk is found by it.
func TestTheNightlyScan(t *testing.T) {
	tb := sit(t)
	scheduled := func(want bool) {
		t.Helper()
		select {
		case <-app.Scheduled(tb.app):
		case <-time.After(10 * time.Second):
			t.Fatal("the scans are never scheduled")
		}
		got, err := tb.app.Mesh.ScheduledScans(t.Context())
		if err != nil || slices.Contains(got, "village") != want {
			t.Fatalf("scheduled are %v, %v", got, err)
		}
	}
	scheduled(true)
	day := time.Date(1402, 5, 1, 10, 0, 0, 0, time.UTC)
	tb.say("mira", "p1", "Ansel", "I live in Oakham.", day)
	tb.say("mira", "p1", "Ansel", "I live in Saltmere.", day.AddDate(0, 0, 1))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	night, err := tb.app.ScanMemory(ctx, "village")
	if err != nil || night.Report.Memories < 2 || night.Report.Unproven != 0 {
		t.Fatalf("%+v, %v", night, err)
	}
	again, err := tb.app.ScanMemory(ctx, "village")
	if err != nil || again.Written != 0 {
		t.Errorf("%+v, %v", again, err)
	}
	tb.stop()
	off := guards.Default()
	off.Consistency.Enabled = false
	a, err := app.Start(t.Context(), app.Options{Worlds: []*world.World{village(t)}, Data: tb.dir, Meaning: app.MeaningOff,
		Guards: &off})
	if err != nil {
		t.Fatal(err)
	}
	tb.app, tb.stop = a, run(t, a)
	scheduled(false)
}
