package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/forsooth-npc/forsooth/internal/faults"
	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
)

// nodes is how many servers a cluster has: the fewest of which one may fall.
const nodes = 3

// cluster is a broker of several servers, each pair of them with something between
// them that can be cut, and one address in front that leads to any that is well.
type cluster struct {
	*embedded.Breakable
	front  *faults.Proxy
	apart  [nodes]atomic.Bool // not to be given to clients
	next   atomic.Uint32
	routes map[[2]int]*faults.Proxy
}

func startCluster(ctx context.Context, dir string) (*cluster, error) {
	c := &cluster{routes: map[[2]int]*faults.Proxy{}}
	var err error
	c.Breakable, err = embedded.StartBreakable(ctx, filepath.Join(dir, "cluster"), nodes,
		func(from, to int, address string) (string, error) {
			p, err := faults.Listen(address)
			if err != nil {
				return "", err
			}
			c.routes[[2]int{from, to}] = p
			return p.Addr(), nil
		})
	if err == nil {
		c.front, err = faults.ListenTo(c.well)
	}
	if err != nil {
		c.stop()
	}
	return c, err
}

// well is a node that nothing ails, one after the other.
func (c *cluster) well() string {
	first := int(c.next.Add(1))
	for i := range nodes {
		n := (first + i) % nodes
		if address := c.Address(n); address != "" && !c.apart[n].Load() {
			return address
		}
	}
	return ""
}

// sever cuts a node from the others; its clients stay.
func (c *cluster) sever(node int, whole bool) {
	for pair, p := range c.routes {
		if pair[0] != node && pair[1] != node {
			continue
		}
		if whole {
			p.Up()
		} else {
			p.Down()
		}
	}
}

// leader is the node whose loss costs most: the one that leads a stream that every
// turn needs.
func (c *cluster) leader(d *rand.Rand) int {
	streams := []string{"TURNS", "PASSES", "SAID", "REPLIES", "TIMERS"}
	return max(0, c.Leader(streams[d.IntN(len(streams))]))
}

// whole says whether everything that a turn's end needs has its leader.
func (c *cluster) whole() bool {
	return c.Led(map[string]string{"TURNS": "intake", "TIMERS": "deadline", "REPLIES": "finisher", "SAID": "",
		"PASSES": "", "KV_conversations": "", "KV_erased": ""})
}

// led waits until it has.
func (c *cluster) led(ctx context.Context) error {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		if c.whole() {
			return nil
		}
		if !sleep(ctx, lookTick) {
			return ctx.Err()
		}
	}
	return fmt.Errorf("the cluster has no leaders after a minute")
}

func (c *cluster) stop() {
	if c.front != nil {
		c.front.Close()
	}
	if c.Breakable != nil {
		c.Stop()
	}
	for _, p := range c.routes {
		p.Close()
	}
}

// leaderKilled kills the node that leads a stream, without a farewell, and starts it
// again.
func leaderKilled(ctx context.Context, r *run, d *rand.Rand) (bool, error) {
	away := between(d, 500*time.Millisecond, 3*time.Second)
	err := r.broker.outage(ctx, r.fleet.back, func() error {
		c := r.broker.cluster
		n := c.leader(d)
		address := c.Address(n)
		c.apart[n].Store(true)
		c.sever(n, false)
		c.front.Drop(address)
		c.Kill(n)
		sleep(ctx, away)
		c.sever(n, true)
		if err := c.Start(n); err != nil {
			return err
		}
		c.apart[n].Store(false)
		return c.led(context.WithoutCancel(ctx))
	})
	return err == nil, err
}

// nodeRestarted stops a node as an operator does, and starts it again.
func nodeRestarted(ctx context.Context, r *run, d *rand.Rand) (bool, error) {
	n, away := d.IntN(nodes), between(d, 100*time.Millisecond, 2*time.Second)
	err := r.broker.outage(ctx, r.fleet.back, func() error {
		c := r.broker.cluster
		c.Kill(n)
		sleep(ctx, away)
		if err := c.Start(n); err != nil {
			return err
		}
		return c.led(context.WithoutCancel(ctx))
	})
	return err == nil, err
}

// parted cuts a node from the two others; who is connected to it stays so, and reaches
// no leader.
func parted(ctx context.Context, r *run, d *rand.Rand) (bool, error) {
	long := between(d, time.Second, 6*time.Second)
	err := r.broker.outage(ctx, r.fleet.back, func() error {
		c := r.broker.cluster
		n := c.leader(d)
		c.sever(n, false)
		sleep(ctx, long)
		c.sever(n, true)
		return c.led(context.WithoutCancel(ctx))
	})
	return err == nil, err
}
