package app_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// inScene is a turn of a scene; the index has all that it left behind when it returns.
func (tb *table) inScene(turn, player, name, message string, s schema.Scene) *schema.Reply {
	tb.t.Helper()
	ctx, cancel := context.WithTimeout(tb.t.Context(), 30*time.Second)
	defer cancel()
	s.ID = "taproom"
	at := dayOne
	req := &schema.Request{TurnID: turn, World: "village", Player: player, PlayerName: name, Message: message, Scene: &s,
		GameTime: &at, DeadlineMS: 20_000}
	if _, err := tb.app.Client.Publish(ctx, req); err != nil {
		tb.t.Fatal(err)
	}
	events, err := tb.app.Client.Watch(ctx, req.Conversation(), turn)
	if err != nil {
		tb.t.Fatal(err)
	}
	var reply *schema.Reply
	for e := range events {
		if e.Reply != nil {
			reply = e.Reply
		}
	}
	if reply == nil {
		tb.t.Fatalf("turn %s: no reply", turn)
	}
	tb.settle()
	return reply
}

// What is said in a scene becomes a memory of those who were there: what the player said as
// said by it, what an NPC said as hearsay of that NPC. Who was away remembers nothing.
func TestASceneIsRememberedByThoseWhoWereThere(t *testing.T) {
	tb := sit(t)
	tb.inScene("e1", "", "", "", schema.Scene{Enter: &schema.Presence{NPCs: []string{"mira", "osric"},
		Players: []string{"p1", "p2"}}})
	tb.inScene("s1", "p1", "Ansel", "Osric, I come from the coast.", schema.Scene{})
	tb.inScene("s2", "p1", "Ansel", "Mira, who owns the ferry?", schema.Scene{})
	tb.inScene("l1", "", "", "", schema.Scene{Leave: &schema.Presence{NPCs: []string{"mira"}}})
	tb.inScene("s3", "p1", "Ansel", "Osric, my brother is called Tom.", schema.Scene{})
	for _, c := range []struct {
		npc, words string
		want       int
	}{{"osric", "coast", 1}, {"mira", "coast", 1}, {"osric", "Tom", 1}, {"mira", "Tom", 0}} {
		n := 0
		for _, m := range tb.memories(store.MemoryFilter{NPC: c.npc}) {
			if strings.Contains(m.Content, c.words) {
				n++
				if m.Player != "p1" || m.Spans[0].Scene != "taproom" || m.Status != schema.MemoryActive {
					t.Errorf("%s keeps %+v", c.npc, m)
				}
			}
		}
		if (n > 0) != (c.want > 0) {
			t.Errorf("%s keeps %d memories of %q", c.npc, n, c.words)
		}
	}
	heard := 0
	for _, m := range tb.memories(store.MemoryFilter{NPC: "osric"}) {
		if m.HeardFrom == "mira" && strings.Contains(m.Content, "Mira said: \u201c") && m.Rank() == schema.RankHearsay {
			heard++
		}
	}
	if heard != 1 {
		t.Errorf("Osric keeps %d memories of what Mira said: %+v", heard, tb.memories(store.MemoryFilter{NPC: "osric"}))
	}
	log := entries(t, tb)
	for _, turn := range []string{"s1", "s2", "s3"} {
		r, err := tb.app.Client.Reply(t.Context(), schema.SceneConversation("village", "taproom"), turn)
		if err != nil {
			t.Fatal(err)
		}
		if err := tb.app.Remember(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	tb.settle()
	if entries(t, tb) != log {
		t.Error("the scene replayed adds to the log")
	}
	// Apart from the scene each tells what it has heard there, and no other.
	for npc, knows := range map[string]bool{"mira": true, "osric": true} {
		r := tb.say(npc, "p1", "Ansel", "Where do I come from?", dayOne.Add(time.Hour))
		if strings.Contains(r.Text, "coast") != knows {
			t.Errorf("%s: %q", npc, r.Text)
		}
	}
}

// "You" is the NPC whom the player speaks to, and nobody else who listens.
func TestAListenerIsNotTheYouOfAScene(t *testing.T) {
	tb := sit(t)
	tb.inScene("e1", "", "", "", schema.Scene{Enter: &schema.Presence{NPCs: []string{"mira", "osric"},
		Players: []string{"p1"}}})
	for turn, said := range map[string]string{"s1": "Osric, I trust you.", "s2": "Osric, I owe you forty marks.",
		"s3": "Osric, I gave your brother a rope.", "s4": "Osric, keep my seat by the fire."} {
		tb.inScene(turn, "p1", "Ansel", said, schema.Scene{})
	}
	for _, words := range []string{"trust me", "owe me", "rope", "seat"} {
		for npc, want := range map[string]bool{"osric": true, "mira": false} {
			got := slices.ContainsFunc(tb.memories(store.MemoryFilter{NPC: npc}), func(m schema.Memory) bool {
				return strings.Contains(m.Content, words) && m.Player == "p1" && m.HeardFrom == ""
			})
			if got != want {
				t.Errorf("%s keeps %q: %v", npc, words, got)
			}
		}
	}
}

// What an NPC says of itself in a scene is not what the one says who heard it.
func TestAListenerQuotesWhatAnotherNPCSaid(t *testing.T) {
	tb := sit(t)
	tb.inScene("e1", "", "", "", schema.Scene{Enter: &schema.Presence{NPCs: []string{"mira", "osric"},
		Players: []string{"p1"}}})
	r := tb.inScene("s1", "p1", "Ansel", "Mira, who owns the ferry?", schema.Scene{})
	n := 0
	for _, m := range tb.memories(store.MemoryFilter{NPC: "osric"}) {
		if m.HeardFrom != "mira" {
			continue
		}
		n++
		want := "Mira said: \u201c" + m.Spans[0].Text + "\u201d"
		if m.Content != want || !strings.Contains(r.Text, m.Spans[0].Text) {
			t.Errorf("Osric keeps %q of %q", m.Content, r.Text)
		}
	}
	if n == 0 {
		t.Errorf("Osric keeps nothing of %q", r.Text)
	}
}
