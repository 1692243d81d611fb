package nli

import "sync"

// cache remembers what the model said. It holds two generations: when the young
// one is full it becomes the old one, and what is asked for again moves up.
type cache[V any] struct {
	mu         sync.Mutex
	young, old map[key]V
	size       int
}

func newCache[V any](size int) *cache[V] {
	return &cache[V]{young: map[key]V{}, size: size / 2}
}

func (c *cache[V]) get(k key) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.young[k]
	if ok {
		return v, true
	}
	if v, ok = c.old[k]; ok {
		c.keep(k, v)
	}
	return v, ok
}

// maxKey is how long texts may be that are remembered.
const maxKey = 4 << 10

func (c *cache[V]) put(k key, v V) {
	if len(k[0])+len(k[1]) > maxKey {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep(k, v)
}

func (c *cache[V]) keep(k key, v V) {
	if len(c.young) >= c.size {
		c.young, c.old = map[key]V{}, c.young
	}
	c.young[k] = v
}
