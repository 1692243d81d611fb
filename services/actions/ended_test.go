package actions_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds a test that would otherwise wait for ever.
const patience = 30 * time.Second

// deadline is that of the turns that wait for it.
const deadline = 2000

// An action that a released sentence promises is proposed to the game once, on the
// index that it has in the decision, and with the parameters that were decided. This
// holds as well where the turn is ended before its last pass.
func TestAnEndedTurnKeepsTheActionsItHasPromised(t *testing.T) {
	give := schema.ActionSpec{Name: "give_item", SpeechActs: []string{"Take this salve."},
		Parameters: json.RawMessage(`{"type":"object","properties":{"item":{"enum":["salve"]}},"required":["item"]}`)}
	tell := schema.ActionSpec{Name: "tell", SpeechActs: []string{"Osric will hear of it from me."},
		Parameters: json.RawMessage(`{"type":"object","properties":{"npc":{"type":"string"},"memory":{"type":"string"}}}`)}
	promises := []struct {
		spec       schema.ActionSpec
		message    string
		parameters map[string]any
	}{
		{give, "Thank you! Give me the salve, I will take it.", map[string]any{"item": "salve"}},
		{tell, "Thank you! Tell Osric where I come from.", map[string]any{"npc": "osric", "memory": "m7"}},
	}
	endings := []struct {
		reason string
		end    func(*stage, *schema.Request)
	}{
		{schema.ReasonCancelled, (*stage).cancel},
		{schema.ReasonSuperseded, (*stage).supersede},
		{schema.ReasonDeadline, func(*stage, *schema.Request) {}}, // it comes by itself
	}
	s := newStage(t)
	for _, p := range promises {
		for _, confirm := range []bool{true, false} {
			for _, e := range endings {
				p.spec.Confirm = confirm
				name := fmt.Sprintf("%s-%s-%v", p.spec.Name, e.reason, confirm)
				t.Run(name, func(t *testing.T) {
					r := &schema.Request{TurnID: name, World: "village", NPC: "mira", Player: name, Message: p.message,
						AllowedActions: []schema.ActionSpec{{Name: "update_trust"}, p.spec}}
					if e.reason == schema.ReasonDeadline {
						r.DeadlineMS = deadline
					}
					reply := s.ended(t, r, e.end)
					if reply.Reason != e.reason || len(reply.Sentences) == 0 || reply.Sentences[0].Text != p.spec.SpeechActs[0] {
						t.Fatalf("the reply is %s %s %q", reply.Status, reply.Reason, reply.Text)
					}
					got := s.proposed(t, r.TurnID)
					if len(got) != 1 {
						t.Fatalf("proposed %+v, want one action", got)
					}
					if a, ok := got[1]; !ok || a.Name != p.spec.Name || !reflect.DeepEqual(a.Parameters, p.parameters) {
						t.Errorf("proposed %+v, want %s with %v as action 1", got, p.spec.Name, p.parameters)
					}
					if len(reply.Actions) != 2 || !reply.Actions[1].Checked || reply.Actions[1].Confirmed != confirm {
						t.Errorf("the reply takes %+v", reply.Actions)
					}
				})
			}
		}
	}
}

// stage is the whole mesh with a game that accepts all that it must confirm. The last
// pass of a turn does not end before somebody ends the turn.
type stage struct {
	t     *testing.T
	app   *app.App
	spoke chan string // turns of which all is said
}

func newStage(t *testing.T) *stage {
	t.Helper()
	w, _, err := world.Load(servicetest.Village(), ".")
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, spoke: make(chan string, 1)}
	s.app, err = app.Start(t.Context(), app.Options{Worlds: []*world.World{w}, Data: t.TempDir(), Wrap: s.wrap})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 2)
	go func() { done <- s.app.Run(ctx) }()
	go func() { done <- s.app.Client.Actions(ctx, "village", time.Unix(1, 0), s.accept) }()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-done, <-done); err != nil {
			t.Error(err)
		}
		s.app.Close()
	})
	return s
}

// wrap has something come to the NPC's mind that it may tell, and holds the last pass.
func (s *stage) wrap(pass schema.Pass, h mesh.Handler) mesh.Handler {
	switch pass {
	case schema.PassRetrieve:
		return func(ctx context.Context, t *protocol.Turn) (schema.Pass, error) {
			next, err := h(ctx, t)
			t.Evidence = append(t.Evidence, protocol.Evidence{ID: "R1", SourceID: "session", ChunkID: "memory:m7",
				Path: "memory:m7", Type: "session", Text: "You told me that you come from the coast.",
				AllowedFor: []string{string(schema.ClaimSharedPast)}, Private: true,
				Provenance: protocol.Provenance{Source: schema.OriginUser, World: t.World, NPC: t.NPC}})
			return next, err
		}
	case schema.PassAct:
		return func(ctx context.Context, t *protocol.Turn) (schema.Pass, error) {
			if t.Player != t.TurnID {
				return h(ctx, t)
			}
			s.spoke <- t.TurnID
			<-ctx.Done()
			return "", ctx.Err()
		}
	}
	return h
}

// accept is the game. It answers what it must, and gives nothing by itself.
func (s *stage) accept(p mesh.Proposal) {
	if !p.Action.Confirm {
		return
	}
	err := s.app.Client.Answer(context.Background(), p.Conversation, p.Turn, p.Index, schema.ActionResult{Accepted: true})
	if err != nil {
		s.t.Error(err)
	}
}

func (s *stage) cancel(r *schema.Request) {
	if err := s.app.Client.Cancel(s.t.Context(), r.Conversation(), r.TurnID); err != nil {
		s.t.Error(err)
	}
}

func (s *stage) supersede(r *schema.Request) {
	next := &schema.Request{TurnID: r.TurnID + "-next", World: r.World, NPC: r.NPC, Player: r.Player,
		Message: "Who owns the ferry?", Supersedes: r.TurnID}
	if _, err := s.app.Client.Publish(s.t.Context(), next); err != nil {
		s.t.Error(err)
	}
}

// ended plays a turn until all is said, ends it, and gives its reply once all that
// follows from it is done.
func (s *stage) ended(t *testing.T, r *schema.Request, end func(*stage, *schema.Request)) *schema.Reply {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := s.app.Client.Publish(ctx, r); err != nil {
		t.Fatal(err)
	}
	events, err := s.app.Client.Watch(ctx, r.Conversation(), r.TurnID)
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-s.spoke:
		end(s, r)
	case <-ctx.Done():
		t.Fatal("the turn did not come to its last pass")
	}
	var reply *schema.Reply
	for e := range events {
		if e.Reply != nil {
			reply = e.Reply
		}
	}
	if reply == nil {
		t.Fatal("no reply")
	}
	return reply
}

// proposed are the actions of a turn as they are stored for the game, by their index.
func (s *stage) proposed(t *testing.T, turn string) map[int]schema.Action {
	t.Helper()
	out := map[int]schema.Action{}
	note := func(subject, _ string, _ uint64, _ time.Time, data []byte) error {
		on, err := protocol.ParseSubject(subject)
		if err != nil || on.Turn != turn {
			return err
		}
		var index int
		if _, err := fmt.Sscan(on.Index, &index); err != nil {
			return err
		}
		var a schema.Action
		if subject == protocol.SubjectAction(on.Conversation, on.Turn, index) {
			err = json.Unmarshal(data, &a)
			out[index] = a
		}
		return err
	}
	if err := s.app.Client.Messages(t.Context(), "ACTIONS", note); err != nil {
		t.Fatal(err)
	}
	return out
}
