package gateway

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
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

// proposals are the actions that wait for the game's answer, for whoever watches their
// turns. A world is listened to once, by however many turns are watched: each listener is a
// consumer of the broker.
type proposals struct {
	client *client.Client
	now    func() time.Time
	report func(error)
	begin  func(func(living context.Context)) bool // something that lasts as long as the gateway

	mu     sync.Mutex
	worlds map[string]*proposed
}

// proposed is what the NPCs of a world have just proposed, and who watches, by the turn.
type proposed struct {
	recent []*client.Proposal
	turns  map[string][]*watching
}

// watching is who is told of the proposals of a turn.
type watching struct {
	tell func(*client.Proposal)
	wait sync.WaitGroup
}

// hear tells beside whatever else is heard: who is told may be slow.
func (w *watching) hear(a *client.Proposal) { w.wait.Go(func() { w.tell(a) }) }

// An action waits for 1.5 seconds at most. It is kept a little longer for whoever begins to
// watch its turn meanwhile; the reply of the turn has it in any case.
const (
	proposedFor = 5 * time.Second
	listenAgain = time.Second
)

func turnOf(convo schema.ConversationID, turn string) string { return convo.String() + "." + turn }

// watch tells of those of a turn until leave, and may tell of one twice. What was begun to
// be told is told when leave is back.
func (p *proposals) watch(convo schema.ConversationID, turn string, tell func(*client.Proposal)) (leave func()) {
	name, who := turnOf(convo, turn), &watching{tell: tell}
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.worlds[convo.World]
	if w == nil {
		w = &proposed{turns: map[string][]*watching{}}
		if p.begin(func(living context.Context) { p.listen(living, convo.World, w) }) {
			p.worlds[convo.World] = w
		}
	}
	w.turns[name] = append(w.turns[name], who)
	for _, a := range w.recent {
		if turnOf(a.Conversation, a.Turn) == name {
			who.hear(a)
		}
	}
	return func() {
		p.leave(w, name, who)
		who.wait.Wait()
	}
}

func (p *proposals) leave(w *proposed, name string, who *watching) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w.turns[name] = slices.DeleteFunc(w.turns[name], func(o *watching) bool { return o == who })
	if len(w.turns[name]) == 0 {
		delete(w.turns, name)
	}
}

// listen hears what the NPCs of a world propose until the gateway ends.
func (p *proposals) listen(living context.Context, world string, w *proposed) {
	for told := false; living.Err() == nil; {
		err := p.client.Actions(living, world, p.now().Add(-proposedFor), func(a client.Proposal) { p.hear(w, &a) })
		if err != nil && living.Err() == nil && !told {
			p.report(fmt.Errorf("actions of %s: %w", world, err))
		}
		told = err != nil
		timer := time.NewTimer(listenAgain)
		select {
		case <-living.Done():
		case <-timer.C:
		}
		timer.Stop()
	}
}

// hear gives a proposal to whoever watches its turn.
func (p *proposals) hear(w *proposed, a *client.Proposal) {
	if !a.Action.Confirm {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	old := p.now().Add(-proposedFor)
	w.recent = slices.DeleteFunc(w.recent, func(o *client.Proposal) bool { return o.At.Before(old) })
	w.recent = append(w.recent, a)
	for _, who := range w.turns[turnOf(a.Conversation, a.Turn)] {
		who.hear(a)
	}
}
