package gateway

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/client"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

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
