package app_test

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// gate is a world whose watchman speaks first.
func gate(t *testing.T) *world.World {
	t.Helper()
	w, problems, err := world.Load(fs.FS(fstest.MapFS{
		"world.yaml": {Data: []byte("name: gate\ntrust: {rises_on: {event.helped: 6}}\n")},
		"npcs/osric/npc.yaml": {Data: []byte("handle: osric\nname: Osric\npersonality: plain-spoken\n" +
			"backstory: |\n  Osric keeps the gate. The gate shuts at nine. Teague owns the ferry.\n" +
			"speaks_on:\n" +
			"  - {event: arrived_from, cooldown: 10m, per_hour: 2, lines: [\"Halt and well met.\"]}\n" +
			"  - {event: helped, requires: \"trust >= 6\", cooldown: 1s, per_hour: 2, lines: [\"I will not forget it.\"]}\n" +
			"  - {event: visited, cooldown: 1s, topic: \"Who owns the ferry?\"}\n" +
			"  - {event: fought_in, cooldown: 1s, topic: \"When does the gate shut?\"}\n" +
			"  - {event: happened, cooldown: 1s, topic: \"Who burned the mill at Quellamar?\"}\n")},
	}), ".")
	if err != nil || len(world.Errors(world.Lint(w, problems, nil))) > 0 {
		t.Fatal(problems, err)
	}
	return w
}

// doorway is a mesh over that world.
type doorway struct {
	t   *testing.T
	app *app.App
	n   int
}

func openDoorway(t *testing.T, models llm.Config) *doorway {
	t.Helper()
	a, err := app.Start(t.Context(), app.Options{Worlds: []*world.World{gate(t)}, Data: t.TempDir(),
		Meaning: app.MeaningOff, LLM: models})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(run(t, a))
	return &doorway{t: t, app: a}
}

// sees tells the mesh of an event and gives the reply of the turn that it begins.
func (d *doorway) sees(kind, player string) *schema.Reply {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), 20*time.Second)
	defer cancel()
	d.n++
	o := &schema.Occurrence{ID: fmt.Sprintf("e%d", d.n), World: "gate", Predicate: kind, Player: player,
		Text: "Ansel came to the gate.", Witnesses: []string{"osric", player}}
	if err := d.app.Client.Witness(ctx, o); err != nil {
		d.t.Fatal(err)
	}
	convo := schema.ConversationID{World: "gate", NPC: "osric", Player: player}
	events, err := d.app.Client.Watch(ctx, convo, schema.BegunTurn(o.ID))
	if err != nil {
		d.t.Fatal(err)
	}
	var reply *schema.Reply
	for e := range events {
		if e.Reply != nil {
			reply = e.Reply
		}
	}
	if reply == nil {
		d.t.Fatalf("%s to %s: no reply", kind, player)
	}
	return reply
}

// An NPC speaks first on an event: its author's line or what it knows, as its rules allow, and
// what it said stands in the conversation as said by nobody else.
func TestAnNPCSpeaksFirst(t *testing.T) {
	d := openDoorway(t, llm.Config{})
	for _, c := range []struct{ event, player, text, reason string }{
		{"arrived_from", "p1", "Halt and well met.", schema.ReasonSocial},
		{"arrived_from", "p1", "", schema.ReasonCooldown},
		{"arrived_from", "p2", "Halt and well met.", schema.ReasonSocial},
		{"helped", "p3", "", schema.ReasonCondition}, // it is remembered only afterwards, or trust is still too low
		{"visited", "p1", "Teague owns the ferry.", ""},
		{"happened", "p1", "", schema.ReasonNothing},
		{"visited", "guest-1", "Teague owns the ferry.", ""},
	} {
		r := d.sees(c.event, c.player)
		if r.Text != c.text || r.Reason != c.reason || r.Message != "" || r.Begin == nil || r.NPC != "osric" {
			t.Errorf("on %s to %s: %s %s %q of %q, want %s %q", c.event, c.player, r.Status, r.Reason, r.Text, r.Message,
				c.reason, c.text)
		}
		if (r.Status == schema.StatusAborted) != (c.text == "") {
			t.Errorf("on %s to %s: %s", c.event, c.player, r.Status)
		}
	}
	doc, _, err := d.app.Client.Conversation(t.Context(), schema.ConversationID{World: "gate", NPC: "osric", Player: "p1"})
	if err != nil || len(doc.Memory) != 2 || doc.Turns != 2 || len(doc.Begun) != 3 { // of one it was silent
		t.Fatalf("%+v, %v", doc, err)
	}
	for _, l := range doc.Memory {
		if l.Speaker != "npc" {
			t.Errorf("%s is said to have said %q", l.Speaker, l.Text)
		}
	}
}

// An NPC speaks first so often in an hour, and no more.
func TestAnNPCSpeaksFirstAsOftenAsItMay(t *testing.T) {
	d := openDoorway(t, llm.Config{})
	for _, event := range []string{"visited", "fought_in"} {
		if r := d.sees(event, "p1"); r.Text == "" {
			t.Errorf("on %s: %s %s", event, r.Status, r.Reason)
		}
	}
	if r := d.sees("arrived_from", "p1"); r.Reason != schema.ReasonEnough { // two an hour, by whatever rule
		t.Errorf("%s %s %q", r.Status, r.Reason, r.Text)
	}
}

// A model words what an NPC says first of a topic, under the same review: of one that lies no
// sentence is released that the world does not bear. The author's line is said as it stands.
func TestAModelThatSpeaksFirstIsReviewed(t *testing.T) {
	scripted, err := llmtest.Start(llmtest.Options{Addr: "127.0.0.1:0", Persona: "invent-detail", Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = scripted.Close() })
	d := openDoorway(t, llm.Config{Primary: llm.Provider{URL: scripted.URL(), Model: "scripted"}})
	if r := d.sees("arrived_from", "p1"); r.Text != "Halt and well met." {
		t.Errorf("the author's line: %s %q", r.Status, r.Text)
	}
	r := d.sees("visited", "p1")
	if len(scripted.Entries()) == 0 {
		t.Error("the model was not asked")
	}
	for _, s := range r.Sentences {
		if strings.Contains(strings.ToLower(s.Text), llmtest.Invented) || !s.Authored && len(s.Evidence) == 0 {
			t.Errorf("released: %q", s.Text)
		}
	}
}
