package scene_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/scene"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"pgregory.net/rapid"
)

var inn = &world.World{Name: "inn", NPCs: map[string]*world.NPC{"mira": {Handle: "mira", Name: "Mira Dunnock"},
	"osric": {Handle: "osric", Name: "Osric Hale"}, "old": {Handle: "old", Name: "The Old Man"}}}

func TestAMessageSpeaksToSomebodyByName(t *testing.T) {
	among := []string{"mira", "osric", "old"}
	for message, want := range map[string]string{
		"Osric, who burned the mill?": "osric", "osric hale: who burned it?": "osric", "Hello Mira, how are you?": "mira",
		"Who burned the mill, Osric?": "osric", "And you, Mira?": "mira", "Mira!": "mira",
		"Who is Osric?": "", "What does Mira know?": "", "Osrich, come here.": "", "The old man, what do you say?": "old",
		"": "", "Good day.": "", "Mira": "mira",
	} {
		if got := scene.Addressed(inn, message, among); got != want {
			t.Errorf("%q speaks to %q, want %q", message, got, want)
		}
	}
	if got := scene.Addressed(inn, "Osric, who burned the mill?", []string{"mira"}); got != "" {
		t.Errorf("%q is not there", got)
	}
}

func TestAnExchangeEnds(t *testing.T) {
	doc := &schema.Conversation{Scene: &schema.SceneState{Presence: schema.Presence{NPCs: []string{"mira", "osric", "old"},
		Players: []string{"p1"}}}}
	reply := func(round, rounds int, npc string, spoke ...string) *schema.Reply {
		return &schema.Reply{TurnID: "t1", World: "inn", NPC: npc, Player: "p1", Message: "Who owns the ferry?",
			AcceptedAt: time.Unix(1e9, 0), Scene: &schema.Scene{ID: "s", Round: round, Rounds: rounds, Of: "t1", Spoke: spoke,
				Message: "Who owns the ferry?"}}
	}
	asking := reply(0, 2, "mira")
	asking.Sentences = []schema.Sentence{{Text: "Old, do you know who owns the ferry?"}}
	away := reply(0, 2, "mira")
	away.Player = "p2"
	for _, c := range []struct {
		name string
		r    *schema.Reply
		want string
	}{
		{"in turn", reply(0, 2, "mira"), "osric"}, {"behind the second", reply(1, 2, "osric", "mira"), "old"},
		{"all rounds are used", reply(2, 2, "old", "mira", "osric"), ""}, {"no rounds", reply(0, 0, "mira"), ""},
		{"all have spoken", reply(2, 4, "old", "mira", "osric"), ""}, {"the one that is asked", asking, "old"},
		{"the player has left", away, ""},
	} {
		got := ""
		if next := scene.Next(inn, doc, c.r); next != nil {
			got = next.NPC
			if err := next.Validate(); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		if got != c.want {
			t.Errorf("%s: %q speaks, want %q", c.name, got, c.want)
		}
	}
	doc.Scene.Hour, doc.Scene.Exchanged = time.Unix(1e9, 0).Truncate(time.Hour), schema.MaxSceneHourly
	if next := scene.Next(inn, doc, reply(0, 2, "mira")); next != nil {
		t.Errorf("beyond the hour's budget: %+v", next)
	}
}

// Whoever comes and goes: an NPC has in mind what was said while it was there, all of the
// newest of it, and nothing else.
func TestAnNPCHearsWhatIsSaidWhileItIsThere(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		doc, heard, n := &schema.Conversation{}, map[string][]string{}, 0
		npcs := []string{"mira", "osric", "old"}
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			n++
			s := schema.Scene{ID: "s"}
			who := &schema.Presence{NPCs: []string{rapid.SampledFrom(npcs).Draw(rt, "who")}, Players: []string{"p1"}}
			r := &schema.Reply{TurnID: fmt.Sprint(n), World: "inn", Scene: &s, AcceptedAt: time.Unix(int64(n), 0)}
			switch rapid.IntRange(0, 3).Draw(rt, "what") {
			case 0:
				s.Enter = who
			case 1:
				s.Leave = &schema.Presence{NPCs: who.NPCs}
			default:
				if doc.Scene == nil || len(doc.Scene.NPCs) == 0 {
					continue
				}
				req := &schema.Request{World: "inn", Player: "p1", Message: fmt.Sprintf("word%d.", n), Scene: &s}
				if _, err := scene.Cast(inn, req, doc); err != nil {
					rt.Fatal(err)
				}
				r.NPC, r.Player, r.Message, r.Scene = req.NPC, "p1", req.Message, req.Scene
				for _, npc := range doc.Scene.NPCs {
					heard[npc] = append(heard[npc], req.Message)
				}
			}
			scene.Apply(doc, r)
			for _, npc := range npcs {
				var has []string
				v := scene.View(doc, npc, "p1")
				for _, l := range append(v.Memory, v.Heard...) {
					has = append(has, l.Text)
				}
				want := heard[npc][max(0, len(heard[npc])-len(has)):]
				if strings.Join(has, " ") != strings.Join(want, " ") || len(has) == 0 && n <= 16 && len(heard[npc]) > 0 {
					rt.Fatalf("%s has %v in mind, and heard %v", npc, has, heard[npc])
				}
			}
		}
	})
}

// A scene keeps of a sentence what other conversations do: whether a model worded it. What an
// older version kept whole is carried no further.
func TestASceneKeepsLinesAsOtherConversationsDo(t *testing.T) {
	doc := &schema.Conversation{}
	scene.Apply(doc, &schema.Reply{TurnID: "t1", World: "inn", NPC: "mira", NPCName: "Mira", Player: "p1",
		Message: strings.Repeat("a", 3<<10),
		Sentences: []schema.Sentence{{Text: "The ferry is old.", Evidence: []schema.EvidenceRef{{Text: "The ferry is old."}}},
			{Text: "It may sink."}},
		Scene: &schema.Scene{ID: "s", Present: &schema.Presence{NPCs: []string{"mira"}}}})
	if l := doc.Memory; !l[1].Verbatim || l[2].Verbatim || l[1].By != "mira" || l[1].ByName != "Mira" || l[0].By != "p1" {
		t.Errorf("lines %+v", l)
	}
	if n := len(doc.Memory[0].Text); n > 2<<10 {
		t.Errorf("it keeps %d bytes of a message", n)
	}
	doc.Memory[0].Text = strings.Repeat("a", 60<<10)
	if n := len(scene.View(doc, "mira", "p1").Memory[0].Text); n > 2<<10 {
		t.Errorf("a turn carries %d bytes of a message", n)
	}
}

// What an NPC said to another player is no part of its talk with this one; it heard it itself
// say so. Lines of an older version name no player.
func TestAnNPCKeepsItsTalksApart(t *testing.T) {
	doc := &schema.Conversation{}
	for player, said := range map[string]string{"p1": "To Ansel.", "p2": "To Bela."} {
		scene.Apply(doc, &schema.Reply{TurnID: player, World: "inn", NPC: "mira", Player: player, Message: "Good day.",
			Sentences: []schema.Sentence{{Text: said}},
			Scene:     &schema.Scene{ID: "s", Present: &schema.Presence{NPCs: []string{"mira", "osric"}}}})
	}
	doc.Memory = append(doc.Memory, schema.Line{Speaker: "npc", By: "mira", Text: "Of old.", Heard: []string{"mira"}})
	texts := func(lines []schema.Line) (out []string) {
		for _, l := range lines {
			if l.Speaker == "npc" {
				out = append(out, l.Text)
			}
		}
		slices.Sort(out)
		return out
	}
	v := scene.View(doc, "mira", "p2")
	if got := texts(v.Memory); !slices.Equal(got, []string{"Of old.", "To Bela."}) {
		t.Errorf("she has said to Bela %q", got)
	}
	if got := texts(v.Heard); !slices.Equal(got, []string{"To Ansel."}) {
		t.Errorf("she has heard beside that %q", got)
	}
}
