package play

import (
	"context"
	"errors"
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
