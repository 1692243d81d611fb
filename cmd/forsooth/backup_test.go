package main

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/natstest"
	"github.com/forsooth-npc/forsooth/internal/store/qdrant/edgetest"
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
	r := &schema.Request{TurnID: id, World: "village", NPC: "mira", Player: player, Message: message,
		DeadlineMS: schema.MaxDeadlineMS}
	if _, err := b.client.Publish(b.t.Context(), r); err != nil {
		b.t.Fatal(err)
	}
	return b.answered(r)
}

func (b *backend) answered(r *schema.Request) *schema.Reply {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.t.Context(), 90*time.Second)
	defer stop()
	events, err := b.client.WatchRequest(ctx, r)
	if err != nil {
		b.t.Fatal(err)
	}
	var reply *schema.Reply
	for e := range events { // they end once the turn is applied
		if e.Err != nil {
			b.t.Fatal(e.Err)
		}
		if e.Reply != nil {
			reply = e.Reply
		}
	}
	if reply == nil || ctx.Err() != nil {
		b.t.Fatalf("turn %s is not answered", r.TurnID)
	}
	return reply
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
	b.remembered()
	k.memories = s.run("memory", "export", "--data", data, "--world", s.path("village"), "--player", player).out
	return k
}

// remembered waits until what was said is in memory.
func (b *backend) remembered() {
	b.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		waiting, err := b.client.MemoryWaiting(b.t.Context())
		if err != nil {
			b.t.Fatal(err)
		}
		if waiting == 0 {
			return
		}
	}
	b.t.Fatal("what was said is not remembered")
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
		t.Errorf("the copy knows of %d turns, want %d, and remembers\n%s\nwant\n%s", after.turns, before.turns,
			after.memories, before.memories)
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

// A fleet's streams are backed up through the broker's own interface by its operator, as
// `nats account backup` does it, while nobody works on them, and are restored into the empty
// account of another nats-server. Nothing else is kept: no data folder, and of Qdrant no
// snapshot. A new fleet makes its index of the worlds anew, `memory rebuild` that of the
// memories, and NPCs answer from what they were told before.
func TestAFleetComesBackFromItsStreamsAlone(t *testing.T) {
	s := newSite(t)
	village := s.village()
	fleet := func(server *natstest.Server, name string) (map[string]*process, *backend, []string) {
		qdrant := edgetest.Own(t)
		url := "http://" + qdrant.Addr
		running := s.compose(t, server, func(service string) map[string]string {
			return map[string]string{"FORSOOTH_WORLD": village, "FORSOOTH_QDRANT_URL": url,
				"FORSOOTH_DATA": s.path(name + "-" + service)}
		})
		return running, newBackendAs(t, server.URL, operator),
			[]string{"--nats", server.URL, "--qdrant", url, "--world", village, "--data", s.path(name)}
	}
	before := s.broker(t)
	running, b, flags := fleet(before, "before")
	first := b.ask("t1", "ansel", "I come from Oakham.")
	b.ask("t2", "ansel", "Where do I come from?")
	b.remembered()
	s.asOperator()
	export := func(flags []string) string {
		return s.run(append([]string{"memory", "export", "--player", "ansel"}, flags...)...).out
	}
	memories := export(flags)
	if !strings.Contains(memories, "Oakham") {
		t.Fatalf("there is nothing to keep: %s", memories)
	}
	for name, p := range running {
		p.signal(syscall.SIGTERM)
		if code := p.end(); code != exitFine {
			t.Errorf("%s ends with %d: %s", name, code, p.err.text)
		}
	}
	backup := natstest.TakeBackup(t, before.URL, "operator", "local-operator")
	before.Stop()

	after := s.broker(t)
	backup.Restore(t, after.URL, "operator", "local-operator")
	dry := s.run("migrate", "--dry-run", "--nats", after.URL, "--json")
	dry.wants(t, exitFine)
	if o := dry.object(t); o["changes"] != 0.0 {
		t.Errorf("after the restore a migration would change something: %s", dry.out)
	}
	_, b, flags = fleet(after, "after")
	s.asOperator()
	s.run(append([]string{"memory", "rebuild"}, flags...)...).wants(t, exitFine)
	if got := export(flags); got != memories {
		t.Errorf("it remembers\n%s\nwant\n%s", got, memories)
	}
	again, err := b.client.Reply(t.Context(), first.Conversation(), "t1")
	if err != nil || again.Text != first.Text {
		t.Errorf("the first reply is %+v, %v", again, err)
	}
	r := b.ask("t3", "ansel", "Where do I come from?")
	t.Logf("%q, %s %s, from %v", r.Text, r.Status, r.Reason, r.SourceCounts)
	if !strings.Contains(r.Text, "Oakham") || r.SourceCounts[schema.OriginUser] == 0 {
		t.Errorf("the talk goes on with %q, %s %s, from %v", r.Text, r.Status, r.Reason, r.SourceCounts)
	}
	doc, _, err := b.client.Conversation(t.Context(), first.Conversation())
	if err != nil || doc.Turns != 3 {
		t.Errorf("%d turns in the conversation, %v", doc.Turns, err)
	}
}
