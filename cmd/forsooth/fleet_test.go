package main

import (
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/mesh/natstest"
)

// Every command that reaches a broker says who it is, and says in one line when
// that is not taken; the password stands nowhere.
func TestABrokerThatWantsToKnowWhoConnects(t *testing.T) {
	const secret = "hunter2-secret"
	server := natstest.Start(t, "authorization { users: [ { user: game, password: "+secret+" } ] }\n"+natstest.JetStream(t))
	s := newSite(t)
	s.village()
	s.write("forsooth.yaml", "world: village\nlog:\n  level: debug\nnats:\n  url: "+server.URL+"\n  user: game\n  password_file: password\n")
	s.write("password", "wrong-"+secret+"\n")
	for _, args := range [][]string{{"serve", "retriever"}, {"chat", "--once", "hi"}, {"trace", "t1"}, {"llm", "status"}} {
		r := s.run(args...)
		r.wants(t, exitDependency, server.URL, "does not take the user game", "nats.password_file")
		if strings.Contains(r.err+r.out, secret) {
			t.Errorf("%v prints the password: %s", args, r.err)
		}
	}
	if r := s.run("doctor", "--json"); r.code != exitDependency || !strings.Contains(r.out, "does not take the user game") || strings.Contains(r.out+r.err, secret) {
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
