package gateway

import (
	"context"
	"net/http"
	"time"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// What the inspector reads: how a turn came about, and turns as they end.

// Traced is every pass of a turn, with the turn as it left the pass.
type Traced struct {
	TurnID string           `json:"turn_id"`
	Passes []protocol.Trace `json:"passes"`
}

// getTrace shows every pass of a turn.
func (g *Gateway) getTrace(w http.ResponseWriter, r *http.Request, c *caller) error {
	convo, err := c.conversation(r)
	if err != nil {
		return err
	}
	if _, err := g.catalog.world(r.Context(), convo.World); err != nil {
		return err
	}
	if convo.NPC == schema.SceneNPC { // a key may be one player's, and others speak here
		if _, err := g.outcome(r.Context(), c, convo, r.PathValue("turn")); err != nil {
			return err
		}
	}
	ctx, stop := context.WithTimeout(r.Context(), askFor)
	defer stop()
	passes, err := g.client.Trace(ctx, convo, r.PathValue("turn"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, Traced{r.PathValue("turn"), passes})
	return nil
}

// Ended is a turn that has ended, in short.
type Ended struct {
	Sequence  uint64        `json:"sequence"`
	At        time.Time     `json:"at"`
	TurnID    string        `json:"turn_id"`
	NPC       string        `json:"npc"`
	Player    string        `json:"player"`
	Scene     string        `json:"scene,omitempty"` // its id, where the turn is of one
	Message   string        `json:"message,omitempty"`
	Text      string        `json:"reply"`
	Status    schema.Status `json:"status"`
	Reason    string        `json:"reason,omitempty"`
	MS        int64         `json:"ms"`                 // from the acceptance to the reply
	FirstMS   int64         `json:"first_ms,omitempty"` // to the first sentence; 0: not noted
	Score     float64       `json:"score,omitempty"`    // how sure retrieval was that the evidence answers
	Sentences int           `json:"sentences"`
	Stripped  int           `json:"stripped"`
	Tokens    int           `json:"tokens,omitempty"`
	Cost      float64       `json:"cost,omitempty"`
	Calls     int           `json:"llm_calls,omitempty"`
}

const eventOutcome = "outcome"

// streamOutcomes shows turns as they end, from a time or a place on.
func (g *Gateway) streamOutcomes(w http.ResponseWriter, r *http.Request, c *caller) error {
	if err := c.isBackend(); err != nil {
		return err
	}
	world := r.PathValue("world")
	if _, err := g.catalog.world(r.Context(), world); err != nil {
		return err
	}
	q, err := g.outcomesFrom(r)
	if err != nil {
		return err
	}
	want, err := filterOf(r)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	defer context.AfterFunc(g.living, stop)()
	s := g.startListening(w, r)
	return s.during(ctx, stop, func() error {
		gone := false
		err := g.client.Outcomes(ctx, world, q, func(o *schema.StoredOutcome) bool {
			place := int(o.Sequence) //nolint:gosec // no stream is that long
			gone = want.takes(&o.Reply) && s.send(eventOutcome, place, endedOf(o)) != nil
			return !gone
		})
		if gone || r.Context().Err() != nil {
			return errGone
		}
		return err
	})
}

// outcomesFrom is where a stream of outcomes begins: behind the last event that was seen,
// else at a time, else now.
func (g *Gateway) outcomesFrom(r *http.Request) (q schema.OutcomesQuery, err error) {
	seen, err := cursor(r)
	if err != nil {
		return q, err
	}
	if seen > 0 {
		after := uint64(seen) //nolint:gosec // it is not negative
		q.After = &after
		return q, nil
	}
	q.Since, err = sinceOf(r.URL.Query().Get("since"))
	return q, err
}

// filter says which turns are asked for; an empty field asks for all.
type filter struct{ npc, player, scene, status, reason string }

func filterOf(r *http.Request) (f filter, err error) {
	in := r.URL.Query()
	f = filter{in.Get("npc"), in.Get("player"), in.Get("scene"), in.Get("status"), in.Get("reason")}
	for field, value := range map[string]string{"npc": f.npc, "player": f.player, "scene": f.scene, "status": f.status,
		"reason": f.reason} {
		if value != "" {
			if err := schema.CheckToken(field, value); err != nil {
				return f, err
			}
		}
	}
	return f, nil
}

func (f *filter) takes(r *schema.Reply) bool {
	is := func(asked, value string) bool { return asked == "" || asked == value }
	return is(f.npc, r.NPC) && is(f.player, r.Player) && is(f.scene, r.SceneID()) &&
		is(f.status, string(r.Status)) && is(f.reason, r.Reason)
}

func endedOf(o *schema.StoredOutcome) *Ended {
	r := &o.Reply
	out := &Ended{Sequence: o.Sequence, At: o.At, TurnID: r.TurnID, NPC: r.NPC, Player: r.Player, Scene: r.SceneID(),
		Message: r.Message, Text: r.Text, Status: r.Status, Reason: r.Reason, Score: r.Confidence,
		Sentences: len(r.Sentences), Stripped: len(r.Stripped)}
	if !r.AcceptedAt.IsZero() {
		out.MS = o.At.Sub(r.AcceptedAt).Milliseconds()
	}
	if len(r.Sentences) > 0 {
		out.FirstMS = r.Sentences[0].AtMS
	}
	for i := range r.Passes {
		p := &r.Passes[i]
		out.Tokens, out.Cost, out.Calls = out.Tokens+p.Tokens, out.Cost+p.Cost, out.Calls+p.LLMCalls
	}
	return out
}

// insights are the doors of the inspector.
func (g *Gateway) insights(into map[string]door) map[string]door {
	const world = "/v1/worlds/{world}"
	into["GET "+world+"/npcs/{npc}/turns/{turn}/trace"] = door{access.Read, g.getTrace}
	into["GET "+world+"/scenes/{scene}/turns/{turn}/trace"] = door{access.Read, g.getTrace}
	into["GET "+world+"/outcomes"] = door{access.Read, g.streamOutcomes}
	into["GET "+world+"/letters"] = door{access.Operate, g.listLetters}
	into["POST "+world+"/letters/{number}/retry"] = door{access.Operate, g.retryLetter}
	into["POST "+world+"/memories/{memory}/resolve"] = door{access.Operate, g.resolveMemory}
	into["GET "+world+"/players/{player}"] = door{access.Operate, g.lookAtPlayer}
	into["DELETE "+world+"/players/{player}"] = door{access.Operate, g.erasePlayer}
	into["POST "+world+"/drafts"] = door{access.Operate, g.addDraft}
	into["POST "+world+"/drafts/check"] = door{access.Read, g.checkDraft}
	g.insideDoors(into)
	return into
}
