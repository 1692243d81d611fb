package qdrant

import (
	"context"
	"errors"
	"slices"
)

// Documents is how many documents of a world a server has, for those who only look:
// nothing is made there, and where there is no collection there are none. It is an error
// where the collection is laid out otherwise than this build wants it, or where
// passages are missing that the world's manifest names.
func Documents(ctx context.Context, o Options, world, model string) (n int, err error) {
	l := corpusLayout()
	reached, err := reach(o, l)
	if err != nil {
		return 0, err
	}
	c, err := newCorpus(reached)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := c.checkServer(ctx); err != nil {
		return 0, err
	}
	there, err := c.exists(ctx)
	if err != nil || !there {
		return 0, err
	}
	if err := c.checkLayout(ctx, l); err != nil {
		return 0, err
	}
	m, err := c.manifest(ctx, world, model)
	if err != nil {
		return 0, err
	}
	return len(m.Documents), c.checkCounts(ctx, world, model, &m)
}

// checkLayout holds a collection against the schema without changing it.
func (c *Corpus) checkLayout(ctx context.Context, l layout) error {
	about, _, err := c.fits(ctx, l)
	if err != nil {
		return err
	}
	var missing []string
	for field := range l.indexes {
		if _, ok := about.GetPayloadSchema()[field]; !ok {
			missing = append(missing, field)
		}
	}
	if slices.Sort(missing); len(missing) > 0 {
		return c.mismatch("has no index of the fields %q; the next start makes them", missing)
	}
	return nil
}

// checkCounts counts the passages of every document that a manifest names.
func (c *Corpus) checkCounts(ctx context.Context, world, model string, m *manifest) error {
	want := 0
	for _, e := range m.Documents {
		want += e.Passages
	}
	got, err := c.count(ctx, inWorld(world, model, m.Generation))
	if err == nil && got < want {
		err = c.damaged("it holds %d of the %d passages of world %.100q", got, want, world)
	}
	return err
}
