package app_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// tells is the action by which an NPC passes on what it remembers.
func tells(confirm bool) []schema.ActionSpec {
	return []schema.ActionSpec{{Name: "tell", Confirm: confirm, Parameters: json.RawMessage(
		`{"type":"object","properties":{"npc":{"enum":["osric"]},"memory":{"type":"string"}},"required":["npc","memory"]` +
			`,"additionalProperties":false}`)}}
}

func TestAnNPCTellsAnother(t *testing.T) {
	tb := sit(t)
	tb.say("mira", "p1", "Ansel", "I come from the coast.", dayOne)
	r := tb.sayWith("mira", "p1", "Ansel", "Tell Osric where I come from.", dayOne.Add(time.Hour), tells(false))
	if len(r.Actions) != 1 || !r.Actions[0].Checked || r.Actions[0].Parameters["npc"] != "osric" {
		t.Fatalf("%s %q takes %+v", r.Status, r.Text, r.Actions)
	}
	own := tb.memories(store.MemoryFilter{NPC: "mira", Subject: "player:p1", Predicate: "from"})
	heard := tb.memories(store.MemoryFilter{NPC: "osric"})
	if len(own) != 1 || len(heard) != 1 {
		t.Fatalf("Mira keeps %+v\nOsric keeps %+v", own, heard)
	}
	copied := heard[0]
	if copied.HeardFrom != "mira" || copied.HeardID != own[0].ID || copied.Player != "p1" ||
		copied.Rank() != schema.RankHearsay ||
		copied.Confidence >= own[0].Confidence || copied.Status != schema.MemoryActive ||
		!slices.EqualFunc(copied.Spans, own[0].Spans, sameWords) {
		t.Errorf("the copy is %+v\nof %+v", copied, own[0])
	}
	log := entries(t, tb)
	for range 2 {
		if err := tb.app.Remember(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	tb.settle()
	if entries(t, tb) != log {
		t.Errorf("the turn replayed adds to the log")
	}
	tb.restart()
	for _, c := range []struct {
		npc, player, name, want string
		knows                   bool
	}{
		{"osric", "p1", "Ansel", "I remember that Mira told me that you told Mira that you come from the coast.", true},
		{"osric", "p2", "Berta", "coast", false},
		{"mira", "p2", "Berta", "coast", false},
		{"mira", "p1", "Ansel", "You told me that you come from the coast.", true},
	} {
		r := tb.say(c.npc, c.player, c.name, "Where do I come from?", dayOne.AddDate(0, 0, 1))
		if strings.Contains(r.Text, c.want) != c.knows {
			t.Errorf("%s to %s: %s %s %q, want %q: %v", c.npc, c.player, r.Status, r.Reason, r.Text, c.want, c.knows)
		}
	}
}

func sameWords(a, b schema.MemorySpan) bool { return a.Text == b.Text && a.TurnID == b.TurnID }

// Where the game is asked first, nothing is passed on before its ok.
func TestAnNPCTellsAnotherWhenTheGameSaysSo(t *testing.T) {
	for _, accepted := range []bool{true, false} {
		tb := sit(t)
		tb.say("mira", "p1", "Ansel", "I come from the coast.", dayOne)
		r := tb.sayWith("mira", "p1", "Ansel", "Tell Osric where I come from.", dayOne.Add(time.Hour), tells(true))
		if n := len(tb.memories(store.MemoryFilter{NPC: "osric"})); n != 0 {
			t.Errorf("Osric was told before the game answered: %d", n)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		if err := tb.app.Client.Answer(ctx, r.Conversation(), r.TurnID, 0,
			schema.ActionResult{Accepted: accepted}); err != nil {
			t.Fatal(err)
		}
		cancel()
		tb.settle()
		if n := len(tb.memories(store.MemoryFilter{NPC: "osric"})); n == 1 != accepted {
			t.Errorf("the game said %v, and Osric keeps %d", accepted, n)
		}
	}
}

// What the NPC does not remember, or not with this player, is passed on to nobody.
func TestAnNPCTellsOnlyWhatItRemembersOfThePlayer(t *testing.T) {
	tb := sit(t)
	tb.say("mira", "p1", "Ansel", "I come from the coast.", dayOne)
	own := tb.memories(store.MemoryFilter{NPC: "mira"})
	r := tb.sayWith("mira", "p2", "Berta", "Tell Osric where I come from.", dayOne, tells(false))
	if len(r.Actions) != 0 {
		t.Errorf("takes %+v", r.Actions)
	}
	for _, params := range []map[string]any{{"npc": "osric", "memory": own[0].ID}, {"npc": "nobody", "memory": own[0].ID},
		{"npc": "osric", "memory": "m0"}} {
		forged := *r
		forged.TurnID, forged.Actions = "forged", []schema.Action{{Name: "tell", Checked: true, Parameters: params}}
		if err := tb.app.Remember(t.Context(), &forged); err != nil {
			t.Fatal(err)
		}
	}
	tb.settle()
	if heard := tb.memories(store.MemoryFilter{NPC: "osric"}); len(heard) != 0 {
		t.Errorf("Osric keeps %+v", heard)
	}
}
