package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOnceAsJSONShowsTheEvidence(t *testing.T) {
	s := newSite(t)
	village := s.village()
	r := s.run("chat", "--world", village, "--once", "Who owns the ferry?", "--json")
	r.wants(t, exitFine)
	o := r.object(t)
	for _, key := range []string{"turn_id", "npc", "reply", "status", "reason", "audit", "sentences",
		"evidence_source_counts", "passes"} {
		if _, ok := o[key]; !ok {
			t.Errorf("there is no %s", key)
		}
	}
	if o["npc"] != "mira" || o["status"] != "extractive" || o["audit"] != "fully_cited" {
		t.Errorf("%v %v %v", o["npc"], o["status"], o["audit"])
	}
	sentences := o["sentences"].([]any)
	if len(sentences) == 0 {
		t.Fatalf("no sentence in %s", r.out)
	}
	for _, sentence := range sentences {
		evidence := sentence.(map[string]any)["evidence"].([]any)
		if len(evidence) == 0 {
			t.Fatalf("%v has no evidence", sentence)
		}
		for _, e := range evidence {
			e := e.(map[string]any)
			data, err := os.ReadFile(filepath.Join(village, e["path"].(string)))
			if err != nil || !strings.Contains(string(data), e["text"].(string)) || e["source"] != "corpus" || e["id"] == "" {
				t.Errorf("evidence %v does not stand in its file (%v)", e, err)
			}
		}
	}
	if n := len(o["passes"].([]any)); n < 7 {
		t.Errorf("%d passes", n)
	}
}

func TestAnAuthoredLineHasAnEmptyListOfEvidence(t *testing.T) {
	s := newSite(t)
	r := s.run("chat", "--world", s.village(), "--once", "Tell me about Quellamar.", "--json")
	r.wants(t, exitFine)
	o := r.object(t)
	if o["status"] != "unknown" || o["reply"] != "That I could not tell you." {
		t.Errorf("%v: %v", o["status"], o["reply"])
	}
	if !strings.Contains(r.out, `"evidence":[]`) || strings.Contains(r.out, "null") {
		t.Errorf("a list is null in %s", r.out)
	}
}

func TestATalkAtTheTerminal(t *testing.T) {
	s := newSite(t)
	r := s.runWith(strings.Join([]string{
		"/why", "Who owns the ferry?", "/why", "/npc", "/npc nobody", "/npc osric", "Who owns the ferry?", "/state",
		"/state osric.at_desk=true", "/state", "/sing", "", "/quit", "never read",
	}, "\n")+"\n", "chat", "--world", s.village())
	r.wants(t, exitFine)
	golden(t, "talk.golden", s.steady(r.out))
}

// /state shows how the NPC stands with the player, and refuses what cannot be.
func TestTheStateShowsTheRelation(t *testing.T) {
	s := newSite(t)
	r := s.runWith(strings.Join([]string{"You are a liar.", "/state", "/state standing.gild=3", "/state standing.watch=3",
		"/state mira.mood=furious", "/state npc.mood=glad", "How are you?", "/state", "/quit"}, "\n")+"\n",
		"chat", "--world", "hollowmere", "--npc", "mira")
	r.wants(t, exitFine)
	for _, want := range []string{"Trust in the player: -3 (wary)", "Trust moved by -3: insult",
		"world.yaml does not list", "send one of them", "I am furious.", "Standing of the player with watch: 3",
		"Mood: furious"} {
		if !strings.Contains(r.out, want) {
			t.Errorf("there is no %q in:\n%s", want, r.out)
		}
	}
	if strings.Contains(r.out, "gild: 3") || strings.Contains(r.out, "Mood: glad") {
		t.Errorf("what was refused is kept:\n%s", r.out)
	}
}

func TestTheTalkIsRemembered(t *testing.T) {
	s := newSite(t)
	village := s.village()
	s.run("chat", "--world", village, "--once", "Thank you for the hinges, Mira.").wants(t, exitFine)
	r := s.run("chat", "--world", village, "--once", "Who owns the ferry?", "--json")
	r.wants(t, exitFine)
	turn := r.object(t)["turn_id"].(string)
	trace := s.run("trace", turn, "--json")
	trace.wants(t, exitFine)
	if !strings.Contains(trace.out, "Thank you for the hinges, Mira.") {
		t.Error("the second turn does not know of the first")
	}
}

func TestAllOfATurnIsTraced(t *testing.T) {
	s := newSite(t)
	village := s.village()
	turn := s.run("chat", "--world", village, "--once", "Who owns the ferry?", "--json").object(t)["turn_id"].(string)
	r := s.run("trace", turn)
	r.wants(t, exitFine)
	for _, want := range []string{"retrieve", "think", "review-thought", "decide", "speak", "review-speech", "act",
		"→ done",
		"confidence", "lore/ferry.txt", "APPROVED", "supported", "Teague owns the ferry."} {
		if !strings.Contains(r.out, want) {
			t.Errorf("the trace does not show %q:\n%s", want, r.out)
		}
	}
	r = s.run("trace", turn, "--json")
	r.wants(t, exitFine)
	if n := strings.Count(r.out, "\n"); n != 7 {
		t.Errorf("%d lines, want one for each of 7 passes", n)
	}
}

func TestTraceOfATurnThatNeverWas(t *testing.T) {
	s := newSite(t)
	s.run("trace", "T1").wants(t, exitFailed, "no turn has been kept", "--data")
	if _, err := os.Stat(s.path("data")); err == nil {
		t.Error("looking made a data folder")
	}
	s.run("chat", "--world", s.village(), "--once", "hello").wants(t, exitFine)
	s.run("trace", "T1").wants(t, exitFailed, "T1", "seven days")
}

// A mesh that serves another world answers, and says so.
func TestAWorldThatTheMeshDoesNotServe(t *testing.T) {
	s := newSite(t)
	up := s.start("up", "--world", s.village())
	up.says("ready in")
	r := s.run("chat", "--world", "hollowmere", "--once", "hello", "--json")
	r.wants(t, exitFailed, "hollowmere", "is not served here", "village")
	if o := r.object(t); o["status"] != "aborted" || o["reason"] != "INVALID" {
		t.Errorf("%v %v", o["status"], o["reason"])
	}
}
