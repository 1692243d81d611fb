package gateway

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/client"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// A scene has the doors of an NPC under a path of its own: several NPCs and players hear what
// is said in it.

// Scene is who is in a scene.
type Scene struct {
	ID      string   `json:"id"`
	NPCs    []string `json:"npcs"`
	Players []string `json:"players"`
}

// Talk is what came of a message in a scene, or of somebody who entered it or left.
type Talk struct {
	TurnID  string   `json:"turn_id"`
	Scene   *Scene   `json:"scene"`   // who heard it; behind an entrance, who is there
	Replies []*Reply `json:"replies"` // of the NPCs that speak upon it, in order
}

func sceneWith(id string, p *schema.Presence) *Scene {
	return &Scene{ID: id, NPCs: append([]string{}, p.NPCs...), Players: append([]string{}, p.Players...)}
}

// sceneOf is the scene of a reply as the doors show it; nil: it is of none.
func sceneOf(r *schema.Reply) *Scene {
	if r.Scene == nil {
		return nil
	}
	present := r.Scene.Present
	if present == nil { // nobody spoke
		present = &schema.Presence{}
	}
	return sceneWith(r.Scene.ID, present)
}

// outOfPlace is the problem of a turn that its scene cannot take; nil: it could.
func outOfPlace(r *schema.Reply) error {
	if r.Scene == nil || r.Status != schema.StatusAborted || r.Reason != schema.ReasonInvalid {
		return nil
	}
	field, _, _ := strings.Cut(r.Detail, ": ")
	return problem(http.StatusBadRequest, CodeInvalid, "%s", cut(r.Detail, 400)).on(cut(field, 64))
}

// postToScene has a player say something in a scene, or the backend have somebody enter or
// leave, and answers with what is said upon it or with events.
func (g *Gateway) postToScene(w http.ResponseWriter, r *http.Request, c *caller) error {
	p, err := posted(w, r)
	if err != nil {
		return err
	}
	if p.Scene == nil {
		p.Scene = &schema.Scene{}
	}
	if err := sameOrEmpty("scene.id", &p.Scene.ID, r.PathValue("scene"), "the path"); err != nil {
		return err
	}
	at := "/v1/worlds/" + r.PathValue("world") + "/scenes/" + p.Scene.ID + "/turns/"
	return g.say(w, r, c, p, func() string { return at + p.TurnID },
		func(ctx context.Context, on watched) error {
			t, err := g.allSaid(ctx, w, on)
			if err == nil && p.Scene.Moves() {
				err = t.hasMoved()
			}
			if err == nil && t.Scene == nil {
				t.Scene, err = g.scene(r.Context(), on.turn.Conversation)
			}
			if err != nil {
				return err
			}
			writeJSON(w, http.StatusOK, t)
			return nil
		})
}

// allSaid reads a turn of a scene to its end, and those of the NPCs that speak behind it.
func (g *Gateway) allSaid(ctx context.Context, w http.ResponseWriter, on watched) (*Talk, error) {
	deadline, _ := ctx.Deadline()
	_ = http.NewResponseController(w).SetWriteDeadline(deadline.Add(eventLimit)) // several turns take longer than one
	t := &Talk{TurnID: on.turn.ID, Replies: []*Reply{}}
	return t, g.events(ctx, on, func(e *Event) error {
		if e.Reply == nil || len(t.Replies) > 0 && len(e.Reply.Sentences) == 0 {
			return nil // whoever speaks behind another may keep silent
		}
		if t.Replies = append(t.Replies, e.Reply); t.Scene == nil && e.NPC != "" {
			t.Scene = e.Reply.Scene
		}
		return nil
	})
}

// hasMoved leaves out the reply of an entrance or a leave, which says no more than that it was
// in time.
func (t *Talk) hasMoved() error {
	said := t.Replies
	t.Replies = []*Reply{}
	for _, r := range said {
		if r.Status == schema.StatusAborted {
			return problem(http.StatusGatewayTimeout, CodeTimeout, "nobody has entered or left: %s; send it again with "+
				"another turn id", r.Reason).after(time.Second)
		}
	}
	return nil
}

// showScene shows who is in a scene.
func (g *Gateway) showScene(w http.ResponseWriter, r *http.Request, c *caller) error {
	convo, err := c.conversation(r)
	if err != nil {
		return err
	}
	if _, err := g.catalog.world(r.Context(), convo.World); err != nil {
		return err
	}
	s, err := g.scene(r.Context(), convo)
	if err != nil {
		return err
	}
	if err := c.isIn(s); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, s)
	return nil
}

// scene asks who is in a scene. One that nobody has entered is empty.
func (g *Gateway) scene(ctx context.Context, convo schema.ConversationID) (*Scene, error) {
	ctx, stop := context.WithTimeout(ctx, askFor)
	defer stop()
	doc, err := g.client.Conversation(ctx, convo)
	if err != nil {
		return nil, err
	}
	if doc.Scene == nil {
		doc.Scene = &schema.SceneState{}
	}
	return sceneWith(convo.Player, &doc.Scene.Presence), nil
}

// isIn refuses a player who is not in a scene. The backend sees all.
func (c *caller) isIn(s *Scene) error {
	if c.isBackend() == nil {
		return nil
	}
	player, err := c.player("")
	if err == nil && !slices.Contains(s.Players, player) {
		err = problem(http.StatusForbidden, CodeForbidden, "this player is not in the scene; the game's backend has "+
			"players enter").on("player")
	}
	return err
}

// mayHear says whether a caller may be shown a turn of a scene: to a player, one that the
// player heard, or else one that waits while the player is there.
func (g *Gateway) mayHear(ctx context.Context, c *caller, convo schema.ConversationID, r *schema.Reply) error {
	if convo.NPC != schema.SceneNPC || c.isBackend() == nil {
		return nil
	}
	if r == nil {
		s, err := g.scene(ctx, convo)
		if err != nil {
			return err
		}
		return c.isIn(s)
	}
	heard := &Scene{Players: []string{r.Player}}
	if in := sceneOf(r); in != nil {
		heard.Players = append(heard.Players, in.Players...)
	}
	if c.isIn(heard) != nil {
		return errNoTurn()
	}
	return nil
}

// hearsAll says whether a caller may hear every turn of a conversation: only a scene has turns of
// others, and only a player may have been away from them.
func (c *caller) hearsAll(convo schema.ConversationID) bool {
	return convo.NPC != schema.SceneNPC || c.isBackend() == nil
}

// opens lets a turn of a scene be heard once it has begun: a caller that was there while the turn
// waited may have left before. The scene is looked at first: who is there changes between turns alone.
func (g *Gateway) opens(ctx context.Context, v *view, e *schema.Said) error {
	if v.open || e.Kind != schema.SaidThinking && e.Kind != schema.SaidSentence {
		return nil
	}
	in, err := g.scene(ctx, v.turn.Conversation)
	if err != nil {
		return err
	}
	out, err := g.client.Outcome(ctx, v.turn.Conversation, v.turn.ID)
	switch {
	case err != nil:
		return err
	case out.Reply != nil:
		err = g.mayHear(ctx, v.c, v.turn.Conversation, out.Reply)
	default:
		err = v.c.isIn(in)
	}
	if err == nil {
		v.opened()
	}
	return err
}

// opened notes that the caller hears the turn.
func (v *view) opened() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.open = true
}

// mayEnd says whether a caller may end a turn of a scene: one that the player said, or any where
// the caller is the backend. A player who knows the id of another's turn may not silence it.
func (g *Gateway) mayEnd(ctx context.Context, c *caller, convo schema.ConversationID, turn string) error {
	if convo.NPC != schema.SceneNPC || c.isBackend() == nil {
		return nil
	}
	out, err := g.outcome(ctx, c, convo, turn)
	if err == nil && out.State != schema.TurnWaiting {
		err = errNoTurn()
	}
	if err != nil { // whoever is not there is told no more than that
		return cmp.Or(g.mayHear(ctx, c, convo, nil), err)
	}
	if player, err := c.player(""); err != nil || player != out.Player {
		return problem(http.StatusForbidden, CodeForbidden, "another player said this; only that player and the "+
			"game's backend may end it").on("turn_id")
	}
	return nil
}

// replaces says whether a caller may have a turn of a scene take the place of an older one. An
// older one that does not wait is left out: it could be another's by the time this one is taken.
func (g *Gateway) replaces(ctx context.Context, c *caller, req *schema.Request) error {
	if req.Supersedes == "" || req.Scene == nil {
		return nil
	}
	err := g.mayEnd(ctx, c, req.Conversation(), req.Supersedes)
	if p := asProblem(err); err != nil && p.Status == http.StatusNotFound {
		req.Supersedes, err = "", nil
	} else if err != nil && p.Field == "turn_id" {
		p.Field = "supersedes"
	}
	return err
}

// said says something. A turn id of a scene that was said before may be another player's.
func (g *Gateway) said(ctx context.Context, c *caller, req *schema.Request) (*client.Turn, error) {
	if err := g.replaces(ctx, c, req); err != nil {
		return nil, err
	}
	turn, err := g.client.Say(ctx, *req)
	if err != nil || !turn.Again || req.Scene == nil {
		return turn, err
	}
	if _, err := g.outcome(ctx, c, turn.Conversation, turn.ID); err != nil {
		turn.Close()
		return nil, err
	}
	return turn, nil
}

// stages says whether a caller may say this in a scene.
func (c *caller) stages(req *schema.Request) error {
	switch {
	case c.grant != nil && c.grant.NPC != "":
		return errOneNPC()
	case req.Scene.Moves() && c.isBackend() != nil:
		return problem(http.StatusForbidden, CodeForbidden, "the game's backend says who enters a scene and leaves it, "+
			"with its key").on("scene")
	}
	return nil
}

// inScene is the conversation of a scene, for a caller who may play there.
func (c *caller) inScene(world, scene string) (schema.ConversationID, error) {
	convo := schema.SceneConversation(world, scene)
	if c.grant != nil && c.grant.NPC != "" {
		return convo, errOneNPC()
	}
	return convo, schema.CheckToken("scene", scene)
}

func errOneNPC() *Problem {
	return problem(http.StatusForbidden, CodeForbidden, "the token is for one NPC; a scene takes one that was made "+
		"without npc").on("scene")
}

// patience is how long a turn is waited for, with those that speak behind it in a scene.
func patience(req *schema.Request) time.Duration {
	turns := 1
	if req.Scene != nil {
		turns += min(max(0, req.Scene.Rounds), schema.MaxSceneRounds)
	}
	return time.Duration(turns) * (req.Deadline() + grace)
}

// watchFor is how long a turn is watched of which no more is known than its conversation.
func watchFor(convo schema.ConversationID) time.Duration {
	req := schema.Request{DeadlineMS: schema.MaxDeadlineMS}
	if convo.NPC == schema.SceneNPC {
		req.Scene = &schema.Scene{Rounds: schema.MaxSceneRounds}
	}
	return patience(&req)
}
