package main

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/mesh/natstest"
	"github.com/forsooth-npc/forsooth/pkg/client"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// passwordOf is what a user of a test's broker has.
func passwordOf(user string) string { return "pass-" + user }

// guarded is a broker that knows the users of a mesh with these worlds, and no others.
func guarded(t *testing.T, worlds ...string) *natstest.Server {
	t.Helper()
	roles, err := access.Roles(worlds)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range roles {
		t.Setenv(r.Variable(), passwordOf(r.Name))
	}
	config, err := access.BrokerConfig(worlds)
	if err != nil {
		t.Fatal(err)
	}
	return natstest.Start(t, config+natstest.JetStream(t))
}

// as has the next commands of a site be a user of the broker.
func (s *site) as(user string) *site {
	s.extra = []string{"FORSOOTH_NATS_USER=" + user, "FORSOOTH_NATS_PASSWORD=" + passwordOf(user)}
	return s
}

// backendOf is the SDK as the game servers of a world use it.
func backendOf(t *testing.T, url, world string) *client.Client {
	t.Helper()
	user := "backend-" + world
	c, err := client.Connect(t.Context(), url,
		client.Options{Login: client.Login{User: user, Password: func() (string, error) { return passwordOf(user), nil }}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

var violation = regexp.MustCompile(`(?m)^.*Violation.*$`)

// A fleet in which each service is a user of its own, with the rights of the
// generated configuration and no more, does all that a fleet does: the broker
// refuses none of it anything.
func TestAFleetWithAUserForEachService(t *testing.T) {
	server := guarded(t, "village", "elsewhere")
	s := newSite(t)
	village := s.village()
	args := []string{"--world", village, "--nats", server.URL}

	s.as("retriever").run(append([]string{"serve", "retriever"}, args...)...).wants(t, exitDependency,
		"may not create stream TURNS", "forsooth migrate --apply")
	s.as("operator").run(append([]string{"migrate", "--apply"}, args...)...).wants(t, exitFine)
	fleet := map[string]*process{}
	for _, name := range app.Services {
		s.as(name).extra = append(s.extra, "FORSOOTH_GUARDS_GROUNDING_MODE=sync") // the finisher asks the memory service
		fleet[name] = s.start(append([]string{"serve", name}, args...)...)
		fleet[name].says("ready in .*" + name)
	}
	// What was refused until now was the retriever, before there were streams.
	before := len(violation.FindAllString(server.Log(), -1))

	c := backendOf(t, server.URL, "village")
	say := func(r schema.Request) *schema.Reply {
		t.Helper()
		r.World, r.Player, r.PlayerName = "village", "p1", "Ansel"
		ctx, stop := context.WithTimeout(t.Context(), patience)
		defer stop()
		turn, err := c.Say(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for sentence, err := range turn.Sentences(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			said = append(said, sentence.Text)
		}
		reply, err := turn.Reply(ctx)
		if err != nil || reply.Text != strings.Join(said, " ") {
			t.Fatalf("said %q, reply %+v, %v", said, reply, err)
		}
		return reply
	}
	if r := say(schema.Request{NPC: "mira", Message: "Who owns the ferry?"}); !strings.HasPrefix(r.Text,
		"Teague owns the ferry.") {
		t.Errorf("reply %q", r.Text)
	}

	// A memory, what the game saw, and an action that the game confirms.
	say(schema.Request{NPC: "mira", Message: "I come from the coast."})
	err := c.Witness(t.Context(),
		&schema.Occurrence{World: "village", Subject: "player:p1", Predicate: "gave", Object: "sword",
			Text:   "Ansel gave Mira a sword.",
			Player: "p1", Witnesses: []string{"mira", "p1"}, GameTime: time.Date(1402, 7, 1, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	s.as("operator").waitFor(args, "coast", "sword")
	listening, quiet := context.WithCancel(t.Context())
	proposed, ended := make(chan client.Proposal, 1), make(chan error, 1)
	go func() {
		ended <- c.Actions(listening, "village", time.Time{}, func(p client.Proposal) {
			if err := c.ActionResult(listening, p, schema.ActionResult{Accepted: true}); err != nil {
				t.Error(err)
			}
			proposed <- p
		})
	}()
	tell := schema.ActionSpec{Name: "tell", Confirm: true, Parameters: json.RawMessage(
		`{"type":"object","properties":{"npc":{"enum":["osric"]},"memory":{"type":"string"}},"required":["npc","memory"]` +
			`,"additionalProperties":false}`)}
	r := say(schema.Request{NPC: "mira", Message: "Tell Osric where I come from.",
		AllowedActions: []schema.ActionSpec{tell}})
	if len(r.Actions) != 1 || !r.Actions[0].Checked {
		t.Errorf("%s %q takes %+v", r.Status, r.Text, r.Actions)
	}
	select {
	case p := <-proposed:
		if p.Action.Name != "tell" || p.Conversation != r.Conversation() {
			t.Errorf("proposed %+v", p)
		}
	case <-time.After(patience):
		t.Error("the game was not asked")
	}
	quiet()
	if err := <-ended; err != nil {
		t.Errorf("listening ends with %v", err)
	}

	if got, err := c.CheckGrounding(t.Context(),
		schema.CheckQuery{Text: "The mill burned.",
			Sources: []schema.CheckSource{{ChunkID: "a", Content: "The mill burned in April."}}}); err != nil || got.Total == 0 {
		t.Errorf("check of a text: %+v, %v", got, err)
	}
	s.endsWithout(t, fleet, c, args)

	operator := s.as("operator")
	operator.run(append([]string{"doctor"}, args...)...).wants(t, exitFine)
	operator.run(append([]string{"trace", r.TurnID}, args...)...).wants(t, exitFine)
	operator.run(append([]string{"llm", "off"}, args...)...).wants(t, exitFine)
	operator.run(append([]string{"chat", "--once", "Who owns the ferry?"}, args...)...).wants(t, exitFine)
	operator.run(append([]string{"memory", "erase", "--player", "p1"}, args...)...).wants(t, exitFine)
	if out := operator.run(append([]string{"memory", "list", "--player", "p1"}, args...)...); strings.Contains(out.out,
		"coast") {
		t.Errorf("after the erasure: %s", out.out)
	}
	if found := violation.FindAllString(server.Log(), -1); len(found) > before {
		t.Errorf("the broker refused %d things:\n%s", len(found)-before, strings.Join(found[before:], "\n"))
	}
}

// waitFor waits until memories are listed that hold these words.
func (s *site) waitFor(args []string, words ...string) {
	s.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(200 * time.Millisecond) {
		r := s.run(append([]string{"memory", "list"}, args...)...)
		missing := ""
		for _, w := range words {
			if !strings.Contains(r.out, w) {
				missing = w
			}
		}
		if missing == "" {
			return
		}
		if time.Now().After(end) {
			s.t.Fatalf("%q is not remembered: %s%s", missing, r.out, r.err)
		}
	}
}

// endsWithout has no speaker run, so that turns wait: one is cancelled, one is
// superseded, one reaches its deadline.
func (s *site) endsWithout(t *testing.T, fleet map[string]*process, c *client.Client, args []string) {
	t.Helper()
	if err := fleet["speaker"].cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-fleet["speaker"].done
	open := func(player string, r schema.Request) *client.Turn {
		t.Helper()
		r.World, r.NPC, r.Player, r.Message = "village", "mira", player, "When did the mill burn?"
		turn, err := c.Say(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return turn
	}
	reason := func(turn *client.Turn, want string) {
		t.Helper()
		if r, err := turn.Reply(t.Context()); err != nil || r.Reason != want {
			t.Errorf("reply %+v, %v, want reason %s", r, err, want)
		}
	}
	cancelled, late := open("p2", schema.Request{DeadlineMS: 30_000}), open("p3", schema.Request{DeadlineMS: 3_000})
	older := open("p4", schema.Request{DeadlineMS: 30_000})
	out, err := c.Outcome(t.Context(), cancelled.Conversation, cancelled.ID)
	if err != nil || out.State != schema.TurnWaiting {
		t.Errorf("outcome %+v, %v", out, err)
	}
	if err := c.Cancel(t.Context(), cancelled.Conversation, cancelled.ID); err != nil {
		t.Error(err)
	}
	reason(cancelled, schema.ReasonCancelled)
	newer := open("p4", schema.Request{DeadlineMS: 60_000, Supersedes: older.ID})
	reason(older, schema.ReasonSuperseded)
	reason(late, schema.ReasonDeadline)
	s.as("speaker").start(append([]string{"serve", "speaker"}, args...)...).says("ready in")
	if r, err := newer.Reply(t.Context()); err != nil || r.Status == schema.StatusAborted {
		t.Errorf("after the speaker is back: %+v, %v", r, err)
	}
	again, err := c.Say(t.Context(),
		schema.Request{TurnID: late.ID, World: "village", NPC: "mira", Player: "p3", Message: "When did the mill burn?",
			DeadlineMS: 3_000})
	if err != nil || !again.Again {
		t.Errorf("said again: %+v, %v", again, err)
	}
	if _, err := c.Say(t.Context(),
		schema.Request{TurnID: late.ID, World: "village", NPC: "mira", Player: "p5", Message: "Hello."}); !errors.Is(err,
		schema.ErrInvalid) {
		t.Errorf("another conversation's turn id: %v", err)
	}
}
