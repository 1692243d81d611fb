package play

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

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
