package memory

import (
	"context"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// order has the replies of one conversation read one after another, the earlier first.
// Different conversations do not wait for each other.
type order struct {
	mu   sync.Mutex
	of   map[schema.ConversationID][]*place // by sequence; the first one is being read
	seen *lru.Cache[string, int]            // turns: how often they were put back, or entered
}

// place is a reply's in the queue of its conversation.
type place struct {
	sequence uint64
	first    chan struct{} // closed when it may be read
}

// Workers are given replies in their order, and begin with them in any. A reply whose
// previous turn did not come here yet is put back: once, for that turn may have been read
// elsewhere, or before this process began; and more often where it was put back here too.
const (
	entered    = -1
	putBack    = 100 * time.Millisecond
	putBackMax = 20
	turnsSeen  = 8192 // how many turns are known; one that is forgotten costs one putting back
)

func newOrder() *order {
	return &order{of: map[schema.ConversationID][]*place{}, seen: cacheOf[int](turnsSeen)}
}

// cacheOf remembers something of the turns that were met last.
func cacheOf[T any](size int) *lru.Cache[string, T] {
	cache, err := lru.New[string, T](size)
	if err != nil {
		panic(err) // only for a size below one
	}
	return cache
}

func turnKey(convo schema.ConversationID, turn string) string { return convo.String() + "." + turn }

// early says that a reply came before the turn that it follows, and is to be put back.
func (o *order) early(r *schema.Reply) bool {
	if r.Previous == nil || r.Previous.TurnID == "" {
		return false
	}
	convo := r.Conversation()
	previous, here := o.seen.Get(turnKey(convo, r.Previous.TurnID))
	limit := 1
	if here {
		limit = putBackMax
	}
	times, _ := o.seen.Get(turnKey(convo, r.TurnID))
	if previous == entered || times == entered || times >= limit {
		return false
	}
	o.seen.Add(turnKey(convo, r.TurnID), times+1)
	return true
}

// enter waits until no earlier reply of the conversation is being read, or waits here.
// leave must be called when the reply was read.
func (o *order) enter(ctx context.Context, r *schema.Reply, sequence uint64) (leave func(), err error) {
	convo := r.Conversation()
	p := &place{sequence: sequence, first: make(chan struct{})}
	o.mu.Lock()
	queue := o.of[convo]
	at := len(queue)
	for at > 1 && queue[at-1].sequence > sequence {
		at--
	}
	if at == 0 {
		close(p.first)
	}
	o.of[convo] = slices.Insert(queue, at, p)
	o.mu.Unlock()
	o.seen.Add(turnKey(convo, r.TurnID), entered)
	leave = func() { o.leave(convo, p) }
	select {
	case <-p.first:
		return leave, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}

func (o *order) leave(convo schema.ConversationID, p *place) {
	o.mu.Lock()
	defer o.mu.Unlock()
	queue := o.of[convo]
	at := slices.Index(queue, p)
	queue = slices.Delete(queue, at, at+1)
	if len(queue) == 0 {
		delete(o.of, convo)
		return
	}
	o.of[convo] = queue
	if at == 0 {
		close(queue[0].first)
	}
}
