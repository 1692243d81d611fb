package app_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/faults"
	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// The disk of the data folder runs full under a turn that was accepted: streams and
// indexes all lie there. Once there is room it is answered and remembered, and whoever
// runs the process has been told what to do.
func TestAFullDataFolderLosesNeitherTurnNorMemory(t *testing.T) {
	disk, dir := faults.DiskForTest(t, 2048)
	tb := &table{t: t, dir: dir, guards: guards.Default(), notices: &notices{}}
	tb.start()
	tb.say("mira", "p1", "Ansel", "I come from the coast.", dayOne)

	at := dayOne
	req := &schema.Request{TurnID: "kept", World: "village", NPC: "mira", Player: "p1", PlayerName: "Ansel", GameTime: &at,
		Message: "My brother Tom works at the ropewalk in Osterwick.", DeadlineMS: 60_000}
	if _, err := tb.app.Client.Publish(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if err := disk.Fill(); err != nil {
		t.Fatal(err)
	}
	big := *req
	big.TurnID, big.Player, big.Message = "refused", "p2", strings.Repeat("I come from the coast. ", 300)
	short, stop := context.WithTimeout(t.Context(), 2*time.Second)
	defer stop()
	if _, err := tb.app.Client.Publish(short, &big); err == nil {
		t.Error("a turn was accepted that nothing could store")
	}
	tb.notices.await(t, dir+" is full")
	tb.notices.once(t, dir+" is full", "turns wait; free at least")
	if err := disk.Empty(); err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	events, err := tb.app.Client.Watch(ctx, req.Conversation(), req.TurnID)
	if err != nil {
		t.Fatal(err)
	}
	replies := 0
	for e := range events {
		if e.Reply != nil {
			replies++
			if e.Reply.Reason == schema.ReasonDeadline {
				t.Error("its deadline ended it")
			}
		}
	}
	if replies != 1 {
		t.Fatalf("%d replies", replies)
	}
	tb.settle()
	kept := tb.memories(store.MemoryFilter{NPC: "mira", Player: "p1",
		Statuses: []schema.MemoryStatus{schema.MemoryActive}})
	for _, word := range []string{"coast", "Tom"} {
		found := 0
		for i := range kept {
			if strings.Contains(kept[i].Content+" "+kept[i].Object, word) {
				found++
			}
		}
		if found == 0 {
			t.Errorf("nothing of %q is remembered: %+v", word, kept)
		}
	}
	tb.say("mira", "p2", "Bea", "I like cider.", dayOne)
}
