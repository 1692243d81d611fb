// Package limits holds the bounds that an operator sets: how much one player and one world
// may say, how much is tried again, and which hosts this process may send requests to. It
// answers nobody, opens no connection of its own, and knows neither queues nor how busy
// the mesh is. Time is what its callers pass in.
package limits

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Rate is one kind of bucket: so many turns a second, and so many at once after a
// rest. PerSecond 0 sets no bound.
type Rate struct {
	PerSecond float64
	Burst     int
}

func (l Rate) bounds() bool { return l.PerSecond > 0 }

// Rates are those of each player of a world, whichever NPC it talks to, and of each
// world.
type Rates struct{ Player, World Rate }

// Bound says whether they bound anything.
func (l Rates) Bound() bool { return l.Player.bounds() || l.World.bounds() }

// Buckets hold what players and worlds have left. They are safe for many callers.
type Buckets struct {
	limits Rates

	mu      sync.Mutex
	now     time.Time // the latest that was passed in
	players map[player]*rate.Limiter
	worlds  map[string]*rate.Limiter
	tidyAt  int // how many players may stand before those whose buckets are full go
}

type player struct{ world, name string }

// NewBuckets makes full buckets.
func NewBuckets(limits Rates) *Buckets {
	return &Buckets{limits: limits, players: map[player]*rate.Limiter{}, worlds: map[string]*rate.Limiter{},
		tidyAt: leastTidy}
}

// leastTidy is how many players are kept before it is worth looking who can go.
const leastTidy = 4096

// Take takes a token of a player's and of its world's bucket, for a turn accepted at a
// time. Where one of them is empty it takes nothing, and says after how long the turn
// would be taken.
func (b *Buckets) Take(world, name string, at time.Time) (wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	at = b.passed(at)
	var taken []*rate.Reservation
	for _, bucket := range b.of(world, name) {
		r := bucket.ReserveN(at, 1)
		taken = append(taken, r)
		wait = max(wait, r.DelayFrom(at))
	}
	if wait > 0 {
		for _, r := range taken {
			r.CancelAt(at)
		}
	}
	return wait
}

// Spend takes tokens for a turn that was taken elsewhere: buckets may then owe some.
func (b *Buckets) Spend(world, name string, at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	at = b.passed(at)
	for _, bucket := range b.of(world, name) {
		bucket.ReserveN(at, 1)
	}
}

// passed keeps time from going back: turns are not looked at in the order in which
// they came, and a bucket that is set back would be filled twice.
func (b *Buckets) passed(at time.Time) time.Time {
	if at.After(b.now) {
		b.now = at
	}
	return b.now
}

// of are the buckets of a player and its world that are bounded.
func (b *Buckets) of(world, name string) []*rate.Limiter {
	var out []*rate.Limiter
	if l := b.limits.Player; l.bounds() {
		key := player{world, name}
		if b.players[key] == nil {
			b.tidy()
			b.players[key] = rate.NewLimiter(rate.Limit(l.PerSecond), l.Burst)
		}
		out = append(out, b.players[key])
	}
	if l := b.limits.World; l.bounds() {
		if b.worlds[world] == nil {
			b.worlds[world] = rate.NewLimiter(rate.Limit(l.PerSecond), l.Burst)
		}
		out = append(out, b.worlds[world])
	}
	return out
}

// tidy forgets players whose buckets are full, for a full one is the same as none:
// what is kept is bounded by who spoke lately.
func (b *Buckets) tidy() {
	if len(b.players) < b.tidyAt {
		return
	}
	for key, bucket := range b.players {
		if bucket.TokensAt(b.now) >= float64(b.limits.Player.Burst) {
			delete(b.players, key)
		}
	}
	b.tidyAt = max(leastTidy, 2*len(b.players))
}

// Retries hold retries to a share of what is tried for the first time, so that what is
// in trouble is not asked all the more. The budget begins with a few, and never holds
// more than a burst of them.
type Retries struct {
	share, most float64

	mu   sync.Mutex
	left float64
}

// NewRetries makes a budget of so many retries for each first try, with some to begin
// with, of which at most so many are kept for later.
func NewRetries(share float64, first, most int) *Retries {
	return &Retries{share: share, left: float64(first), most: float64(max(first, most))}
}

// Earn adds the share of a first try.
func (r *Retries) Earn() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left = min(r.left+r.share, r.most)
}

// GiveBack returns a retry that went well: what it was for is in trouble no more.
func (r *Retries) GiveBack() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left = min(r.left+1, r.most)
}

// Take says whether a retry may be made, and counts it.
func (r *Retries) Take() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.left < 1 {
		return false
	}
	r.left--
	return true
}
