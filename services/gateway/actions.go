package gateway

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/client"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// streamActions shows the actions that a world's NPCs propose, from a time on.
func (g *Gateway) streamActions(w http.ResponseWriter, r *http.Request, c *caller) error {
	if err := c.isBackend(); err != nil {
		return err
	}
	world := r.PathValue("world")
	if _, err := g.catalog.world(r.Context(), world); err != nil {
		return err
	}
	since, err := sinceOf(r.URL.Query().Get("since"))
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	defer context.AfterFunc(g.living, stop)()
	s := g.startListening(w, r)
	return s.during(ctx, stop, func() error {
		gone := false
		err := g.client.Actions(ctx, world, since, func(p client.Proposal) {
			if !gone && s.send(eventAction, 0, actionOf(p)) != nil {
				gone = true
				stop()
			}
		})
		if gone || r.Context().Err() != nil {
			return errGone
		}
		return err
	})
}

func actionOf(p client.Proposal) *Action {
	a := &Action{Turn: p.Turn, Index: p.Index, NPC: p.Conversation.NPC, Player: p.Conversation.Player,
		Name:       p.Action.Name,
		Parameters: p.Action.Parameters, Confirm: p.Action.Confirm, At: p.At}
	if p.Conversation.NPC == schema.SceneNPC {
		a.NPC, a.Player, a.Scene = p.Action.NPC, p.Action.Player, p.Conversation.Player
	}
	return a
}

func sinceOf(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, problem(http.StatusBadRequest, CodeInvalid,
			"since is no time such as 2026-05-03T18:00:00Z").on("since")
	}
	return t, nil
}

// answerAction takes the game's answer to an action. The first stands.
func (g *Gateway) answerAction(w http.ResponseWriter, r *http.Request, c *caller) error {
	var result schema.ActionResult
	if err := g.ofBackend(w, r, c, &result); err != nil {
		return err
	}
	convo, err := c.conversation(r)
	if err != nil {
		return err
	}
	index, err := strconv.Atoi(r.PathValue("index"))
	if err != nil || index < 0 || index > 1000 {
		return problem(http.StatusNotFound, CodeNotFound, "an action has a number, from 0")
	}
	ctx, stop := context.WithTimeout(r.Context(), askFor)
	defer stop()
	if err := g.client.ActionResult(ctx, client.Proposal{Conversation: convo, Turn: r.PathValue("turn"), Index: index},
		result); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
