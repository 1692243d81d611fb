package qdrant

import (
	"context"
	"fmt"
	"strings"

	qd "github.com/qdrant/go-client/qdrant"
)

// The corpus of each schema version lies in a collection of its own, so that an older
// process goes on with its own while a newer one fills another beside it. Processes
// name the collection of their version; the plain name is an alias, of the one that
// tools and people are to look at.

func (l layout) name(prefix string) string {
	if !l.versioned {
		return prefix + l.kind
	}
	return fmt.Sprintf("%s%s_v%d", prefix, l.kind, l.version)
}

// nameFirst makes the alias where there is none.
func (c *collection) nameFirst(ctx context.Context, l layout) error {
	if !l.versioned {
		return nil
	}
	plain := c.o.Prefix + l.kind
	var there bool
	err := c.do(ctx, "look for its alias", func(ctx context.Context) (err error) {
		there, err = c.client.CollectionExists(ctx, plain)
		return err
	})
	if err != nil || there {
		return err // a collection of version 1 has the name: it stands until it is deleted
	}
	return c.do(ctx, "make its alias", func(ctx context.Context) error {
		return c.client.CreateAlias(ctx, plain, c.name)
	})
}

// Publish lets the plain name be this version's collection, in one step. It is called
// once the worlds are in it. A collection of version 1 that has the name is deleted
// first, for its processes have theirs in memory and no reader is left without an answer.
func (c *Corpus) Publish(ctx context.Context) error {
	plain := c.o.Prefix + corpusLayout().kind
	of, err := c.aliased(ctx, plain)
	if err != nil || of == c.name {
		return err
	}
	if of == "" {
		there := false
		err := c.do(ctx, "look for its alias", func(ctx context.Context) (err error) {
			there, err = c.client.CollectionExists(ctx, plain)
			return err
		})
		if err != nil {
			return err
		}
		if there {
			if err := c.dropFirst(ctx, plain); err != nil {
				return err
			}
		}
	}
	actions := []*qd.AliasOperations{qd.NewAliasCreate(plain, c.name)}
	if of != "" {
		actions = append([]*qd.AliasOperations{qd.NewAliasDelete(plain)}, actions...)
	}
	return c.do(ctx, "move its alias", func(ctx context.Context) error { return c.client.UpdateAliases(ctx, actions) })
}

// Drop deletes the collection of this version and its name.
func (c *Corpus) Drop(ctx context.Context) error {
	plain := c.o.Prefix + corpusLayout().kind
	of, err := c.aliased(ctx, plain)
	if err == nil && of == c.name {
		err = c.do(ctx, "delete its alias", func(ctx context.Context) error {
			return c.client.UpdateAliases(ctx, []*qd.AliasOperations{qd.NewAliasDelete(plain)})
		})
	}
	if err != nil {
		return err
	}
	return c.do(ctx, "delete it", func(ctx context.Context) error { return c.client.DeleteCollection(ctx, c.name) })
}

// dropFirst deletes the collection of version 1, where it is one of forsooth's.
func (c *Corpus) dropFirst(ctx context.Context, plain string) error {
	first := &collection{o: c.o, name: plain, client: c.client}
	p, err := first.point(ctx, markerID())
	if err != nil {
		return err
	}
	if p[fieldHolds].GetStringValue() != corpusLayout().kind || p[fieldVersion].GetIntegerValue() != 1 {
		return first.mismatch("was not made by forsooth, and its name is wanted for an alias")
	}
	return first.do(ctx, "delete it", func(ctx context.Context) error { return c.client.DeleteCollection(ctx, plain) })
}

// aliased is the collection that an alias names; "" where it names none.
func (c *collection) aliased(ctx context.Context, alias string) (string, error) {
	var all []*qd.AliasDescription
	err := c.do(ctx, "read its alias", func(ctx context.Context) (err error) {
		all, err = c.client.ListAliases(ctx)
		return err
	})
	for _, a := range all {
		if a.GetAliasName() == alias {
			return a.GetCollectionName(), err
		}
	}
	return "", err
}

// qualified is an entry of known_by in its two parts.
func qualified(who string) (name, kind string) {
	kind, name, ok := strings.Cut(who, ":")
	if !ok {
		return who, ""
	}
	return name, kind
}
