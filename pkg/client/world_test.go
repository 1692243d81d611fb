package client_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/pkg/client"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// A backend learns whom it can talk to, and nothing of what they know.
func TestTheWorldsThatAreServed(t *testing.T) {
	c := connect(t, meshFor(t, "").url)
	all, err := c.Worlds(t.Context())
	if err != nil || len(all) != 1 || all[0].Name != "village" || all[0].DefaultNPC != "mira" ||
		all[0].Version == "" {
		t.Fatalf("%+v, %v", all, err)
	}
	one, err := c.World(t.Context(), "village")
	if err != nil || len(one.NPCs) != 2 || one.NPC("mira").Name != "Mira" ||
		one.NPC("mira").Greeting != "Mind the sparks." ||
		one.NPC("nobody") != nil {
		t.Errorf("%+v, %v", one, err)
	}
	if actions := one.NPC("mira").Actions; len(actions) != 2 || actions[0].Name != "give_quest" ||
		actions[0].Requires != "" {
		t.Errorf("actions %+v", actions)
	}
	for name, want := range map[string]error{"elsewhere": client.ErrNotFound, "a.b": schema.ErrInvalid,
		"": schema.ErrInvalid} {
		if _, err := c.World(t.Context(), name); !errors.Is(err, want) {
			t.Errorf("world %q: %v", name, err)
		}
	}
}

// A conversation is read, and begins anew when it is told to; which turns it has taken
// stays, so that none is answered twice.
func TestAConversationIsReadAndReset(t *testing.T) {
	c := connect(t, meshFor(t, "").url)
	turn, err := c.Say(t.Context(), ask("p1", "Who owns the ferry?"))
	if err != nil {
		t.Fatal(err)
	}
	for range turn.Sentences(t.Context()) {
	}
	convo := schema.ConversationID{World: "village", NPC: "mira", Player: "p1"}
	read, err := c.Conversation(t.Context(), convo)
	if err != nil || len(read.Memory) != 2 || read.Memory[1].Text != "Teague owns the ferry." {
		t.Fatalf("%+v, %v", read, err)
	}
	reset, err := c.Reset(t.Context(), convo)
	if err != nil || len(reset.Memory) != 0 || len(reset.Applied) != 1 {
		t.Errorf("%+v, %v", reset, err)
	}
	again, err := c.Conversation(t.Context(), convo)
	if err != nil || len(again.Memory) != 0 || again.Turns != 1 {
		t.Errorf("%+v, %v", again, err)
	}
	other, err := c.Conversation(t.Context(), schema.ConversationID{World: "village", NPC: "mira", Player: "p2"})
	if err != nil || len(other.Memory) != 0 {
		t.Errorf("another player's: %+v, %v", other, err)
	}
	if _, err := c.Reset(t.Context(), schema.ConversationID{World: "village", NPC: "mi.ra", Player: "p2"}); !errors.Is(
		err,
		schema.ErrInvalid,
	) {
		t.Errorf("%v", err)
	}
}

// What an NPC remembers is listed, shown with the words that prove it, and paged.
func TestWhatIsRememberedIsAskedFor(t *testing.T) {
	m := meshFor(t, "")
	c := connect(t, m.url)
	for _, player := range []string{"p1", "p2"} {
		turn, err := c.Say(t.Context(), ask(player, "I work at the ropewalk, and my brother is called Perrin."))
		if err != nil {
			t.Fatal(err)
		}
		for range turn.Sentences(t.Context()) {
		}
	}
	settled(t, m.url)
	all, err := c.Memories(t.Context(), "village", schema.MemoriesQuery{NPC: "mira"})
	if err != nil || len(all.Memories) < 2 || all.More {
		t.Fatalf("%+v, %v", all, err)
	}
	first, err := c.Memories(t.Context(), "village", schema.MemoriesQuery{Limit: 1})
	if err != nil || len(first.Memories) != 1 || !first.More {
		t.Fatalf("%+v, %v", first, err)
	}
	second, err := c.Memories(t.Context(), "village", schema.MemoriesQuery{Limit: 1, After: first.Memories[0].ID})
	if err != nil || len(second.Memories) != 1 || second.Memories[0].ID == first.Memories[0].ID {
		t.Errorf("%+v, %v", second, err)
	}
	id := first.Memories[0].ID
	shown, err := c.Memories(t.Context(), "village", schema.MemoriesQuery{ID: id})
	if err != nil || len(shown.Memories) != 1 || len(shown.Events) == 0 || len(shown.Memories[0].Spans) == 0 {
		t.Errorf("%+v, %v", shown, err)
	}
	mine, err := c.Memories(t.Context(), "village", schema.MemoriesQuery{Player: "p2"})
	if err != nil || len(mine.Memories) == 0 || mine.Memories[0].Player != "p2" {
		t.Errorf("%+v, %v", mine, err)
	}
	for name, bad := range map[string]struct {
		q    schema.MemoriesQuery
		want error
	}{
		"a limit": {schema.MemoriesQuery{Limit: 1000}, schema.ErrInvalid}, "an npc": {schema.MemoriesQuery{NPC: "*"},
			schema.ErrInvalid},
		"a place":   {schema.MemoriesQuery{After: "gone"}, schema.ErrInvalid},
		"an id":     {schema.MemoriesQuery{ID: "gone"}, client.ErrNotFound},
		"another's": {schema.MemoriesQuery{ID: mine.Memories[0].ID, Player: "p1"}, client.ErrNotFound},
	} {
		if _, err := c.Memories(t.Context(), "village", bad.q); !errors.Is(err, bad.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// settled waits until the memory service has read every reply.
func settled(t *testing.T, url string) {
	t.Helper()
	conn, err := transport.Connect(t.Context(), transport.Dial{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	reads := mesh.NewClient(conn)
	wait(t, func() bool {
		n, err := reads.MemoryWaiting(t.Context())
		return err == nil && n == 0
	})
}

// What an NPC may know is searched for, and nobody says anything.
func TestWhatAnNPCMayKnowIsSearchedFor(t *testing.T) {
	c := connect(t, meshFor(t, "").url)
	found, err := c.Knowledge(t.Context(), "village", schema.KnowledgeQuery{NPC: "mira",
		Question: "Who owns the ferry?"})
	if err != nil || len(found.Passages) == 0 || found.Passages[0].Path != "lore/ferry.txt" ||
		!strings.HasPrefix(found.Passages[0].Text, "Teague owns the ferry.") || found.Confidence == 0 {
		t.Errorf("%+v, %v", found, err)
	}
	for _, p := range found.Passages {
		if strings.HasPrefix(p.Path, "npcs/osric/") {
			t.Errorf("another NPC's own notes are among it: %+v", p)
		}
	}
	convo := schema.ConversationID{World: "village", NPC: "mira", Player: "nobody"}
	if talk, err := c.Conversation(t.Context(), convo); err != nil || len(talk.Memory) != 0 || talk.Turns != 0 {
		t.Errorf("the search was a turn: %+v, %v", talk, err)
	}
	for name, q := range map[string]struct {
		world, npc, question string
		want                 error
	}{
		"no world":    {"elsewhere", "mira", "Who owns the ferry?", client.ErrNotFound},
		"no NPC":      {"village", "nobody", "Who owns the ferry?", client.ErrNotFound},
		"no question": {"village", "mira", " ", schema.ErrInvalid},
		"a long one":  {"village", "mira", strings.Repeat("a ", 1<<16), schema.ErrInvalid},
		"no handle":   {"village", "mi.ra", "Who?", schema.ErrInvalid},
	} {
		_, err := c.Knowledge(t.Context(), q.world, schema.KnowledgeQuery{NPC: q.npc, Question: q.question})
		if !errors.Is(err, q.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
