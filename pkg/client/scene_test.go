package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/client"
	"github.com/forsooth-npc/forsooth/pkg/client/clienttest"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// tavern is a world of three NPCs, each of whom knows one thing that the others do not.
func tavern(t *testing.T) *client.Client {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"world.yaml": "name: inn\n",
		"npcs/mira/npc.yaml": "handle: mira\nname: Mira Dunnock\npersonality: plain-spoken\nbackstory: |\n" +
			"  Mira Dunnock keeps the forge. The forge was built by Alder Dunnock.\n",
		"npcs/osric/npc.yaml": "handle: osric\nname: Osric Hale\npersonality: gruff\nbackstory: |\n" +
			"  Osric Hale keeps the gate. The north gate shuts at nine.\n",
		"npcs/wren/npc.yaml": "handle: wren\nname: Wren\npersonality: quick\nbackstory: |\n" +
			"  Wren sells eggs at the market. Teague owns the ferry.\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := client.Connect(t.Context(), clienttest.Start(t, dir).URL, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func enter(t *testing.T, s *client.Scene, npcs, players string) {
	t.Helper()
	if err := s.Enter(within(t), presence(npcs, players)); err != nil {
		t.Fatal(err)
	}
}

func presence(npcs, players string) schema.Presence {
	return schema.Presence{NPCs: strings.Fields(npcs), Players: strings.Fields(players)}
}

// says gives who answers, and how, of all rounds.
func says(t *testing.T, s *client.Scene, player, message string, rounds int) (out []string) {
	t.Helper()
	ctx := within(t)
	talk, err := s.Say(ctx, schema.Request{Player: player, PlayerName: strings.ToUpper(player), Message: message,
		Scene: &schema.Scene{Rounds: rounds}})
	if err != nil {
		t.Fatal(err)
	}
	for reply, err := range talk.Replies(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%s: %s", reply.NPC, reply.Text))
	}
	return out
}

// Who is spoken to by name answers, from its own knowledge alone.
func TestASceneIsAnsweredByWhomItAddresses(t *testing.T) {
	s := tavern(t).Scene("inn", "taproom")
	enter(t, s, "mira osric wren", "p1 p2")
	for _, c := range []struct{ message, npc, text string }{
		{"Osric, when does the north gate shut?", "osric", "north gate shuts at nine"},
		{"Who built the forge, Mira?", "mira", "Alder"},
		{"Wren, who owns the ferry?", "wren", "Teague"},
	} {
		got := says(t, s, "p1", c.message, 0)
		if len(got) != 1 || !strings.HasPrefix(got[0], c.npc+": ") || !strings.Contains(got[0], c.text) {
			t.Errorf("%s\n  %q, want %s with %q", c.message, got, c.npc, c.text)
		}
	}
	var in []string
	for _, player := range []string{"p1", "p2", "p1"} { // nobody is addressed: they take turns behind Wren
		in = append(in, strings.SplitN(says(t, s, player, "Good day to you all.", 0)[0], ":", 2)[0])
	}
	if strings.Join(in, " ") != "mira osric wren" {
		t.Errorf("in turn: %v", in)
	}
}

// What one NPC says is known to the others as its word, where they heard it, and to no other.
func TestWhatIsHeardInASceneIsHearsay(t *testing.T) {
	s := tavern(t).Scene("inn", "taproom")
	enter(t, s, "mira osric", "p1 p2")
	if got := says(t, s, "p1", "Osric, when does the north gate shut?", 0); !strings.Contains(got[0], "nine") {
		t.Fatal(got)
	}
	enter(t, s, "wren", "")
	for _, c := range []struct {
		message string
		hears   bool
	}{
		{"Wren, what did Osric say about the north gate?", false},
		{"Wren, when does the north gate shut?", false},
		{"Mira, what did Osric say about the north gate?", true},
		{"Mira, when does the north gate shut?", true},
		{"Wren, what did Mira say about the north gate?", true}, // now she has heard it of Mira
	} {
		got := says(t, s, "p2", c.message, 0)[0]
		if strings.Contains(got, "nine") != c.hears {
			t.Errorf("%s\n  %q, want it to hold the hour: %v", c.message, got, c.hears)
		}
		if strings.Contains(got, "nine") && (!strings.Contains(got, "I was told this by") ||
			!strings.Contains(got, "Osric")) {
			t.Errorf("%s\n  %q names nobody as its source", c.message, got)
		}
	}
	if err := s.Leave(within(t), presence("mira", "")); err != nil {
		t.Fatal(err)
	}
	says(t, s, "p1", "Osric, I come from the coast.", 0)
	enter(t, s, "mira", "")
	if got := says(t, s, "p1", "Mira, where do I come from?", 0)[0]; strings.Contains(got, "coast") {
		t.Errorf("Mira was away: %q", got)
	}
	if got := says(t, s, "p1", "Osric, where do I come from?", 0)[0]; !strings.Contains(got, "coast") {
		t.Errorf("Osric was there: %q", got)
	}
}

// Others may speak behind the first, so many as the player lets, each of what it knows itself.
func TestOthersSpeakBehindTheFirst(t *testing.T) {
	s := tavern(t).Scene("inn", "taproom")
	enter(t, s, "mira osric wren", "p1")
	got := says(t, s, "p1", "Mira, who owns the ferry?", 2)
	if len(got) != 2 || !strings.HasPrefix(got[0], "mira: ") || strings.Contains(got[0], "Teague") ||
		!strings.HasPrefix(got[1], "wren: ") || !strings.Contains(got[1], "Teague") {
		t.Errorf("%q; want Mira who does not know, silence of Osric, and Wren", got)
	}
	if got := says(t, s, "p1", "Mira, when does the north gate shut?", 0); len(got) != 1 {
		t.Errorf("without rounds: %q", got)
	}
}

// The events of a turn say who thinks and speaks, and the turn behind it is found by its reply.
func TestEventsOfASceneNameWhoSpeaks(t *testing.T) {
	c := tavern(t)
	s := c.Scene("inn", "taproom")
	enter(t, s, "mira wren", "p1")
	ctx := within(t)
	talk, err := s.Say(ctx, schema.Request{Player: "p1", Message: "Mira, who owns the ferry?",
		Scene: &schema.Scene{Rounds: 1}})
	if err != nil {
		t.Fatal(err)
	}
	turn := talk.Turn
	for _, npc := range []string{"mira", "wren"} {
		spoke := 0
		for e, err := turn.Next(ctx); !errors.Is(err, io.EOF); e, err = turn.Next(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Kind == schema.SaidSentence {
				spoke++
			}
			if names := e.Kind == schema.SaidSentence || e.Kind == schema.SaidThinking; (e.NPC == npc) != names {
				t.Errorf("%s of %s names %q", e.Kind, npc, e.NPC)
			}
		}
		reply, err := turn.Reply(ctx)
		if err != nil || reply.NPC != npc || spoke == 0 {
			t.Fatalf("%d sentences of %s: %+v, %v", spoke, npc, reply, err)
		}
		if turn, err = c.Behind(ctx, reply); err != nil || (turn == nil) != (npc == "wren") {
			t.Fatalf("behind %s: %v, %v", npc, turn, err)
		}
	}
}

// A scene takes those it has room for, and answers those who are there.
func TestASceneIsBounded(t *testing.T) {
	c := tavern(t)
	s := c.Scene("inn", "taproom")
	enter(t, s, "mira", "p1")
	many := schema.Presence{}
	for i := range schema.MaxScenePlayers {
		many.Players = append(many.Players, fmt.Sprintf("q%d", i))
	}
	for name, who := range map[string]schema.Presence{"players": many, "a stranger": presence("nobody", ""),
		"nobody": {}} {
		if err := s.Enter(within(t), who); !errors.Is(err, schema.ErrInvalid) {
			t.Errorf("%s enter: %v", name, err)
		}
	}
	for _, r := range []schema.Request{{Player: "p9", Message: "Hello."}, {Player: "p1", NPC: "wren", Message: "Hello."}} {
		talk, err := s.Say(within(t), r)
		if err != nil {
			t.Fatal(err)
		}
		if reply, err := talk.Reply(within(t)); err != nil || reply.Reason != schema.ReasonInvalid || reply.Text != "" {
			t.Errorf("%+v: %+v, %v", r, reply, err)
		}
	}
	r := schema.Request{TurnID: "t1", World: "inn", Player: "p1", Message: "Hello.",
		Scene: &schema.Scene{ID: "taproom", Round: 1}}
	if _, err := c.Say(within(t), r); !errors.Is(err, schema.ErrInvalid) {
		t.Errorf("a round of a backend's own: %v", err)
	}
}
