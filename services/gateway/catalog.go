package gateway

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/client"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// catalog remembers for a moment which worlds there are, so that a turn costs no
// question for that.
type catalog struct {
	client *client.Client
	now    func() time.Time

	mu     sync.Mutex
	worlds map[string]kept // worlds that there are alone: what is asked for does not grow it
}

type kept struct {
	info *schema.WorldInfo
	at   time.Time
}

// freshFor is how long an answer is believed, and askFor how long one is waited for.
const (
	freshFor = 2 * time.Second
	askFor   = 5 * time.Second
)

func newCatalog(c *client.Client, now func() time.Time) *catalog {
	return &catalog{client: c, now: now, worlds: map[string]kept{}}
}

// world is a world that there is.
func (c *catalog) world(ctx context.Context, name string) (*schema.WorldInfo, error) {
	c.mu.Lock()
	k, ok := c.worlds[name]
	c.mu.Unlock()
	if ok && c.now().Sub(k.at) < freshFor {
		return k.info, nil
	}
	ctx, stop := context.WithTimeout(ctx, askFor)
	defer stop()
	info, err := c.client.World(ctx, name)
	if errors.Is(err, client.ErrNotFound) {
		return nil, problem(http.StatusNotFound, CodeUnknownWorld,
			"no world of this name is served; GET /v1/worlds lists those that are").on("world")
	}
	if err != nil {
		return nil, err
	}
	c.keep(info)
	return info, nil
}

func (c *catalog) keep(info *schema.WorldInfo) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.worlds[info.Name] = kept{info, c.now()}
}

// npc is an NPC that there is.
func (c *catalog) npc(ctx context.Context, world, handle string) (*schema.NPCInfo, error) {
	info, err := c.world(ctx, world)
	if err != nil {
		return nil, err
	}
	if n := info.NPC(handle); n != nil {
		return n, nil
	}
	return nil, problem(http.StatusNotFound, CodeUnknownNPC, "no NPC of this world has that handle; GET "+
		"/v1/worlds/%s/npcs lists those that there are", world).on("npc")
}

// all are the worlds that a caller may play in.
func (c *catalog) all(ctx context.Context, who *caller) ([]schema.WorldInfo, error) {
	ctx, stop := context.WithTimeout(ctx, askFor)
	defer stop()
	found, err := c.client.Worlds(ctx)
	if err != nil {
		return nil, err
	}
	out := []schema.WorldInfo{}
	for i := range found {
		if sees(who, found[i].Name) {
			out = append(out, found[i])
		}
	}
	return out, nil
}

// sees says whether a caller is let know of a world.
func sees(who *caller, world string) bool {
	switch {
	case who.key == nil:
		return true
	case who.grant != nil:
		return who.grant.World == world
	}
	for _, r := range who.key.Rights {
		if who.key.May(r, world) {
			return true
		}
	}
	return false
}
