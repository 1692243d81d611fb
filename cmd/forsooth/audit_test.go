package main

import (
	"encoding/json"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/mesh/natstest"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Replies that nobody touched pass, in a folder that nobody holds and beside a running
// mesh; an erased player leaves nothing to audit.
func TestTheAuditOfCleanReplies(t *testing.T) {
	s := newSite(t)
	village := s.village()
	s.run("audit").wants(t, exitFailed, "no turn has been kept")
	for _, message := range []string{"Who owns the ferry?", "Who forged the hinges of the north gate?",
		"I live in Oakham.", "Where do I live?"} {
		s.run("chat", "--world", village, "--player", "p1", "--once", message).wants(t, exitFine)
	}
	r := s.run("audit", "--world", village, "--json")
	r.wants(t, exitFine)
	if o := r.object(t); o["replies"] != 4.0 || o["violations"] != 0.0 || o["non_corpus_rate"] != 0.0 ||
		o["non_corpus_citation_rate"].(float64) <= 0 {
		t.Errorf("%s", r.out)
	}
	up := s.start("up", "--world", village)
	up.says(`ready`)
	r = s.run("audit", "--since", "1h") // the world is the one that is served
	r.wants(t, exitFine)
	for _, want := range []string{"replies", "non_corpus_rate", "violations                0"} {
		if !strings.Contains(r.out, want) {
			t.Errorf("%q is missing in\n%s", want, r.out)
		}
	}
	s.run("memory", "erase", "--player", "p1").wants(t, exitFine)
	if o := s.run("audit", "--json").object(t); o["replies"] != 0.0 {
		t.Errorf("after the erasure: %v", o)
	}
	up.signal(syscall.SIGTERM)
	if code := up.end(); code != exitFine {
		t.Errorf("the mesh ends with %d: %s", code, up.err.text)
	}
	s.run("audit", "--since", "0s").wants(t, exitUsage, "--since")
}

// Lore that was edited after the replies explains them, and fails the audit under
// --strict alone.
func TestTheAuditOfChangedLore(t *testing.T) {
	s := newSite(t)
	village := s.village()
	for _, message := range []string{"Who owns the ferry?", "When did the mill burn?"} {
		s.run("chat", "--world", village, "--once", message).wants(t, exitFine)
	}
	s.write("village/lore/ferry.txt", "Bram owns the ferry. A crossing costs two bits.\n")
	for _, file := range []string{"village/lore/mill.txt", "village/lore/mill.txt.meta.yaml"} {
		if err := os.Remove(s.path(file)); err != nil {
			t.Fatal(err)
		}
	}
	r := s.run("audit", "--world", village)
	r.wants(t, exitFine)
	for _, want := range []string{"lore_changed", "lore_gone", "lore/mill.txt, which is not in the world",
		"Teague owns the ferry."} {
		if !strings.Contains(r.out, want) {
			t.Errorf("%q is missing in\n%s", want, r.out)
		}
	}
	s.run("audit", "--world", village, "--strict").wants(t, exitFailed, "do not fit the lore of today")
	if r := s.run("audit", "--world", "shadowwatch", "--json"); r.object(t)["replies"] != 0.0 {
		t.Errorf("another world: %s", r.out)
	}
}

// A stored reply that somebody has written with other words, other evidence or under
// another name is found.
func TestTheAuditOfTamperedReplies(t *testing.T) {
	s := newSite(t)
	village := s.village()
	var honest schema.Reply
	r := s.run("chat", "--world", village, "--player", "p1", "--once", "Who owns the ferry?", "--json")
	if err := json.Unmarshal([]byte(r.out), &honest); err != nil || len(honest.Sentences) != 1 {
		t.Fatalf("%v: %s", err, r.out)
	}
	w, _, err := world.LoadDir(village)
	if err != nil {
		t.Fatal(err)
	}
	honest.World, honest.NPC, honest.Player, honest.LoreVersion = "village", "mira", "p1", w.Version
	up := s.start("up", "--world", village, "--json")
	var ready Ready
	if err := json.Unmarshal([]byte(up.says(`(?s)(\{.*\})\n`)[1]), &ready); err != nil {
		t.Fatal(err)
	}
	broker, err := natstest.TamperWith(ready.NATS)
	if err != nil {
		t.Fatal(err)
	}
	defer broker.Close()
	store := func(subject string, r schema.Reply) {
		body, err := json.Marshal(r)
		if err == nil {
			_, err = broker.Write(t.Context(), subject, body)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	forged := func(turn string, change func(*schema.Sentence)) {
		f := honest
		f.TurnID, f.Sentences = turn, append([]schema.Sentence{}, honest.Sentences...)
		f.Sentences[0].Evidence = append([]schema.EvidenceRef{}, honest.Sentences[0].Evidence...)
		f.Sentences[0].Hash = protocol.HashText(f.Sentences[0].Text)
		change(&f.Sentences[0])
		f.Text = f.Sentences[0].Text
		store(protocol.SubjectReply(f.Conversation(), turn), f)
	}
	forged("words", func(s *schema.Sentence) { s.Text = "Bram owns the ferry." })
	forged("memory", func(s *schema.Sentence) { s.Evidence[0].ChunkID = "memory:m1" })
	forged("diary", func(s *schema.Sentence) {
		s.Evidence[0].Path, s.Evidence[0].ChunkID, s.Evidence[0].Text = "npcs/osric/home/suspects.txt",
			"npcs/osric/home/suspects.txt#1", "I suspect the grain merchant Vey."
	})
	store(protocol.SubjectReply(schema.ConversationID{World: "village", NPC: "osric", Player: "p9"}, "other"), honest)

	r = s.run("audit", "--json")
	r.wants(t, exitFailed, "4 violations in 5 replies")
	found := map[string]string{}
	for _, x := range r.object(t)["examples"].([]any) {
		f := x.(map[string]any)
		found[f["turn_id"].(string)] = f["check"].(string)
	}
	want := map[string]string{"words": "altered_text", "memory": "re_entry", "diary": "out_of_scope",
		"other": "unreadable"}
	for turn, check := range want {
		if found[turn] != check {
			t.Errorf("%s: %q, want %q", turn, found[turn], check)
		}
	}
}
