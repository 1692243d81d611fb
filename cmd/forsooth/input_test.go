package main

import (
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
)

// What is wrong with how forsooth was called is said in one line, with the mend,
// and ends with 2.
func TestBadUsage(t *testing.T) {
	s := newSite(t)
	village := s.village()
	s.write("unknown-key.yaml", "profile: dev\nnatz: x\n")
	s.write("broken-suite.yaml", "suite: s\nworld: village\ncases:\n  - name: a\n    player_mesage: hm\n")
	s.write("no-world.yaml", "suite: s\nworld: nowhere\ncases:\n  - name: a\n    npc: mira\n    player_message: hm\n")
	s.write("no-npc.yaml", "suite: s\nworld: village\ncases:\n  - name: a\n    npc: miro\n    player_message: hm\n")
	s.write("bad-pattern.yaml", "suite: s\nworld: village\ncases:\n  - name: a\n    player_message: hm\n    "+
		"reject_patterns: ['(']\n")
	s.write("pairs.jsonl", "{\"premise\":\"a\",\"hypothesis\":\"a\"}\n{\"premise\":\"a\"}\n")
	for _, c := range []struct {
		name string
		args string
		want []string
	}{
		{"no command", "", []string{"forsooth --help"}},
		{"an unknown command", "sing", []string{"sing"}},
		{"an unknown flag", "chat --loud", []string{"--loud"}},
		{"an unknown setting", "doctor --config unknown-key.yaml",
			[]string{"unknown-key.yaml:2", `"natz"`, "did you mean nats?"}},
		{"no such settings file", "doctor --config none.yaml", []string{"none.yaml", "cannot be read"}},
		{"an unknown profile", "doctor --profile test", []string{"dev or prod"}},
		{"an unknown log level", "doctor --log-level loud", []string{"log.level", "debug, info, warn or error"}},
		{"an unknown world", "chat --world nowhere --once hi", []string{"nowhere", "no such folder"}},
		{"an unknown NPC", "chat --world " + village + " --npc miro --once hi",
			[]string{`no NPC "miro"`, "it has mira, osric"}},
		{"a player that cannot be", "chat --player a.b --once hi", []string{"player", "letters, digits"}},
		{"an empty message", "chat --world " + village + " --once  ", []string{"message"}},
		{"a suite that is not there", "eval none.yaml", []string{"none.yaml", "no such file"}},
		{"a suite that is a folder", "eval village", []string{"folder"}},
		{"a suite with an unknown key", "eval broken-suite.yaml", []string{"broken-suite.yaml:5", "player_mesage"}},
		{"a suite over no world", "eval no-world.yaml", []string{"no-world.yaml", "nowhere"}},
		{"a suite with an unknown NPC", "eval no-npc.yaml", []string{"no-npc.yaml:4", `no NPC "miro"`}},
		{"a suite with a broken pattern", "eval bad-pattern.yaml", []string{"bad-pattern.yaml:4", "no RE2 pattern"}},
		{"no service", "serve", []string{"<services>"}},
		{"an unknown service", "serve retriver --nats nats://127.0.0.1:1", []string{`"retriver" is no service`, "retriever"}},
		{"serve without a server", "serve retriever", []string{"--nats"}},
		{"verify of nothing", "verify", []string{"--premise", "--pairs"}},
		{"verify of a claim alone", "verify --claim x", []string{"--premise"}},
		{"a broken line of pairs", "verify --pairs pairs.jsonl", []string{"pairs.jsonl:2"}},
		{"pairs that are not there", "verify --pairs none.jsonl", []string{"none.jsonl"}},
		{"a turn that cannot be", "trace a.b", []string{"turn"}},
		{"lint of nothing", "lore lint nowhere", []string{"nowhere", "no such folder"}},
		{"promotion without an author", "lore promote gen:x", []string{"--author"}},
		{"promotion into the binary", "lore promote gen:x --author A", []string{"hollowmere", "--world"}},
		{"promotion of what is no text", "lore promote x --author A --world " + village, []string{"gen:TURN/N", "--file"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := strings.Fields(c.args)
			if strings.HasSuffix(c.args, "  ") {
				args = append(args, " ")
			}
			r := s.run(args...)
			r.wants(t, exitUsage, c.want...)
			if r.out != "" {
				t.Errorf("it prints %q", r.out)
			}
		})
	}
}

// What forsooth needs and does not get ends with 3.
func TestUnfitDependencies(t *testing.T) {
	s := newSite(t)
	village := s.village()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	file := s.write("file", "no folder")
	for _, c := range []struct {
		name string
		args []string
		want []string
	}{
		{"a port in use", []string{"up", "--world", village, "--port", port},
			[]string{"port " + port + " is in use", "another port"}},
		{"no server there", []string{"chat", "--world", village, "--nats", "nats://127.0.0.1:1", "--once", "hi"},
			[]string{"nats://127.0.0.1:1", "forsooth up"}},
		{"no server for a service", []string{"serve", "retriever", "--world", village, "--nats", "nats://127.0.0.1:1"},
			[]string{"nats://127.0.0.1:1"}},
		{"a file for a data folder", []string{"chat", "--world", village, "--data", file, "--once", "hi"},
			[]string{file, "--data"}},
	} {
		t.Run(c.name, func(t *testing.T) { s.run(c.args...).wants(t, exitDependency, c.want...) })
	}
}

func TestADamagedIndexIsBuiltAnew(t *testing.T) {
	s := newSite(t)
	village := s.village()
	s.run("lore", "index", "--world", village).wants(t, exitFine)
	index := s.path("data/forsooth/index.db")
	if err := os.WriteFile(index, []byte(strings.Repeat("no database ", 400)), 0o600); err != nil {
		t.Fatal(err)
	}
	r := s.run("chat", "--world", village, "--once", "Who owns the ferry?", "--json")
	r.wants(t, exitFine, "index.db")
	if reply := r.object(t)["reply"]; reply != "Teague owns the ferry." {
		t.Errorf("reply %q", reply)
	}
}

func TestABrokenFileStopsNothingElse(t *testing.T) {
	s := newSite(t)
	village := s.village()
	s.write("village/lore/torn.txt", "The bridge fell in the flood.\n")
	s.write("village/lore/torn.txt.meta.yaml", "created_at: [\n")
	r := s.run("chat", "--world", village, "--once", "Who owns the ferry?", "--json")
	r.wants(t, exitFine, "lore/torn.txt")
	if reply := r.object(t)["reply"]; reply != "Teague owns the ferry." {
		t.Errorf("reply %q", reply)
	}
}
