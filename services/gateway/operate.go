package gateway

import (
	"cmp"
	"context"
	"net/http"
	"strconv"

	"github.com/forsooth-npc/forsooth/internal/mesh/admin"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// What an operator does through the inspector. All of it takes the right to operate.

// Eraser takes a player out of a world. It needs an operator's rights on the broker and the
// data folder, which a gateway alone does not have: the process that runs the mesh does.
type Eraser interface {
	Look(ctx context.Context, world, player string) (admin.Plan, error)
	Erase(ctx context.Context, world, player string) (admin.Receipt, error)
}

// listLetters lists the dead letters of a world.
func (g *Gateway) listLetters(w http.ResponseWriter, r *http.Request, c *caller) error {
	var q schema.LettersQuery
	if text := r.URL.Query().Get("after"); text != "" {
		n, err := strconv.ParseUint(text, 10, 63)
		if err != nil {
			return problem(http.StatusBadRequest, CodeInvalid, "after is no number of a letter").on("after")
		}
		q.After = n
	}
	ctx, stop, err := g.operating(r, c)
	if err != nil {
		return err
	}
	defer stop()
	found, err := g.client.Letters(ctx, r.PathValue("world"), q)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, found)
	return nil
}

// retryLetter has the reader of a dead letter try again.
func (g *Gateway) retryLetter(w http.ResponseWriter, r *http.Request, c *caller) error {
	n, err := strconv.ParseUint(r.PathValue("number"), 10, 63)
	if err != nil || n == 0 {
		return problem(http.StatusNotFound, CodeNotFound, "a letter has a number, from 1")
	}
	ctx, stop, err := g.operating(r, c)
	if err != nil {
		return err
	}
	defer stop()
	if err := g.client.Retry(ctx, r.PathValue("world"), n); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// Resolution settles a contradiction: one memory holds, or both do. Or it takes an entry of
// the memory's history back.
type Resolution struct {
	Keep string `json:"keep,omitempty"` // the id of the memory that holds
	Both bool   `json:"both,omitempty"` // both hold
	Undo string `json:"undo,omitempty"` // the id of the entry
	Why  string `json:"why,omitempty"`  // the log keeps it
}

// ways counts what it asks for.
func (r *Resolution) ways() (n int) {
	for _, asked := range []bool{r.Keep != "", r.Both, r.Undo != ""} {
		if asked {
			n++
		}
	}
	return n
}

// resolveMemory settles a contradiction, and shows the entry of the log.
func (g *Gateway) resolveMemory(w http.ResponseWriter, r *http.Request, c *caller) error {
	var in Resolution
	if err := readJSON(w, r, maxBody, &in, true); err != nil {
		return err
	}
	if in.ways() != 1 {
		return problem(http.StatusBadRequest, CodeInvalid, "name the memory that holds in keep, or set both, or name "+
			"an entry of its history in undo").on("keep")
	}
	who := "inspector"
	if c.key != nil {
		who = cut(cmp.Or(c.key.Name, c.key.ID), 60)
	}
	ctx, stop, err := g.operating(r, c)
	if err != nil {
		return err
	}
	defer stop()
	done, err := g.client.Resolve(ctx, r.PathValue("world"), schema.ResolveQuery{Memory: r.PathValue("memory"),
		Keep: in.Keep, Undo: in.Undo, By: who, Why: in.Why})
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, done)
	return nil
}

// lookAtPlayer says what an erasure would take away.
func (g *Gateway) lookAtPlayer(w http.ResponseWriter, r *http.Request, c *caller) error {
	return g.erasing(w, r, c, func(ctx context.Context, world, player string) (any, error) {
		return g.eraser.Look(ctx, world, player)
	})
}

// erasePlayer takes a player out of a world, and shows the receipt.
func (g *Gateway) erasePlayer(w http.ResponseWriter, r *http.Request, c *caller) error {
	return g.erasing(w, r, c, func(ctx context.Context, world, player string) (any, error) {
		return g.eraser.Erase(ctx, world, player)
	})
}

func (g *Gateway) erasing(w http.ResponseWriter, r *http.Request, c *caller,
	do func(ctx context.Context, world, player string) (any, error)) error {
	_, stop, err := g.operating(r, c)
	if err != nil {
		return err
	}
	stop()
	if g.eraser == nil {
		return problem(http.StatusNotImplemented, CodeElsewhere, "this gateway runs apart from its mesh and cannot "+
			"erase; run `forsooth memory erase --player ID` where the data folder is")
	}
	// An erasure that was begun is finished, whoever has left.
	ctx, stop := context.WithTimeout(context.WithoutCancel(r.Context()), writeLimit)
	defer stop()
	out, err := do(ctx, r.PathValue("world"), r.PathValue("player"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, out)
	return nil
}

// operating is the time that something may take in a world that there is. It is for no
// player, whatever rights the key has.
func (g *Gateway) operating(r *http.Request, c *caller) (context.Context, context.CancelFunc, error) {
	if err := c.isBackend(); err != nil {
		return nil, nil, err
	}
	if _, err := g.catalog.world(r.Context(), r.PathValue("world")); err != nil {
		return nil, nil, err
	}
	ctx, stop := context.WithTimeout(r.Context(), checkFor)
	return ctx, stop, nil
}
