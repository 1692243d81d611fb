package main

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/faults"
	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
	"github.com/forsooth-npc/forsooth/internal/mesh/natstest"
)

// Every command that reaches a broker says who it is, and says in one line when
// that is not taken; the password stands nowhere.
func TestABrokerThatWantsToKnowWhoConnects(t *testing.T) {
	const secret = "hunter2-secret"
	server := natstest.Start(t, "authorization { users: [ { user: game, password: "+secret+" } ] }\n"+
		natstest.JetStream(t))
	s := newSite(t)
	s.village()
	s.write("forsooth.yaml", "world: village\nlog:\n  level: debug\nnats:\n  url: "+server.URL+
		"\n  user: game\n  password_file: password\n")
	s.write("password", "wrong-"+secret+"\n")
	for _, args := range [][]string{{"serve", "retriever"}, {"chat", "--once", "hi"}, {"trace", "t1"}, {"llm", "status"}} {
		r := s.run(args...)
		r.wants(t, exitDependency, server.URL, "does not take the user game", "nats.password_file")
		if strings.Contains(r.err+r.out, secret) {
			t.Errorf("%v prints the password: %s", args, r.err)
		}
	}
	if r := s.run("doctor", "--json"); r.code != exitDependency ||
		!strings.Contains(r.out, "does not take the user game") || strings.Contains(r.out+r.err, secret) {
		t.Errorf("doctor says %s", r.out)
	}
	s.write("password", secret+"\n")
	p := s.start("serve", "retriever")
	p.says("ready in .*retriever on " + server.URL)
	s.run("llm", "status").wants(t, exitFine)
	s.write("forsooth.yaml", "nats:\n  url: "+server.URL+"\n  password: "+secret+"\n")
	r := s.run("doctor")
	r.wants(t, exitUsage, "forsooth.yaml:3", "a secret does not belong in a settings file")
	if strings.Contains(r.err, secret) {
		t.Errorf("it prints the password: %s", r.err)
	}
}

// The data folder of an older version: a stream without a version and with a
// shorter life, and a session file of the first layout.
func TestMigrateBringsADataFolderUp(t *testing.T) {
	s := newSite(t)
	village := s.village()
	turn := s.run("chat", "--world", village, "--once", "Who owns the ferry?", "--json").object(t)["turn_id"].(string)
	older(t, s.path("data/forsooth"))
	if r := s.run("chat", "--world", village, "--once", "Who owns the ferry?"); r.code != exitDependency {
		t.Fatalf("a mesh starts on it: %+v", r)
	}

	dry := s.run("migrate", "--dry-run", "--json")
	dry.wants(t, exitFine)
	if o := dry.object(t); o["changes"] != 2.0 || o["applied"] != false ||
		!strings.Contains(dry.out, "max_age: 24h0m0s to 168h0m0s") ||
		!strings.Contains(dry.out, "version 1 to 2: brought up in place") {
		t.Errorf("the dry run says %s", dry.out)
	}
	if o := s.run("migrate", "--apply", "--json").object(t); o["changes"] != 2.0 || o["applied"] != true {
		t.Errorf("it says %v", o)
	}
	if r := s.run("migrate", "--apply"); !strings.HasPrefix(r.out, "0 of ") || r.code != exitFine {
		t.Errorf("the second run says %+v", r)
	}
	s.run("trace", turn).wants(t, exitFine)
	s.run("chat", "--world", village, "--once", "Who owns the ferry?").wants(t, exitFine)
	s.run("migrate").wants(t, exitUsage, "--dry-run")
	s.run("migrate", "--apply", "--dry-run").wants(t, exitUsage, "--dry-run")
}

// A mesh on a small disk has smaller streams, and no migration wants them larger.
func TestMigrateLeavesWhatASmallDiskGave(t *testing.T) {
	_, data := faults.DiskForTest(t, 3000)
	s := newSite(t)
	village := s.village()
	s.run("chat", "--world", village, "--data", data, "--once", "Who owns the ferry?").wants(t, exitFine)
	for _, how := range []string{"--dry-run", "--apply"} {
		if r := s.run("migrate", how, "--data", data); !strings.HasPrefix(r.out, "0 of ") || r.code != exitFine {
			t.Errorf("%s says %+v", how, r)
		}
	}
	s.start("up", "--world", village, "--data", data).says("ready in")
	if r := s.run("migrate", "--dry-run", "--data", data); !strings.HasPrefix(r.out, "0 of ") || r.code != exitFine {
		t.Errorf("beside a mesh that runs: %+v", r)
	}
}

// older changes a data folder by hand.
func older(t *testing.T, data string) {
	t.Helper()
	server, err := embedded.Start(t.Context(), embedded.Options{Dir: data})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	natstest.Age(t, server.URL(), "REPLIES", 24*time.Hour)
	for _, name := range []string{"session.db", "session.db-wal", "session.db-shm"} {
		_ = os.Remove(filepath.Join(data, name))
	}
	db, err := sql.Open("sqlite", filepath.Join(data, "session.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"CREATE TABLE about (kind TEXT NOT NULL, version INTEGER NOT NULL)",
		"INSERT INTO about VALUES ('session', 1)"} {
		if _, err := db.Exec(line); err != nil {
			t.Error(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// A fleet of another major holds the streams: this one says so and starts nothing.
func TestAFleetOfAnotherMajorIsRefused(t *testing.T) {
	server := natstest.Start(t, natstest.JetStream(t))
	s := newSite(t)
	village := s.village()
	p := s.start("serve", "retriever", "--world", village, "--nats", server.URL)
	p.says("ready in")
	natstest.Stamp(t, server.URL, "TURNS", "2.3")
	for _, args := range [][]string{{"serve", "speaker"}, {"up"}} {
		r := s.run(append(args, "--world", village, "--nats", server.URL)...)
		r.wants(t, exitDependency, "stream TURNS holds messages of schema 2.3 and this build reads 1.x",
			"another NATS account")
	}
	if r := s.run("doctor", "--nats", server.URL, "--json"); r.code != exitDependency ||
		!strings.Contains(r.out, "schema 2.3") {
		t.Errorf("doctor says %s", r.out)
	}
	natstest.Stamp(t, server.URL, "TURNS", "1.9")
	q := s.start("serve", "speaker", "--world", village, "--nats", server.URL)
	q.says("ready in")
}
