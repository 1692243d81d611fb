package gateway

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/keys"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// grace is how much longer than its deadline a turn is waited for: its reply is there
// by the deadline, unless the mesh was away.
const grace = 5 * time.Second

// postTurn says something to an NPC, and answers with the reply or with events.
func (g *Gateway) postTurn(w http.ResponseWriter, r *http.Request, c *caller) error {
	var req schema.Request
	if err := readJSON(w, r, maxBody, &req, true); err != nil {
		return err
	}
	if err := sameOrEmpty("turn_id", &req.TurnID, r.Header.Get("Idempotency-Key"),
		"the header Idempotency-Key"); err != nil {
		return err
	}
	for field, place := range map[string]*string{"world": &req.World, "npc": &req.NPC} {
		if err := sameOrEmpty(field, place, r.PathValue(field), "the path"); err != nil {
			return err
		}
	}
	seen, err := cursor(r)
	if err != nil {
		return err
	}
	if err := g.admit(r.Context(), c, &req); err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(r.Context(), req.Deadline()+grace)
	defer stop()
	turn, err := g.client.Say(ctx, req)
	if err != nil {
		return err
	}
	defer turn.Close()
	w.Header().Set("Location", "/v1/worlds/"+req.World+"/npcs/"+req.NPC+"/turns/"+turn.ID+"?player="+req.Player)
	if wantsEvents(r) {
		return g.stream(ctx, w, watched{c, turn, stop, seen, g.mayAsk(ctx, &req)})
	}
	reply, err := turn.Reply(ctx)
	if err != nil {
		return err
	}
	shown := c.shown(reply)
	shown.Again = turn.Again
	writeReply(w, shown)
	return nil
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
	if req.Scene != nil {
		return problem(http.StatusBadRequest, CodeInvalid,
			"is not taken here; the game's backend plays scenes with the Go client").on("scene")
	}
	if req.Begin != nil {
		return problem(http.StatusBadRequest, CodeInvalid,
			"is not taken here; an NPC speaks first upon an event of the game").on("begin")
	}
	if req.Player, err = c.player(req.Player); err != nil {
		return err
	}
	if err := c.with(req.NPC); err != nil {
		return err
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
	if err := req.Validate(); err != nil {
		return err
	}
	if _, err := g.catalog.npc(ctx, req.World, req.NPC); err != nil {
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
	id := r.PathValue("turn")
	full := r.URL.Query().Get("view") == "full"
	if full {
		if err := c.may(keys.Read, convo.World); err != nil {
			return err
		}
	}
	seen, err := cursor(r)
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(r.Context(), askFor)
	defer stop()
	out, err := g.client.Outcome(ctx, convo, id)
	if err != nil {
		return err
	}
	if out.State == schema.TurnUnknown {
		p := problem(http.StatusNotFound, CodeNotFound, "this player has no such turn with this NPC")
		if out.Expired {
			p.Detail = "the reply of this turn is kept no more"
		}
		return p
	}
	if wantsEvents(r) {
		return g.watch(w, r, c, convo, seen)
	}
	shown := Outcome{TurnID: id, State: out.State, RepliedAt: out.RepliedAt}
	if out.Reply != nil {
		shown.Reply = c.shown(out.Reply)
		if full {
			shown.Full = out.Reply
		}
	}
	writeJSON(w, http.StatusOK, shown)
	return nil
}

func (g *Gateway) watch(w http.ResponseWriter, r *http.Request, c *caller, convo schema.ConversationID,
	seen int) error {
	ctx, stop := context.WithTimeout(r.Context(), schema.MaxDeadlineMS*time.Millisecond+grace)
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
	if err := g.client.Cancel(ctx, convo, r.PathValue("turn")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// conversation is that of a path, with the player that the caller is or names.
func (c *caller) conversation(r *http.Request) (schema.ConversationID, error) {
	named := cmp.Or(r.PathValue("player"), r.URL.Query().Get("player"))
	player, err := c.player(named)
	id := schema.ConversationID{World: r.PathValue("world"), NPC: r.PathValue("npc"), Player: player}
	if err != nil {
		return id, err
	}
	return id, c.with(id.NPC)
}
