package play

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/client"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// talk is one thing said to an NPC, from the first try to its reply.
type talk struct {
	shard   *shard
	tally   *tally
	now     func() time.Time
	request schema.Request

	began    time.Time
	accepted time.Time // when this side knew
	first    time.Time // when the first sentence was shown
	turn     *client.Turn
}

// grace is how long after its deadline a reply is still waited for: the mesh may
// have ended the turn in time while the connection to this side was broken.
const grace = 10 * time.Second

// say gives the turn to the mesh. It waits as long as it is told to, and says the
// same again with the same id where the answer was lost. False: it was never
// accepted, as far as anybody knows.
func (t *talk) say(ctx context.Context) bool {
	t.began = t.now()
	for ctx.Err() == nil {
		turn, err := t.shard.now().Say(ctx, t.request)
		if err == nil {
			t.turn, t.accepted = turn, t.now()
			t.tally.said()
			return true
		}
		pause := client.RetryAfter(err)
		switch {
		case pause > 0:
			t.tally.refused(err)
		case errors.Is(err, client.ErrDisconnected): // this shard is restarting
			pause = 50 * time.Millisecond
		case errors.Is(err, client.ErrUnreachable) && ctx.Err() == nil:
			t.tally.fault("say", err)
		default:
			if ctx.Err() == nil {
				t.tally.fault("say", err)
			}
			return false
		}
		sleep(ctx, pause)
	}
	return false
}

// hear waits for the reply, over restarts of the shard, and counts it.
func (t *talk) hear(ctx context.Context) {
	wait, stop := context.WithTimeout(ctx, t.request.Deadline()+grace)
	defer stop()
	reply, at := t.reply(wait)
	if reply == nil {
		if ctx.Err() != nil {
			t.tally.abandoned() // the second ctrl-c
			return
		}
		t.tally.unanswered(t.request.TurnID)
		return
	}
	t.tally.reply(t, reply, at)
}

func (t *talk) reply(ctx context.Context) (*schema.Reply, time.Time) {
	for turn := t.turn; ; {
		if turn != nil {
			t.show(ctx, turn)
			if r, err := turn.Reply(ctx); err == nil {
				turn.Close()
				return r, turn.RepliedAt()
			}
			turn.Close()
		}
		if ctx.Err() != nil {
			return nil, time.Time{}
		}
		var over *schema.TurnOutcome
		if over, turn = t.resume(ctx); over != nil {
			return over.Reply, over.RepliedAt
		}
		if turn == nil && !sleep(ctx, 100*time.Millisecond) {
			return nil, time.Time{}
		}
	}
}

// show is what a game client would do with the sentences; here only the first is
// timed. It ends when nothing more is to be said.
func (t *talk) show(ctx context.Context, turn *client.Turn) {
	for e, err := turn.Next(ctx); err == nil && e.Kind != schema.SaidClosed; e, err = turn.Next(ctx) {
		if e.Kind == schema.SaidSentence && t.first.IsZero() {
			t.first = t.now()
		}
	}
}

// resume asks for a turn that this shard no longer watches, as a backend does that
// has started again: it may be over, or under way.
func (t *talk) resume(ctx context.Context) (*schema.TurnOutcome, *client.Turn) {
	c := t.shard.now()
	out, err := c.Outcome(ctx, t.request.Conversation(), t.request.TurnID)
	if err != nil || out.State == schema.TurnUnknown {
		return nil, nil // asked again; what stays unknown was lost
	}
	t.tally.resumed()
	if out.State == schema.TurnEnded {
		return out, nil
	}
	turn, err := c.Watch(ctx, t.request.Conversation(), t.request.TurnID)
	if err != nil {
		return nil, nil
	}
	return nil, turn
}

// cancel ends the turn as a player does who walks away.
func (t *talk) cancel(ctx context.Context) {
	err := t.shard.now().Cancel(ctx, t.turn.Conversation, t.turn.ID)
	switch {
	case err == nil:
		t.tally.cancel("in time")
	case errors.Is(err, client.ErrNotFound):
		t.tally.cancel("too late")
	case !errors.Is(err, client.ErrDisconnected) && ctx.Err() == nil:
		t.tally.fault("cancel", err)
	}
}

// together runs what may run side by side.
func together(fs ...func()) {
	var wait sync.WaitGroup
	for _, f := range fs {
		wait.Go(f)
	}
	wait.Wait()
}

// player lives in the world: it walks, stops at somebody, talks, changes its mind.
// All it does follows from its own random source.
type player struct {
	id     string
	rand   *rand.Rand
	game   *game
	shard  *shard
	script *script
	tally  *tally
	o      *Options
}

var names = []string{"Ansel", "Berit", "Corin", "Dagny", "Edda", "Fenn", "Gisla", "Harke", "Ilse", "Joss", "Kerrin",
	"Leof", "Maud", "Nils", "Oda", "Piers"}

// newPlayer makes the nth player.
func newPlayer(n int, r *rand.Rand, g *game, s *shard, lines *script, t *tally, o *Options) *player {
	p := &player{id: fmt.Sprintf("mmo-%d", n), rand: r, game: g, shard: s, script: lines, tally: t, o: o}
	g.join(&sheet{id: p.id, name: names[n%len(names)], place: placeNames[r.IntN(len(placeNames))],
		level: 1 + r.IntN(10), coins: r.IntN(12), trust: map[string]int{}})
	return p
}

// live goes on as long as there are permits. Turns under way are heard to their
// end; ctx breaks them off.
func (p *player) live(ctx context.Context, permits <-chan struct{}) {
	for range permits {
		if p.rand.IntN(3) == 0 {
			p.walk(ctx)
		}
		p.speak(ctx)
		if ctx.Err() != nil {
			return
		}
	}
}

// walk takes a road, and sometimes meets a wolf on it.
func (p *player) walk(ctx context.Context) {
	roads := places[p.game.placeOf(p.id)].roads
	to, wolf := roads[p.rand.IntN(len(roads))], p.rand.IntN(2) == 0
	p.tally.moved()
	if seen := p.game.move(p.id, to, wolf); seen != nil {
		tell(ctx, p.shard.now(), seen, p.tally)
	}
}

// speak says a line to somebody who is here. Now and then the player walks away, or
// says something else instead before the answer has come.
func (p *player) speak(ctx context.Context) {
	here := places[p.game.placeOf(p.id)].npcs
	npc := here[p.rand.IntN(len(here))]
	mood, pause := p.rand.IntN(100), time.Duration(10+p.rand.IntN(200))*time.Millisecond
	first, second := p.script.pick(p.rand, npc), p.script.pick(p.rand, npc)
	t := p.talk(npc, first)
	if !t.say(ctx) {
		return
	}
	hear := func() { t.hear(ctx) }
	switch {
	case mood < p.o.Cancel:
		together(hear, func() {
			if sleep(ctx, pause) {
				t.cancel(ctx)
			}
		})
	case mood < p.o.Cancel+p.o.Supersede:
		together(hear, func() {
			if !sleep(ctx, pause) {
				return
			}
			newer := p.talk(npc, second)
			newer.request.Supersedes = t.request.TurnID
			if newer.say(ctx) {
				newer.hear(ctx)
			}
		})
	default:
		hear()
	}
}

// talk prepares what is said. The turn has its id before the mesh has the turn, so
// that it can be asked for whatever happens.
func (p *player) talk(npc, line string) *talk {
	r := p.game.request(p.id, npc, line, p.o.Deadline)
	r.TurnID = p.shard.now().NewID()
	return &talk{shard: p.shard, tally: p.tally, now: p.game.now, request: r}
}
