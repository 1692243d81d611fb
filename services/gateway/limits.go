package gateway

import (
	"context"
	"net/http"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"
)

// limits bound what each key and each player asks of this replica. The mesh has its own
// for all replicas together. A caller without a key is on this machine, and has none.
type limits struct {
	now  func() time.Time
	keys *lru.Cache[string, *rate.Limiter]
	said *lru.Cache[string, *rate.Limiter]
}

// What a key and a player may do, where the key says nothing else.
const (
	keyRate     = 100 // requests a second
	playerRate  = 2   // turns a second
	playerBurst = 10
	limitsKept  = 100_000
)

func newLimits(now func() time.Time) *limits {
	byKey, _ := lru.New[string, *rate.Limiter](limitsKept) // the size is not negative
	byPlayer, _ := lru.New[string, *rate.Limiter](limitsKept)
	return &limits{now: now, keys: byKey, said: byPlayer}
}

// request counts a request of a key. A player's token is counted by itself, so that
// one player cannot take what is for all.
func (l *limits) request(c *caller) error {
	if c.key == nil {
		return nil
	}
	name, perSecond := c.key.ID, c.key.Rate
	if perSecond == 0 {
		perSecond = keyRate
	}
	if c.grant != nil {
		name, perSecond = name+"."+c.grant.World+"."+c.grant.Player, min(perSecond, playerBurst)
	}
	return l.take(l.keys, name, perSecond, 2*perSecond)
}

// turn counts a turn of a player.
func (l *limits) turn(c *caller, world, player string) error {
	if c.key == nil {
		return nil
	}
	return l.take(l.said, c.key.ID+"."+world+"."+player, playerRate, playerBurst)
}

func (l *limits) take(from *lru.Cache[string, *rate.Limiter], name string, perSecond, burst float64) error {
	bucket, ok := from.Get(name)
	if !ok || bucket.Limit() != rate.Limit(perSecond) {
		bucket = rate.NewLimiter(rate.Limit(perSecond), max(1, int(burst)))
		if before, was, _ := from.PeekOrAdd(name, bucket); was && before.Limit() == bucket.Limit() {
			bucket = before
		} else if was {
			from.Add(name, bucket)
		}
	}
	now := l.now()
	r := bucket.ReserveN(now, 1)
	wait := r.DelayFrom(now)
	if wait == 0 {
		return nil
	}
	r.CancelAt(now)
	return problem(http.StatusTooManyRequests, CodeLimited, "more is asked than this key or player may").after(wait)
}

// lasting is what lives as long as the gateway and not as long as a request: sockets, and
// who listens to the proposals of a world.
type lasting struct {
	living context.Context
	stop   context.CancelFunc

	mu    sync.Mutex
	ended bool
	wait  sync.WaitGroup
}

func newLasting() *lasting {
	l := &lasting{}
	l.living, l.stop = context.WithCancel(context.Background())
	return l
}

// begin runs f until the gateway ends; false where it has.
func (l *lasting) begin(f func(living context.Context)) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return false
	}
	l.wait.Go(func() { f(l.living) })
	return true
}

// end has everything end, and waits for it.
func (l *lasting) end() {
	l.stop()
	l.mu.Lock()
	l.ended = true
	l.mu.Unlock()
	l.wait.Wait()
}
