package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Scene is a place where several NPCs and players hear each other. The game says who is
// there. What is said is heard by those who are there, and remembered by them alone.
//
//	s := c.Scene("hollowmere", "tavern")
//	err := s.Enter(ctx, schema.Presence{NPCs: []string{"mira", "osric"}, Players: []string{"p42"}})
//	talk, err := s.Say(ctx, schema.Request{Player: "p42", Message: "Osric, who burned the mill?"})
//	for reply, err := range talk.Replies(ctx) { show(reply.NPC, reply.Text) }
type Scene struct {
	World, ID string

	c *Client
}

// Scene is a scene of a world by its id; nothing is sent. One that nobody has entered is empty.
func (c *Client) Scene(world, id string) *Scene { return &Scene{World: world, ID: id, c: c} }

// Conversation names the queue of the scene, for Watch, Outcome and Cancel.
func (s *Scene) Conversation() schema.ConversationID { return schema.SceneConversation(s.World, s.ID) }

// Enter has NPCs and players come in, behind all that was said before. Who is there already
// stays. Errors: *schema.FieldError where the scene would hold more than
// schema.MaxSceneNPCs and schema.MaxScenePlayers, or an NPC that does not exist; else as Say.
func (s *Scene) Enter(ctx context.Context, who schema.Presence) error {
	return s.move(ctx, &schema.Scene{ID: s.ID, Enter: &who})
}

// Leave has them go. They hear nothing of what is said afterwards.
func (s *Scene) Leave(ctx context.Context, who schema.Presence) error {
	return s.move(ctx, &schema.Scene{ID: s.ID, Leave: &who})
}

func (s *Scene) move(ctx context.Context, to *schema.Scene) error {
	turn, err := s.c.Say(ctx, schema.Request{World: s.World, Scene: to, DeadlineMS: schema.MaxDeadlineMS})
	if err != nil {
		return err
	}
	defer turn.Close()
	reply, err := turn.Reply(ctx)
	if err != nil {
		return err
	}
	if reply.Status == schema.StatusAborted {
		return &schema.FieldError{Field: "scene " + s.ID, Reason: fmt.Sprintf("%s %s", reply.Reason, reply.Detail)}
	}
	return nil
}

// Talk is what a player said in a scene, and what NPCs say upon it.
type Talk struct {
	*Turn // of the NPC that answers

	scene *Scene
}

// Say has a player say something that all present hear. The NPC that it speaks to by name
// answers ("Osric, …"), or the one that r.NPC names; else the NPCs take turns. As many
// others as r.Scene.Rounds says may speak behind it, at most schema.MaxSceneRounds, and
// none where a player has said something meanwhile. World and scene are filled in.
func (s *Scene) Say(ctx context.Context, r schema.Request) (*Talk, error) {
	rounds := 0
	if r.Scene != nil {
		rounds = r.Scene.Rounds
	}
	r.World, r.Scene = s.World, &schema.Scene{ID: s.ID, Rounds: rounds}
	turn, err := s.c.Say(ctx, r)
	if err != nil {
		return nil, err
	}
	return &Talk{Turn: turn, scene: s}, nil
}

// Replies yields the reply of each NPC that speaks, in order; Reply.NPC says which. The
// first one comes in any case. An error is the last thing yielded.
func (t *Talk) Replies(ctx context.Context) iter.Seq2[*schema.Reply, error] {
	return func(yield func(*schema.Reply, error) bool) {
		turn := t.Turn
		for {
			reply, err := whole(ctx, turn)
			if err != nil {
				yield(nil, err)
				return
			}
			if (turn == t.Turn || len(reply.Sentences) > 0) && !yield(reply, nil) {
				return
			}
			if turn, err = t.scene.c.Behind(ctx, reply); err != nil {
				yield(nil, err)
			}
			if turn == nil {
				return
			}
		}
	}
}

// Behind watches the turn of the NPC that speaks behind a reply of a scene; nil: none does. At
// the end of a turn's events the next one stands in the queue, or never will; earlier a nil
// says nothing.
func (c *Client) Behind(ctx context.Context, r *schema.Reply) (*Turn, error) {
	if r.Scene == nil || r.Scene.Round >= r.Scene.Rounds {
		return nil, nil
	}
	next := schema.SceneRound(cmp.Or(r.Scene.Of, r.TurnID), r.Scene.Round+1)
	found, err := c.Outcome(ctx, r.Conversation(), next)
	if err != nil || found.State == schema.TurnUnknown {
		return nil, err
	}
	return c.Watch(ctx, r.Conversation(), next)
}

// whole reads a turn to its end.
func whole(ctx context.Context, turn *Turn) (*schema.Reply, error) {
	for {
		if _, err := turn.Next(ctx); errors.Is(err, io.EOF) {
			return turn.Reply(ctx)
		} else if err != nil {
			return nil, err
		}
	}
}
