package qdrant_test

import (
	"context"
	"fmt"
	"sync"
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
		p := &place{t: t, server: server}
		return func() (store.Session, error) { return &client{place: p}, nil }
	})
}

func TestCorpus(t *testing.T) {
	server := edgetest.Start(t)
	storetest.Corpus(t, func(t *testing.T) func() (store.Corpus, error) {
		o := emptied(t, server, 3)
		return func() (store.Corpus, error) { return openCorpus(o) }
	})
}

func TestApart(t *testing.T) {
	server := edgetest.Start(t)
	storetest.Apart(t, func(t *testing.T) func() (storetest.Both, error) {
		o := emptied(t, server, 2)
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

// run is in the names of collections: a server that is shared may know earlier runs.
var run = time.Now().UnixNano()

// emptied are options of collections without a point. They are made once for each
// dimension, for the engine takes its time over each index, and the points of the
// test before are deleted.
func emptied(t *testing.T, server *edgetest.Server, dimension int) qdrant.Options {
	t.Helper()
	o := qdrant.Options{Addr: server.Addr, Prefix: fmt.Sprintf("test%d_%d_", run, dimension), Dimension: dimension}
	if storetest.Large() > 0 {
		o.Timeout = 5 * time.Minute // the front of the engine answers one request at a time
	}
	points := edgetest.Client(t, o.Addr)
	for _, kind := range []string{"session", "corpus"} {
		there, err := points.CollectionExists(context.Background(), o.Prefix+kind)
		if err != nil {
			t.Fatal(err)
		}
		if !there {
			continue
		}
		_, err = points.Delete(context.Background(), &qd.DeletePoints{
			CollectionName: o.Prefix + kind, Wait: qd.PtrOf(true),
			// all but the marker
			Points: qd.NewPointsSelectorFilter(&qd.Filter{Must: []*qd.Condition{qd.NewIsEmpty("schema_version")}}),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// place is where the clients of one test of the suite meet. A collection is of one
// dimension and the suite's tests are of several, so the first vector that is put
// tells which, and until then it is guessed.
type place struct {
	t      *testing.T
	server *edgetest.Server
	mu     sync.Mutex
	o      qdrant.Options
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
	want := p.o.Dimension
	if !p.fixed {
		if want = put; put == 0 {
			want = guess
		}
		p.fixed = put > 0
	}
	if want != p.o.Dimension {
		p.o = emptied(p.t, p.server, want)
	}
	if c.of == want {
		return c.opened, nil
	}
	s, err := qdrant.OpenSession(context.Background(), p.o)
	if err != nil {
		return nil, err
	}
	if c.opened != nil {
		err = c.opened.Close()
	}
	c.opened, c.of = s, want
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

func (c *client) Scroll(
	ctx context.Context, f store.MemoryFilter, after string, limit int,
) ([]store.MemoryPoint, error) {
	s, err := c.session(0)
	if err != nil {
		return nil, err
	}
	return s.Scroll(ctx, f, after, limit)
}

func (c *client) Nearest(
	ctx context.Context, f store.MemoryFilter, model string, v []float32, k int,
) ([]store.Scored, error) {
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

func (c *client) Gather(ctx context.Context, world, into string, from []string) error {
	s, err := c.session(0)
	if err != nil {
		return err
	}
	return s.Gather(ctx, world, into, from)
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
