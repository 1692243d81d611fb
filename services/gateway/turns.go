package gateway

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// grace is how much longer than its deadline a turn is waited for: its reply is there
// by the deadline, unless the mesh was away.
const grace = 5 * time.Second

// post is a request to say something, and the last event of it that the caller has seen.
type post struct {
	schema.Request
	seen int
}

// posted reads what is to be said. The path names the world, and the NPC but for a scene.
func posted(w http.ResponseWriter, r *http.Request) (*post, error) {
	p := &post{}
	if err := readJSON(w, r, maxBody, &p.Request, true); err != nil {
		return nil, err
	}
	if err := sameOrEmpty("turn_id", &p.TurnID, r.Header.Get("Idempotency-Key"),
		"the header Idempotency-Key"); err != nil {
		return nil, err
	}
	for field, place := range map[string]*string{"world": &p.World, "npc": &p.NPC} {
		if err := sameOrEmpty(field, place, r.PathValue(field), "the path"); err != nil {
			return nil, err
		}
	}
	var err error
	p.seen, err = cursor(r)
	return p, err
}

// postTurn says something to an NPC, and answers with the reply or with events.
func (g *Gateway) postTurn(w http.ResponseWriter, r *http.Request, c *caller) error {
	p, err := posted(w, r)
	if err != nil {
		return err
	}
	if p.Scene != nil {
		return problem(http.StatusBadRequest, CodeInvalid,
			"is not taken here; POST /v1/worlds/{world}/scenes/{scene}/turns takes it").on("scene")
	}
	at := func() string {
		return "/v1/worlds/" + p.World + "/npcs/" + p.NPC + "/turns/" + p.TurnID + "?player=" + p.Player
	}
	return g.say(w, r, c, p, at, func(ctx context.Context, on watched) error {
		reply, err := on.turn.Reply(ctx)
		if err != nil {
			return err
		}
		shown := c.shown(reply)
		shown.Again = on.turn.Again
		writeReply(w, shown)
		return nil
	})
}

// say says something, and answers with events, or as whole does where none are asked for. at is
// where the turn is found afterwards.
func (g *Gateway) say(w http.ResponseWriter, r *http.Request, c *caller, p *post, at func() string,
	whole func(context.Context, watched) error) error {
	if err := g.admit(r.Context(), c, &p.Request); err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(r.Context(), patience(&p.Request))
	defer stop()
	turn, err := g.said(ctx, c, &p.Request)
	if err != nil {
		return err
	}
	defer turn.Close()
	w.Header().Set("Location", at())
	on := watched{c, turn, stop, p.seen, false}
	if !wantsEvents(r) {
		return whole(ctx, on)
	}
	on.asks = g.mayAsk(ctx, &p.Request)
	return g.stream(ctx, w, on)
}

func writeReply(w http.ResponseWriter, reply *Reply) {
	(&Problem{RetryAfterMS: reply.RetryAfterMS}).headers(w.Header())
	writeJSON(w, http.StatusOK, reply)
}

// sameOrEmpty takes a field from another place; where both name it they must agree.
func sameOrEmpty(field string, in *string, other, where string) error {
	if other != "" && *in != "" && *in != other {
		return problem(http.StatusBadRequest, CodeInvalid, "%s differs from %s", field, where).on(field)
	}
	*in = cmp.Or(*in, other)
	return nil
}

// admit completes a request by who calls, and refuses what the caller may not say.
func (g *Gateway) admit(ctx context.Context, c *caller, req *schema.Request) (err error) {
	if req.Begin != nil {
		return problem(http.StatusBadRequest, CodeInvalid,
			"is not taken here; an NPC speaks first upon an event of the game").on("begin")
	}
	if req.Scene != nil {
		err = c.stages(req)
	} else {
		err = c.with(req.NPC)
	}
	if err != nil {
		return err
	}
	if req.Player != "" || !req.Scene.Moves() {
		if req.Player, err = c.player(req.Player); err != nil {
			return err
		}
	}
	if c.grant != nil {
		if field := ofTheGame(req); field != "" {
			return problem(http.StatusForbidden, CodeForbidden,
				"a player's token says nothing for the game; its backend sends %s with its key", field).on(field)
		}
	}
	if req.TurnID == "" {
		req.TurnID = g.client.NewID()
	}
	if req.Scene.Moves() && req.DeadlineMS == 0 {
		req.DeadlineMS = schema.MaxDeadlineMS // it waits behind all that was said before
	}
	if err := req.Validate(); err != nil {
		return err
	}
	if req.NPC == "" { // the scene chooses one
		_, err = g.catalog.world(ctx, req.World)
	} else {
		_, err = g.catalog.npc(ctx, req.World, req.NPC)
	}
	if err != nil || req.Scene.Moves() {
		return err
	}
	return g.limits.turn(c, req.World, req.Player)
}

// ofTheGame is the first field that only the game may state.
func ofTheGame(r *schema.Request) string {
	switch {
	case r.State != nil:
		return "state"
	case r.Flags != nil:
		return "flags"
	case r.Trust != nil:
		return "trust"
	case r.GameTime != nil:
		return "game_time"
	case r.Witnesses != nil:
		return "witnesses"
	case r.AllowedActions != nil:
		return "allowed_actions"
	}
	return ""
}

func wantsEvents(r *http.Request) bool {
	for _, accept := range r.Header.Values("Accept") {
		if strings.Contains(accept, "text/event-stream") {
			return true
		}
	}
	return false
}

// cursor is the last event that the caller has seen.
func cursor(r *http.Request) (int, error) {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, problem(http.StatusBadRequest, CodeInvalid,
			"Last-Event-ID is no event of a turn; leave it out to have all").on("Last-Event-ID")
	}
	return n, nil
}

// Outcome is what became of a turn.
type Outcome struct {
	TurnID    string           `json:"turn_id"`
	State     schema.TurnState `json:"state"`
	Expired   bool             `json:"expired,omitempty"` // it had a reply, which is kept no more
	RepliedAt time.Time        `json:"replied_at,omitzero"`
	Reply     *Reply           `json:"reply,omitempty"`
	Full      *schema.Reply    `json:"full,omitempty"` // asked for with view=full, by the right to read
}

// getTurn tells what became of a turn, or shows it from its beginning.
func (g *Gateway) getTurn(w http.ResponseWriter, r *http.Request, c *caller) error {
	convo, err := c.conversation(r)
	if err != nil {
		return err
	}
	full := r.URL.Query().Get("view") == "full"
	if full {
		if err := c.may(access.Read, convo.World); err != nil {
			return err
		}
	}
	seen, err := cursor(r)
	if err != nil {
		return err
	}
	out, err := g.outcome(r.Context(), c, convo, r.PathValue("turn"))
	if err != nil {
		return err
	}
	if wantsEvents(r) {
		return g.watch(w, r, c, convo, seen)
	}
	shown := Outcome{TurnID: r.PathValue("turn"), State: out.State, RepliedAt: out.RepliedAt}
	if out.Reply != nil {
		shown.Reply = c.shown(out.Reply)
		if full {
			shown.Full = out.Reply
		}
	}
	writeJSON(w, http.StatusOK, shown)
	return nil
}

func errNoTurn() *Problem {
	return problem(http.StatusNotFound, CodeNotFound, "this player has no such turn with this NPC, or in this scene")
}

// outcome is what became of a turn that the caller may know of.
func (g *Gateway) outcome(ctx context.Context, c *caller, convo schema.ConversationID, turn string) (
	*schema.TurnOutcome, error) {
	ctx, stop := context.WithTimeout(ctx, askFor)
	defer stop()
	out, err := g.client.Outcome(ctx, convo, turn)
	if err != nil {
		return nil, err
	}
	if out.State == schema.TurnUnknown {
		p := errNoTurn()
		if out.Expired {
			p.Detail = "the reply of this turn is kept no more"
		}
		return nil, p
	}
	return out, g.mayHear(ctx, c, convo, out.Reply)
}

func (g *Gateway) watch(w http.ResponseWriter, r *http.Request, c *caller, convo schema.ConversationID,
	seen int) error {
	ctx, stop := context.WithTimeout(r.Context(), watchFor(convo))
	defer stop()
	turn, err := g.client.Watch(ctx, convo, r.PathValue("turn"))
	if err != nil {
		return err
	}
	defer turn.Close()
	return g.stream(ctx, w, watched{c, turn, stop, seen, true})
}

// cancelTurn ends a turn with what was said so far.
func (g *Gateway) cancelTurn(w http.ResponseWriter, r *http.Request, c *caller) error {
	convo, err := c.conversation(r)
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(r.Context(), askFor)
	defer stop()
	if err := g.mayEnd(ctx, c, convo, r.PathValue("turn")); err != nil {
		return err
	}
	if err := g.client.Cancel(ctx, convo, r.PathValue("turn")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// conversation is that of a path, with the player that the caller is or names, or a scene.
func (c *caller) conversation(r *http.Request) (schema.ConversationID, error) {
	if scene := r.PathValue("scene"); scene != "" {
		return c.inScene(r.PathValue("world"), scene)
	}
	named := cmp.Or(r.PathValue("player"), r.URL.Query().Get("player"))
	return c.talkingTo(r.PathValue("world"), r.PathValue("npc"), named)
}

// talkingTo is the conversation of an NPC with a player whom the caller speaks as.
func (c *caller) talkingTo(world, npc, named string) (id schema.ConversationID, err error) {
	id = schema.ConversationID{World: world, NPC: npc}
	if npc == schema.SceneNPC { // its conversations are scenes, by their ids
		return id, problem(http.StatusNotFound, CodeUnknownNPC, "no NPC has this handle; scenes are under "+
			"/v1/worlds/{world}/scenes").on("npc")
	}
	if err := c.with(npc); err != nil {
		return id, err
	}
	id.Player, err = c.player(named)
	return id, err
}
