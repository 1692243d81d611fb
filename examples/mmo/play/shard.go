package play

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/client"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// shard is one process of the game's backend, as far as the mesh can see: a
// connection of its own, which ends and begins anew when the shard restarts.
type shard struct {
	url     string
	options client.Options

	mu     sync.Mutex
	client *client.Client
}

func newShard(ctx context.Context, url string, o client.Options) (*shard, error) {
	c, err := client.Connect(ctx, url, o)
	if err != nil {
		return nil, err
	}
	return &shard{url: url, options: o, client: c}, nil
}

// now is the connection as it is now; in the middle of a restart, a closed one.
func (s *shard) now() *client.Client {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client
}

// restart drops everything that was being watched, as a crash does, and comes back.
func (s *shard) restart(ctx context.Context) error {
	s.now().Close()
	for {
		c, err := client.Connect(ctx, s.url, s.options)
		if err == nil {
			s.mu.Lock()
			s.client = c
			s.mu.Unlock()
			return nil
		}
		if !sleep(ctx, 200*time.Millisecond) {
			return err
		}
	}
}

func (s *shard) close() { s.now().Close() }

// carryOut does what NPCs propose in the world, and tells what was to be seen of
// it, until ctx ends. After a restart it goes on with what was proposed meanwhile.
func (s *shard) carryOut(ctx context.Context, g *game, t *tally) error {
	since := g.now().Add(-time.Second)
	for ctx.Err() == nil {
		c := s.now()
		err := c.Actions(ctx, g.world, since, func(p client.Proposal) {
			result, seen := g.do(p)
			if err := c.ActionResult(ctx, p, result); err != nil {
				t.fault("action_result", err)
				return // unanswered, so that it comes again after a restart, and is not done twice
			}
			t.action(p.Action, result)
			since = p.At
			if seen != nil {
				tell(ctx, c, seen, t)
			}
		})
		if err != nil && !errors.Is(err, client.ErrDisconnected) {
			return err
		}
		sleep(ctx, 50*time.Millisecond)
	}
	return nil
}

func tell(ctx context.Context, c *client.Client, o *schema.Occurrence, t *tally) {
	if err := c.Witness(ctx, o); err != nil {
		t.fault("witness", err)
		return
	}
	t.event()
}

// sleep waits, unless ctx ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
