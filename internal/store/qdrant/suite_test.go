package qdrant_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	qd "github.com/qdrant/go-client/qdrant"

	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/store/qdrant"
	"github.com/forsooth-npc/forsooth/internal/store/qdrant/edgetest"
	"github.com/forsooth-npc/forsooth/internal/store/storetest"
)

func TestSession(t *testing.T) {
	server := edgetest.Start(t)
	storetest.Session(t, func(t *testing.T) func() (store.Session, error) {
		p := &place{o: options(t, server), server: raw(t, server.Addr)}
		return func() (store.Session, error) { return &client{place: p}, nil }
	})
}

func TestCorpus(t *testing.T) {
	server := edgetest.Start(t)
	storetest.Corpus(t, func(t *testing.T) func() (store.Corpus, error) {
		o := options(t, server)
		return func() (store.Corpus, error) { return openCorpus(o) }
	})
}

func TestApart(t *testing.T) {
	server := edgetest.Start(t)
	storetest.Apart(t, func(t *testing.T) func() (storetest.Both, error) {
		o := options(t, server)
		o.Dimension = 2
		return func() (storetest.Both, error) {
			c, err := openCorpus(o)
			if err != nil {
				return storetest.Both{}, err
			}
			s, err := qdrant.OpenSession(context.Background(), o)
			return storetest.Both{Corpus: c, Session: s}, err
		}
	})
}

func openCorpus(o qdrant.Options) (store.Corpus, error) {
	c, err := qdrant.OpenCorpus(context.Background(), o)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// options are those of collections that no other test has, dropped when it ends.
func options(t *testing.T, server *edgetest.Server) qdrant.Options {
	t.Helper()
	o := qdrant.Options{Addr: server.Addr, Prefix: fmt.Sprintf("test%d_%d_", started, prefixes.Add(1)), Dimension: 3}
	t.Cleanup(func() { drop(t, o) })
	return o
}

var (
	started  = time.Now().UnixNano() // a server that is shared may know earlier runs
	prefixes atomic.Int64
)

// drop deletes what collections there are under the options' prefix.
func drop(t *testing.T, o qdrant.Options) {
	t.Helper()
	server := raw(t, o.Addr)
	for _, kind := range []string{"session", "corpus"} {
		there, err := server.CollectionExists(context.Background(), o.Prefix+kind)
		if err == nil && there {
			err = server.DeleteCollection(context.Background(), o.Prefix+kind)
		}
		if err != nil {
			t.Logf("drop %s%s: %v", o.Prefix, kind, err)
		}
	}
}

// raw is a client that knows nothing of forsooth.
func raw(t *testing.T, addr string) *qd.Client {
	t.Helper()
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	c, err := qd.NewClient(&qd.Config{Host: host, Port: n, SkipCompatibilityCheck: true, PoolSize: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// place is where the clients of one test of the suite meet. A collection is of one
// dimension and the suite's tests are of several, so the first vector that is put
// tells which, and until then it is guessed.
type place struct {
	o      qdrant.Options
	server *qd.Client
	mu     sync.Mutex
	fixed  bool
}

// client is a session that is opened when it is first used.
type client struct {
	place  *place
	opened *qdrant.Session
	of     int // the dimension it was opened with
}

const guess = 2

// session is the opened one; put is the dimension of what is about to be put.
func (c *client) session(put int) (*qdrant.Session, error) {
	p := c.place
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.fixed {
		p.o.Dimension, p.fixed = guess, put > 0
		if put > 0 {
			p.o.Dimension = put
		}
	}
	if c.of == p.o.Dimension {
		return c.opened, nil
	}
	if c.opened != nil {
		err := errors.Join(p.server.DeleteCollection(context.Background(), p.o.Prefix+"session"), c.opened.Close())
		if err != nil {
			return nil, err
		}
	}
	s, err := qdrant.OpenSession(context.Background(), p.o)
	if err == nil {
		c.opened, c.of = s, p.o.Dimension
	}
	return s, err
}

func (c *client) Put(ctx context.Context, points []store.MemoryPoint) error {
	dimension := 0
	for _, p := range points {
		if store.CheckPoint(&p) == nil {
			dimension = max(dimension, len(p.Vector))
		}
	}
	s, err := c.session(dimension)
	if err != nil {
		return err
	}
	return s.Put(ctx, points)
}

func (c *client) Get(ctx context.Context, world, id string) (store.MemoryPoint, error) {
	s, err := c.session(0)
	if err != nil {
		return store.MemoryPoint{}, err
	}
	return s.Get(ctx, world, id)
}

func (c *client) Scroll(ctx context.Context, f store.MemoryFilter, after string, limit int) ([]store.MemoryPoint, error) {
	s, err := c.session(0)
	if err != nil {
		return nil, err
	}
	return s.Scroll(ctx, f, after, limit)
}

func (c *client) Nearest(ctx context.Context, f store.MemoryFilter, model string, v []float32, k int) ([]store.Scored, error) {
	s, err := c.session(0)
	if err != nil {
		return nil, err
	}
	return s.Nearest(ctx, f, model, v, k)
}

func (c *client) Touch(ctx context.Context, world string, ids []string, at time.Time) error {
	s, err := c.session(0)
	if err != nil {
		return err
	}
	return s.Touch(ctx, world, ids, at)
}

func (c *client) Count(ctx context.Context, f store.MemoryFilter) (int, error) {
	s, err := c.session(0)
	if err != nil {
		return 0, err
	}
	return s.Count(ctx, f)
}

func (c *client) Delete(ctx context.Context, f store.MemoryFilter) (int, error) {
	s, err := c.session(0)
	if err != nil {
		return 0, err
	}
	return s.Delete(ctx, f)
}

func (c *client) Mark(ctx context.Context, key, value string) error {
	s, err := c.session(0)
	if err != nil {
		return err
	}
	return s.Mark(ctx, key, value)
}

func (c *client) Marked(ctx context.Context, key string) (string, error) {
	s, err := c.session(0)
	if err != nil {
		return "", err
	}
	return s.Marked(ctx, key)
}

func (c *client) Close() error {
	if c.opened == nil {
		return nil
	}
	return c.opened.Close()
}
