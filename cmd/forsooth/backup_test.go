package main

import (
	"encoding/json"
	"errors"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// kept is what a backup must bring back of a player: replies, document, memories.
type kept struct {
	replies  map[string]string
	turns    int
	memories string
}

// up starts a mesh on a folder and joins it.
func (s *site) up(t *testing.T, data string) (*process, *backend) {
	t.Helper()
	p := s.start("up", "--world", s.path("village"), "--data", data, "--json")
	var ready Ready
	if err := json.Unmarshal([]byte(p.says(`(?s)(\{.*\})\n`)[1]), &ready); err != nil {
		t.Fatal(err)
	}
	return p, newBackend(t, ready.NATS)
}

// ask says something as a player and waits until the conversation holds the reply.
func (b *backend) ask(id, player, message string) *schema.Reply {
	b.t.Helper()
	r := &schema.Request{TurnID: id, World: "village", NPC: "mira", Player: player, Message: message, DeadlineMS: schema.MaxDeadlineMS}
	if _, err := b.client.Publish(b.t.Context(), r); err != nil {
		b.t.Fatal(err)
	}
	return b.answered(r)
}

func (b *backend) answered(r *schema.Request) *schema.Reply {
	b.t.Helper()
	for end := time.Now().Add(90 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		doc, _, err := b.client.Conversation(b.t.Context(), r.Conversation())
		if err != nil {
			b.t.Fatal(err)
		}
		reply, err := b.client.Reply(b.t.Context(), r.Conversation(), r.TurnID)
		if err != nil && !errors.Is(err, mesh.ErrNotFound) {
			b.t.Fatal(err)
		}
		if err == nil && doc.HasApplied(r.TurnID, 0) {
			return reply
		}
	}
	b.t.Fatalf("turn %s is not answered", r.TurnID)
	return nil
}

// keeps reads what stands of a player, once the memories of these turns are there.
func (s *site) keeps(b *backend, data, player string, turns ...string) kept {
	b.t.Helper()
	convo := schema.ConversationID{World: "village", NPC: "mira", Player: player}
	k := kept{replies: map[string]string{}}
	for _, turn := range turns {
		reply, err := b.client.Reply(b.t.Context(), convo, turn)
		if err != nil {
			b.t.Fatalf("reply of %s: %v", turn, err)
		}
		text, err := json.Marshal(reply)
		if err != nil {
			b.t.Fatal(err)
		}
		k.replies[turn] = string(text)
	}
	doc, _, err := b.client.Conversation(b.t.Context(), convo)
	if err != nil {
		b.t.Fatal(err)
	}
	k.turns = doc.Turns
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		waiting, err := b.client.MemoryWaiting(b.t.Context())
		if err != nil {
			b.t.Fatal(err)
		}
		if waiting == 0 {
			break
		}
	}
	k.memories = s.run("memory", "export", "--data", data, "--world", s.path("village"), "--player", player).out
	return k
}

// A mesh is stopped in the middle of its work for as long as its folder is copied,
// and goes on. The copy is a mesh of its own with the same replies, conversations
// and memories; what was under way in it is answered, and talks go on.
func TestACopyOfARunningFolderGoesOn(t *testing.T) {
	s := newSite(t)
	s.village()
	data, copied := s.path("data/forsooth"), s.path("copied")
	up, b := s.up(t, data)
	b.ask("t1", "ansel", "I come from Oakham.")
	b.ask("t2", "ansel", "Who owns the ferry?")
	before := s.keeps(b, data, "ansel", "t1", "t2")
	if before.turns != 2 || len(before.memories) < 100 {
		t.Fatalf("there is nothing to keep: %+v", before)
	}
	var underWay []*schema.Request
	for i := range 8 {
		q := turnOf(i)
		underWay = append(underWay, q)
		b.publish(i)
	}
	up.signal(syscall.SIGSTOP)
	err := os.CopyFS(copied, os.DirFS(data))
	up.signal(syscall.SIGCONT)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range underWay {
		b.answered(q)
	}
	up.signal(syscall.SIGTERM)
	if code := up.end(); code != exitFine {
		t.Errorf("the mesh that was copied ends with %d: %s", code, up.err.text)
	}

	up, b = s.up(t, copied)
	after := s.keeps(b, copied, "ansel", "t1", "t2")
	for turn, reply := range before.replies {
		if after.replies[turn] != reply {
			t.Errorf("turn %s was answered %s, and in the copy %s", turn, reply, after.replies[turn])
		}
	}
	if after.turns != before.turns || after.memories != before.memories {
		t.Errorf("the copy knows of %d turns, want %d, and remembers\n%s\nwant\n%s", after.turns, before.turns, after.memories, before.memories)
	}
	for _, q := range underWay {
		b.answered(q)
	}
	b.ask("t3", "ansel", "Where do I come from?")
	if k := s.keeps(b, copied, "ansel", "t3"); k.turns != 3 {
		t.Errorf("the talk went on to %d turns", k.turns)
	}
	up.signal(syscall.SIGTERM)
	if code := up.end(); code != exitFine {
		t.Errorf("exit code %d: %s", code, up.err.text)
	}
}

// A folder that nobody holds is copied without its indexes, and they are made anew.
func TestACopyOfAFolderAtRestNeedsNoIndex(t *testing.T) {
	s := newSite(t)
	s.village()
	data, copied := s.path("data/forsooth"), s.path("copied")
	up, b := s.up(t, data)
	b.ask("t1", "ansel", "I come from Oakham.")
	before := s.keeps(b, data, "ansel", "t1")
	up.signal(syscall.SIGTERM)
	if code := up.end(); code != exitFine {
		t.Fatalf("exit code %d: %s", code, up.err.text)
	}
	if err := os.CopyFS(copied+"/nats", os.DirFS(data+"/nats")); err != nil {
		t.Fatal(err)
	}
	r := s.run("memory", "rebuild", "--data", copied, "--world", s.path("village"))
	r.wants(t, exitFine)
	_, b = s.up(t, copied)
	after := s.keeps(b, copied, "ansel", "t1")
	if after.turns != 1 || after.memories != before.memories || after.replies["t1"] != before.replies["t1"] {
		t.Errorf("it brings back %+v, want %+v", after, before)
	}
	b.ask("t2", "ansel", "Where do I come from?")
}
